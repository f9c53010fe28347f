#include "subject/model_settings.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

namespace {

constexpr index_t largest_size = 1 << 24;

// An option that only some models have.
struct Shared {
    const char* flag;
    void (*declare)(Options& options, const char* flag, ModelSettings& settings);
};

OptionInfo size(const char* help, const char* default_text = "") {
    return {.help = help, .default_text = default_text, .max = largest_size};
}

const std::vector<Shared>& sizes() {
    static const std::vector<Shared> all = {
        {"--seq",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.seq, {.help = "Number of positions, T", .max = s.largest});
         }},
        {"--batch",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.batch, OptionInfo{.help = "Size of a leading batch axis", .max = s.largest});
         }},
        {"--memory",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.memory,
                     size("Number of positions of the memory", s.memory ? "" : "none, self-attention"));
         }},
        {"--din",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.d_in, size("Width of the input, d_in", s.d_in.value > 0 ? "" : "as --dmodel"));
         }},
        {"--dmodel", [](Options& o, const char* flag,
                        ModelSettings& s) { o.value(flag, s.d_model, size("Width of the model, d_model")); }},
        {"--heads", [](Options& o, const char* flag,
                       ModelSettings& s) { o.value(flag, s.heads, size("Number of attention heads, h")); }},
        {"--dff",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.d_ff, size("Width of the feed-forward network's hidden layer, d_ff"));
         }},
        {"--layers", [](Options& o, const char* flag,
                        ModelSettings& s) { o.value(flag, s.layers, size("Number of blocks")); }},
        {"--classes", [](Options& o, const char* flag,
                         ModelSettings& s) { o.value(flag, s.classes, size("Number of classes")); }},
        {"--width", [](Options& o, const char* flag,
                       ModelSettings& s) { o.value(flag, s.width, size("Width of the time encoding")); }},
    };
    return all;
}

const std::vector<Shared>& words() {
    static const std::vector<Shared> all = {
        {"--text",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.text,
                     {.help = "Sentence instead of numbers; several are separated by '|' and padded",
                      .value_name = "WORDS"});
             o.advise("--trained", "this model is untrained; " + std::string(ask_the_translator));
         }},
        {"--target",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.target,
                     {.help = "Target sentence so far",
                      .value_name = "WORDS",
                      .default_text = s.target.empty() ? "only <start>" : s.target});
         }},
    };
    return all;
}

const std::vector<Shared>& choices() {
    static const std::vector<Shared> all = {
        {"--norm",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.norm,
                     {.help = "Norm after the residual or before the sublayer", .value_name = "PLACE"});
         }},
        {"--epsilon",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.norm_epsilon,
                     {.help = "What a norm adds to the variance, ε", .default_text = "the convention's"});
         }},
        {"--activation",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.activation, {.help = "Activation of the feed-forward network"});
         }},
        {"--pooling",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.pooling,
                     {.help = "Pooling to one answer per sequence (cls: the [CLS] token; none: an answer for "
                              "each element)"});
         }},
        {"--positions",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.positions, {.help = "Add a positional encoding", .value_name = "WHICH"});
         }},
        {"--kind",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.kind, {.help = "Kind of model (for encoder-only see tracer predictor)"});
         }},
        {"--dropout",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.dropout,
                     {.help = "Dropout probability, as in training; drawn with --seed", .value_name = "P"});
         }},
        {"--final-norm",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.flag(flag, s.final_norm, "Add a norm after the last block, as torch.nn.Transformer does");
         }},
        {"--no-bias", [](Options& o, const char* flag,
                         ModelSettings& s) { o.flag(flag, s.no_bias, "Omit the biases of attention"); }},
        {"--mask",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.mask,
                     {.help = "Scores to hide: none, causal, window:N, or an .npy or .npz file of 0 (hidden) "
                              "and 1 (visible)"});
         }},
        {"--lengths",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.lengths,
                     {.help = "Number of positions of each batch entry that are not padding",
                      .value_name = "N,N",
                      .default_text = "all",
                      .min = 0});
         }},
        {"--memory-lengths",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(
                 flag, s.other_lengths,
                 {.help = "The same for the memory", .value_name = "N,N", .default_text = "all", .min = 0});
         }},
        {"--target-lengths",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.other_lengths,
                     {.help = "The same for the target; --mask and --lengths apply to the source",
                      .value_name = "N,N",
                      .default_text = "all",
                      .min = 0});
         }},
    };
    return all;
}

void declare_shared(Options& o, ModelSettings& s, const std::vector<std::string>& flags,
                    const std::vector<Shared>& all) {
    for (const Shared& each : all)
        if (std::find(flags.begin(), flags.end(), each.flag) != flags.end()) each.declare(o, each.flag, s);
}

