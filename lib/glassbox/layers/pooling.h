#pragma once
#include <string_view>

#include <glassbox/layers/mask.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

namespace steps::pooling {
inline constexpr const char* layer = "pooling";
inline constexpr StepInfo cls{layer, "cls", "[CLS] ‖ {1}",
                              "A learned token stands in front: its place gathers the sequence as a whole."};
inline constexpr StepInfo mean{layer, "pooled", "mean over positions",
                               "All positions become one: their average."};
inline constexpr StepInfo max{layer, "pooled", "max over positions",
                              "Of every feature the largest, wherever it stands."};
inline constexpr StepInfo first{layer, "pooled", "row 0, [CLS]",
                                "The token in front has gathered what the others say."};
}  // namespace steps::pooling

// How a sequence becomes one answer (report §7): by the mean or the maximum of its elements, or by a token of
// its own in front. Or not at all: one answer for each element.
enum class Pooling { none, mean, max, cls };
template <>
struct EnumWords<Pooling> {
    static constexpr const char* what = "pooling";
    static constexpr Word<Pooling> all[] = {
        {Pooling::none, "none"}, {Pooling::mean, "mean"}, {Pooling::max, "max"}, {Pooling::cls, "cls"}};
};

// [CLS] ‖ h: the token (d) before the first element. h (…, T, d) → (…, 1 + T, d). Step: cls.
Tensor with_cls(const Tensor& token, const Tensor& h);

// One row for the sequence: h (…, T, d) → (…, d). With lengths in the mask the mean and the maximum are of
// the real elements. Step: pooled. Throws Error for Pooling::none and where there are no elements.
Tensor pooled(const Tensor& h, Pooling pooling, const Mask& mask = {});

}  // namespace glassbox
