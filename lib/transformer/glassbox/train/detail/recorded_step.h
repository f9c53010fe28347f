#pragma once
#include <memory>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/products.h>
#include <glassbox/train/detail/upload_buffer.h>
#include <glassbox/train/training_step.h>

namespace glassbox::detail {

// A training step as a single recording (a CUDA graph): forward pass, backward pass, clipping and update are
// recorded once and replayed for each batch. The inputs that change from step to step (the batch, the
// learning rate, the bias corrections, the dropout keys) are uploaded in one copy beforehand; loss, count and
// norm are downloaded in one. The kernels, and so the bits, are the same as without recording. After
// NotRecordable (the learner reads values on the host) all further steps run kernel by kernel.
class RecordedStep final : public TrainingStep {
  public:
    RecordedStep(const Learner& learner, ParameterBlock& parameters, Communicator& communicator,
                 const TrainerConfig& config);

    StepReport run(const StepReport& next, const Examples& batch, const Watcher& watcher,
                   const WhileRunning& meanwhile) override;
    bool is_recorded() const override { return !has_failed_; }

  private:
    // The inputs that change from step to step, in one upload buffer.
    struct StepInputs {
        UploadBuffer upload;
        UploadBuffer::Part<StepNumbers> numbers;  // of the optimiser; clip is computed on the device
        UploadBuffer::Part<real> share;           // 1 / number of elements that count
        UploadBuffer::Part<TwoWords> keys;        // of the dropouts
        std::vector<UploadBuffer::Part<real>> arrays;
    };
    // A step for batches of one shape.
    struct Prepared {
        Products products;  // the device's precision of products when it was prepared
        StepInputs inputs;
        Examples batch;  // the arrays, on the device
        bool has_run = false;
        std::unique_ptr<Recording> recording;  // last, so that it is destroyed before what it uses
    };
    Prepared prepared(const Examples& batch) const;
    bool fits(const Examples& batch) const;
    void send(const StepReport& next, const Examples& batch);
    void start(const StepReport& next, const Examples& batch);
    void ensure_unique();
    void enqueue();
    Outcome differentiate();
    StepReport report(const StepReport& next, const Examples& batch) const;

    Tensor results_;  // loss, correct, norm
    std::unique_ptr<Prepared> prepared_;
    Tensor *w_ = nullptr, *g_ = nullptr;  // updated in place, not shared with other tensors
    std::vector<Tensor::Id> written_;     // the ids of these and of the moments
    bool has_failed_ = false;
};

}  // namespace glassbox::detail
