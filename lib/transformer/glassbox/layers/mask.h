#pragma once
#include <optional>
#include <vector>

#include <glassbox/observe/step.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::mask {
inline constexpr const char* layer = "mask";
inline constexpr StepInfo causal{layer, "causal", "1 where j ≤ i, else 0",
                                 "Query i (row) sees no later key (column)."};
inline constexpr StepInfo padding{layer, "padding", "1 where j < length, else 0",
                                  "No query sees past the end of a sequence."};
inline constexpr StepInfo window{layer, "window", "1 where |i − j| ≤ reach, else 0",
                                 "A query sees only the keys near it."};
inline constexpr StepInfo given{layer, "given", "", "The mask that was given: 1 is seen, 0 is hidden."};
inline constexpr StepInfo visible{layer, "visible", "{factors}", "A key is seen where every part is 1."};
}  // namespace steps::mask

// Which keys a query may see. Masks combine with &: a key is seen if all of them allow it.
//     Mask::causal() & Mask::lengths({5, 3})
class Mask {
  public:
    [[nodiscard]] static Mask none() { return {}; }
    // Query i sees the keys j ≤ i, counted from the first key, like torch.tril and numpy.tril. After a cache
    // of t keys, where query 0 is at position t, that is causal().from(t): without it query 0 sees only key
    // 0.
    [[nodiscard]] static Mask causal();
    // Padding: in batch entry b (the first axis) only the first lengths[b] keys are real. A single length
    // applies to all entries.
    [[nodiscard]] static Mask lengths(const std::vector<index_t>& lengths);
    // The same from a tensor (batch) of integers, which stays on its device: training makes a mask for every
    // batch. Throws Error for negative numbers and fractions.
    [[nodiscard]] static Mask lengths_from(const Tensor& lengths);
    // Local attention: query i sees the keys j with |i − j| ≤ reach (third document, part V). Throws Error
    // when reach is negative.
    [[nodiscard]] static Mask window(index_t reach);
    // A 0/1 array, 0 hides: (n_q, n_k) for all; (batch, n_q, n_k) for all heads; (batch, heads, n_q, n_k).
    // Any of the leading sizes may be 1. Throws Error for other ranks and for values other than 0 and 1.
    [[nodiscard]] static Mask given(const Tensor& mask);
    // The shape checks of `given`, and of applying such a mask to scores of this shape.
    static void check_given(const Shape& mask);
    static void check_fits(const Shape& mask, const Shape& scores);

    friend Mask operator&(const Mask& a, const Mask& b);
    explicit operator bool() const { return causal_ || has_lengths() || reach_ || !given_.empty(); }
    [[nodiscard]] bool has_lengths() const { return lengths_.defined(); }
    // The lengths without padding: (batch), or (1) for all.
    const Tensor& lengths() const { return lengths_; }
    // The same mask for a sequence with one more position in front, [CLS], which sees and is seen by all.
    // Throws Error for causal and window masks, which depend on distances between positions.
    [[nodiscard]] Mask with_prepended_token() const;
    // The keys that no query sees, which is padding however it was given: also hidden from another sequence's
    // queries. Not what causal and window masks hide, which is seen from elsewhere.
    [[nodiscard]] Mask of_keys() const;
    // The same mask where the first query is at position `first` of the sequence, as with a cache of the keys
    // before it: causal and window masks count from there.
    [[nodiscard]] Mask from(index_t first) const;

    // 1 where query i may see key j, 0 where not; broadcasts to scores of shape (…, n_q, n_k).
    Tensor visible(const Shape& scores, Device device = Device::cpu) const;
    // The same with each part as a step. Steps: [causal] [padding] [window] [given] visible.
    Tensor visible_by_steps(const Shape& scores) const;
    // The scores, with `value` in place of hidden ones.
    [[nodiscard]] Tensor fill(const Tensor& scores, double value) const;
    // Sets the mask options of fused attention.
    void describe(AttentionOptions& options, const Shape& scores, Device device) const;

  private:
    struct Part {
        const StepInfo* step;
        Tensor visible;
    };
    void check_first(const Shape& scores) const;
    std::vector<Part> parts(const Shape& scores) const;  // each broadcasts to scores
    Tensor causal_part(index_t n_q, index_t n_k) const;  // 1 where j ≤ first + i
    Tensor window_part(index_t n_q, index_t n_k) const;  // 1 where |first + i − j| ≤ reach
    Tensor padding_part(const Shape& scores) const;      // 1 where j < length
    Tensor given_part(const Shape& scores) const;  // the product of the given masks, aligned with scores
    Tensor lengths_by_batch(const Shape& scores) const;  // (batch, 1, …, 1), for scores' leading axes

    bool causal_ = false;
    index_t first_ = 0;  // the position of query 0
    std::optional<index_t> reach_;
    Tensor lengths_;
    index_t longest_ = 0;        // the maximum length; 0 if made while kernels are recorded
    std::vector<Tensor> given_;  // unexpanded
};

}  // namespace glassbox
