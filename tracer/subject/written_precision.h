#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include <glassbox/mistakes/precision.h>

namespace glassbox::tracer {

// The number formats below float32 that a text names: dtype=torch.float16, Matrix{Float16}, CPUBFloat16Type.
struct NamedFormats {
    bool half = false, bfloat = false;
};
NamedFormats formats_named_in(std::string_view text);

// The format in which printed numbers were computed, by their text or their digits. None where they may be of
// float32.
std::optional<Precision> written_precision(const Tensor& numbers, const std::vector<double>& half_width,
                                           const NamedFormats& named);

// Whether each number is written in the fewest digits that identify it in float16, as NumPy prints that:
// numbers rounded to three or four digits may also be.
bool may_be_printed_half(const Tensor& numbers, const std::vector<double>& half_width);

}  // namespace glassbox::tracer
