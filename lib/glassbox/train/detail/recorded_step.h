#pragma once
#include <memory>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/products.h>
#include <glassbox/train/detail/parcel.h>
#include <glassbox/train/training_step.h>

namespace glassbox {

// A whole training step as a device runs it by itself: forward pass, way back, clipping and update are
// recorded once and run again for each batch. What changes from step to step (the batch, the learning rate,
// the corrections, the keys of dropout) goes to the device in one copy beforehand; loss, count and norm come
// back in one. The same kernels as step by step, and so the same bits. A learner that cannot be recorded (it
// looks at its numbers, NotRecordable says so) goes kernel by kernel from then on.
class RecordedStep final : public TrainingStep {
  public:
    RecordedStep(const Learner& learner, ParameterBlock& parameters, Communicator& communicator,
                 const TrainerConfig& config);

    StepReport run(const StepReport& next, const Examples& batch, const Watcher& watcher,
                   const Meanwhile& meanwhile) override;
    bool is_recorded() const override { return !is_given_up_; }

  private:
    // What changes from step to step, on its way to the device.
    struct Changing {
        Parcel parcel;
        Parcel::Part<StepNumbers> numbers;  // of the optimiser; clip is computed there
        Parcel::Part<real> share;           // 1 / how many elements count
        Parcel::Part<TwoWords> keys;        // of the dropouts
        std::vector<Parcel::Part<real>> arrays;
    };
    // A step for batches of one shape.
    struct Prepared {
        Products products;  // how the device multiplies
        Changing changing;
        Examples batch;  // the arrays, on the device
        bool has_run = false;
        std::unique_ptr<Recording> recording;  // goes first: what it uses is above
    };
    Prepared prepared(const Examples& batch) const;
    bool fits(const Examples& batch) const;
    void send(const StepReport& next, const Examples& batch);
    void start(const StepReport& next, const Examples& batch);
    void make_own();
    void step_down();
    Outcome differentiate();
    StepReport report(const StepReport& next, const Examples& batch) const;

    Tensor results_;  // loss, correct, norm
    std::unique_ptr<Prepared> prepared_;
    Tensor *w_ = nullptr, *g_ = nullptr;  // what a step writes over, held by nobody else
    std::vector<Tensor::Id> written_;     // these and the moments
    bool is_given_up_ = false;
};

}  // namespace glassbox
