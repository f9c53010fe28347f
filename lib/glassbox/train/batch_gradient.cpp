#include <glassbox/train/batch_gradient.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>

#include <glassbox/backend/cpu/parallel.h>
#include <glassbox/distributed/gradient_sum.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

constexpr index_t positions_a_piece = 256;  // what a piece computes then fits into the second-level cache
constexpr index_t positions_at_once = index_t{1} << 16;  // on a device with a memory of its own
constexpr index_t most_lanes = 16;                       // each holds a whole gradient …
constexpr index_t most_gradients = 16'000'000;  // … and together they hold at most so many numbers, or 2

index_t power_of_two_below(index_t n) {
    return static_cast<index_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<index_t>(n, 1))));
}

// The longest sequence of the batch's arrays counts: one-hot x (n, T, d) and labels (n, T) both say T.
index_t positions(const Examples& batch) {
    index_t most = 1;
    for (const auto& [name, array] : batch.arrays)
        if (array.rank() > 1) most = std::max(most, array.size(1));
    return batch.size() * most;
}

}  // namespace

BatchCut cut_of(const Examples& batch, index_t parameters, Device device, index_t lanes) {
    const index_t n = batch.size();
    if (device != Device::cpu) {
        lanes = std::clamp<index_t>(lanes, 1, std::max<index_t>(n, 1));
        const index_t least = (positions(batch) + positions_at_once - 1) / positions_at_once;
        const index_t each = std::max<index_t>((least + lanes - 1) / lanes, 1);  // pieces of a lane
        return {std::min(each * lanes, std::max<index_t>(n, 1)), lanes};
    }
    const index_t wanted = power_of_two_below(positions(batch) / positions_a_piece);
    const index_t pieces = std::clamp<index_t>(std::max<index_t>(wanted, 2), 1, std::max<index_t>(n, 1));
    const index_t afford = power_of_two_below(most_gradients / std::max<index_t>(parameters, 1));
    return {pieces, std::min({pieces, most_lanes, std::max<index_t>(afford, 2)})};
}

