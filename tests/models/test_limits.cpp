// Which tables of a model are one tensor, models read step by step, and the limits of what a config may say.
#include <glassbox/conventions/made.h>
#include <glassbox/decoding/decoding.h>
#include <glassbox/models/forecaster.h>
#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

StackChoices smallest(index_t layers = 1) {
    StackChoices config;
    config.layers = layers;
    config.block.d_model = 4;
    config.block.heads = 2;
    config.block.d_ff = 8;
    return config;
}

TransformerConfig config_of(index_t source, index_t target, TiedTables tied) {
    const Convention& uva = convention("uva-jax");
    return {source, target, uva.encoder(smallest()), uva.decoder(smallest()), {}, tied};
}

LanguageModelConfig config_of(bool tied) { return {7, convention("uva-jax").encoder(smallest()), {}, tied}; }

template <class Model, class Config>
Model drawn(const Config& config) {
    Model model(config);
    draw(model, convention("uva-jax"), *make_stream(Rng::jax, 3));
    return model;
}

}  // namespace

TEST_CASE("tied tables are one tensor: none, those of the target, or all three") {
    const auto none = drawn<Transformer>(config_of(7, 7, TiedTables::none)),
               target = drawn<Transformer>(config_of(7, 7, TiedTables::target)),
               all = drawn<Transformer>(config_of(7, 7, TiedTables::all));
    const auto same = [](const Tensor& a, const Tensor& b) { return a.id() == b.id(); };
    CHECK_FALSE(same(none.generator.weight, none.target_embedding.weight));
    CHECK_FALSE(same(none.source_embedding.weight, none.target_embedding.weight));
    CHECK(same(target.generator.weight, target.target_embedding.weight));
    CHECK_FALSE(same(target.source_embedding.weight, target.target_embedding.weight));
    CHECK(same(all.generator.weight, all.target_embedding.weight));
    CHECK(same(all.source_embedding.weight, all.target_embedding.weight));
    // Each tensor that is shared is a table of 7 × 4 less.
    Transformer a = none, b = target, c = all;
    const index_t count = parameters_of(a).count();
    CHECK(parameters_of(b).count() == count - 28);
    CHECK(parameters_of(c).count() == count - 56);
    // After one has been replaced, the target's embedding is the one that stays.
    const Tensor table = Random(1).normal({7, 4});
    for (Transformer* model : {&a, &b, &c}) {
        model->target_embedding.weight = table;
        model->tie();
    }
    CHECK(same(c.source_embedding.weight, table));
    CHECK(same(c.generator.weight, table));
    CHECK(same(b.generator.weight, table));
    CHECK_FALSE(same(b.source_embedding.weight, table));
    CHECK_FALSE(same(a.generator.weight, table));
}

TEST_CASE("tied tables of both languages need one vocabulary, those of the target do not") {
    CHECK_NOTHROW(Transformer(config_of(7, 9, TiedTables::target)));
    CHECK_NOTHROW(Transformer(config_of(7, 9, TiedTables::none)));
    CHECK_NOTHROW(Transformer(config_of(9, 9, TiedTables::all)));
    check_error([] { Transformer{config_of(7, 9, TiedTables::all)}; },
                "transformer: tied embeddings need one vocabulary for both languages, got 7 and 9 words");
}

TEST_CASE("a language model's table is its generator's, if the config says so") {
    auto apart = drawn<LanguageModel>(config_of(false)), tied = drawn<LanguageModel>(config_of(true));
    CHECK(apart.embedding.weight.id() != apart.generator.weight.id());
    CHECK(tied.embedding.weight.id() == tied.generator.weight.id());
    const Tensor table = Random(1).normal({7, 4});
    apart.embedding.weight = tied.embedding.weight = table;
    apart.tie(), tied.tie();
    CHECK(apart.generator.weight.id() != table.id());
    CHECK(tied.generator.weight.id() == table.id());
    LanguageModelConfig blind = config_of(false);
    blind.decoder.block.passes_mask = false;
    check_error([&] { LanguageModel{blind}; },
                "decoder: a causal model needs blocks that pass their mask on to attention");
}

