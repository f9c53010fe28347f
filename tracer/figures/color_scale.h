#pragma once
#include <glassbox/tensor/words.h>

namespace tracer {

// The range of a colour scale: each tensor's or map's own, which keeps small values visible; or one shared by
// all, which makes them comparable.
enum class ColorScale { each, shared };

}  // namespace tracer

template <>
struct glassbox::EnumWords<tracer::ColorScale> {
    static constexpr const char* what = "scale";
    static constexpr Word<tracer::ColorScale> all[] = {{tracer::ColorScale::each, "each"},
                                                       {tracer::ColorScale::shared, "shared"}};
};
