#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include <glassbox/mistakes/precision.h>

namespace tracer {

// The number formats below float32 that a text names: dtype=torch.float16, Matrix{Float16}, CPUBFloat16Type.
struct NamedFormats {
    bool half = false, bfloat = false;
};
NamedFormats formats_named_in(std::string_view text);

// The format in which printed numbers were computed, by their text or their digits: NumPy prints a float16 in
// so few digits that no other number of float16 has them. None where they may be of float32.
std::optional<glassbox::Precision> written_precision(const glassbox::Tensor& numbers,
                                                     const std::vector<double>& half_width,
                                                     const NamedFormats& named);

}  // namespace tracer
