#include <glassbox/train/training_step.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <glassbox/backend/parallel.h>
#include <glassbox/backend/products.h>
#include <glassbox/distributed/communicator.h>
#include <glassbox/distributed/detail/rank_sum.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/processor.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/train/detail/scoring.h>
#include <glassbox/train/parameter_block.h>

namespace glassbox {

using namespace detail;

BatchGradient::BatchGradient(const Learner& learner, const ParameterBlock& parameters,
                             Communicator& communicator, index_t lanes)
    : learner_(learner),
      parameters_(parameters),
      communicator_(communicator),
      lanes_given_(lanes > 0 ? lanes : communicator.size()) {
    const Device device = parameters.device();
    check_ranks();
    if (communicator.size() > 1 && device != Device::cpu && device != Device::cuda)
        fail("training: {} ranks, and the parameters are on device {}: several ranks train on cpu or cuda",
             communicator.size(), name(device));
    if (communicator.size() > 1 && device == Device::cuda) make_sum();
    else gradient_ = parameters.new_block();
}

void BatchGradient::make_sum() {
    sum_ = std::make_unique<RankSum>(nccl(communicator_), communicator_.rank(), communicator_.size(),
                                     parameters_.size(), parameters_.device());
    gradient_ = sum_->total();
    own_holders_ = gradient_.holders();
}

// Copy on write: a caller that has kept the gradient of the previous step keeps its values.
Tensor& BatchGradient::writable() {
    if (gradient_.holders() > own_holders_) {
        if (sum_) make_sum();
        else gradient_ = parameters_.new_block();
    }
    return gradient_;
}

// Called before any other collective operation: mismatched blocks could not be added.
void BatchGradient::check_ranks() const {
    Common own{{"training: device", name(parameters_.device())},
               {"training: pieces of a batch", std::to_string(lanes_given_)},
               {"training: numbers of the model", std::to_string(parameters_.size())}};
    // Each rank makes its own updates: what rounds otherwise would lead to other parameters.
    if (parameters_.device() == Device::cpu)
        own.emplace_back("training: instructions (GLASSBOX_CPU)", std::string(name_of(instruction_set())));
    else own.emplace_back("training: products", name(products()));
    check_ranks_agree(communicator_, own);
}

BatchCut BatchGradient::cut(const Examples& batch) const {
    return cut_of(batch, parameters_.size(), parameters_.device(), lanes_given_);
}

index_t BatchGradient::counted(const Examples& batch) const {
    const index_t n = batch.size(), counted = learner_.counted(batch);
    if (n == 0 || counted == 0) fail("training: a batch of {} examples has nothing to learn from", n);
    return counted;
}

Scored BatchGradient::operator()(const Examples& batch, StepKey key, const Watcher& watcher) {
    parameters_.check_model();
    writable();
    const Work work{batch, counted(batch), key, watcher, cut(batch)};
    const Lanes own = own_lanes(work.cut);
    make_lanes(own.count);
    // Devices other than the CPU run the lanes sequentially.
    const index_t grain = parameters_.device() == Device::cpu ? 1 : std::max<index_t>(own.count, 1);
    parallel_for(own.count, grain, [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i)
            run_lane(lanes_[static_cast<std::size_t>(i)], own.first + i, work);
    });
    add_up(own, work.cut.lanes);
    return score(own, work.counted);
}

BatchGradient::Lanes BatchGradient::own_lanes(const BatchCut& cut) const {
    const index_t rank = communicator_.rank(), ranks = communicator_.size();
    const index_t first = share_begin(rank, cut.lanes, ranks);
    return {first, share_begin(rank + 1, cut.lanes, ranks) - first};
}

std::unique_ptr<GradientBuffers> gradient_buffers_in(Tensor& block, const ParameterBlock& parameters) {
    std::vector<std::pair<Tensor::Id, Tensor>> views;
    for (std::size_t i = 0; i < parameters.parts().size(); ++i)
        views.emplace_back(parameters.tensors()[i].id(), ParameterBlock::view(block, parameters.parts()[i]));
    return std::make_unique<GradientBuffers>(std::move(views));
}

