#include <glassbox/decoding/decoding.h>
#include <glassbox/tasks/copying.h>
#include <glassbox/tasks/sequence_learner.h>

#include <algorithm>

#include <glassbox/conventions/made.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/trainer.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

CopyingConfig config_of(Writing writing, index_t count, std::uint64_t seed = 42) {
    CopyingConfig config;
    config.writing = writing;
    config.count = count;
    config.symbols = 4;
    config.shortest = 2;
    config.longest = 4;
    config.seed = seed;
    return config;
}

Transformer small_transformer(index_t vocabulary, index_t d_model = 16, double dropout = 0) {
    TransformerChoices config;
    config.source_vocabulary = config.target_vocabulary = vocabulary;
    for (StackChoices* stack : {&config.encoder, &config.decoder}) {
        stack->layers = 1;
        stack->block.d_model = d_model;
        stack->block.heads = 1;
        stack->block.d_ff = 2 * d_model;
        stack->block.dropout = dropout;
    }
    auto model = made<Transformer>(config, *make_stream(Rng::jax, 42));
    scale_down_embeddings(model);
    return model;
}

std::vector<index_t> row_of(const Tensor& x, index_t row) {
    std::vector<index_t> values;
    for (index_t t = 0; t < x.size(1); ++t) values.push_back(static_cast<index_t>(x.at({row, t})));
    return values;
}

}  // namespace

TEST_CASE("copying: the target is the labels shifted by one after <start>; padding is not counted") {
    for_seeds(10, [](Random& random) {
        const Writing writing = random.whole(0, 1) ? Writing::copy : Writing::sort;
        const CopyingData data(config_of(writing, 20, static_cast<std::uint64_t>(random.whole(0, 99))));
        const std::vector<index_t> rows = {random.whole(0, 19), random.whole(0, 19)};
        const Examples examples = data.at(rows);
        for (index_t i = 0; i < 2; ++i) {
            const std::vector<index_t> source = data.source(rows[static_cast<std::size_t>(i)]);
            std::vector<index_t> answer = source;
            if (writing == Writing::sort) std::sort(answer.begin(), answer.end() - 1);
            CHECK(data.answer(rows[static_cast<std::size_t>(i)]) == answer);
            const std::vector<index_t> labels = row_of(examples["labels"], i),
                                       target = row_of(examples["target"], i),
                                       read = row_of(examples["source"], i);
            const std::size_t length = source.size();
            CHECK(examples["source_lengths"].at({i}) == static_cast<real>(length));
            CHECK(examples["target_lengths"].at({i}) == static_cast<real>(length));
            CHECK(target[0] == Vocabulary::start);
            for (std::size_t t = 0; t < 5; ++t) {
                CHECK(read[t] == (t < length ? source[t] : Vocabulary::padding));
                CHECK(labels[t] == (t < length ? answer[t] : -1));
                if (t > 0) CHECK(target[t] == (t < length ? labels[t - 1] : Vocabulary::padding));
            }
            CHECK(source.back() == Vocabulary::end);
        }
    });
}

TEST_CASE("copying: every length and symbol occurs, and the same seed gives the same sequences") {
    const CopyingData data(config_of(Writing::copy, 500)), again(config_of(Writing::copy, 500)),
        other(config_of(Writing::copy, 500, 43));
    std::vector<index_t> lengths(6), symbols(7);
    bool differs = false;
    for (index_t i = 0; i < 500; ++i) {
        ++lengths[data.source(i).size()];
        for (const index_t token : data.source(i)) ++symbols[static_cast<std::size_t>(token)];
        CHECK(data.source(i) == again.source(i));
        differs = differs || data.source(i) != other.source(i);
    }
    CHECK(differs);
    for (const std::size_t length : {3, 4, 5}) CHECK(lengths[length] > 120);   // with <end>; 167 expected
    for (const std::size_t token : {3, 4, 5, 6}) CHECK(symbols[token] > 300);  // 375 expected
    CHECK(symbols[Vocabulary::end] == 500);
    CHECK(data.vocabulary() == 7);
}

TEST_CASE("copying: a learner's padding changes nothing, and padding labels are not counted") {
    const CopyingData data(config_of(Writing::sort, 30));
    const SequenceLearner learner(small_transformer(data.vocabulary()));
    index_t short_row = 0;
    while (data.source(short_row).size() != 3) ++short_row;
    const Examples padded = data.at({short_row});
    CHECK(learner.counted(padded) == 3);
    Trace trace;
    const Outcome outcome = learner.score(padded);
    CHECK(trace.steps().back().path == "loss");
    CHECK(trace.contains("decoder/0/cross_attn/attention"));

    Examples bare;  // the same without its padding
    for (const auto& [name, array] : padded.arrays)
        bare.arrays.emplace_back(name, array.rank() == 2 ? contiguous(slice(array, 1, 0, 3)) : array);
    check_close(learner.score(bare).loss, outcome.loss, chain, "loss");
    check_close(slice(trace["losses"], 1, 3, 5), Tensor{{0, 0}}, exact, "losses of padding");
}

