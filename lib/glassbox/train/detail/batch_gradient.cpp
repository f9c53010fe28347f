#include <glassbox/train/detail/batch_gradient.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <glassbox/backend/parallel.h>
#include <glassbox/distributed/detail/gradient_sum.h>
#include <glassbox/distributed/detail/shares.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/tensor/detail/overwritable.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/detail/own_numbers.h>
#include <glassbox/train/detail/scoring.h>

namespace glassbox {

BatchGradient::BatchGradient(const Learner& learner, const ParameterBlock& parameters,
                             Communicator& communicator, index_t lanes)
    : learner_(learner),
      parameters_(parameters),
      communicator_(communicator),
      lanes_told_(lanes > 0 ? lanes : communicator.size()) {
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

// Who has kept the gradient of the step before keeps its numbers.
Tensor& BatchGradient::writable() {
    if (gradient_.holders() > own_holders_) {
        if (sum_) make_sum();
        else gradient_ = parameters_.new_block();
    }
    return gradient_;
}

// Before anything that ranks do together by themselves: what they would add up must fit together.
void BatchGradient::check_ranks() const {
    check_ranks_agree(communicator_,
                      {{"training: device", name(parameters_.device())},
                       {"training: pieces of a batch", std::to_string(lanes_told_)},
                       {"training: numbers of the model", std::to_string(parameters_.size())}});
}

BatchCut BatchGradient::cut(const Examples& batch) const {
    return cut_of(batch, parameters_.size(), parameters_.device(), lanes_told_);
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
    // A device takes the lanes one after the other.
    const index_t at_once = parameters_.device() == Device::cpu ? 1 : std::max<index_t>(own.count, 1);
    parallel_for(own.count, at_once, [&](index_t begin, index_t end) {
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

std::unique_ptr<GradientHomes> homes_in(Tensor& block, const ParameterBlock& parameters) {
    std::vector<std::pair<Tensor::Id, Tensor>> rooms;
    for (std::size_t i = 0; i < parameters.parts().size(); ++i)
        rooms.emplace_back(parameters.tensors()[i].id(), ParameterBlock::view(block, parameters.parts()[i]));
    return std::make_unique<GradientHomes>(std::move(rooms));
}

BatchGradient::Lane BatchGradient::lane() const {
    Lane lane{parameters_.new_block(), nullptr, parameters_.values().id()};
    lane.homes = homes_in(lane.block, parameters_);
    return lane;
}

// Not when the model has moved to another block, or a watcher has kept a gradient.
bool BatchGradient::is_usable(const Lane& lane) const {
    const std::size_t homes = lane.homes->size();
    if (lane.values != parameters_.values().id() || lane.block.holders() != 1 + homes) return false;
    for (std::size_t i = 0; i < homes; ++i)
        if (copies_of(lane.homes->buffer(i), lane.block) != 1) return false;
    return true;
}

void BatchGradient::make_lanes(index_t count) {
    for (Lane& each : lanes_)
        if (!is_usable(each)) each = lane();
    while (lanes_.size() < static_cast<std::size_t>(count)) lanes_.push_back(lane());
}

void BatchGradient::run_lane(Lane& lane, index_t number, const Work& work) const {
    const auto [pieces, lanes] = work.cut;
    lane.homes->begin();
    lane.loss = 0, lane.correct = 0;
    const index_t end = share_begin(number + 1, pieces, lanes);
    for (index_t piece = share_begin(number, pieces, lanes); piece < end; ++piece)
        run_piece(lane, piece, work);
    lane.homes->finish();
}

// L = Σ losses / counted, so that ∂L/∂(Σ losses) = 1 / counted, the same for every piece.
void BatchGradient::run_piece(Lane& lane, index_t piece, const Work& work) const {
    const Examples some = piece_of(work.batch, piece, work.cut.pieces).to(parameters_.device());
    const Dropping dropping(work.key.seed, work.key.step, static_cast<std::uint32_t>(piece));
    Tape tape(lane.homes.get());
    std::optional<Trace> trace;
    if (work.watcher) trace.emplace();
    const Outcome outcome = scored(learner_, some);
    const real share = static_cast<real>(1 / static_cast<double>(work.counted));
    tape.backward(outcome.loss, Tensor::full({}, share, parameters_.device()));
    lane.loss += static_cast<double>(outcome.loss.item());
    lane.correct += outcome.correct.defined() ? static_cast<double>(correct_of(outcome, work.counted)) : NAN;
    if (work.watcher) work.watcher(piece, *trace, tape);
}

// The ranks before this one have own.first lanes. Where that is none, there is no sum yet to add to: a rank
// without a lane of its own hands on what nobody will read.
void BatchGradient::add_up(const Lanes& own, index_t lanes) {
    std::vector<Tensor> blocks;
    for (index_t i = 0; i < own.count; ++i) blocks.push_back(lanes_[static_cast<std::size_t>(i)].block);
    if (sum_) return (*sum_)(blocks, lanes);
    if (parameters_.device() != Device::cpu) return add_in_order(blocks, gradient_, false);
    const std::span<real> total(overwritable(gradient_).data, static_cast<std::size_t>(gradient_.numel()));
    communicator_.continue_sum(total);
    add_in_order(blocks, gradient_, own.first > 0);
    communicator_.share_sum(total);
}

// Of all ranks' lanes, in their order.
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
