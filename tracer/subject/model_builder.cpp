#include "subject/model_builder.h"

#include <algorithm>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "cli/memory.h"
#include "subject/convention_option.h"
#include "subject/error_source.h"
#include "subject/model_header.h"

namespace glassbox::tracer {

void check_memory(const std::string& what, double numbers) {
    const double have = machine_memory();
    if (numbers * sizeof(real) > have / 8)
        fail<UsageError>(
            "{}: {:.3g} numbers need {:.3g} GB; the limit is an eighth of this machine's {:.3g} GB", what,
            numbers, numbers * sizeof(real) / 1e9, have / 1e9);
}

index_t ModelBuilder::size(const Size& size, const std::string& weight, int axis) const {
    return size.is_given ? size.value : weights.size(weight, axis, convention, size.value);
}

index_t ModelBuilder::width(const std::string& array, const Size& given, const std::string& weight,
                            int axis) const {
    return has_in_file(array) ? input[array].size(-1) : size(given, weight, axis);
}

bool ModelBuilder::has_in_file(const std::string& array) const {
    return !settings.input.empty() && input.has(array) && input[array].rank() > 0;
}

index_t ModelBuilder::layers(const std::string& prefix) const {
    return settings.layers.is_given ? settings.layers.value : weights.blocks(prefix, settings.layers.value);
}

void ModelBuilder::sequence(const std::string& name, index_t positions, index_t width) const {
    if (input.has(name)) return check_given(name, width);
    if (!input.words.empty() && input.has("source") && name == "x") {  // a random row for each word
        const Tensor table = stream.normal({input.vocabulary.size(), width});
        input.arrays.emplace_back("x", glassbox::embedding(table, input["source"]));
        return;
    }
    Shape shape{positions, width};
    if (settings.batch) shape = Shape{*settings.batch, positions, width};
    if (!settings.batch && input.has("x")) shape = input["x"].shape().with(-2, positions).with(-1, width);
    const auto heads = static_cast<double>(settings.heads);
    const auto batch = static_cast<double>(settings.batch.value_or(1));
    const auto queries = static_cast<double>(name == "x" ? positions : input["x"].size(-2));
    const double scores = batch * heads * queries * static_cast<double>(positions);
    check_memory(name == "x" ? "--seq" : "--" + name,
                 std::max(4 * scores, static_cast<double>(shape.numel()) * 30));
    input.arrays.emplace_back(name, stream.normal(shape));
}

// Checks the shape before the file's numbers are read.
void ModelBuilder::check_given(const std::string& name, index_t width) const {
    if (!input.file) return;
    const Shape &shape = input[name].shape(), &x = input["x"].shape();
    if (shape.rank() < 2 || shape[-1] != width)
        fail<FileError>("{}: needs {} of shape (…, n, {}), got {}", settings.input.string(), name, width,
                        shape);
    if (width < 1)
        fail<FileError>("{}: needs {} of at least 1 column, got shape {}", settings.input.string(), name,
                        shape);
    if (shape.leading(shape.rank() - 2) != x.leading(x.rank() - 2))
        fail<FileError>("{}: x and {} need the same leading axes: {}, {}", settings.input.string(), name, x,
                        shape);
    check_memory("--input: " + name, static_cast<double>(shape.numel()) * 30);
}

index_t ModelBuilder::vocabulary(const std::string& table, const Vocabulary& words,
                                 const char* tokens) const {
    index_t size = words.size();
    constexpr double max_words = 1 << 20;
    if (!settings.input.empty())
        for (const double id : input[tokens].values())
            if (id >= 0 && id < max_words) size = std::max(size, static_cast<index_t>(id) + 1);
    return weights.size(table, 0, convention, size);
}

void ModelBuilder::read_tokens() const {
    if (!input.file) return;
    for (const auto& [name, tokens] : input.arrays) {  // attention is quadratic in the sentence's length
        const double length = static_cast<double>(tokens.size(-1));
        check_memory("--input: " + name, static_cast<double>(tokens.numel()) * std::max(30.0, 8 * length));
    }
    input.read();
}

// Estimates the memory of all blocks with their weights and steps from their sizes. The overhead of a block
// (names, shapes, the operations that --explain follows) was measured: 46 KB.
void ModelBuilder::check_blocks(const BlockConfig& block) const {
    const auto d = static_cast<double>(block.d_model()), d_ff = static_cast<double>(block.mlp.d_ff);
    const auto layers = static_cast<double>(std::max<index_t>(settings.layers.value, 1));
    const auto T =
        static_cast<double>(input.words.empty() ? settings.seq : static_cast<index_t>(input.words.size()));
    const double batch = static_cast<double>(settings.batch.value_or(1));
    const double numbers = 4 * d * d + 2 * d * d_ff, overhead = 46e3 / sizeof(real);
    const double steps = batch * T * (12 * d + 3 * d_ff);  // sequence() checks the T × T matrices
    check_memory(fmt::format("--layers {} of --dmodel {}, --dff {}", layers, d, d_ff),
                 layers * (numbers + steps + overhead));
}

BlockChoices ModelBuilder::block(const std::string& first_block, const char* width_from) const {
    BlockChoices block;
    Size d_model = settings.d_model;
    if (width_from && !d_model.is_given && has_in_file(width_from))
        d_model.value = input[width_from].size(-1);
    block.d_model = size(d_model, first_block + "self_attn.o_proj.weight", 0);
    check_heads(settings, block.d_model);
    block.heads = settings.heads;
    block.d_ff = size(settings.d_ff, first_block + "linear_net.0.weight", 0);
    block.norm = settings.norm;
    block.activation = settings.activation;
    block.bias = !settings.no_bias;
    block.dropout = settings.dropout;
    if (settings.d_ff.is_given) check_d_ff(convention, block.d_model, block.d_ff);
    check_blocks(convention.encoder_block(block));
    return block;
}

StackChoices ModelBuilder::stack(const std::string& prefix, const char* width_from) const {
    StackChoices stack;
    stack.block = block(prefix + "layers.0.", width_from);
    stack.layers = layers(prefix + "layers");
    stack.final_norm = settings.final_norm || weights.has(prefix + "norm.weight");
    return stack;
}

namespace {

// Errors name the option `flag`.
Mask padding(const std::string& flag, const std::vector<index_t>& lengths,
             const std::optional<Shape>& scores) {
    const Mask mask = Mask::lengths(lengths);
    if (scores)
        name_option_in_errors(flag + " " + OptionValue<std::vector<index_t>>::text(lengths),
                              [&] { (void)mask.visible(*scores); });
    return mask;
}

// Scores of rank 3 are (heads, n_q, n_k), without a batch axis.
void check_one_sequence(const std::string& flag, const std::vector<index_t>& lengths,
                        const std::optional<Shape>& scores) {
    if (scores && scores->rank() == 3 && lengths.size() > 1)
        fail<UsageError>("{} {}: {} lengths for one sequence", flag,
                         OptionValue<std::vector<index_t>>::text(lengths), lengths.size());
}

}  // namespace

Mask ModelBuilder::mask(const char* keys) const {
    const std::optional<Shape> of = scores(keys);
    check_one_sequence("--lengths", settings.lengths, of);
    return keys ? given_mask(of) : mask_for(of);
}

// The padding of --text is that of x.
Mask ModelBuilder::mask_for(const std::optional<Shape>& scores) const {
    const Mask mask = given_mask(scores);
    return input.lengths.empty() ? mask : mask & Mask::lengths(input.lengths);
}

Mask ModelBuilder::given_mask(const std::optional<Shape>& scores) const {
    const Mask mask = mask_of(settings.mask, scores);
    return settings.lengths.empty() ? mask : mask & padding("--lengths", settings.lengths, scores);
}

// The shape of the scores, (…, heads, n_q, n_k), if it can be derived from the input. For a file's input they
// must fit into memory, including the steps up to the attention weights.
std::optional<Shape> ModelBuilder::scores(const char* keys) const {
    const bool has_x = input.has("x");  // otherwise tokens, without a feature axis
    return scores(has_x ? "x" : "source", keys);
}

std::optional<Shape> ModelBuilder::scores(const char* own, const char* keys) const {
    const bool has_x = input.has("x");
    const auto positions_of = [&](const char* name) {
        const Shape& shape = input[name].shape();
        return has_x ? shape.leading(std::max(0, shape.rank() - 1)) : shape;
    };
    const Shape queries = positions_of(own), others = positions_of(keys ? keys : own);
    if (queries.rank() < 1 || others.rank() < 1) return std::nullopt;
    const Shape leading = queries.leading(queries.rank() - 1);
    const index_t heads = settings.heads;
    const Shape scores = leading.with_appended(heads).with_appended(queries[-1]).with_appended(others[-1]);
    if (input.file) check_memory("--input: scores", static_cast<double>(scores.numel()) * 4);
    return scores;
}

Mask ModelBuilder::other_mask() const {
    const bool has_memory = input.has("memory");
    const std::optional<Shape> of = has_memory ? scores("memory") : scores("target", nullptr);
    Mask mask;
    if (!settings.other_lengths.empty()) {
        const char* flag = has_memory ? "--memory-lengths" : "--target-lengths";
        check_one_sequence(flag, settings.other_lengths, of);
        mask = padding(flag, settings.other_lengths, of);
    }
    return input.target_lengths.empty() ? mask : mask & Mask::lengths(input.target_lengths);
}

}  // namespace glassbox::tracer
