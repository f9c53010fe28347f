#include <algorithm>

#include <glassbox/io/detail/file.h>
#include <glassbox/io/npz.h>
#include <glassbox/ops/embedding.h>
#include <glassbox/tensor/format.h>

#include "subject/fixed_width.h"
#include "subject/input.h"
#include "subject/show.h"
#include "subject/stand_in.h"

// Where the numbers of a model's input come from: a file, words, or a random stream.
namespace tracer {

using glassbox::fail;
using glassbox::FileError;
using glassbox::Shape;
using glassbox::UsageError;
using glassbox::Vocabulary;

namespace {

// Words of one side, and how they become numbers. `first` and `last` are put around every sentence; −1: none.
glassbox::PaddedBatch tokens_of(const char* option, const std::string& text, index_t first, index_t last,
                                Vocabulary& vocabulary, std::vector<std::string>& words) {
    std::vector<std::vector<index_t>> sentences;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t bar = std::min(text.find('|', begin), text.size());
        std::vector<index_t> ids;
        if (first >= 0) ids.push_back(first);
        for (const std::string& word : glassbox::split_words(text.substr(begin, bar - begin)))
            ids.push_back(vocabulary.add(word));
        const bool is_blank = ids.empty() || (ids.size() == 1 && first >= 0);
        if (last >= 0) ids.push_back(last);
        if (is_blank && option == std::string("--text"))
            fail<UsageError>("{}: a sentence without words in '{}'", option, text);
        sentences.push_back(ids);
        begin = bar + 1;
    }
    for (const index_t id : sentences[0]) words.push_back(vocabulary.word(id));
    glassbox::PaddedBatch batch = glassbox::padded(sentences);
    for (std::size_t i = static_cast<std::size_t>(batch.lengths[0]);
         i < static_cast<std::size_t>(batch.tokens.size(1)); ++i)
        words.push_back(vocabulary.word(Vocabulary::padding));
    return batch;
}

bool needs(const ModelCommand& command, const std::string& array) {
    return std::find(command.inputs.begin(), command.inputs.end(), array) != command.inputs.end();
}

// The words as tokens: source and target where a model has both, else the tokens that x stands for.
void read_words(const ModelCommand& command, const ModelTyped& t, ModelInput& input) {
    const bool translates = needs(command, "source") && t.kind == "encoder-decoder";
    // The fourth document's way: the source without <start>, the target without <end>.
    const glassbox::PaddedBatch source =
        tokens_of("--text", t.text,
                  translates                 ? -1
                  : needs(command, "source") ? Vocabulary::start
                                             : -1,
                  translates ? Vocabulary::end : -1, input.vocabulary, input.words);
    input.arrays.emplace_back("source", source.tokens);
    const bool is_padded = std::any_of(source.lengths.begin(), source.lengths.end(),
                                       [&](index_t length) { return length != source.tokens.size(1); });
    if (is_padded) input.lengths = source.lengths;
    if (!translates) return;
    std::string target = t.target;
    if (target.empty()) target = std::string(static_cast<std::size_t>(source.tokens.size(0)) - 1, '|');
    const glassbox::PaddedBatch so_far =
        tokens_of("--target", target, Vocabulary::start, -1, input.target_vocabulary, input.target_words);
    if (so_far.tokens.size(0) != source.tokens.size(0))
        fail<UsageError>("--target: as many sentences as --text expected, {}, got {}", source.tokens.size(0),
                         so_far.tokens.size(0));
    input.arrays.emplace_back("target", so_far.tokens);
    if (std::any_of(so_far.lengths.begin(), so_far.lengths.end(),
                    [&](index_t length) { return length != so_far.tokens.size(1); }))
        input.target_lengths = so_far.lengths;
}

// The arrays that the file has, with their shapes alone.
void open_file(const ModelCommand& command, const ModelTyped& t, ModelInput& input) {
    input.file = std::make_shared<const glassbox::Npz>(t.input);
    const glassbox::Npz& npz = *input.file;
    for (std::string name : command.inputs) {
        const bool optional = name.ends_with("?");
        if (optional) name.pop_back();
        if (optional && !npz.contains(name)) continue;
        if (!npz.contains(name))
            fail<FileError>(
                "{}: no array {}; it holds {}", t.input, name,
                npz.names().empty() ? "nothing" : fmt::format("{}", fmt::join(npz.names(), ", ")));
        input.arrays.emplace_back(name, stand_in(npz.shape(name)));
    }
}

// Refuses at once what the machine's memory cannot hold.
void check_memory(const std::string& what, double numbers) {
    const double have = machine_memory();
    if (numbers * sizeof(real) > have / 8)
        fail<UsageError>(
            "{}: {:.3g} numbers need {:.3g} GB, an eighth of this machine's {:.3g} GB may be used", what,
            numbers, numbers * sizeof(real) / 1e9, have / 1e9);
}

}  // namespace

