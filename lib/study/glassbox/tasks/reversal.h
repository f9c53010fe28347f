#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tasks/digits.h>
#include <glassbox/train/examples.h>

namespace glassbox {

namespace steps::reversal {
inline constexpr const char* layer = "reversal";
inline constexpr StepInfo numbers{layer, "numbers", "", "The sequences, one in each row."};
inline constexpr StepInfo labels{layer, "labels", "labels_t = numbers_{T−1−t}", "Each sequence backwards."};
inline constexpr StepInfo mirrored{
    layer, "mirrored", "the mean of attention[t, T−1−t]",
    "How much of its attention each position gives to the position of its answer."};
}  // namespace steps::reversal

// Sequence reversal (report §6; the tutorial's first task): random numbers, to be reversed. The numbers
// are those of numpy.random.default_rng(seed).integers(categories, size=(count, length)); the tutorial trains
// on 50,000 sequences of seed 42, validates on 1,000 of seed 43 and tests on 10,000 of seed 44. Arrays:
// x (n, T, categories), one-hot; labels (n, T).
class ReversalData final : public DataSet {
  public:
    explicit ReversalData(const DigitsConfig& config = {}, std::uint64_t seed = 42);

    index_t size() const override { return digits_.config().count; }
    Examples at(const std::vector<index_t>& rows) const override;

    const Digits& digits() const { return digits_; }

  private:
    Digits digits_;
};

// The targets for numbers (…, T): each sequence backwards.
Tensor reversed_labels(const Tensor& numbers);
// The share of the attention (…, T, T) that goes to the place of the answer, T − 1 − t. Shape ().
Tensor mirrored_attention(const Tensor& attention);

}  // namespace glassbox
