#include "subject/model_settings.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace tracer {

using glassbox::fail;
using glassbox::UsageError;

namespace {

constexpr index_t largest_size = 1 << 24;

// An option that only some models have.
struct Shared {
    const char* flag;
    void (*declare)(Options& options, const char* flag, ModelSettings& settings);
};

About size(const char* help, const char* otherwise = "") {
    return {.help = help, .otherwise = otherwise, .most = largest_size};
}

const std::vector<Shared>& sizes() {
    static const std::vector<Shared> all = {
        {"--seq",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.seq, {.help = "Number of positions, T", .most = s.largest});
         }},
        {"--batch",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.batch, About{.help = "A leading batch axis of this size", .most = s.largest});
         }},
        {"--memory",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(
                 flag, s.memory,
                 size("Number of positions of the other sequence", s.memory ? "" : "x attends to itself"));
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
                       ModelSettings& s) { o.value(flag, s.width, size("Width of the encoding of time")); }},
    };
    return all;
}

const std::vector<Shared>& words() {
    static const std::vector<Shared> all = {
        {"--text",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.text,
                     {.help = "A sentence instead of numbers; '|' between several, which are padded",
                      .value_name = "WORDS"});
         }},
        {"--target",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.target,
                     {.help = "The sentence so far on the other side",
                      .value_name = "WORDS",
                      .otherwise = s.target.empty() ? "only <start>" : s.target});
         }},
    };
    return all;
}

const std::vector<Shared>& choices() {
    static const std::vector<Shared> all = {
        {"--norm",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.norm,
                     {.help = "Where the norm stands, behind the residual or before the sublayer",
                      .value_name = "PLACE"});
         }},
        {"--activation",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.activation, {.help = "Of the feed-forward network"});
         }},
        {"--pooling",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.pooling,
                     {.help = "How the sequence becomes one answer (cls: a token of its own in front; none: "
                              "an answer for every element)"});
         }},
        {"--positions",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.positions,
                     {.help = "With positional encoding or without", .value_name = "WHICH"});
         }},
        {"--kind",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.kind, {.help = "Of model; tracer predictor shows an encoder alone"});
         }},
        {"--dropout",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.dropout,
                     {.help = "Trains: drops with this probability, by --seed", .value_name = "P"});
         }},
        {"--final-norm",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.flag(flag, s.final_norm, "One more norm behind the last block (torch.nn.Transformer has it)");
         }},
        {"--no-bias", [](Options& o, const char* flag,
                         ModelSettings& s) { o.flag(flag, s.no_bias, "Attention without biases"); }},
        {"--mask",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.mask,
                     {.help = "Which scores are hidden: none, causal, window:N, or an .npy or .npz file of 0 "
                              "(hidden) and 1 (seen)"});
         }},
        {"--lengths",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.lengths,
                     {.help = "Padding: how many positions are real, one number a batch entry",
                      .value_name = "N,N",
                      .otherwise = "all",
                      .least = 0});
         }},
        {"--memory-lengths",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.other_lengths,
                     {.help = "The same of the memory", .value_name = "N,N", .otherwise = "all", .least = 0});
         }},
        {"--target-lengths",
         [](Options& o, const char* flag, ModelSettings& s) {
             o.value(flag, s.other_lengths,
                     {.help = "The same of the target; --mask and --lengths are the source's",
                      .value_name = "N,N",
                      .otherwise = "all",
                      .least = 0});
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
    o.value("--rng", s.rng, {.help = "Whose random numbers", .otherwise = "the convention's"});
    o.value("--seed", s.seed, {.help = "The seed of the random numbers"});
    o.value("--input", s.input,
            {.help = input_help + "; - reads standard input", .value_name = "FILE.npz", .endings = {".npz"}});
    o.value("--weights", s.weights,
            {.help = "Parameters from a .safetensors file, by PyTorch's names", .endings = {".safetensors"}});
    o.value("--save-weights", s.save_weights,
            {.help = "Writes the parameters to this file", .endings = {".safetensors"}});
}

void declare_computation(Options& o, ModelSettings& s, const std::vector<std::string>& steps) {
    std::vector<std::string> scalars;
    if (!steps.empty())
        for (const char* of : {"sum", "mean", "sumsq"})
            scalars.push_back(fmt::format("{}({})", of, steps.back()));
    declare_backend(o, s.backend);
    o.value("--compare", s.compare,
            {.help = "Computes with this backend, too: how far apart the two are, step by step"});
    declare_products(o, s.products);
    o.value("--diff", s.diff,
            {.help = "Runs two conventions on the same weights, up to the first step that differs"});
    o.flag("--grad", s.grad, "Gradients of a number for every step and parameter, beside finite differences");
    o.value("--scalar", s.scalar,
            {.help = "What --grad differentiates: sum(STEP), mean(STEP), sumsq(STEP) (sum of squares) or one "
                     "number, 'output[0,1]'",
             .otherwise = "the sum of the last step; of classes, of their logits",
             .words = scalars});
}

}  // namespace

void declare(Options& o, ModelSettings& s, const ModelOptions& has) {
    o.group("Sizes");
    declare_shared(o, s, has.shared, sizes());
    if (has.own_sizes) has.own_sizes(o);
    o.group("Where the numbers come from");
    declare_shared(o, s, has.shared, words());
    declare_source(o, s, has.input_help);
    o.group("What is computed");
    o.value("--convention", s.convention, {.help = "Whose choices (docs/conventions.md)"});
    if (has.own_choices) has.own_choices(o);
    declare_shared(o, s, has.shared, choices());
    declare_computation(o, s, has.steps);
    o.group("How it is shown");
    declare_showing(o, s, has.steps);
}

namespace {

void check_compare(const ModelSettings& s) {
    if (!s.compare) return;
    if (s.compare == s.backend)
        fail<UsageError>("--compare: {} with itself; name two backends, --backend cuda --compare cpu",
                         name(*s.compare));
    if (s.input == "-") fail<UsageError>("--compare: reads the numbers twice, and --input - gives them once");
}

}  // namespace

void check(const ModelSettings& s, const Options& o) {
    check_showing(s, o);
    use_products(s.products, s.backend, s.compare);
    check_compare(s);
    if ((s.step || s.predict) && s.input == "-")
        fail<UsageError>("{}: reads keys from standard input, and so does --input -",
                         s.predict ? "--predict" : "--step");
    if (!s.grad && s.scalar) fail<UsageError>("--scalar: says what --grad differentiates: add --grad");
    if (s.dropout >= 1)
        fail<UsageError>("--dropout: a number at least 0 and less than 1 expected, got '{}'", s.dropout);
    if (s.diff && o.given("--convention"))
        fail<UsageError>("--convention: --diff {} names the two conventions",
                         OptionValue<ConventionPair>::text(*s.diff));
    if (s.diff && !s.save_weights.empty())
        fail<UsageError>("--save-weights: --diff has two models: leave one of the two out");
    if (s.kind == ModelKind::decoder_only && o.given("--target"))
        fail<UsageError>("--target: a decoder-only model has one side, --text");
    if (!s.text.empty())
        for (const char* flag : {"--seq", "--batch", "--input", "--din"})
            if (o.given(flag)) fail<UsageError>("{}: the sequence comes from --text: leave it out", flag);
    if (!s.input.empty())
        for (const char* flag : {"--seq", "--batch", "--memory", "--rng", "--target"})
            if (o.given(flag))
                fail<UsageError>("{}: sizes and numbers come from the --input file: leave it out", flag);
}

}  // namespace tracer