TEST_CASE("tied tables of which one was replaced alone are refused until tie() is called") {
    const Tensor table = Random(1).normal({7, 4});
    const std::string refusal =
        "transformer: embedding.weight and generator.weight are tied by the config, and one of them was "
        "replaced alone: after embedding.weight = … call tie()";
    auto model = drawn<LanguageModel>(config_of(true));
    const index_t count = count_of(model);
    model.embedding.weight = table;
    check_error([&] { (void)parameters_of(model); }, refusal);
    check_error([&] { (void)decode(model, {1}, {.max_tokens = 1}); }, refusal);
    model.tie();
    CHECK(count_of(model) == count);
    CHECK_NOTHROW(decode(model, {1}, {.max_tokens = 1}));
    auto apart = drawn<LanguageModel>(config_of(false));
    apart.embedding.weight = table;
    CHECK_NOTHROW(count_of(apart));
    for (const TiedTables tied : {TiedTables::target, TiedTables::all}) {
        auto both = drawn<Transformer>(config_of(7, 7, tied));
        both.target_embedding.weight = table;
        CHECK_THROWS_AS(count_of(both), Error);
        both.tie();
        CHECK_NOTHROW(count_of(both));
        both.source_embedding.weight = Random(2).normal({7, 4});
        if (tied == TiedTables::all) CHECK_THROWS_AS(count_of(both), Error);
        else CHECK_NOTHROW(count_of(both));
    }
}

TEST_CASE("models that read step by step give the logits of all steps at once") {
    const auto words = drawn<LanguageModel>(config_of(true));
    const auto translator = drawn<Transformer>(config_of(7, 9, TiedTables::none));
    const Tensor tokens(Shape{2, 5}, {1, 3, 4, 5, 6, 2, 0, 6, 1, 1});
    const Tensor source(Shape{2, 3}, {3, 4, 2, 6, 5, 2});
    const Tensor all = words(tokens), memory = translator.encode(source),
                 translated = translator(source, tokens);
    StackCache of_words(1), of_translator(1);
    index_t at = 0;
    for (const index_t n : {1, 2, 1, 1}) {
        const Tensor next = slice(tokens, 1, at, at + n);
        check_close(words(next, {}, &of_words), slice(all, 1, at, at + n), chain, "words");
        check_close(translator.decode(next, memory, {}, {}, &of_translator), slice(translated, 1, at, at + n),
                    chain, "translated");
        at += n;
        CHECK(of_words.length() == at);
    }
}

TEST_CASE("a predictor has at least one input and one class; the softmax of one class is not traced") {
    const auto config = [](index_t d_in, index_t classes) {
        PredictorChoices choices;
        choices.d_in = d_in, choices.classes = classes, choices.encoder = smallest();
        return convention("uva-jax").config(choices);
    };
    const std::string why = "predictor: needs an input width and a number of classes of at least 1, got ";
    check_error([&] { Predictor{config(0, 3)}; }, why + "0 and 3");
    check_error([&] { Predictor{config(3, 0)}; }, why + "3 and 0");
    for (const index_t classes : {1, 2}) {
        const auto model = drawn<Predictor>(config(1, classes));
        const Trace trace;
        CHECK(model(Tensor::ones({3, 1})).shape() == Shape{3, classes});
        CHECK(trace.contains("softmax") == (classes > 1));
    }
    const auto model = drawn<Predictor>(config(2, 2));
    check_error([&] { model(Tensor::ones({3, 3})); }, "predictor: needs x of shape (…, T, 2), got (3, 3)");
    check_error([&] { model(Tensor::ones({2})); }, "predictor: needs x of shape (…, T, 2), got (2,)");
}

TEST_CASE("a predictor's formula says what it does before and after its encoder") {
    PredictorConfig config;
    const auto text = [&](Pooling pooling, bool positions) {
        config.pooling = pooling, config.positional_encoding = positions;
        return formula(config);
    };
    CHECK(text(Pooling::none, false) == "logits = OutputNet(Encoder(InputNet(x)))");
    CHECK(text(Pooling::none, true) == "logits = OutputNet(Encoder(InputNet(x) + PE))");
    CHECK(text(Pooling::mean, true) == "logits = OutputNet(mean(Encoder(InputNet(x) + PE)))");
    CHECK(text(Pooling::cls, false) == "logits = OutputNet(Encoder([CLS] ‖ InputNet(x))[0])");
    CHECK(text(Pooling::cls, true) == "logits = OutputNet(Encoder(([CLS] ‖ InputNet(x)) + PE)[0])");
}