void declare_source(Options& o, ModelSettings& s, const std::string& input_help) {
    o.value("--rng", s.rng, {.help = "Random number generator", .default_text = "the convention's"});
    o.value("--seed", s.seed, {.help = "Seed of the random numbers"});
    o.value("--input", s.input,
            {.help = "Input arrays: " + input_help + "; - for standard input",
             .value_name = "FILE.npz",
             .endings = {".npz"}});
    o.value("--weights", s.weights,
            {.help = "Read the parameters from this file, by PyTorch's names",
             .endings = {".safetensors", ".npz"}});
    o.value("--save-weights", s.save_weights,
            {.help = "Write the parameters to this file", .endings = {".safetensors"}, .writes = true});
}

void declare_computation(Options& o, ModelSettings& s, const std::vector<std::string>& steps) {
    std::vector<std::string> scalars;
    if (!steps.empty())
        for (const char* of : {"sum", "mean", "sumsq"})
            scalars.push_back(fmt::format("{}({})", of, steps.back()));
    o.value("--compare", s.compare, {.help = "Also compute with this backend, and compare every step"});
    o.value("--diff", s.diff,
            {.help = "Compare two conventions on the same weights, up to the first step that differs"});
    o.value("--mistake", s.mistakes,
            {.help = "Compute with this mistake, or several, and show the expected numbers as well (tracer "
                     "mistakes lists them); "
                     "'encoder/0: STEP/NAME in head 1' in one place",
             .value_name = "STEP/NAME"});
    o.flag("--grad", s.grad,
           "Show the gradient of a scalar for every step and parameter, checked by finite differences");
    o.value("--scalar", s.scalar,
            {.help = "Scalar that --grad differentiates: sum(STEP), mean(STEP), sumsq(STEP) (sum of squares) "
                     "or one element, 'output[0,1]'",
             .default_text =
                 "the sum of the last step, of a norm its first number, for classes the sum of the logits",
             .words = scalars});
}

}  // namespace

void declare_model(Options& o, ModelSettings& s, const ModelOptions& has) {
    o.leave_out(has.without);
    o.group("Sizes");
    declare_shared(o, s, has.shared, sizes());
    if (has.own_sizes) has.own_sizes(o);
    o.group("Input");
    declare_shared(o, s, has.shared, words());
    declare_source(o, s, has.input_help);
    if (std::find(has.shared.begin(), has.shared.end(), "--text") == has.shared.end())
        o.advise("--text", "it reads numbers: --input FILE.npz has " + has.input_help);
    o.group("Computation");
    o.value("--convention", s.convention, {.help = "Convention to follow (docs/conventions.md)"});
    if (has.own_choices) has.own_choices(o);
    declare_shared(o, s, has.shared, choices());
    declare_backend(o, s.backend);
    declare_products(o, s.products);
}

void declare(Options& o, ModelSettings& s, const ModelOptions& has) {
    declare_model(o, s, has);
    declare_computation(o, s, has.steps);
    o.group("Display");
    declare_showing(o, s, has.steps);
}

namespace {

void check_compare(const ModelSettings& s) {
    if (!s.compare) return;
    if (s.compare == s.backend)
        fail<UsageError>("--compare: {} with itself; name two backends, --backend cuda --compare cpu",
                         name(*s.compare));
    if (s.input == "-") fail<UsageError>("--compare: reads the input twice, not possible with --input -");
}

}  // namespace

void check(const ModelSettings& s, const Options& o) {
    check_showing(s, o);
    use_products(s.products, s.backend, s.compare);
    check_compare(s);
    if ((s.step || s.predict) && s.input == "-")
        fail<UsageError>("{}: reads keys from standard input, and cannot be combined with --input -",
                         s.predict ? "--predict" : "--step");
    for (const char* flag : {"--diff", "--compare", "--grad", "--summary"})
        if (!s.mistakes.empty() && o.given(flag))
            fail<UsageError>("--mistake: cannot be combined with {}", flag);
    if (!s.grad && s.scalar) fail<UsageError>("--scalar: sets what --grad differentiates: add --grad");
    if (s.dropout >= 1)
        fail<UsageError>("--dropout: expected a number at least 0 and less than 1, got '{}'", s.dropout);
    if (s.diff && o.given("--convention"))
        fail<UsageError>("--convention: cannot be combined with --diff {}, which names two conventions",
                         OptionValue<ConventionPair>::text(*s.diff));
    if (s.diff && s.norm_epsilon)
        fail<UsageError>("--epsilon: cannot be combined with --diff {}, whose conventions have their own",
                         OptionValue<ConventionPair>::text(*s.diff));
    if (s.diff && !s.save_weights.empty())
        fail<UsageError>("--save-weights: cannot be combined with --diff, which has two models");
    if (s.kind == ModelKind::decoder_only && o.given("--target"))
        fail<UsageError>("--target: a decoder-only model has no target, only --text");
    if (!s.text.empty())
        for (const char* flag : {"--seq", "--batch", "--input", "--din"})
            if (o.given(flag)) fail<UsageError>("{}: the sequence comes from --text: leave it out", flag);
    if (!s.input.empty())
        for (const char* flag : {"--seq", "--batch", "--memory", "--rng", "--target"})
            if (o.given(flag))
                fail<UsageError>("{}: sizes and numbers come from the --input file: leave it out", flag);
}

}  // namespace glassbox::tracer
