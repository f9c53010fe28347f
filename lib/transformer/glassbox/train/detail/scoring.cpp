#include <glassbox/train/detail/scoring.h>

#include <cmath>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {
namespace {

index_t checked_count(double correct, index_t counted) {
    if (!(correct >= 0 && correct <= static_cast<double>(counted)) || correct != std::floor(correct))
        fail("trainer: score() says that {} of {} are correct; it is a whole number from 0 to {}", correct,
             counted, counted);
    return static_cast<index_t>(correct);
}

}  // namespace

Outcome scored(const Learner& learner, const Examples& examples) {
    Outcome outcome = learner.score(examples);
    if (!outcome.loss.defined())
        fail("trainer: score() leaves its loss undefined; it is the sum over the elements that count");
    if (outcome.loss.rank() != 0)
        fail(
            "trainer: score() gives a loss of shape {}; it is one number, (), the sum over the elements that "
            "count",
            outcome.loss.shape());
    if (outcome.correct.defined() && outcome.correct.numel() != 1)
        fail("trainer: score() gives a correct of shape {}; it is one number, how many were answered rightly",
             outcome.correct.shape());
    return outcome;
}

index_t correct_of(const Outcome& outcome, index_t counted) {
    if (!outcome.correct.defined()) return 0;
    return checked_count(static_cast<double>(outcome.correct.item()), counted);
}

Scored score_of(double loss, index_t counted, double correct) {
    if (std::isnan(loss)) loss = std::abs(loss);  // a NaN's sign means nothing, and would be printed
    if (std::isnan(correct)) return {loss, counted, 0, false};
    return {loss, counted, checked_count(correct, counted)};
}

void check_sums(const Learner& learner, const Examples& examples, Device device) {
    if (examples.size() < 2) return;
    const NoRecording silence;
    const auto count = [&](index_t begin, index_t end) { return learner.counted(examples.part(begin, end)); };
    if (const index_t a = count(0, 1), b = count(1, 2), both = count(0, 2); both != a + b)
        fail(
            "trainer: counted() gives {} for two examples and {}, {} for each alone: it must be how many "
            "elements of them count",
            both, a, b);
    const auto loss = [&](index_t begin, index_t end) {
        return static_cast<double>(scored(learner, examples.part(begin, end).to(device)).loss.item());
    };
    const double a = loss(0, 1), b = loss(1, 2), both = loss(0, 2);
    constexpr double relative = 1e-3;  // far above the rounding differences of another summation order
    const double allowed = relative * (std::abs(a) + std::abs(b));
    if (std::isfinite(allowed) && std::abs(both - (a + b)) > allowed)
        fail(
            "trainer: score() gives a loss of {:.6g} for two examples and {:.6g}, {:.6g} for each alone: it "
            "must be the sum over the elements that count, not their mean",
            both, a, b);
}

Untrained untrained(const Learner& learner, const Examples& examples, const ParameterBlock& parameters) {
    const NoRecording silence;
    Tape tape;
    const Tensor loss = scored(learner, examples.to(parameters.device())).loss;
    Untrained found;
    if (tape.size() > 0) tape.backward(loss);
    for (std::size_t i = 0; i < parameters.parts().size(); ++i) {
        const Tensor& parameter = parameters.tensors()[i];
        if (tape.reaches(parameter)) continue;
        (tape.has_read(parameter) ? found.without_effect : found.unread)
            .push_back(parameters.parts()[i].name);
    }
    return found;
}

}  // namespace glassbox::detail