TEST_CASE("greedy: each token is the most likely one after those before it, according to the model") {
    const CopyingData data(config_of(Writing::copy, 5));
    const SequenceLearner learner(small_transformer(data.vocabulary()));
    const std::vector<index_t> source = data.source(0);
    Trace trace;
    const Decoded decoded = decode(learner.model, source, {.max_tokens = 4});
    REQUIRE(decoded.probabilities.shape() ==
            Shape{static_cast<index_t>(decoded.tokens.size()), data.vocabulary()});
    CHECK((decoded.ended || decoded.tokens.size() == 4));
    std::vector<real> target = {Vocabulary::start};
    for (std::size_t i = 0; i < decoded.tokens.size(); ++i) {
        const Tensor logits = learner.model(
            Tensor(Shape{1, static_cast<index_t>(source.size())}, {source.begin(), source.end()}),
            Tensor(Shape{1, static_cast<index_t>(target.size())}, target));
        const Tensor last = select(softmax(select(logits, 0, 0)), 0, static_cast<index_t>(i));
        check_close(select(decoded.probabilities, 0, static_cast<index_t>(i)), last, deep, "softmax");
        CHECK(decoded.tokens[i] == argmax(last, 0)[0]);
        CHECK(trace.contains(fmt::format("step/{}/next", i)));
        CHECK(trace[fmt::format("step/{}/token", i)].item() ==
              static_cast<real>(decoded.tokens[static_cast<std::size_t>(i)]));
        CHECK(trace.contains(fmt::format("step/{}/decoder/0/self_attn/attention", i)));
        target.push_back(static_cast<real>(decoded.tokens[i]));
    }
    check_error([&] { decode(learner.model, std::vector<index_t>{}, {.max_tokens = 4}); },
                "decoding: an empty source");
    check_error([&] { decode(learner.model, source, {.max_tokens = 0}); },
                "decoding: needs at least 1 token to write, got 0");
}

TEST_CASE("copying: a small Transformer learns to copy, and to stop") {
    CopyingData data(config_of(Writing::copy, 640));
    SequenceLearner learner(small_transformer(data.vocabulary()));
    TrainerConfig config;
    config.epochs = 10;
    config.batch = 32;
    config.schedule = {ScheduleKind::cosine, 1e-2, 20, 10 * 20};
    config.clipping.max_norm = 1;
    Trainer trainer(learner, data, config);
    while (!trainer.is_finished()) trainer.step();
    const CopyingData unseen(config_of(Writing::copy, 40, 44));
    CHECK(trainer.evaluate(unseen).accuracy() > 0.95);
    int right = 0;
    for (index_t i = 0; i < unseen.size(); ++i)
        right += decode(learner.model, unseen.source(i), {.max_tokens = unseen.width()}).tokens ==
                 unseen.answer(i);
    CHECK(right > 34);
}

TEST_CASE("copying: invalid sizes, rows and names are refused; tokens are shown by name") {
    const auto made = [](auto change) {
        CopyingConfig config;
        change(config);
        CopyingData{config};
    };
    check_error<UsageError>([&] { made([](auto& c) { c.symbols = 1; }); }, "copy: 2 to 253 symbols, got 1");
    check_error<UsageError>([&] { made([](auto& c) { c.shortest = 11; }); },
                            "copy: lengths with 1 ≤ shortest ≤ longest ≤ 255, got 11 and 10");
    check_error<UsageError>([&] { made([](auto& c) { c.symbols = 254; }); },
                            "copy: 2 to 253 symbols, got 254");
    check_error<UsageError>([&] { made([](auto& c) { c.shortest = 0; }); },
                            "copy: lengths with 1 ≤ shortest ≤ longest ≤ 255, got 0 and 10");
    check_error<UsageError>([&] { made([](auto& c) { c.longest = 256; }); },
                            "copy: lengths with 1 ≤ shortest ≤ longest ≤ 255, got 3 and 256");
    check_error<UsageError>([&] { made([](auto& c) { c.count = (1 << 24) + 1; }); },
                            "copy: 0 to 16777216 sequences, got 16777217");
    // The limits themselves are possible.
    for (const index_t symbols : {2, 253})
        CHECK_NOTHROW(made([&](auto& c) { c.symbols = symbols, c.shortest = c.longest = 255, c.count = 2; }));
    CHECK_NOTHROW(made([](auto& c) { c.shortest = c.longest = 1, c.count = 0; }));
    check_error([] { CopyingData(config_of(Writing::copy, 2)).at({-1}); },
                "copy: no sequence -1: there are 2");
    check_error<UsageError>([&] { made([](auto& c) { c.count = -1, c.writing = Writing::sort; }); },
                            "sort: 0 to 16777216 sequences, got -1");
    check_error([] { CopyingData(config_of(Writing::copy, 2)).at({2}); }, "copy: no sequence 2: there are 2");
    check_error<UsageError>([] { return parse<Writing>("add"); },
                            "task: no task 'add'; there are copy, sort");
    CHECK(token_text({1, 3, 12, 2, 0}) == "<start> 0 9 <end> <pad>");
}

// The masks of every batch are made from lengths on the device.
DEVICE_TEST("sorting: a recorded step has the bits of an unrecorded one, for any lengths") {
    if (device == Device::cpu) return;  // cannot record
    const CopyingData data(config_of(Writing::sort, 40));
    const auto trained = [&](bool recorded) {
        Transformer model = small_transformer(data.vocabulary(), 8, 0.2);
        parameters_of(model).move_to(device);
        SequenceLearner learner(std::move(model));
        TrainerConfig config;
        config.epochs = 2;
        config.batch = 10;
        config.recorded = recorded;
        CopyingData examples = data;
        Trainer trainer(learner, examples, config);
        CHECK(trainer.is_recorded() == recorded);
        std::vector<double> losses;
        while (trainer.steps_done() < trainer.steps()) losses.push_back(trainer.step().score.loss);
        return std::pair{losses, trainer.parameters().values().to(Device::cpu)};
    };
    const auto [losses, w] = trained(true);
    const auto [eager_losses, eager_w] = trained(false);
    CHECK(losses == eager_losses);
    check_close(w, eager_w, exact, "w");
    CHECK(losses.front() != losses.back());
}
