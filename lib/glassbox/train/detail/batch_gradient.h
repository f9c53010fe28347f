#pragma once
#include <functional>
#include <memory>
#include <vector>

#include <glassbox/distributed/communicator.h>
#include <glassbox/distributed/detail/rank_sum.h>
#include <glassbox/observe/detail/gradient_homes.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/train/detail/batch_cut.h>
#include <glassbox/train/evaluation.h>
#include <glassbox/train/learner.h>
#include <glassbox/train/parameter_block.h>

namespace glassbox {

// Where the dropout of one step comes from.
struct StepKey {
    std::uint64_t seed = 0;
    std::uint32_t step = 0;
};

// Sees each piece of a traced training step, after its way back; from several threads at once.
using Watcher = std::function<void(index_t piece, const Trace& trace, const Tape& tape)>;

// Where the parts of `block` are, as a tape's homes for the gradients of the parameters.
std::unique_ptr<GradientHomes> homes_in(Tensor& block, const ParameterBlock& parameters);

// ∂(mean loss) / ∂parameters of a batch, on all threads and ranks, to the same bits on any number of either:
// batch_cut.h says how. Another device than the CPU computes the batch as a whole, or in few large pieces:
// there it is told how many lanes there are, and ranks with a GPU each give the bits that one GPU gives with
// as many lanes.
class BatchGradient {
  public:
    // lanes: on another device than the CPU, 0 for one a rank. Throws Error when the ranks differ in it, in
    // their device or in the model's size.
    BatchGradient(const Learner& learner, const ParameterBlock& parameters, Communicator& communicator,
                  index_t lanes = 0);

    // The gradient is in gradient() afterwards. With a watcher every step is traced.
    Scored operator()(const Examples& batch, StepKey key, const Watcher& watcher = {});
    const Tensor& gradient() const { return gradient_; }
    Tensor& writable();  // the same, for who computes it otherwise; held by nobody else

    BatchCut cut(const Examples& batch) const;
    // How many elements of the batch count; Error when there is nothing to learn from.
    index_t counted(const Examples& batch) const;

  private:
    struct Lane {
        Tensor block;
        std::unique_ptr<GradientHomes> homes;
        Tensor::Id values;  // the parameters' block whose parts the homes are for
        double loss = 0;
        double correct = 0;  // NaN where score() leaves it out
    };
    struct Lanes {  // a rank's own, among all
        index_t first, count;
    };
    // What the pieces of one batch have in common.
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
    Lane lane() const;
    bool is_usable(const Lane& lane) const;
    void make_sum();
    void run_lane(Lane& lane, index_t number, const Work& work) const;
    void run_piece(Lane& lane, index_t piece, const Work& work) const;
    void add_up(const Lanes& own, index_t lanes);
    Scored score(const Lanes& own, index_t counted) const;

    const Learner& learner_;
    const ParameterBlock& parameters_;
    Communicator& communicator_;
    const index_t lanes_told_;
    std::vector<Lane> lanes_;       // as many as this rank has had at once
    std::unique_ptr<RankSum> sum_;  // where several ranks have devices of their own
    Tensor gradient_;
    std::uint32_t own_holders_ = 1;  // of gradient_
};

}  // namespace glassbox