void ModelInput::read() {
    if (!file) return;
    for (auto& [name, value] : arrays)
        if (file->contains(name)) value = file->read(name);
    file.reset();
}

ModelInput read_arrays(const ModelCommand& command, const ModelTyped& t) {
    ModelInput input;
    if (!t.input.empty()) {
        open_file(command, t, input);
        input.origin = glassbox::shown_name(t.input);
    } else {
        if (!t.text.empty()) read_words(command, t, input);
        const std::string rng = t.rng.empty() ? glassbox::convention(t.convention).rng : t.rng;
        input.rng = rng;
        input.seed = seed_number("--seed", t.seed);
        input.origin = drawn_as(glassbox::parse_rng(rng), input.seed);
    }
    return input;
}

index_t Making::width(const std::string& array, const char* option, const std::string& text,
                      index_t otherwise) const {
    if (!typed.input.empty() && input.has(array) && input[array].rank() > 0) return input[array].size(-1);
    return size(option, text, otherwise);
}

void Making::sequence(const std::string& name, index_t positions, index_t width) const {
    if (input.has(name)) return check_given(name, width);
    if (!input.words.empty() && input.has("source") && name == "x") {  // a random row for each word
        const Tensor table = stream.normal({input.vocabulary.size(), width});
        input.arrays.emplace_back("x", glassbox::embedding(table, input["source"]));
        return;
    }
    Shape shape{positions, width};
    if (!typed.batch.empty()) shape = Shape{size("--batch", typed.batch, 1), positions, width};
    if (typed.batch.empty() && input.has("x")) shape = input["x"].shape().with(-2, positions).with(-1, width);
    double numbers = static_cast<double>(positions);
    const auto heads = static_cast<double>(size("--heads", typed.heads, 2));
    numbers *= numbers * static_cast<double>(size("--batch", typed.batch, 1)) * 4 * heads;
    check_memory("--seq", std::max(numbers, static_cast<double>(shape.numel()) * 30));
    input.arrays.emplace_back(name, stream.normal(shape));
}

// Nothing is known yet but shapes: what does not fit is refused before its numbers are read.
void Making::check_given(const std::string& name, index_t width) const {
    if (!input.file) return;
    const Shape &shape = input[name].shape(), &x = input["x"].shape();
    if (shape.rank() < 2 || shape[-1] != width)
        fail<FileError>("{}: {} of shape (…, n, {}) needed, got {}", typed.input, name, width, shape);
    if (shape.leading(shape.rank() - 2) != x.leading(x.rank() - 2))
        fail<FileError>("{}: x and {} need the same leading axes: {}, {}", typed.input, name, x, shape);
    check_memory("--input: " + name, static_cast<double>(shape.numel()) * 30);
}

void Making::read_tokens() const {
    if (!input.file) return;
    for (const auto& [name, tokens] : input.arrays) {  // each is compared with every other of its sentence
        const double length = static_cast<double>(tokens.size(-1));
        check_memory("--input: " + name, static_cast<double>(tokens.numel()) * std::max(30.0, 8 * length));
    }
    input.read();
}