namespace {

ForecasterConfig forecaster(index_t window, index_t horizon) {
    ForecasterConfig config;
    config.window = window, config.horizon = horizon;
    config.input = {1, 4, TimeEncoding::time2vec, 3, {}};
    config.encoder = convention("uva-jax").encoder(smallest());
    config.decoder = convention("uva-jax").decoder(smallest());
    return config;
}

}  // namespace

TEST_CASE("a window and a horizon of 1 are enough, of 0 they are not, and all widths agree") {
    const Tensor x({1, 1, 1}, {3}), time({1, 1}, {5});
    for (const WindowNorm norm : {WindowNorm::none, WindowNorm::last, WindowNorm::revin})
        for (const ForecastHead head : {ForecastHead::flatten, ForecastHead::last}) {
            ForecasterConfig config = forecaster(1, 1);
            config.norm = norm, config.head = head;
            CHECK(drawn<Forecaster>(config)(x, time).shape() == Shape{1, 1, 1});
            const auto steps = drawn<StepForecaster>(config);
            check_close(steps.forecast(x, time, Tensor({1, 1}, {6})), steps(x, time, x, time), exact,
                        "one step");
        }
    const std::string why = "forecaster: needs a window and a horizon of at least 1, got ";
    check_error([] { Forecaster{forecaster(0, 1)}; }, why + "0 and 1");
    check_error([] { Forecaster{forecaster(1, 0)}; }, why + "1 and 0");
    ForecasterConfig config = forecaster(2, 2);
    config.decoder.block = convention("uva-jax").decoder_block({8, 2, 8, 0});
    CHECK_NOTHROW(Forecaster(config));  // has no decoder
    check_error([&] { StepForecaster{config}; },
                "forecaster: input, encoder and decoder need the same d_model, got 4, 4 and 8");
    config = forecaster(2, 2);
    config.encoder.block = convention("uva-jax").encoder_block({8, 2, 8, 0});
    check_error([&] { Forecaster{config}; },
                "forecaster: input, encoder and decoder need the same d_model, got 4, 8 and 4");
    const auto model = drawn<Forecaster>(forecaster(2, 2));
    const Tensor two({1, 2}, {0, 1});
    check_error(
        [&] {
            model(Tensor::zeros({1, 3, 1}), two);
        },
        "forecaster: needs x of shape (…, 2, 1), got (1, 3, 1)");
    check_error(
        [&] {
            model(Tensor::zeros({1, 2, 2}), two);
        },
        "forecaster: needs x of shape (…, 2, 1), got (1, 2, 2)");
    check_error([&] { model(Tensor::zeros({2}), two); }, "forecaster: needs x of shape (…, 2, 1), got (2,)");
}

TEST_CASE("what precedes the targets: the window's last value, then the targets but the last") {
    const Tensor x({1, 3, 1}, {1, 2, 3});
    check_close(values_before(x, Tensor({1, 1, 1}, {4})), Tensor({1, 1, 1}, {3}), exact, "one target");
    check_close(values_before(x, Tensor({1, 2, 1}, {4, 5})), Tensor({1, 2, 1}, {3, 4}), exact, "two");
    check_close(values_before(x, Tensor({1, 3, 1}, {4, 5, 6})), Tensor({1, 3, 1}, {3, 4, 5}), exact, "three");
}

TEST_CASE("forecasters' formulas name their norm, their encoding and their decoder") {
    ForecasterConfig config = forecaster(2, 2);
    config.norm = WindowNorm::revin, config.input.encoding = TimeEncoding::sinusoidal;
    CHECK(formula(config, false) ==
          "forecast = Head(Encoder(InputNet((x − level) / spread) + PE)) spread + level");
    config.norm = WindowNorm::last;
    CHECK(formula(config, true) ==
          "forecast = Head(Decoder(InputNet(before) + PE, Encoder(InputNet(x − level) + PE))) + level");
}
