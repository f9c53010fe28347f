#pragma once
#include <utility>

#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::averaging {
inline constexpr const char* layer = "averaging";
inline constexpr StepInfo mean{layer, "mean", "mean + (w − mean) / n",
                               "The mean of the parameters so far moves towards the new ones."};
}  // namespace steps::averaging

// The mean of the parameters at the ends of the last epochs of a run (Vaswani et al. 2017, section 6.1,
// average their last checkpoints): the noise of the steps in it cancels out. The count is a function of the
// epoch, so that a resumed run needs the mean alone.
class ParameterAverage {
  public:
    // Of the last `last` of `epochs` epochs; 0: none.
    ParameterAverage(index_t last, index_t epochs) : last_(last < epochs ? last : epochs), epochs_(epochs) {}

    // The number of epochs that are in the mean once this many have ended.
    index_t count(index_t epochs_done) const {
        const index_t left_out = epochs_ - last_;
        return epochs_done > left_out ? epochs_done - left_out : 0;
    }
    // Called at the end of each epoch with the parameters. Steps: [mean].
    void add(const Tensor& parameters, index_t epochs_done);

    // Undefined until the first epoch in it has ended.
    const Tensor& mean() const { return mean_; }
    void set_mean(Tensor mean) { mean_ = std::move(mean); }

  private:
    index_t last_, epochs_;
    Tensor mean_;
};

}  // namespace glassbox
