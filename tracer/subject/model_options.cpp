#include <algorithm>

#include <glassbox/tensor/format.h>

#include "figures/draw.h"
#include "report/backend_comparison.h"
#include "report/render.h"
#include "subject/input.h"
#include "subject/model.h"
#include "subject/show.h"

// The options of the commands that show a model. Those that not every model has are declared where its
// command lists them.
namespace tracer {
namespace {

using glassbox::fail;
using glassbox::UsageError;

struct Declared {
    ModelTyped typed;
    Options options;
    explicit Declared(const ModelCommand& command)
        : typed(command.defaults), options(command.name, command.summary, command.examples) {}
};

// "N", "How many …" and where the value goes, of the options that only some models have.
struct Special {
    const char *flag, *placeholder, *help;
    std::string ModelTyped::*target;
    std::vector<std::string> words;
};

const std::vector<Special>& sizes() {
    static const std::vector<Special> all = {
        {"--seq", "N", "How many positions the sequence has, T", &ModelTyped::seq, {}},
        {"--batch", "N", "A leading batch axis", &ModelTyped::batch, {}},
        {"--memory", "N", "How many positions the other sequence has", &ModelTyped::memory, {}},
        {"--din", "N", "Width of the input", &ModelTyped::din, {}},
        {"--dmodel", "N", "Width of the model, d_model", &ModelTyped::dmodel, {}},
        {"--heads", "N", "How many heads, h", &ModelTyped::heads, {}},
        {"--dff", "N", "Width of the feed-forward network's hidden layer, d_ff", &ModelTyped::dff, {}},
        {"--layers", "N", "How many blocks", &ModelTyped::layers, {}},
        {"--classes", "N", "How many classes", &ModelTyped::classes, {}},
        {"--width", "N", "Width of the encoding of time", &ModelTyped::width, {}},
    };
    return all;
}

const std::vector<Special>& choices() {
    static const std::vector<Special> all = {
        {"--norm",
         "PLACE",
         "post (behind the residual) or pre (before the sublayer)",
         &ModelTyped::norm,
         {"post", "pre"}},
        {"--activation", "NAME", "relu or gelu", &ModelTyped::activation, {"relu", "gelu"}},
        {"--pooling",
         "NAME",
         "The sequence as a whole: mean, max or cls (a token of its own in front); none: every element",
         &ModelTyped::pooling,
         {"none", "mean", "max", "cls"}},
        {"--positions",
         "WHICH",
         "yes, or no: without positional encoding",
         &ModelTyped::positions,
         {"yes", "no"}},
        {"--kind",
         "NAME",
         "encoder-decoder or decoder-only; tracer predictor shows an encoder alone",
         &ModelTyped::kind,
         {"encoder-decoder", "decoder-only", "encoder-only"}},
        {"--dropout",
         "P",
         "Trains: drops with this probability, by --seed (0: nothing is dropped)",
         &ModelTyped::dropout,
         {}},
    };
    return all;
}

std::string with_default(const std::string& help, const std::string& value) {
    return value.empty() ? help + "." : fmt::format("{} ({}).", help, value);
}

bool lists(const ModelCommand& command, const std::string& flag) {
    return std::find(command.options.begin(), command.options.end(), flag) != command.options.end();
}

void declare_special(Options& o, ModelTyped& t, const ModelCommand& command,
                     const std::vector<Special>& all) {
    for (const Special& each : all)
        if (lists(command, each.flag))
            o.value(each.flag, t.*each.target, each.placeholder, with_default(each.help, t.*each.target),
                    each.words.empty() ? Values::anything() : Values::one_of(each.words));
}

// "x, and memory where it has it"
std::string arrays_of(const ModelCommand& command) {
    std::string text;
    for (const std::string& name : command.inputs)
        text += name.ends_with("?") ? fmt::format(" (and {})", name.substr(0, name.size() - 1))
                                    : (text.empty() ? "" : ", ") + name;
    return text;
}

void declare_numbers(Options& o, ModelTyped& t, const ModelCommand& command) {
    if (lists(command, "--text"))
        o.value(
            "--text", t.text, "WORDS",
            std::string(lists(command, "--seq") ? "A sentence instead of --seq" : "The sentence to read") +
                "; '|' between several, which are padded.");
    if (lists(command, "--target"))
        o.value("--target", t.target, "WORDS", "The sentence so far on the other side (none: only <start>).");
    o.value("--rng", t.rng, "NAME", "Whose random numbers: jax, torch or numpy (the convention's).",
            Values::one_of({"jax", "torch", "numpy"}));
    o.value("--seed", t.seed, "N", "The seed (42).");
    o.value("--input", t.input, "FILE.npz", arrays_of(command) + " by name. - reads standard input.",
            Values::file({".npz"}));
    o.value("--weights", t.weights, "FILE", "Parameters from a .safetensors file, by PyTorch's names.",
            Values::file({".safetensors"}));
    o.value("--save-weights", t.save_weights, "FILE", "Writes the parameters there.",
            Values::file({".safetensors"}));
}

void declare_computation(Options& o, ModelTyped& t, const ModelCommand& command) {
    o.value("--convention", t.convention, "NAME",
            either(glassbox::convention_names()) + " (" + glassbox::conventions().front().name + ").",
            Values::one_of(glassbox::convention_names()));
    declare_special(o, t, command, choices());
    if (lists(command, "--final-norm"))
        o.flag("--final-norm", t.final_norm,
               "One more norm behind the last block (torch.nn.Transformer has it).");
    if (lists(command, "--shift"))
        o.value("--shift", t.shift, "N", "The matrices M with M PE(t) = PE(t + N), one for each frequency.");
    if (lists(command, "--dot")) o.flag("--dot", t.dot, "The dot products between positions.");
    if (lists(command, "--learned"))
        o.flag("--learned", t.learned, "A table that is learned, instead of waves.");
    if (lists(command, "--no-bias")) o.flag("--no-bias", t.no_bias, "Attention without biases.");
    if (lists(command, "--mask"))
        o.value("--mask", t.mask, "MASK",
                (lists(command, "--target-lengths") ? "Of the source: " : "") + std::string(mask_help),
                mask_values());
    if (lists(command, "--lengths"))
        o.value("--lengths", t.lengths, "N,N",
                lists(command, "--target-lengths")
                    ? "Padding: how many positions of the source are real, one number a batch entry."
                    : "Padding: how many positions are real, one number a batch entry.");
    for (const char* flag : {"--memory-lengths", "--target-lengths"})
        if (lists(command, flag))
            o.value(flag, t.other_lengths, "N,N",
                    flag[2] == 'm' ? "The same of the memory." : "The same of the target.");
    o.value("--backend", t.backend, "NAME", "cpu or cuda (cpu).", Values::one_of({"cpu", "cuda"}));
    o.value("--compare", t.compare, "NAME",
            "Computes with this backend, too: how far apart the two are, step by step.",
            Values::one_of({"cpu", "cuda"}));
    declare_products(o, t.products);
    o.value("--diff", t.diff, "A,B",
            "Runs two conventions on the same weights, up to the first step that differs.",
            Values::list_of(glassbox::convention_names()));
    o.flag("--grad", t.grad,
           "Gradients of a number for every step and parameter, beside finite differences.");
    o.value("--scalar", t.scalar, "WHAT",
            "What --grad differentiates: sum(STEP), mean(STEP), sumsq(STEP) or one number, 'output[0,1]'.");
}

}  // namespace

void declare_showing(Options& o, ModelTyped& t, bool has_map) {
    o.value("--explain", t.explain, "PLACE", "The arithmetic behind one number: 'output[0,1]'.");
    o.value("--depth", t.depth, "N",
            "Steps of at most N parts in their path, or all; with --explain, how many operations deep (as "
            "much as "
            "a screen or two hold).");
    o.value("--scope", t.scope, "PATH", "Only what is inside this part: encoder/0.");
    o.value("--only", t.only, "NAME,NAME", "These steps alone, by their path or its end: attention,norm2.");
    if (has_map) {
        Values files = Values::file({".svg", ".png"});
        files.alone = "-";
        o.value("--map", t.map, "[FILE]",
                "Draws the attention on the terminal, or into an .svg or .png file.", files);
    }
    o.flag("--summary", t.summary, "The tree of layers with shapes, parameters and multiply–adds.");
    o.flag("--step", t.step, "One step a key press.");
    o.flag("--predict", t.predict, "Asks for a shape or a value before each step; implies --step.");
    o.value("--precision", t.precision, "N", "At most so many digits after the point (8).");
    o.value("--color", t.color, "WHEN", "auto, always or never.",
            Values::one_of({"auto", "always", "never"}));
    o.value("--format", t.format, "NAME", "text, json or npz (by the ending of -o, else text).",
            Values::one_of({"text", "json", "npz"}));
    o.value("-o,--output", t.output, "FILE", "Writes there, whole or not at all.", Values::file({""}));
}

// Options that say nothing together are refused: none is left out silently.
void check_showing(const ModelTyped& t, const Options& o) {
    // Each of these shows something of its own, and takes the place of the steps.
    std::vector<std::string> ways;
    for (const char* flag : {"--explain", "--diff", "--compare", "--map", "--summary", "--step", "--predict"})
        if (o.given(flag)) ways.push_back(flag);
    if (ways.size() == 2 && ways[0] == "--step") ways.pop_back();  // --predict implies it
    if (ways.size() > 1) fail<UsageError>("{}: not together with {}", ways[1], ways[0]);
    const std::string way = ways.empty() ? "" : ways[0];
    if (!way.empty() && format_of(t.format, t.output) != "text")
        fail<UsageError>("{}: is text, not {}", way, format_of(t.format, t.output));
    if (!way.empty() && way != "--step" && way != "--predict")
        for (const std::string flag : {"--grad", "--only", "--scope", "--depth"})
            if (o.given(flag) && !(way == "--map" && flag == "--scope") &&
                !(way == "--explain" && flag == "--depth"))
                fail<UsageError>("{}: not together with {}", flag, way);
    check_precision(o, format_of(t.format, t.output));
    for (const char* picture : {"--map", "--summary", "--diff"})
        if (way == picture && o.given("--precision"))
            fail<UsageError>("--precision: not together with {}", picture);
    if (way == "--step" || way == "--predict") {
        if (!t.output.empty()) fail<UsageError>("{}: shows on the terminal, not in -o {}", way, t.output);
        if (t.input == "-")
            fail<UsageError>("{}: reads keys from standard input, and so does --input -", way);
    }
    if (!t.grad && o.given("--scalar"))
        fail<UsageError>("--scalar: says what --grad differentiates: add --grad");
    if (!t.map.empty() && t.map != "-") {
        check_figure_file(t.map);
        if (!t.output.empty()) fail<UsageError>("-o: --map {} names the file already", t.map);
    }
}

namespace {

std::shared_ptr<Declared> declare(const ModelCommand& command) {
    auto declared = std::make_shared<Declared>(command);
    Options& o = declared->options;
    ModelTyped& t = declared->typed;
    o.group("Sizes");
    declare_special(o, t, command, sizes());
    o.group("Where the numbers come from");
    declare_numbers(o, t, command);
    o.group("What is computed");
    declare_computation(o, t, command);
    o.group("How it is shown");
    declare_showing(o, t, lists(command, "--map"));
    return declared;
}

void check_combination(const ModelTyped& t, const Options& o) {
    check_showing(t, o);
    use_products(t.products, t.backend, t.compare);
    check_compare({t.compare, t.backend, t.input, format_of(t.format, t.output)});
    if (!t.diff.empty() && o.given("--convention"))
        fail<UsageError>("--convention: --diff {} names the two conventions", t.diff);
    if (!t.diff.empty() && !t.save_weights.empty())
        fail<UsageError>("--save-weights: --diff has two models: leave one of the two out");
    if (t.kind == "decoder-only" && o.given("--target"))
        fail<UsageError>("--target: a decoder-only model has one side, --text");
    if (!t.text.empty())
        for (const char* flag : {"--seq", "--batch", "--input", "--din"})
            if (o.given(flag)) fail<UsageError>("{}: the sequence comes from --text: leave it out", flag);
    if (!t.input.empty())
        for (const char* flag : {"--seq", "--batch", "--memory", "--rng", "--target"})
            if (o.given(flag))
                fail<UsageError>("{}: sizes and numbers come from the --input file: leave it out", flag);
}

}  // namespace

std::shared_ptr<const Options> declared_options(const ModelCommand& command) {
    const auto declared = declare(command);
    return {declared, &declared->options};
}

void run_model(const ModelCommand& command, const Arguments& arguments) {
    const auto declared = declare(command);
    if (!declared->options.parse(arguments)) return;
    if (declared->options.given("--input") && !declared->options.given("--text"))
        declared->typed.text = declared->typed.target = "";  // the example gives way
    check_combination(declared->typed, declared->options);
    show_model(command, declared->typed);
}

}  // namespace tracer
