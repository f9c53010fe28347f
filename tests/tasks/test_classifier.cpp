#include <glassbox/tasks/classifier.h>

#include <cmath>

#include <glassbox/conventions/made.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tasks/classified.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/tasks/whole_sequence.h>

#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Predictor small_predictor(Pooling pooling, index_t classes = 4) {
    PredictorChoices config;
    config.d_in = 4;
    config.classes = classes;
    config.encoder.layers = 1;
    config.encoder.block.d_model = 8;
    config.encoder.block.heads = 1;
    config.encoder.block.d_ff = 16;
    config.pooling = pooling;
    return made<Predictor>(config, *make_stream(Rng::jax, 42));
}

}  // namespace

TEST_CASE("classified: loss and hits by hand; ties go to the first logit, padding is not counted") {
    const real ln3 = std::log(real(3));
    const Tensor logits{{0, ln3}, {2, 2}, {2, 2}, {5, 1}};
    const Outcome outcome = classified(logits, Tensor{1, 0, 1, -1});
    check_close(outcome.loss, Tensor(real(std::log(4.0 / 3) + 2 * std::log(2.0))), rounding, "loss");
    CHECK(count_labels(Tensor{1, 0, 1, -1}) == 3);
    CHECK(outcome.correct.item() == 2);  // not the third: 0 comes before 1
}

TEST_CASE("classifier: one label per element without pooling, one per sequence with it") {
    const ReversalData reversal({6, 4, 5}, 1);
    const ClassifierLearner each(small_predictor(Pooling::none));
    const Examples some = reversal.at({0, 3, 5});
    CHECK(each.counted(some) == 15);
    const WholeSequenceData whole(Question::most_frequent, {6, 4, 5}, 1);
    for (const Pooling pooling : {Pooling::mean, Pooling::max, Pooling::cls}) {
        const ClassifierLearner one(small_predictor(pooling));
        CHECK(one.counted(whole.at({0, 3, 5})) == 3);
        CHECK(one.score(whole.at({0, 3, 5})).loss.numel() == 1);
    }
    check_error(
        [&] {
            each.score(whole.at({0, 1}));
        },
        "cross_entropy: needs one label for each row of logits, got logits (2, 5, 4), labels (2,)");
}

TEST_CASE("classifier: the predictor's steps, then losses and loss; parts add up to the total") {
    const ReversalData data({8, 4, 5}, 1);
    const ClassifierLearner learner(small_predictor(Pooling::none));
    const Examples examples = data.at({0, 1, 2, 3, 4, 5, 6, 7});
    Trace trace;
    const Outcome whole = learner.score(examples);
    CHECK(trace["losses"].shape() == Shape{8, 5});
    check_close(trace["loss"], whole.loss, exact, "loss");
    CHECK(trace.steps().back().path == "loss");
    CHECK(trace.contains("encoder/0/self_attn/attention"));
    const Outcome a = learner.score(examples.part(0, 3)), b = learner.score(examples.part(3, 8));
    check_close(Tensor(a.loss.item() + b.loss.item()), whole.loss, chain, "sum of the parts");
    CHECK(a.correct.item() + b.correct.item() == whole.correct.item());
}

TEST_CASE("classifier: every parameter gets a gradient, and a step along it lowers the loss") {
    const ReversalData data({8, 4, 5}, 1);
    ClassifierLearner learner(small_predictor(Pooling::none));
    const Examples examples = data.at({0, 1, 2, 3, 4, 5, 6, 7});
    Tape tape;
    const Outcome before = learner.score(examples);
    tape.backward(before.loss);
    for (const auto& entry : learner.parameters().entries()) {
        INFO(entry.name);
        const std::vector<real> gradient = tape.gradient(*entry.tensor).values();
        real size = 0;
        std::vector<real> values = entry.tensor->values();
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            size += std::fabs(gradient[i]);
            values[i] -= real(1e-3) * gradient[i];
        }
        *entry.tensor = Tensor(entry.tensor->shape(), values);
        CHECK(size > 0);
    }
    CHECK(learner.score(examples).loss.item() < before.loss.item());
}
