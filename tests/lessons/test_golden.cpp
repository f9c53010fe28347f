// The lessons' golden arrays, made by PyTorch, are the library's own steps too: a student may compare with
// either.
#include <glassbox/conventions/made.h>
#include <glassbox/decoding/decoding.h>
#include <glassbox/distributed/detail/gradient_sum.h>
#include <glassbox/io/npz.h>
#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/cross_entropy.h>
#include <glassbox/ops/embedding.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/classified.h>
#include <glassbox/tasks/sequence_learner.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/teacher_forcing.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/schedule.h>

#include "../../lessons/support/arrays.h"
#include "../../lessons/support/compare.h"
#include "../../lessons/support/library.h"
#include "lessons.h"

using namespace lesson_test;
using glassbox::index_t;
using glassbox::Mask;
using glassbox::Tensor;
using lesson::block_choices;
using lesson::layers_in;
using lesson::number_of;
using lesson::Tensors;

namespace {

// The arrays of each case by their names, without the case's.
template <class Use>
void for_each_case(const Lesson& lesson, Use use) {
    const auto golden = glassbox::read_npz(lesson.folder / "golden.npz").arrays;
    for (const Lesson::Case& of : lesson.cases) {
        Tensors arrays;
        for (const auto& [path, value] : golden)
            if (path.rfind(of.name + "/", 0) == 0) arrays[path.substr(of.name.size() + 1)] = value;
        INFO(lesson.folder.string() << ", " << of.name);
        use(arrays);
    }
}

const glassbox::Convention& torch = glassbox::convention("uva-torch");  // golden's

// Gives a layer golden's weights, `path` before their names; the [CLS] token where the layer has one.
template <class Layer>
void load(Layer& layer, const Tensors& arrays, const std::string& path,
          const glassbox::Convention& convention, bool has_token = false) {
    glassbox::NamedTensors file;
    for (const auto& [name, value] : arrays)
        if (name.find(".weight") != std::string::npos || name.find(".bias") != std::string::npos ||
            (has_token && name == "cls_token"))
            file.emplace_back(path + name, value);
    glassbox::parameters_of(layer).load(file, convention.file_names());
}

// One linear layer at the end, as in the report.
glassbox::PredictorConfig with_one_layer_behind(const glassbox::PredictorChoices& choices) {
    glassbox::PredictorConfig config = torch.config(choices);
    config.deep_output_net = false;
    return config;
}

void compare(const Tensor& actual, const Tensors& arrays, const std::string& step) {
    INFO(step);
    CHECK(lesson::difference(reshape(actual, arrays.at(step).shape()), arrays.at(step)) == "");
}

}  // namespace

TEST_CASE("lesson 06's golden losses and their gradient are the library's own") {
    for_each_case(lesson_of("06"), [&](const Tensors& arrays) {
        const Tensor &logits = arrays.at("logits"), &labels = arrays.at("labels");
        const std::vector<glassbox::real> given = labels.values();
        const auto counted = std::count_if(given.begin(), given.end(), [](auto label) { return label >= 0; });
        glassbox::Tape tape;
        const Tensor losses = cross_entropy(logits, labels);
        const Tensor loss = sum(losses) / static_cast<double>(counted);
        tape.backward(loss);
        compare(losses, arrays, "losses");
        compare(loss, arrays, "loss");
        compare(tape.gradient(logits), arrays, "gradient");
    });
}

