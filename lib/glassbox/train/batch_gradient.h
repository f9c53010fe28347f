#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <glassbox/distributed/communicator.h>
#include <glassbox/distributed/rank_sum.h>
#include <glassbox/distributed/shares.h>
#include <glassbox/observe/gradient_homes.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/train/learner.h>
#include <glassbox/train/parameter_block.h>

namespace glassbox {

// How a model did on some examples.
struct Scored {
    double loss = 0;  // mean over the elements that count
    index_t counted = 0, correct = 0;
    double accuracy() const {
        return counted ? static_cast<double>(correct) / static_cast<double>(counted) : 0;
    }
};

// Where the dropout of one step comes from.
struct StepKey {
    std::uint64_t seed = 0;
    std::uint32_t step = 0;
};

// Where the parts of `block` are, as a tape's homes for the gradients of the parameters.
std::unique_ptr<GradientHomes> homes_in(const Tensor& block, const ParameterBlock& parameters);

// The cut of a batch: pieces of whole examples, lanes of whole pieces.
struct BatchCut {
    index_t pieces, lanes;
};
// lanes: how many another device than the CPU is to have; fewer when the batch has not so many examples.
BatchCut cut_of(const Examples& batch, index_t parameters, Device device = Device::cpu, index_t lanes = 1);

// Whether to give up what takes long; asked between its pieces, from several threads at once.
using StopAsked = std::function<bool()>;

// Sees each piece of a traced training step, after its way back; from several threads at once.
using Watcher = std::function<void(index_t piece, const Trace& trace, const Tape& tape)>;

// ∂(mean loss) / ∂parameters of a batch, on all threads and ranks. The batch is cut into pieces that fit the
// cache (some 256 positions), and these are dealt out to lanes, a run of neighbouring pieces each. A lane
// adds its pieces' gradients in their order into a block of its own, and the blocks are added in the lanes'
// order. Pieces and lanes depend on the batch and the model alone, so the same bits come out on any number of
// threads and ranks. Another device than the CPU computes the batch as a whole, or in few large pieces: there
// it is told how many lanes there are, and ranks with a GPU each give the bits that one GPU gives with as
// many lanes.
class BatchGradient {
  public:
    // lanes: on another device than the CPU, 0 for one a rank. Throws Error when the ranks differ in it, in
    // their device or in the model's size.
    BatchGradient(const Learner& learner, const ParameterBlock& parameters, Communicator& communicator,
                  index_t lanes = 0);

    // The gradient is in gradient() afterwards. With a watcher every step is traced.
    Scored operator()(const Examples& batch, StepKey key, const Watcher& watcher = {});
    const Tensor& gradient() const { return gradient_; }
    BatchCut cut(const Examples& batch) const;
    // Whether this rank computes every batch by itself, in one lane.
    bool is_one_lane() const { return lanes_told_ == 1 && communicator_.size() == 1; }

    // The score alone, without dropout and without a gradient; nothing when it was stopped.
    std::optional<Scored> evaluate(const Examples& batch, const StopAsked& stop = {}) const;

  private:
    struct Lane {
        Tensor block;
        std::unique_ptr<GradientHomes> homes;
        double loss = 0;
        index_t correct = 0;
    };
    void run_piece(Lane& lane, index_t piece, const Examples& some, index_t counted, StepKey key,
                   const Watcher& watcher) const;
    void make_lanes(index_t count);
    void check_ranks() const;
    void add_up(const std::vector<Tensor>& blocks, index_t first, index_t lanes);

    const Learner& learner_;
    const ParameterBlock& parameters_;
    Communicator& communicator_;
    const index_t lanes_told_;
    std::vector<Lane> lanes_;
    std::unique_ptr<RankSum> sum_;  // where several ranks have devices of their own
    Tensor gradient_;
};

}  // namespace glassbox
