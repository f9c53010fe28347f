// The golden arrays of the lessons that do not say which computation of the library they are, made by
// PyTorch, are the library's own steps too. (For the others, see "every lesson's golden.npz" in
// test_lessons.cpp.) Lesson 13's are also those of the tokenizer that learns fast, and of attention with a
// cache.
#include <glassbox/distributed/communicator.h>
#include <glassbox/io/numpy.h>
#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/teacher_forcing.h>

#include "../../lessons/support/arrays.h"
#include "../../lessons/support/check.h"
#include "lessons.h"

using namespace lesson_test;
using glassbox::index_t;
using glassbox::Mask;
using glassbox::Tensor;
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

void compare(const Tensor& actual, const Tensors& arrays, const std::string& step) {
    INFO(step);
    CHECK(lesson::difference(reshape(actual, arrays.at(step).shape()), arrays.at(step)) == "");
}

Tensor identity(index_t size) {
    std::vector<glassbox::real> values(static_cast<std::size_t>(size * size));
    for (index_t i = 0; i < size; ++i) values[static_cast<std::size_t>(i * size + i)] = 1;
    return Tensor({size, size}, values);
}

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