// All blocks with their weights and steps, by their sizes alone. What each keeps besides (names, shapes, the
// operations that --explain follows) was measured: 46 KB.
void Making::check_blocks(const glassbox::BlockConfig& block) const {
    const auto d = static_cast<double>(block.d_model()), d_ff = static_cast<double>(block.mlp.d_ff);
    const auto layers = static_cast<double>(size("--layers", typed.layers, 1));
    const auto T = static_cast<double>(input.words.empty() ? size("--seq", typed.seq, 3)
                                                           : static_cast<index_t>(input.words.size()));
    const double batch = static_cast<double>(size("--batch", typed.batch, 1));
    const double numbers = 4 * d * d + 2 * d * d_ff, besides = 46e3 / sizeof(real);
    const double steps = batch * T * (12 * d + 3 * d_ff);  // the pairs of positions are sequence()'s to check
    check_memory(fmt::format("--layers {} of --dmodel {}, --dff {}", layers, d, d_ff),
                 layers * (numbers + steps + besides));
}

glassbox::BlockChoices Making::block(const std::string& first_block, index_t d_model, index_t heads,
                                     index_t d_ff) const {
    glassbox::BlockChoices block;
    block.d_model = size("--dmodel", typed.dmodel,
                         weights.size(first_block + "self_attn.o_proj.weight", 0, convention, d_model));
    block.heads = size("--heads", typed.heads, heads);
    block.d_ff =
        size("--dff", typed.dff, weights.size(first_block + "linear_net.0.weight", 0, convention, d_ff));
    block.norm = typed.norm == "pre" ? glassbox::NormPlacement::pre : glassbox::NormPlacement::post;
    block.activation = glassbox::parse_activation(typed.activation);
    block.bias = !typed.no_bias;
    block.dropout = 0;
    if (!typed.dropout.empty()) block.dropout = probability("--dropout", typed.dropout);
    if (!typed.dff.empty()) check_d_ff(convention, block.d_model, block.d_ff);
    check_blocks(convention.encoder_block(block));
    return block;
}

glassbox::Mask Making::mask(const char* keys) const {
    using glassbox::Mask;
    Mask mask = parse_mask(typed.mask, scores(keys));
    if (!typed.lengths.empty()) mask = mask & Mask::lengths(parse_lengths("--lengths", typed.lengths));
    return input.lengths.empty() ? mask : mask & Mask::lengths(input.lengths);
}

// The shape of the scores, (…, heads, n_q, n_k), if the input has one. A file's must fit into memory, with
// what is made of them on the way to the weights.
std::optional<Shape> Making::scores(const char* keys) const {
    const bool has_x = input.has("x");  // else tokens, which have no axis of features
    const auto positions_of = [&](const char* name) {
        const Shape& shape = input[name].shape();
        return has_x ? shape.leading(std::max(0, shape.rank() - 1)) : shape;
    };
    const char* own = has_x ? "x" : "source";
    const Shape queries = positions_of(own), others = positions_of(keys ? keys : own);
    if (queries.rank() < 1 || others.rank() < 1) return std::nullopt;
    const Shape leading = queries.leading(queries.rank() - 1);
    const index_t heads = size("--heads", typed.heads, 2);
    const Shape scores = leading.with_appended(heads).with_appended(queries[-1]).with_appended(others[-1]);
    if (input.file) check_memory("--input: scores", static_cast<double>(scores.numel()) * 4);
    return scores;
}

glassbox::Mask Making::other_mask() const {
    if (input.has("memory")) scores("memory");  // they are the largest here
    const char* option = input.has("target") ? "--target-lengths" : "--memory-lengths";
    glassbox::Mask mask;
    if (!typed.other_lengths.empty())
        mask = glassbox::Mask::lengths(parse_lengths(option, typed.other_lengths));
    return input.target_lengths.empty() ? mask : mask & glassbox::Mask::lengths(input.target_lengths);
}

}  // namespace tracer
