#pragma once
#include <string_view>

#include <glassbox/layers/mask.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

namespace steps::pooling {
inline constexpr const char* layer = "pooling";
inline constexpr StepInfo cls{layer, "cls", "[CLS] ‖ {1}",
                              "A learned token in front, which can attend to the whole sequence."};
inline constexpr StepInfo mean{layer, "pooled", "mean over positions", "The average of all positions."};
inline constexpr StepInfo max{layer, "pooled", "max over positions",
                              "The largest value of each feature over all positions."};
inline constexpr StepInfo last{layer, "pooled", "row n − 1, the last real element",
                               "In a causal model the only row that has seen the whole sequence."};
inline constexpr StepInfo first{layer, "pooled", "row 0, [CLS]",
                                "The token in front stands for the whole sequence."};
}  // namespace steps::pooling

// How a sequence is reduced to one vector (report §7): by the mean or the maximum over its elements, by an
// extra [CLS] token in front, or by its last element. none: no reduction, one output per element.
enum class Pooling { none, mean, max, cls, last };
template <>
struct EnumWords<Pooling> {
    static constexpr const char* what = "pooling";
    static constexpr Word<Pooling> all[] = {{Pooling::none, "none"},
                                            {Pooling::mean, "mean"},
                                            {Pooling::max, "max"},
                                            {Pooling::cls, "cls"},
                                            {Pooling::last, "last"}};
};

// [CLS] ‖ h: the token (d) before the first element. h (…, T, d) → (…, 1 + T, d). Step: cls.
Tensor with_cls(const Tensor& token, const Tensor& h);

// One row for the sequence: h (…, T, d) → (…, d). With lengths in the mask, the mean and the maximum are over
// the real elements, and the last is one of them. Step: pooled. Throws Error for Pooling::none and for T = 0;
// if the mask has a length of 0 the mean is NaN, the maximum −∞, the last 0.
Tensor pooled(const Tensor& h, Pooling pooling, const Mask& mask = {});

}  // namespace glassbox
