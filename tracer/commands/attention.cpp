#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/layers/parameters.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>
#include <glassbox/tensor/format.h>

#include "cli/number.h"
#include "commands/shared/model_command.h"
#include "subject/attention_operands.h"
#include "subject/error_source.h"
#include "subject/matrix_option.h"

namespace glassbox::tracer::commands {
namespace {

// The command's own options.
struct AttentionFlags {
    index_t d_k = 2;
    std::optional<index_t> d_v, keys, heads, d_a, d_in, d_model;
    Tensor Q, K, V;  // from the command line
    Score score = Score::scaled;

    bool is_typed() const { return Q.defined() || K.defined() || V.defined(); }
};

void declare_sizes(Options& o, AttentionFlags& flags) {
    o.value("--dk", flags.d_k, {.help = "Width of a query and of a key, d_k"});
    o.value("--dv", flags.d_v, {.help = "Width of a value, d_v", .default_text = "as --dk"});
    o.value("--memory,--keys", flags.keys,
            {.help = "Number of keys and values, n_k", .default_text = "as --seq"});
    o.value("--heads", flags.heads, {.help = "Number of heads, h; adds a head axis after the batch axis"});
    o.value("--dmodel", flags.d_model,
            {.help = "Width of all heads together, d_model; d_k = d_v = d_model / h"});
    o.value("--din", flags.d_in,
            {.help = "Project Q, K and V from a sequence x of this width, by W_Q, W_K, W_V"});
    o.value("--Q", flags.Q, {.help = "The queries: '1 0; 0 1' or '[[1, 0], [0, 1]]'; needs --K and --V"});
    o.value("--K", flags.K, {.help = "The keys, as --Q"});
    o.value("--V", flags.V, {.help = "The values, as --Q"});
}

void declare_choices(Options& o, AttentionFlags& flags) {
    o.value("--score", flags.score, {.help = "Score function of a query and a key"});
    o.value("--da", flags.d_a,
            {.help = "Width of the additive score's hidden layer, d_a", .default_text = "as --dk"});
}

void refuse(const Options& o, std::initializer_list<const char*> flags, const std::string& reason) {
    for (const char* flag : flags)
        if (o.given(flag)) fail<UsageError>("{}: {}", o.as_typed(flag), reason);
}

void check(const AttentionFlags& flags, const ModelSettings& s, const Options& o) {
    const auto sizes = {"--seq",    "--dk",  "--dv", "--keys", "--batch", "--heads",
                        "--dmodel", "--din", "--da", "--rng",  "--seed",  "--text"};
    if (flags.is_typed()) {
        refuse(o, sizes, "sizes and numbers come from --Q, --K and --V: leave it out");
        refuse(o, {"--input"}, "cannot be combined with --Q, --K and --V");
        std::vector<std::string> missing;
        for (const auto& [flag, matrix] : {std::pair{"--Q", &flags.Q}, {"--K", &flags.K}, {"--V", &flags.V}})
            if (!matrix->defined()) missing.push_back(flag);
        if (!missing.empty())
            fail<UsageError>("--Q, --K and --V are needed together: add {}", fmt::join(missing, " and "));
        if (flags.score == Score::additive)
            fail<UsageError>("--score: additive needs W_q, W_k and v: give them by --input");
    }
    if (!s.input.empty()) refuse(o, sizes, "sizes and numbers come from the --input file: leave it out");
    if (flags.score != Score::additive)
        refuse(o, {"--da"}, "requires the additive score: add --score additive");
    if (flags.d_in) {
        refuse(o, {"--heads"}, "cannot be combined with --din: use tracer multihead for several heads");
        refuse(o, {"--keys"}, "cannot be combined with --din: keys and values also come from x");
    } else {
        refuse(o, {"--no-bias"}, "requires the projections of Q, K and V: add --din");
        if (flags.score != Score::additive && (!s.weights.empty() || !s.save_weights.empty()))
            refuse(o, {"--weights", "--save-weights"},
                   "attention of Q, K and V has no parameters: add --din, or --score additive");
    }
    if (!s.text.empty()) refuse(o, {"--keys"}, "the sequence comes from --text: leave it out");
    if (flags.heads && *flags.heads > INT64_MAX / s.batch.value_or(1))
        fail<UsageError>("--heads: expected at most {}, got {}", INT64_MAX / *s.batch, *flags.heads);
    if (flags.d_model) {
        refuse(o, {"--dk", "--dv"}, "cannot be combined with --dmodel, which sets it");
        if (*flags.d_model % flags.heads.value_or(1) != 0)
            fail<UsageError>("--dmodel: {} is not a multiple of --heads {}", *flags.d_model, *flags.heads);
    }
}

AttentionSizes requested_sizes(const AttentionFlags& flags, const ModelSettings& s, const ModelInput& input) {
    AttentionSizes sizes;
    sizes.queries = input.has("source") ? input["source"].size(-1) : s.seq;
    sizes.keys = flags.keys.value_or(sizes.queries);
    sizes.d_k = flags.d_model ? *flags.d_model / flags.heads.value_or(1) : flags.d_k;
    sizes.d_v = flags.d_v.value_or(sizes.d_k);
    sizes.d_a = flags.d_a.value_or(sizes.d_k);
    std::optional<index_t> batch = s.batch;
    if (input.has("source") && input["source"].size(0) > 1) batch = input["source"].size(0);
    if (batch || flags.heads) sizes.leading = {batch.value_or(1)};
    if (flags.heads) sizes.leading = sizes.leading.with_appended(*flags.heads);
    return sizes;
}

// A random row for each word, the same at every position, and one per head: (T, width), with a batch
// (B, T, width), with heads (B, h, T, width).
Tensor random_embedding(const ModelBuilder& m, std::optional<index_t> heads, index_t width) {
    const Tensor table = m.stream.normal({m.input.vocabulary.size(), heads.value_or(1) * width});
    const Tensor& words = m.input["source"];  // (B, T)
    if (heads) return swap_axes(reshape(embedding(table, words), {words.size(0), -1, *heads, width}), 1, 2);
    return embedding(table, words.size(0) == 1 ? reshape(words, {words.size(-1)}) : words);
}

// Draws the input, then the weights.
void draw(const ModelBuilder& m, const AttentionFlags& flags, AttentionWeights& weights) {
    const AttentionSizes sizes = requested_sizes(flags, m.settings, m.input);
    check_memory(sizes, flags.score, m.settings.grad);  // before anything is drawn
    auto& arrays = m.input.arrays;
    if (flags.d_in) {
        m.sequence("x", sizes.queries, *flags.d_in);
        weights.W_Q = m.stream.normal({*flags.d_in, sizes.d_k});
        weights.W_K = m.stream.normal({*flags.d_in, sizes.d_k});
        weights.W_V = m.stream.normal({*flags.d_in, sizes.d_v});
    } else if (m.input.has("source")) {
        arrays.emplace_back("Q", random_embedding(m, flags.heads, sizes.d_k));
        arrays.emplace_back("K", random_embedding(m, flags.heads, sizes.d_k));
        arrays.emplace_back("V", random_embedding(m, flags.heads, sizes.d_v));
    } else {
        const auto [Q, K, V] =
            draw_qkv(m.stream, sizes.leading, sizes.queries, sizes.keys, sizes.d_k, sizes.d_v);
        arrays.insert(arrays.end(), {{"Q", Q}, {"K", K}, {"V", V}});
    }
    if (flags.score != Score::additive) return;
    weights.W_q = m.stream.normal({sizes.d_k, sizes.d_a});
    weights.W_k = m.stream.normal({sizes.d_k, sizes.d_a});
    weights.v = m.stream.normal({sizes.d_a});
}

// Keeps the file's arrays that are used: x and its weights if it has them all, otherwise Q, K and V.
void choose_arrays(const ModelBuilder& m, Score score) {
    const auto has_all = [&](const std::vector<std::string>& names) {
        return std::all_of(names.begin(), names.end(), [&](const auto& name) { return m.input.has(name); });
    };
    const std::vector<std::string> projected{"x", "W_Q", "W_K", "W_V"}, plain{"Q", "K", "V"},
        additive{"W_q", "W_k", "v"};
    const std::string file = m.settings.input.string();
    std::vector<std::string> wanted = has_all(projected) ? projected : plain;
    if (!has_all(wanted)) {
        const auto& names = m.input.file->names();
        fail<FileError>("{}: neither Q, K, V nor x, W_Q, W_K, W_V; it holds {}", file,
                        names.empty() ? "nothing" : printable(fmt::format("{}", fmt::join(names, ", "))));
    }
    if (score == Score::additive) {
        if (!has_all(additive)) fail<FileError>("{}: the additive score needs W_q, W_k and v", file);
        wanted.insert(wanted.end(), additive.begin(), additive.end());
    }
    std::erase_if(m.input.arrays, [&](const auto& array) {
        return std::find(wanted.begin(), wanted.end(), array.first) == wanted.end();
    });
}

void find_operands(const ModelBuilder& m, const AttentionFlags& flags, AttentionWeights& weights) {
    if (flags.is_typed()) {
        m.input.arrays = {{"Q", flags.Q}, {"K", flags.K}, {"V", flags.V}};
        m.input.origin = "given as options";
        m.input.rng = "";
    } else if (m.input.file) {
        choose_arrays(m, flags.score);
    } else {
        draw(m, flags, weights);
    }
    const AttentionOperands shapes = operands_of(m.input, weights, flags.score);
    name_file_in_errors(m.settings.input, [&] {
        const auto [Q, K, V] = shapes.qkv_shapes();
        check_shapes(flags.score, Q, K, V, shapes.additive ? &*shapes.additive : nullptr);
    });
    check_memory(sizes_of(shapes), flags.score, m.settings.grad);
}

// How the drawn arrays were drawn.
std::vector<std::string> origins(const ModelBuilder& m, const AttentionFlags& flags) {
    if (m.input.rng.empty()) return {};
    std::vector<std::string> drawn{"Q", "K", "V"}, weights;
    if (flags.d_in) drawn = {"x"}, weights = {"W_Q", "W_K", "W_V"};
    if (flags.score == Score::additive) weights.insert(weights.end(), {"W_q", "W_k", "v"});
    const std::filesystem::path& file = m.settings.weights;
    if (file.empty()) drawn.insert(drawn.end(), weights.begin(), weights.end());
    std::vector<std::string> lines{
        fmt::format("{}: standard normal numbers{}", fmt::join(drawn, ", "),
                    m.input.words.empty() ? "" : ", each word with the same rows at every position")};
    if (!file.empty()) lines.push_back(fmt::format("{}: {}", fmt::join(weights, ", "), display_name(file)));
    return lines;
}

std::vector<std::string> header(const ModelBuilder& m, const AttentionFlags& flags,
                                const AttentionOperands& operands, const Mask& mask) {
    const AttentionSizes n = sizes_of(operands);
    std::string sizes =
        fmt::format("n_q = {}, n_k = {}, d_k = {}, d_v = {}", counted(n.queries, "query", "queries"),
                    counted(n.keys, "key"), n.d_k, n.d_v);
    if (flags.score == Score::additive) sizes += fmt::format(", d_a = {}", n.d_a);
    if (n.leading.rank() > 0) sizes += fmt::format(", batch {}", n.leading[0]);
    if (n.leading.rank() > 1) sizes += ", " + counted(n.leading[1], "head");
    std::vector<std::string> lines{glassbox::formula(flags.score), sizes};
    for (const std::string& line : origins(m, flags)) lines.push_back(line);
    if (m.settings.no_bias)
        lines.push_back("the projections of Q, K and V have no biases, as in the formulas");
    if (mask) lines.push_back(fmt::format("hidden scores are set to {:g}", m.convention.mask_fill));
    return lines;
}

Subject make(const ModelBuilder& m, const AttentionFlags& flags) {
    const auto weights = std::make_shared<AttentionWeights>();
    find_operands(m, flags, *weights);
    const AttentionOperands shapes = operands_of(m.input, *weights, flags.score);
    const Mask mask = m.mask_for(sizes_of(shapes).scores());
    Subject subject;
    subject.title = flags.score == Score::scaled     ? "Scaled dot-product attention"
                    : flags.score == Score::unscaled ? "Dot-product attention"
                                                     : "Additive attention";
    subject.header = header(m, flags, shapes, mask);
    subject.score = name(flags.score);
    subject.model = weights;
    subject.parameters = [weights] { return glassbox::parameters_of(*weights); };
    subject.result = "values";
    subject.forward = [weights, score = flags.score, mask, &input = m.input,
                       config = AttentionConfig{m.convention.mask_fill}] {
        attend(operands_of(input, *weights, score), score, mask, config);
    };
    return subject;
}

ModelCommand model() {
    const auto flags = std::make_shared<AttentionFlags>();
    ModelCommand command;
    command.order = 10;
    command.name = "attention";
    command.summary = "Scaled dot-product attention, step by step.";
    command.about = glassbox::formula(Score::scaled) + ", step by step.";
    command.examples = {
        {"tracer attention --seq 3 --dk 2", "The tutorial's worked example, with its own numbers."},
        {"tracer attention --rng torch", "The same with the PyTorch notebook's random numbers."},
        {"tracer attention --mask causal --only masked,attention", "What a mask does."},
        {"tracer attention --explain 'values[0,1]'", "The arithmetic behind one number, down to Q, K and V."},
        {"tracer attention --grad", "The gradient of every step, checked by finite differences."},
        {"tracer attention --text 'the cat sat' --map", "What each word attends to, as a map."},
        {"tracer attention --Q '1 0; 0 1' --K '1 0; 0 1' --V '1 2; 3 4'", "Your own numbers."},
        {"tracer attention --input qkv.npz --format json", "Your own arrays, for another program."},
        {"tracer attention --predict", "A quiz: predict each shape or value before it is shown."}};
    command.options = {
        .shared = {"--seq", "--batch", "--text", "--no-bias", "--mask", "--lengths"},
        .input_help = "Q, K, V by name, or x with W_Q, W_K, W_V",
        .steps = {"Q", "K", "V", "logits", "scaled", "masked", "attention", "values"},
        .own_sizes = [flags](Options& o) { declare_sizes(o, *flags); },
        .own_choices = [flags](Options& o) { declare_choices(o, *flags); },
    };
    command.defaults.largest = INT64_MAX;  // check_memory() limits it
    command.inputs = {"Q?", "K?", "V?", "x?", "W_Q?", "W_K?", "W_V?", "W_q?", "W_k?", "v?"};
    command.check = [flags](const ModelSettings& s, const Options& o) { check(*flags, s, o); };
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command attention() { return command_of(model); }

}  // namespace glassbox::tracer::commands