TEST_CASE("lesson 06's golden updates are the library's own steps") {
    for_each_case(lesson_of("06"), [&](const Tensors& arrays) {
        const auto number = [&](const char* name) { return static_cast<double>(arrays.at(name).item()); };
        const auto row = [&](const char* name, index_t t) {
            return contiguous(reshape(slice(arrays.at(name), 0, t, t + 1), {arrays.at(name).size(1)}));
        };
        glassbox::ScheduleConfig schedule;
        schedule.rate = number("peak"), schedule.warmup = number_of(arrays.at("warmup"));
        schedule.steps = number_of(arrays.at("updates"));
        for (index_t t = 0; t < schedule.steps; ++t)
            CHECK(learning_rate(schedule, t) == Approx(arrays.at("rates").at({t})).margin(1e-6));

        glassbox::Tensor w = contiguous(arrays.at("w") * 1);
        glassbox::Optimiser adamw({glassbox::OptimiserKind::adamw, number("beta1"), number("beta2"),
                                   number("epsilon"), 0, number("weight_decay")},
                                  w.numel());
        for (index_t t = 0; t < arrays.at("weights").size(0); ++t) {
            const double norm = static_cast<double>(arrays.at("norm").at({t}));
            const double clip = glassbox::clip_factor({number("max_norm"), 0}, norm);
            adamw.step(w, row("gradients/W", t), learning_rate(schedule, t), clip);
            CHECK(lesson::difference(row("gradients/W", t) * clip, row("clipped/W", t)) == "");
            CHECK(lesson::difference(row("gradients/b", t) * clip, row("clipped/b", t)) == "");
            CHECK(lesson::difference(adamw.m, row("m", t)) == "");
            CHECK(lesson::difference(adamw.v, row("v", t)) == "");
            CHECK(lesson::difference(w, row("weights", t)) == "");
        }
    });
}

TEST_CASE("lesson 07's golden arrays are the library's own steps") {
    for_each_case(lesson_of("07"), [&](const Tensors& arrays) {
        glassbox::PredictorChoices config;
        config.d_in = config.classes = arrays.at("x").size(-1);
        config.encoder.block = block_choices(arrays, arrays.at("input_net.1.bias").size(0),
                                             arrays.at("transformer.layers.0.linear_net.0.bias").size(0));
        config.encoder.layers = 1;
        glassbox::Predictor model(torch.config(config));
        load(model, arrays, "", torch);

        const glassbox::Trace trace;
        glassbox::Tape tape;
        const Tensor losses = cross_entropy(model(arrays.at("x")), arrays.at("labels"));
        const Tensor loss = sum(losses) / static_cast<double>(losses.numel());
        tape.backward(loss);
        for (const auto& [step, value] :
             {std::pair("logits", trace["logits"]), {"losses", losses}, {"loss", loss}})
            compare(value, arrays, step);
        for (const auto& entry : glassbox::parameters_of(model).entries())
            if (entry.name == "output_net.4.bias") compare(tape.gradient(*entry.tensor), arrays, "gradient");

        const std::vector<glassbox::real> answers = arrays.at("answers").values();
        CHECK(argmax(trace["logits"], -1) == std::vector<index_t>(answers.begin(), answers.end()));
        const Tensor map = trace["encoder/0/self_attn/attention"];  // (B, 1, T, T)
        double mirrored = 0;
        for (index_t b = 0; b < map.size(0); ++b)
            for (index_t t = 0; t < map.size(-1); ++t)
                mirrored += static_cast<double>(map.at({b, 0, t, map.size(-1) - 1 - t}));
        CHECK(mirrored / static_cast<double>(losses.numel()) == Approx(arrays.at("mirrored").item()));
    });
}

namespace {

Tensor identity(index_t size) {
    std::vector<glassbox::real> values(static_cast<std::size_t>(size * size));
    for (index_t i = 0; i < size; ++i) values[static_cast<std::size_t>(i * size + i)] = 1;
    return Tensor({size, size}, values);
}

}  // namespace

TEST_CASE("lesson 08's golden arrays are the library's own steps") {
    for_each_case(lesson_of("08"), [&](const Tensors& arrays) {
        const Tensor x = arrays.at("x");
        const index_t d_model = x.size(-1);
        const std::vector<glassbox::real> lengths = arrays.at("lengths").values();
        const Mask padding = Mask::lengths(std::vector<index_t>(lengths.begin(), lengths.end()));
        glassbox::PredictorChoices config;
        config.d_in = d_model, config.classes = arrays.at("cls/logits").size(-1);
        config.encoder.block =
            block_choices(arrays, d_model, arrays.at("transformer.layers.0.linear_net.0.weight").size(0));
        config.encoder.layers = 1;
        for (const auto& [pooling, part] :
             {std::pair(glassbox::Pooling::mean, "mean/"), std::pair(glassbox::Pooling::max, "max/"),
              std::pair(glassbox::Pooling::cls, "cls/")}) {
            INFO(part);
            config.pooling = pooling;
            glassbox::Predictor whole(with_one_layer_behind(config));
            Tensors weights = arrays;  // x has been through an input network already
            weights["input_net.1.weight"] = identity(d_model);
            weights["input_net.1.bias"] = Tensor::zeros({d_model});
            load(whole, weights, "", torch, pooling == glassbox::Pooling::cls);
            const glassbox::Trace trace;
            whole(x, padding);
            compare(trace["pooled"], arrays, part + std::string("pooled"));
            compare(trace["logits"], arrays, part + std::string("logits"));
            if (pooling == glassbox::Pooling::cls) compare(trace["cls"], arrays, "cls/cls");
        }
    });
}