BatchGradient::BatchGradient(const Learner& learner, const ParameterBlock& parameters,
                             Communicator& communicator, index_t lanes)
    : learner_(learner),
      parameters_(parameters),
      communicator_(communicator),
      lanes_told_(lanes > 0 ? lanes : communicator.size()) {
    const Device device = parameters.device();
    check_ranks();
    if (communicator.size() > 1 && device == Device::cuda)
        sum_ = std::make_unique<RankSum>(nccl(communicator), communicator.rank(), communicator.size(),
                                         parameters.size(), device);
    else if (communicator.size() > 1 && device != Device::cpu)
        fail("training: {} ranks, and the parameters are on device {}: several ranks train on cpu or cuda",
             communicator.size(), name(device));
    gradient_ = sum_ ? sum_->total() : parameters.new_block();
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

std::unique_ptr<GradientHomes> homes_in(const Tensor& block, const ParameterBlock& parameters) {
    std::vector<std::pair<Tensor::Id, Tensor>> rooms;
    for (std::size_t i = 0; i < parameters.parts().size(); ++i)
        rooms.emplace_back(parameters.tensors()[i].id(), ParameterBlock::view(block, parameters.parts()[i]));
    return std::make_unique<GradientHomes>(std::move(rooms));
}

void BatchGradient::make_lanes(index_t count) {
    while (lanes_.size() < static_cast<std::size_t>(count)) {
        Lane lane;
        lane.block = parameters_.new_block();
        lane.homes = homes_in(lane.block, parameters_);
        lanes_.push_back(std::move(lane));
    }
}

// L = Σ losses / counted, so that ∂L/∂(Σ losses) = 1 / counted, the same for every piece.
void BatchGradient::run_piece(Lane& lane, index_t piece, const Examples& some, index_t counted, StepKey key,
                              const Watcher& watcher) const {
    const Dropping dropping(key.seed, key.step, static_cast<std::uint32_t>(piece));
    Tape tape(lane.homes.get());
    std::optional<Trace> trace;
    if (watcher) trace.emplace();
    const Outcome outcome = learner_.score(some);
    const real share = static_cast<real>(1 / static_cast<double>(counted));
    tape.backward(outcome.loss, Tensor::full({}, share, parameters_.device()));
    lane.loss += static_cast<double>(outcome.loss.item());
    lane.correct += static_cast<index_t>(outcome.correct.item());
    if (watcher) watcher(piece, *trace, tape);
}

Scored BatchGradient::operator()(const Examples& batch, StepKey key, const Watcher& watcher) {
    const index_t n = batch.size(), counted = learner_.counted(batch);
    if (n == 0 || counted == 0) fail("training: a batch of {} examples has nothing to learn from", n);
    const Device device = parameters_.device();
    const BatchCut cut = this->cut(batch);
    const index_t first = share_begin(communicator_.rank(), cut.lanes, communicator_.size());
    const index_t own = share_begin(communicator_.rank() + 1, cut.lanes, communicator_.size()) - first;
    make_lanes(own);
    const index_t at_once = device == Device::cpu ? 1 : own;  // a device takes them one after the other
    parallel_for(own, std::max<index_t>(at_once, 1), [&](index_t lane_begin, index_t lane_end) {
        for (index_t i = lane_begin; i < lane_end; ++i) {
            Lane& lane = lanes_[static_cast<std::size_t>(i)];
            lane.homes->begin();
            lane.loss = 0, lane.correct = 0;
            const index_t end = share_begin(first + i + 1, cut.pieces, cut.lanes);
            for (index_t piece = share_begin(first + i, cut.pieces, cut.lanes); piece < end; ++piece)
                run_piece(lane, piece,
                          batch.part(share_begin(piece, n, cut.pieces), share_begin(piece + 1, n, cut.pieces))
                              .to(device),
                          counted, key, watcher);
            lane.homes->finish();
        }
    });
    std::vector<Tensor> blocks;
    std::vector<double> losses, correct;
    for (index_t i = 0; i < own; ++i) {
        const Lane& lane = lanes_[static_cast<std::size_t>(i)];
        blocks.push_back(lane.block);
        losses.push_back(lane.loss);
        correct.push_back(static_cast<double>(lane.correct));
    }
    add_up(blocks, first, cut.lanes);
    Scored score{0, counted, 0};
    for (const double loss : communicator_.gather(losses)) score.loss += loss;
    for (const double count : communicator_.gather(correct)) score.correct += static_cast<index_t>(count);
    score.loss /= static_cast<double>(counted);
    return score;
}

// `first` lanes are with the ranks before this one. Where that is none, there is no sum yet to add to: a rank
// without a lane of its own hands on what nobody will read.
void BatchGradient::add_up(const std::vector<Tensor>& blocks, index_t first, index_t lanes) {
    if (sum_) return (*sum_)(blocks, lanes);
    if (parameters_.device() != Device::cpu) return add_in_order(blocks, gradient_, false);
    const std::span<real> total(gradient_.writable().data, static_cast<std::size_t>(gradient_.numel()));
    communicator_.continue_sum(total);
    add_in_order(blocks, gradient_, first > 0);
    communicator_.share_sum(total);
}

std::optional<Scored> BatchGradient::evaluate(const Examples& batch, const StopAsked& stop) const {
    const index_t n = batch.size();
    const Device device = parameters_.device();
    const index_t pieces = cut_of(batch, parameters_.size(), device).pieces;
    std::vector<Scored> scores(static_cast<std::size_t>(pieces));
    std::atomic<bool> stopped = false;
    const index_t at_once = device == Device::cpu ? 1 : pieces;  // a device takes them one after the other
    parallel_for(pieces, at_once, [&](index_t begin, index_t end) {
        for (index_t piece = begin; piece < end; ++piece) {
            if (stop && stop()) stopped = true;
            if (stopped) return;
            const Examples some =
                batch.part(share_begin(piece, n, pieces), share_begin(piece + 1, n, pieces));
            const Outcome outcome = learner_.score(some.to(device));
            scores[static_cast<std::size_t>(piece)] = {static_cast<double>(outcome.loss.item()),
                                                       learner_.counted(some),
                                                       static_cast<index_t>(outcome.correct.item())};
        }
    });
    if (stopped) return std::nullopt;
    Scored total;
    for (const Scored& score : scores) {
        total.loss += score.loss;
        total.counted += score.counted;
        total.correct += score.correct;
    }
    total.loss /= static_cast<double>(std::max<index_t>(total.counted, 1));
    return total;
}

}  // namespace glassbox
