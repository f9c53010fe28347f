#include <glassbox/conventions/made.h>
#include <glassbox/decoding/written.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/text/teacher_forcing.h>
#include <glassbox/train/loss.h>

#include "mistakes/specimens.h"

using namespace glassbox;

namespace specimens {

namespace {

using Add = std::function<void(const char* name, const char* result, std::function<void()> forward)>;

// Logits with ties, and a row whose answer is right in each sequence and one that is wrong.
void add_accuracy(const Add& add) {
    const Tensor logits({2, 4, 3},
                        {1, 1, 0, 0, 2, 2, 3, 1, 0, -1, 0, 1, 2, 0, 1, 0, 1, 0, 1, 0, 0, 0.5, 0, 2});
    const Tensor labels({2, 4}, {0, 1, 0, -1, 0, 1, -1, 0});
    for (const char* result : {"answers", "accuracy"})
        add("accuracy", result, [=] { (void)accuracy(logits, labels); });
    const Tensor unequal({2, 4}, {0, 0, 0, -1, 0, -1, -1, -1});  // sequences of 3 and of 1
    add("accuracy", "accuracy", [=] { (void)accuracy(logits, unequal); });
}

void add_reversal(const Add& add, Stream& s) {
    const auto model = std::make_shared<Predictor>(made<Predictor>(
        convention("uva-torch"),
        {.d_in = 7, .classes = 7, .encoder = {.block = {.d_model = 6, .heads = 1, .d_ff = 5}, .layers = 1}},
        s));
    const Tensor numbers({3, 4}, {5, 0, 2, 2, 1, 6, 3, 0, 4, 4, 2, 5});
    const auto forward = [=] {
        const Tensor x = named(steps::predictor::x, one_hot(numbers, 7));
        const Tensor labels = reversed_labels(numbers), logits = (*model)(x) + x * 0.5;
        {
            const Scope scope("measured");
            (void)loss_and_gradient(logits, labels);
        }
        (void)accuracy(logits, labels);
        (void)mirrored_attention((*Trace::current())["encoder/0/self_attn/attention"]);
    };
    for (const char* result : {"x", "labels", "measured/losses", "answers", "accuracy", "mirrored"})
        add("reversal", result, forward);
}

void add_anomaly(const Add& add, Stream& s) {
    PredictorConfig config =
        convention("uva-torch")
            .config(
                PredictorChoices{.d_in = 5,
                                 .classes = 1,
                                 .encoder = {.block = {.d_model = 6, .heads = 2, .d_ff = 5}, .layers = 2}});
    config.positional_encoding = config.deep_output_net = false;
    auto model = std::make_shared<Predictor>(config);
    for (auto& [name, parameter] : parameters_of(*model).entries()) *parameter = s.normal(parameter->shape());
    model->output_last.weight = model->output_last.weight * 0.3;
    const Tensor x = s.normal({3, 4, 5}), classes({3, 4}, {5, 5, 3, 5, 1, 6, 6, 6, 2, 2, 2, 7});
    const Tensor order({4}, {2, 0, 3, 1});
    add("anomaly, labels", "labels", [=] { (void)anomaly_labels(classes); });  // any number, of no use behind
    const auto forward = [=] {
        const Tensor labels = anomaly_labels(classes);
        const auto [scores, probabilities] = anomaly_scores((*model)(x));
        {
            const Scope scope("measured");
            (void)loss_of_probabilities(scores, probabilities, labels);
            (void)accuracy(probabilities, labels);
        }
        const Scope scope("permuted");
        (void)permuted_sets({x, labels, scores}, order);
    };
    for (const char* result : {"labels", "scores", "probabilities", "measured/losses", "measured/loss",
                               "measured/answers", "permuted/x", "permuted/labels", "permuted/scores"})
        add("anomaly", result, forward);
}

// A model that is given sentences, and writes by itself. With these seeds some sentences end early and others
// do not, and the words differ.
void add_writing(const Add& add, std::uint64_t seed, double end_bias) {
    const auto stream = make_stream(Rng::numpy, seed);
    const BlockChoices block{.d_model = 4, .heads = 2, .d_ff = 5};
    const TransformerChoices sizes{.source_vocabulary = 7,
                                   .target_vocabulary = 6,
                                   .encoder = {.block = block, .layers = 1},
                                   .decoder = {.block = block, .layers = 1}};
    auto model = std::make_shared<Transformer>(made<Transformer>(convention("uva-torch"), sizes, *stream));
    for (auto& [name, parameter] : parameters_of(*model).entries())
        *parameter = stream->normal(parameter->shape());
    model->generator.bias =
        model->generator.bias + Tensor({6}, {-4, -9, static_cast<real>(end_bias), 0, 0, 0});
    const Tensor source({3, 4}, {3, 4, 6, 2, 5, 2, 0, 0, 6, 3, 2, 0});
    const Tensor sentences({3, 5}, {1, 3, 4, 2, 0, 1, 5, 2, 0, 0, 1, 4, 3, 5, 2});
    const auto forward = [=] {
        const auto [targets, labels] = shifted(sentences);
        (void)loss_and_gradient(model->decode(targets, model->encode(source)), labels);
        (void)with_start(written(*model, source, 6).tokens);
    };
    for (const char* result : {"losses", "written", "translation", "certainty"})
        add("writing", result, forward);
}

}  // namespace

std::vector<Specimen> of_tasks() {
    const auto stream = make_stream(Rng::numpy, 11);
    std::vector<Specimen> all;
    const Add add = [&](const char* name, const char* result, std::function<void()> forward) {
        all.push_back({name, {std::move(forward), result}});
    };
    add_accuracy(add);
    add_reversal(add, *stream);
    add_anomaly(add, *stream);
    add_writing(add, 496, -1);
    add_writing(add, 261, 0);
    add_writing(add, 61, 0);
    return all;
}

}  // namespace specimens