TEST_CASE("lesson 09's golden arrays are the library's own steps") {
    for_each_case(lesson_of("09"), [&](const Tensors& arrays) {
        const index_t d_model = arrays.at("encoded").size(-1);
        glassbox::PredictorChoices config;
        config.d_in = arrays.at("x").size(-1), config.classes = 1;
        config.positional_encoding = false;
        config.encoder.block =
            block_choices(arrays, d_model, arrays.at("transformer.layers.0.linear_net.0.weight").size(0));
        config.encoder.layers = layers_in(arrays, "transformer");
        glassbox::Predictor predictor(with_one_layer_behind(config));
        load(predictor, arrays, "", torch);
        const glassbox::AnomalyLearner learner(predictor);
        const Tensor x = arrays.at("x");
        {
            const glassbox::Trace trace;
            const glassbox::Outcome outcome = learner.score({{{"x", x}, {"labels", arrays.at("labels")}}});
            for (const char* step : {"logits", "scores", "probabilities", "losses"})
                compare(trace[step], arrays, step);
            compare(outcome.loss / static_cast<glassbox::real>(x.size(0)), arrays, "loss");
            compare(trace["encoder/" + std::to_string(config.encoder.layers - 1) + "/norm2"], arrays,
                    "encoded");
        }
        compare(learner.scores(arrays.at("permuted/x")), arrays, "permuted/scores");
    });
}

namespace {

glassbox::Transformer transformer_of(const Tensors& arrays) {
    const auto rows = [&](const char* name) { return arrays.at(name).size(0); };
    glassbox::TransformerChoices config;
    config.source_vocabulary = rows("source_embedding.weight");
    config.target_vocabulary = rows("target_embedding.weight");
    config.encoder.block = block_choices(arrays, arrays.at("generator.weight").size(-1),
                                         rows("encoder.layers.0.linear_net.0.weight"));
    config.decoder.block = config.encoder.block;
    config.encoder.layers = layers_in(arrays, "encoder");
    config.decoder.layers = layers_in(arrays, "decoder");
    glassbox::Transformer model(torch.config(config));
    load(model, arrays, "", torch);
    return model;
}

}  // namespace

TEST_CASE("lesson 11's golden arrays are the library's own steps") {
    for_each_case(lesson_of("11"), [&](const Tensors& arrays) {
        const glassbox::Transformer model = transformer_of(arrays);
        const Tensor real = slice(arrays.at("source_mask"), -2, 0, 1);  // (1, S)
        const glassbox::Trace trace;
        model(arrays.at("source"), arrays.at("target/tokens"), Mask::given(real),
              Mask::given(arrays.at("target_mask")));
        for (const char* step : {"source/scaled", "source/positional/output", "target/scaled",
                                 "target/positional/output", "logits", "softmax"})
            compare(trace[step], arrays, step);
        compare(trace["encoder/" + std::to_string(model.config().encoder.layers - 1) + "/norm2"], arrays,
                "memory");
        compare(trace["decoder/" + std::to_string(model.config().decoder.layers - 1) + "/norm3"], arrays,
                "decoded");
        const std::vector<glassbox::real> words = arrays.at("words").values();
        CHECK(argmax(trace["softmax"], -1) == std::vector<index_t>(words.begin(), words.end()));
    });
}

