#pragma once
#include <memory>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/products.h>
#include <glassbox/train/batch_gradient.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/parcel.h>

namespace glassbox {

// A whole training step as a device runs it by itself: forward pass, way back, clipping and update are
// recorded once and run again for each batch. What changes from step to step (the batch, the learning rate,
// the corrections, the keys of dropout) goes to the device in one copy beforehand; loss, count and norm come
// back in one. The same kernels as step by step, and so the same bits.
class RecordedStep {
  public:
    // All must outlive this. The gradient goes into `gradient`, a block like the parameters'.
    RecordedStep(const Learner& learner, const ParameterBlock& parameters, Tensor gradient,
                 Optimiser& optimiser, const Clipping& clipping);

    struct Result {
        double loss = 0;  // Σ over the elements that count
        index_t correct = 0;
        double gradient_norm = 0;
    };
    // Puts a step into the device's queue, and waits for it: the host has time in between. The optimiser has
    // done one more step after start().
    void start(const Examples& batch, StepKey key, double rate);
    Result finish() const;

  private:
    struct Key {
        std::uint32_t high, low;
    };
    void begin(const Examples& batch);
    bool fits(const Examples& batch) const;
    void send(const Examples& batch, StepKey key, double rate);
    void run_once();

    const Learner& learner_;
    const ParameterBlock& parameters_;
    Tensor gradient_;
    Optimiser& optimiser_;
    Clipping clipping_;
    std::unique_ptr<GradientHomes> homes_;

    Products products_ = Products::fp32;  // how the device multiplied when it was recorded
    index_t dropouts_ = 0;                // in one step
    Parcel parcel_;                       // what changes from step to step, and where each part of it is:
    index_t numbers_ = 0;                 // the optimiser's
    index_t share_ = 0;                   // 1 / how many elements count
    index_t keys_ = 0;                    // of the dropouts
    std::vector<index_t> arrays_;
    Examples batch_;                        // the arrays, on the device
    Tensor results_;                        // loss, correct, norm
    std::unique_ptr<Recording> recording_;  // goes first: what it uses is above
    index_t runs_ = 0;
};

}  // namespace glassbox
