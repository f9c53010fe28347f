#pragma once
#include <functional>
#include <memory>
#include <vector>

#include <glassbox/distributed/communicator.h>
#include <glassbox/distributed/detail/rank_sum.h>
#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/train/detail/batch_cut.h>
#include <glassbox/train/learner.h>
#include <glassbox/train/parameter_block.h>

namespace glassbox {

// Determines the dropout masks of one step.
struct StepKey {
    std::uint64_t seed = 0;
    std::uint32_t step = 0;
};

// Called after the backward pass of each piece of a traced training step, from several threads concurrently.
using Watcher = std::function<void(index_t piece, const Trace& trace, const Tape& tape)>;

// Views of the parts of `block`, as a tape's buffers for the gradients of the parameters.
std::unique_ptr<GradientBuffers> gradient_buffers_in(Tensor& block, const ParameterBlock& parameters);

// ∂(mean loss) / ∂parameters of a batch, on all threads and ranks, with the same bits for any number of
// either (see batch_cut.h). Devices other than the CPU compute the batch in one piece or a few large ones,
// and the number of lanes is a parameter: several ranks with one GPU each give the bits that a single GPU
// gives with as many lanes.
class BatchGradient {
  public:
    // lanes: on devices other than the CPU; 0: one per rank. Throws Error when the ranks differ in lanes,
    // device or model size.
    BatchGradient(const Learner& learner, const ParameterBlock& parameters, Communicator& communicator,
                  index_t lanes = 0);

    // Leaves the result in gradient(). With a watcher every piece is traced.
    Scored operator()(const Examples& batch, StepKey key, const Watcher& watcher = {});
    const Tensor& gradient() const { return gradient_; }
    Tensor& writable();  // gradient(), not shared with any other tensor, for RecordedStep to compute into

    BatchCut cut(const Examples& batch) const;
    // The number of elements that count. Throws Error if there are none.
    index_t counted(const Examples& batch) const;

  private:
    struct Lane {
        Tensor block;
        std::unique_ptr<GradientBuffers> buffers;
        Tensor::Id values;  // id of the parameter block that the buffers belong to
        double loss = 0;
        double correct = 0;  // NaN if score() does not give it
    };
    struct Lanes {  // the range of lanes of one rank
        index_t first, count;
    };
    // Shared by all pieces of one batch.
    struct Work {
        const Examples& batch;
        index_t counted;
        StepKey key;
        const Watcher& watcher;
        BatchCut cut;
    };
    void check_ranks() const;
    Lanes own_lanes(const BatchCut& cut) const;
    void make_lanes(index_t count);
    Lane new_lane() const;
    bool is_reusable(const Lane& lane) const;
    void make_sum();
    void run_lane(Lane& lane, index_t number, const Work& work) const;
    void run_piece(Lane& lane, index_t piece, const Work& work) const;
    void add_up(const Lanes& own, index_t lanes);
    Scored score(const Lanes& own, index_t counted) const;

    const Learner& learner_;
    const ParameterBlock& parameters_;
    Communicator& communicator_;
    const index_t lanes_given_;
    std::vector<Lane> lanes_;       // the most that this rank has needed so far
    std::unique_ptr<RankSum> sum_;  // if several ranks train on GPUs
    Tensor gradient_;
    std::uint32_t own_holders_ = 1;  // references to gradient_'s storage held here and by sum_
};

}  // namespace glassbox