BatchGradient::Lane BatchGradient::new_lane() const {
    Lane lane{parameters_.new_block(), nullptr, parameters_.values().id()};
    lane.buffers = gradient_buffers_in(lane.block, parameters_);
    return lane;
}

// False if the model has moved to another block, or a watcher has kept a gradient.
bool BatchGradient::is_reusable(const Lane& lane) const {
    const std::size_t count = lane.buffers->size();
    if (lane.values != parameters_.values().id() || lane.block.holders() != 1 + count) return false;
    for (std::size_t i = 0; i < count; ++i)
        if (copies_of(lane.buffers->buffer(i), lane.block) != 1) return false;
    return true;
}

void BatchGradient::make_lanes(index_t count) {
    for (Lane& each : lanes_)
        if (!is_reusable(each)) each = new_lane();
    while (lanes_.size() < static_cast<std::size_t>(count)) lanes_.push_back(new_lane());
}

void BatchGradient::run_lane(Lane& lane, index_t number, const Work& work) const {
    const auto [pieces, lanes] = work.cut;
    lane.buffers->begin();
    lane.loss = 0, lane.correct = 0;
    const index_t end = share_begin(number + 1, pieces, lanes);
    for (index_t piece = share_begin(number, pieces, lanes); piece < end; ++piece)
        run_piece(lane, piece, work);
    lane.buffers->finish();
}

// L = Σ losses / counted, so that ∂L/∂(Σ losses) = 1 / counted, the same for every piece.
void BatchGradient::run_piece(Lane& lane, index_t piece, const Work& work) const {
    const Examples examples = piece_of(work.batch, piece, work.cut.pieces).to(parameters_.device());
    const DropoutScope dropping(work.key.seed, work.key.step, static_cast<std::uint32_t>(piece));
    Tape tape(lane.buffers.get());
    std::optional<Trace> trace;
    if (work.watcher) trace.emplace();
    const Outcome outcome = scored(learner_, examples);
    const real share = static_cast<real>(1 / static_cast<double>(work.counted));
    tape.backward(outcome.loss, Tensor::full({}, share, parameters_.device()));
    lane.loss += static_cast<double>(outcome.loss.item());
    lane.correct += outcome.correct.defined() ? static_cast<double>(correct_of(outcome, work.counted)) : NAN;
    if (work.watcher) work.watcher(piece, *trace, tape);
}

// The previous ranks have own.first lanes in total. If that is 0 there is no partial sum to add to; a rank
// that has no lanes either then passes on a value that is never read.
void BatchGradient::add_up(const Lanes& own, index_t lanes) {
    std::vector<Tensor> blocks;
    for (index_t i = 0; i < own.count; ++i) blocks.push_back(lanes_[static_cast<std::size_t>(i)].block);
    if (sum_) return (*sum_)(blocks, lanes);
    if (parameters_.device() != Device::cpu) return add_in_order(blocks, gradient_, false);
    const std::span<real> total(mutable_view(gradient_).data, static_cast<std::size_t>(gradient_.numel()));
    communicator_.continue_sum(total);
    add_in_order(blocks, gradient_, own.first > 0);
    communicator_.share_sum(total);
}

// The score over the lanes of all ranks, added in lane order.
Scored BatchGradient::score(const Lanes& own, index_t counted) const {
    std::vector<double> losses, correct;
    for (index_t i = 0; i < own.count; ++i) {
        const Lane& lane = lanes_[static_cast<std::size_t>(i)];
        losses.push_back(lane.loss);
        correct.push_back(lane.correct);
    }
    double loss = 0, right = 0;
    for (const double each : communicator_.gather(losses)) loss += each;
    for (const double each : communicator_.gather(correct)) right += each;
    return score_of(loss / static_cast<double>(counted), counted, right);
}

}  // namespace glassbox
