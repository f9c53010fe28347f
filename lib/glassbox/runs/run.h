#pragma once
#include <glassbox/runs/run_folder.h>
#include <glassbox/train/trainer.h>

namespace glassbox {

// Told what happens in a run, and asked whether to go on.
class RunListener {
  public:
    virtual ~RunListener() = default;
    virtual void on_step(const StepReport&) {}
    virtual void on_validation(const StepReport&, const Scored&, bool /*is_best*/) {}
    virtual void on_save(const Checkpoint&) {}
    // Asked after every step, and meanwhile in a validation, from several threads at once.
    virtual bool wants_to_stop() { return false; }
};

struct RunOptions {
    const DataSet* validation = nullptr;          // scored at the end of epochs; the best one is kept
    index_t validate_every = 1;                   // epochs
    const RunFolder* folder = nullptr;            // where checkpoints go; null: nowhere
    index_t save_every = 0;                       // steps; 0: by the clock
    double save_seconds = 10;                     // by the clock: when the last checkpoint is so old
    std::map<std::string, std::string> config{};  // written into checkpoints
    FileNames parameter_names{};                  // in best.safetensors
    Watcher watcher{};                            // sees every step traced
};

struct RunResult {
    bool finished = false;  // false: stopped before the last step or its validation
    BestScore best;
    bool has_accuracy = true;  // false: the learner says of nothing that it is right or wrong
    Tensor best_values;  // the block of the best validation, undefined when that was in an earlier process
    double seconds = 0;  // of training and validation, earlier processes' too
};

// Steps until the trainer is finished or the listener wants to stop; then, and every save_seconds meanwhile,
// a checkpoint, with the parameters of the best validation beside it. (Not at every epoch's end: on a slow
// disk that is a good part of a short run.) A validation is given up when the listener wants to stop, and
// made up for when the run goes on. `from`: the checkpoint that the trainer has been restored from. Throws
// Error when the loss is no number any more, naming the step; what was saved is still there.
RunResult run(Trainer& trainer, const RunOptions& options, RunListener& listener, Communicator& communicator,
              const Checkpoint* from = nullptr);

}  // namespace glassbox
