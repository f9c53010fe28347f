#include <glassbox/train/learner.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include <glassbox/backend/parallel.h>
#include <glassbox/train/detail/scoring.h>

namespace glassbox {

using namespace detail;

namespace {

constexpr index_t examples_per_batch = 1000;

// The score with the sum of the losses in place of their mean.
Scored sums_of(const Learner& learner, const Examples& examples, Device device) {
    const Outcome outcome = scored(learner, examples.to(device));
    const index_t counted = learner.counted(examples);
    return {static_cast<double>(outcome.loss.item()), counted, correct_of(outcome, counted),
            outcome.correct.defined()};
}

Scored with_mean(Scored sums) {
    sums.loss /= static_cast<double>(std::max<index_t>(sums.counted, 1));
    return sums;
}

void add(Scored& total, const Scored& score, double loss) {
    total.loss += loss;
    total.counted += score.counted;
    total.correct += score.correct;
    total.has_correct = total.has_correct && score.has_correct;
}

std::optional<Scored> evaluate(const Learner& learner, const ParameterBlock& parameters,
                               const Examples& batch, const StopRequested& stop) {
    const Device device = parameters.device();
    const index_t pieces = cut_of(batch, parameters.size(), device).pieces;
    std::vector<Scored> scores(static_cast<std::size_t>(pieces));
    std::atomic<bool> stopped = false;
    const index_t grain = device == Device::cpu ? 1 : pieces;  // other devices run the pieces sequentially
    parallel_for(pieces, grain, [&](index_t begin, index_t end) {
        for (index_t piece = begin; piece < end; ++piece) {
            if (stop && stop()) stopped = true;
            if (stopped) return;
            scores[static_cast<std::size_t>(piece)] =
                sums_of(learner, piece_of(batch, piece, pieces), device);
        }
    });
    if (stopped) return std::nullopt;
    Scored total;
    for (const Scored& score : scores) add(total, score, score.loss);
    return with_mean(total);
}

}  // namespace

std::optional<Scored> evaluate(const Learner& learner, const ParameterBlock& parameters, const DataSet& data,
                               const StopRequested& stop) {
    Scored total;
    for (index_t begin = 0; begin < data.size(); begin += examples_per_batch) {
        std::vector<index_t> rows(
            static_cast<std::size_t>(std::min(examples_per_batch, data.size() - begin)));
        std::iota(rows.begin(), rows.end(), begin);
        const std::optional<Scored> score = evaluate(learner, parameters, data.at(rows), stop);
        if (!score) return std::nullopt;
        add(total, *score, score->loss * static_cast<double>(score->counted));
    }
    return with_mean(total);
}

}  // namespace glassbox