TEST_CASE("lesson 12's golden arrays are the library's own steps") {
    for_each_case(lesson_of("12"), [&](const Tensors& arrays) {
        const glassbox::SequenceLearner learner(transformer_of(arrays));
        const Tensor source = arrays.at("source"), lengths = arrays.at("lengths") + 1;  // with their <end>
        {
            const glassbox::Trace trace;
            const glassbox::Outcome outcome = learner.score({{{"source", source},
                                                              {"target", arrays.at("target")},
                                                              {"labels", arrays.at("labels")},
                                                              {"source_lengths", lengths},
                                                              {"target_lengths", lengths}}});
            compare(trace["logits"], arrays, "logits");
            compare(trace["losses"], arrays, "losses");
            const auto counted = static_cast<glassbox::real>(glassbox::count_labels(arrays.at("labels")));
            compare(outcome.loss / counted, arrays, "loss");
            CHECK(static_cast<double>(outcome.correct.item()) / static_cast<double>(counted) ==
                  Approx(arrays.at("accuracy").item()));
        }
        const index_t longest = number_of(arrays.at("longest"));
        for (index_t b = 0; b < source.size(0); ++b) {
            std::vector<index_t> read;
            for (const glassbox::real token : slice(source, 0, b, b + 1).values())
                if (token != 0) read.push_back(static_cast<index_t>(token));
            const glassbox::Decoded decoded = glassbox::decode(learner.model, read, {.max_tokens = longest});
            for (index_t n = 0; n < longest; ++n) {
                const bool is_written = n < static_cast<index_t>(decoded.tokens.size());
                const index_t token = is_written ? decoded.tokens[static_cast<std::size_t>(n)] : 0;
                CHECK(arrays.at("written").at({b, n}) == static_cast<glassbox::real>(token));
                CHECK(arrays.at("certainty").at({b, n}) ==
                      Approx(is_written ? decoded.probabilities.at({n, token}) : 0).margin(1e-5));
            }
        }
    });
}

namespace {

using Ids = std::vector<index_t>;

// The rows of words or sentences, without the padding behind them.
std::vector<Ids> rows_of(const Tensor& padded) {
    std::vector<Ids> rows;
    for (index_t r = 0; r < padded.size(0); ++r) {
        Ids& row = rows.emplace_back();
        for (const glassbox::real id : slice(padded, 0, r, r + 1).values())
            if (id != 0) row.push_back(static_cast<index_t>(id));
    }
    return rows;
}

// Lesson 13's words as the library's byte pairs have them: letters are a, b, c, …, for merges depend on their
// order alone, and z is one that the corpus lacks.
struct LearnedPairs {
    std::vector<glassbox::real> letters;
    std::shared_ptr<const glassbox::BytePairTokenizer> tokenizer;

    explicit LearnedPairs(const Tensors& arrays) : letters(arrays.at("letters").values()) {
        const std::vector<Ids> words = rows_of(arrays.at("words"));
        const std::vector<glassbox::real> counts = arrays.at("counts").values();
        std::vector<std::string> lines;
        for (std::size_t w = 0; w < words.size(); ++w)
            lines.insert(lines.end(), static_cast<std::size_t>(counts[w]), spelled(words[w]));
        tokenizer = glassbox::learn_byte_pairs(
            lines, {.kind = glassbox::TokenKind::bpe, .vocabulary = 259 + number_of(arrays.at("how_many"))});
    }
    std::string spelled(const Ids& word) const {
        std::string text;
        for (const index_t letter : word) {
            const auto found = std::find(letters.begin(), letters.end(), static_cast<glassbox::real>(letter));
            text += found == letters.end() ? 'z' : static_cast<char>('a' + (found - letters.begin()));
        }
        return text;
    }
    // The lesson's id: <unk> is 3, letters follow, then merged tokens.
    index_t lesson_id(index_t id) const {
        const std::string& word = tokenizer->vocabulary().word(id);
        if (word.size() > 1) return 4 + static_cast<index_t>(letters.size()) + id - 259;
        return word == "z" ? 3 : 4 + (word[0] - 'a');
    }
};

// The attention of lesson 13's decoder.
glassbox::MultiHeadAttention one_head_of(const Tensors& arrays, index_t d) {
    glassbox::MultiHeadAttention attend(
        {.d_model = d, .heads = 1, .qkv_layout = glassbox::QkvLayout::stacked});
    attend.qkv_proj.weight =
        glassbox::concat({arrays.at("query.weight"), arrays.at("key.weight"), arrays.at("value.weight")}, 0);
    attend.qkv_proj.bias =
        glassbox::concat({arrays.at("query.bias"), arrays.at("key.bias"), arrays.at("value.bias")}, 0);
    attend.o_proj.weight = identity(d);
    return attend;
}

}  // namespace

