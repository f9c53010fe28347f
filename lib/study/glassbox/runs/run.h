#pragma once
#include <glassbox/runs/run_folder.h>
#include <glassbox/train/trainer.h>

namespace glassbox {

// Callbacks for the events of a run.
class RunListener {
  public:
    virtual ~RunListener() = default;
    virtual void on_step(const StepReport&) {}
    virtual void on_validation(const StepReport&, const Scored&, bool /*is_best*/) {}
    // After the last epoch, with the mean of the parameters at the ends of the last epochs (TrainerConfig).
    virtual void on_average(const StepReport&, const Scored&, bool /*is_best*/) {}
    virtual void on_save(const Checkpoint&) {}
    // Called after every step, and during a validation from several threads concurrently.
    virtual bool wants_to_stop() { return false; }
};

struct RunOptions {
    const DataSet* validation = nullptr;          // scored at the end of epochs; the best epoch is kept
    index_t validate_every = 1;                   // epochs
    const RunFolder* folder = nullptr;            // for checkpoints; null: none are written
    index_t save_every = 0;                       // steps; 0: by time
    double save_seconds = 10;                     // by time: the maximum age of the last checkpoint
    std::map<std::string, std::string> config{};  // written into checkpoints
    FileNames parameter_names{};                  // in best.safetensors
    Watcher watcher{};                            // called with the trace of every step
};

struct RunResult {
    bool finished = false;  // false: stopped before the last step or its validation
    BestScore best;
    bool has_accuracy = true;  // false: the learner does not count correct answers
    Tensor best_values;        // of the best validation; undefined if that was in an earlier process
    double seconds = 0;        // of training and validation, including earlier processes
};

// Makes steps until the trainer is finished or the listener wants to stop. Writes a checkpoint then and every
// save_seconds, with the parameters of the best validation next to it. (Not after every epoch: on a slow disk
// that would take a good part of a short run.) A validation is aborted when the listener wants to stop, and
// run when the run is resumed. An average of parameters takes part in the last validation: it is kept if it
// is the best. `from`: the checkpoint that the trainer was restored from. Throws Error with
// the step when the loss is no longer finite, and for a validation of which no element counts; saved
// checkpoints remain.
RunResult run(Trainer& trainer, const RunOptions& options, RunListener& listener, Communicator& communicator,
              const Checkpoint* from = nullptr);

}  // namespace glassbox
