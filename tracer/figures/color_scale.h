#pragma once
#include <glassbox/tensor/words.h>

namespace tracer {

// What colours mean: each tensor's or map's own range, so that small ones can be seen too; or one range for
// all, so that they can be compared.
enum class ColorScale { each, shared };

}  // namespace tracer

template <>
struct glassbox::EnumWords<tracer::ColorScale> {
    static constexpr const char* what = "scale";
    static constexpr Word<tracer::ColorScale> all[] = {{tracer::ColorScale::each, "each"},
                                                       {tracer::ColorScale::shared, "shared"}};
};