TEST_CASE("lesson 13's golden merges and tokens are the library's own") {
    for_each_case(lesson_of("13"), [&](const Tensors& arrays) {
        const LearnedPairs learned(arrays);
        std::vector<Ids> merges;
        for (const auto& merge : learned.tokenizer->merges())
            merges.push_back({learned.lesson_id(merge.left), learned.lesson_id(merge.right),
                              learned.lesson_id(merge.joined)});
        CHECK(merges == rows_of(arrays.at("merges")));
        std::vector<Ids> tokens;
        for (const Ids& word : rows_of(arrays.at("text"))) {
            Ids& ids = tokens.emplace_back();
            for (const index_t id : learned.tokenizer->encode(learned.spelled(word)))
                ids.push_back(learned.lesson_id(id));
        }
        CHECK(tokens == rows_of(arrays.at("tokens")));
    });
}

TEST_CASE("lesson 13's golden batches are the library's own") {
    const auto inner = [](const Tensor& sentences) {  // without <start> and <end>
        std::vector<Ids> rows = rows_of(sentences);
        for (Ids& row : rows) row = Ids(row.begin() + 1, row.end() - 1);
        return rows;
    };
    for_each_case(lesson_of("13"), [&](const Tensors& arrays) {
        const glassbox::TeacherForcing batch =
            glassbox::teacher_forcing(inner(arrays.at("source")), inner(arrays.at("target")));
        compare(batch.inputs.tokens, arrays, "inputs");
        compare(batch.targets.tokens, arrays, "targets");
        compare(batch.labels, arrays, "labels");
        const index_t B = batch.labels.size(0), S = batch.inputs.tokens.size(1), T = batch.labels.size(1);
        compare(Mask::lengths(batch.inputs.lengths).visible({B, 1, S}), arrays, "source_mask");
        const Mask both = Mask::causal() & Mask::lengths(batch.targets.lengths);
        compare(both.visible({B, T, T}), arrays, "target_mask");
    });
}

TEST_CASE("lesson 13's golden decoder is the library's own attention with a cache") {
    for_each_case(lesson_of("13"), [&](const Tensors& arrays) {
        const Tensor tokens = arrays.at("tokens_read");
        const index_t n = tokens.size(0), d = arrays.at("x").size(1);
        const glassbox::MultiHeadAttention attend = one_head_of(arrays, d);
        const auto row = [&](const char* step, index_t t) { return slice(arrays.at(step), 0, t, t + 1); };
        const auto is_row = [&](const Tensor& actual, const char* step, index_t t) {
            INFO(step);
            CHECK(lesson::difference(reshape(actual, row(step, t).shape()), row(step, t)) == "");
        };
        glassbox::KeyValueCache cache;
        for (index_t t = 0; t < n; ++t) {
            const Tensor token = embedding(arrays.at("embedding.weight"), slice(tokens, 0, t, t + 1));
            const Tensor x =
                glassbox::PositionalEncoding(d)(token * std::sqrt(static_cast<double>(d)), t);  // (1, d)
            is_row(x, "x", t);
            const glassbox::Trace trace;
            const Tensor values = attend(x, {}, &cache);
            is_row(values, "values", t);
            const Tensor seen = slice(row("attention", t), 1, 0, t + 1);
            CHECK(lesson::difference(reshape(trace["attention"], seen.shape()), seen) == "");
            const Tensor logits = linear(values, arrays.at("generator.weight"), arrays.at("generator.bias"));
            is_row(logits, "logits", t);
            CHECK(argmax(logits, -1)[0] == static_cast<index_t>(arrays.at("next").at({t})));
        }
        compare(cache.K(), arrays, "K");
        compare(cache.V(), arrays, "V");
    });
}

TEST_CASE("lesson 15's golden arrays are the library's own softmax, maximum and sum") {
    for_each_case(lesson_of("15"), [&](const Tensors& arrays) {
        const Tensor x = arrays.at("x");
        compare(glassbox::softmax(x), arrays, "softmax");
        const auto last = [&](const char* step) {
            const index_t blocks = arrays.at(step).size(-1);
            return slice(arrays.at(step), -1, blocks - 1, blocks);
        };
        const Tensor m = max(x, -1, true);
        CHECK(lesson::difference(m, last("merged/m")) == "");
        CHECK(lesson::difference(sum(exp(x - m), -1, true), last("merged/s")) == "");
    });
}
