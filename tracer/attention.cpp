#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include <glassbox/backend/backend.h>
#include <glassbox/layers/convention.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "commands.h"
#include "explain.h"
#include "gradients.h"
#include "input.h"
#include "interactive.h"
#include "legend.h"
#include "nearest.h"
#include "number.h"
#include "output.h"
#include "place.h"
#include "render.h"

namespace tracer {
namespace {

using glassbox::Device;
using glassbox::fail;
using glassbox::Mask;
using glassbox::Score;
using glassbox::Trace;
using glassbox::UsageError;

// The command's options as they were typed.
struct Typed {
    std::string seq = "3", dk = "2", dv, keys, batch, heads, da;
    std::string rng, seed = "42", input, Q, K, V;
    std::string convention = "uva-jax", mask = "none", lengths, score = "scaled", backend = "cpu",
                scalar = "sum(values)";
    std::string explain, depth, only, precision = "8", color = "auto", format, output;
    bool grad = false, step = false, predict = false;
};

std::vector<std::string> convention_names() {
    std::vector<std::string> names;
    for (const glassbox::Convention& each : glassbox::conventions()) names.push_back(each.name);
    return names;
}

const std::vector<std::string>& step_names() {  // those that completions offer
    static const std::vector<std::string> names = {"Q",      "K",      "V",         "logits",
                                                   "scaled", "masked", "attention", "values"};
    return names;
}

void declare(Options& o, Typed& t) {
    o.group("Sizes");
    o.value("--seq", t.seq, "N", "How many queries, and keys unless --keys says otherwise (3).");
    o.value("--dk", t.dk, "N", "Width of a query and of a key, d_k (2).");
    o.value("--dv", t.dv, "N", "Width of a value, d_v (as d_k).");
    o.value("--keys", t.keys, "N", "How many keys and values (as --seq).");
    o.value("--batch", t.batch, "N", "A leading batch axis.");
    o.value("--heads", t.heads, "N", "A head axis behind the batch axis.");
    o.group("Where the numbers come from");
    o.value("--rng", t.rng, "NAME", "Whose random numbers: jax, torch or numpy (the convention's).",
            Values::one_of({"jax", "torch", "numpy"}));
    o.value("--seed", t.seed, "N", "The seed (42).");
    o.value("--input", t.input, "FILE.npz",
            "Q, K, V by name, or x with W_Q, W_K, W_V. - reads standard input.", Values::file({".npz"}));
    o.value("--Q", t.Q, "ROWS", "Queries typed in: '1 0; 0 1' or '[[1, 0], [0, 1]]'; with --K and --V.");
    o.value("--K", t.K, "ROWS", "Keys typed in.");
    o.value("--V", t.V, "ROWS", "Values typed in.");
    o.group("What is computed");
    o.value("--convention", t.convention, "NAME", "uva-jax, uva-torch, report or paper (uva-jax).",
            Values::one_of(convention_names()));
    o.value("--mask", t.mask, "MASK", "none, causal, or an .npy or .npz file of 0 (hidden) and 1 (seen).",
            Values::file({".npy", ".npz"}, {"none", "causal"}));
    o.value("--lengths", t.lengths, "N,N", "Padding: how many keys are real, one number a batch entry.");
    o.value("--score", t.score, "NAME", "scaled, unscaled or additive (scaled).",
            Values::one_of({"scaled", "unscaled", "additive"}));
    o.value("--da", t.da, "N", "Width of the additive score's hidden layer (as d_k).");
    o.value("--backend", t.backend, "NAME", "cpu or cuda (cpu).", Values::one_of({"cpu", "cuda"}));
    o.flag("--grad", t.grad, "Gradients of a number for every step, beside finite differences.");
    o.value("--scalar", t.scalar, "WHAT",
            "What --grad differentiates: sum(STEP), mean(STEP), sumsq(STEP) (sum of squares) or one number, "
            "'values[0,1]' (sum(values)).",
            Values::such_as({"sum(values)", "mean(values)", "sumsq(values)"}));
    o.group("How it is shown");
    o.value("--explain", t.explain, "PLACE", "The arithmetic behind one number: 'values[0,1]'.",
            Values::such_as({"values[0,0]", "attention[0,0]", "logits[0,0]"}));
    o.value("--depth", t.depth, "N", "How many operations deep --explain goes (down to the inputs).");
    o.flag("--step", t.step, "One step a key press.");
    o.flag("--predict", t.predict, "Asks for a shape or a value before each step; implies --step.");
    o.value("--only", t.only, "NAME,NAME", "These steps alone.", Values::list_of(step_names()));
    o.value("--precision", t.precision, "N", "At most so many digits after the point (8).");
    o.value("--color", t.color, "WHEN", "auto, always or never.",
            Values::one_of({"auto", "always", "never"}));
    o.value("--format", t.format, "NAME", "text, json or npz (by the ending of -o, else text).",
            Values::one_of({"text", "json", "npz"}));
    o.value("-o,--output", t.output, "FILE", "Writes there, whole or not at all.", Values::file({""}));
}

struct Declared {
    Typed typed;
    Options options{
        "attention",
        "Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V, every step of it.",
        {{"tracer attention --seq 3 --dk 2", "The tutorial's worked example, with its own numbers."},
         {"tracer attention --rng torch", "The same with the PyTorch notebook's random numbers."},
         {"tracer attention --mask causal --only masked,attention", "What a mask does."},
         {"tracer attention --explain 'values[0,1]'",
          "The arithmetic behind one number, down to Q, K and V."},
         {"tracer attention --grad", "The gradient of every step, checked by finite differences."},
         {"tracer attention --Q '1 0; 0 1' --K '1 0; 0 1' --V '1 2; 3 4'", "Your own numbers."},
         {"tracer attention --input qkv.npz --format json", "Your own arrays, for another program."},
         {"tracer attention --predict", "A quiz: say each shape or value before you see it."}}};
    Declared() { declare(options, typed); }
};

Sizes sizes_of(const Typed& t) {
    Sizes s;
    s.queries = whole_number("--seq", t.seq, 1);
    s.keys = t.keys.empty() ? s.queries : whole_number("--keys", t.keys, 1);
    s.d_k = whole_number("--dk", t.dk, 1);
    s.d_v = t.dv.empty() ? s.d_k : whole_number("--dv", t.dv, 1);
    s.d_a = t.da.empty() ? s.d_k : whole_number("--da", t.da, 1);
    if (t.batch.empty() && t.heads.empty()) return s;
    const index_t batch = t.batch.empty() ? 1 : whole_number("--batch", t.batch, 1);
    s.leading = t.heads.empty()
                    ? glassbox::Shape{batch}
                    : glassbox::Shape{batch, whole_number("--heads", t.heads, 1, INT64_MAX / batch)};
    return s;
}

AttentionInput input_of(const Typed& t, const Options& options, const glassbox::Convention& convention,
                        Score score) {
    const bool typed = !t.Q.empty() || !t.K.empty() || !t.V.empty();
    if (typed || !t.input.empty()) {
        for (const char* flag :
             {"--seq", "--dk", "--dv", "--keys", "--batch", "--heads", "--da", "--rng", "--seed"})
            if (options.given(flag))
                fail<UsageError>("{}: sizes and numbers come from {}: leave it out", flag,
                                 typed ? "--Q, --K and --V" : "the --input file");
        if (typed && !t.input.empty())
            fail<UsageError>("--input: --Q, --K and --V are given too: one of the two");
    }
    if (!t.input.empty()) return read_input(t.input, score);
    if (typed) {
        if (t.Q.empty() || t.K.empty() || t.V.empty())
            fail<UsageError>("--{}: Q, K and V are needed together", t.Q.empty()   ? "Q"
                                                                     : t.K.empty() ? "K"
                                                                                   : "V");
        if (score == Score::additive)
            fail<UsageError>("--score: additive needs W_q, W_k and v: give them by --input");
        AttentionInput input;
        input.Q = parse_matrix("--Q", t.Q);
        input.K = parse_matrix("--K", t.K);
        input.V = parse_matrix("--V", t.V);
        input.origin = "typed in";
        return input;
    }
    const Sizes sizes = sizes_of(t);
    check_memory(sizes, score, t.grad);  // before anything is drawn
    const glassbox::Rng rng = glassbox::parse_rng(t.rng.empty() ? convention.rng : t.rng);
    return draw_input(sizes, rng, seed_number("--seed", t.seed), score);
}

// The sizes of what was read or typed, as far as they make sense; attention itself refuses what does not fit.
Sizes sizes_of(const AttentionInput& input) {
    Sizes s;
    const Tensor& Q = input.is_projected() ? input.x : input.Q;
    const Tensor& K = input.is_projected() ? input.x : input.K;
    const Tensor& V = input.is_projected() ? input.W_V : input.V;
    if (Q.rank() < 2 || K.rank() < 2 || V.rank() < 1) return s;
    s.queries = Q.size(-2);
    s.keys = K.size(-2);
    s.d_k = input.is_projected() && input.W_Q.rank() > 0 ? input.W_Q.size(-1) : K.size(-1);
    s.d_v = V.size(-1);
    if (input.additive && input.additive->v.rank() > 0) s.d_a = input.additive->v.size(-1);
    s.leading = Q.shape().leading(Q.rank() - 2);
    return s;
}

// The mask, if it fits these sizes; else an error that names the option.
Mask fitting(const std::string& option, const Mask& mask, const Sizes& sizes) {
    if (!mask) return mask;
    try {
        mask.visible(sizes.leading.with_appended(sizes.queries).with_appended(sizes.keys));
    } catch (const glassbox::Error& error) {
        const std::string reason = error.what();  // "mask: …"
        fail<UsageError>("{}: {}", option, reason.substr(reason.find(": ") + 2));
    }
    return mask;
}

Mask mask_of(const Typed& t, const Sizes& sizes) {
    const Mask mask = fitting("--mask " + t.mask, parse_mask(t.mask), sizes);
    if (t.lengths.empty()) return mask;
    std::vector<index_t> lengths;
    for (const std::string& word : comma_list(t.lengths))
        lengths.push_back(whole_number("--lengths", word, 0));
    return mask & fitting("--lengths " + t.lengths, Mask::lengths(lengths), sizes);
}

void move_to(AttentionInput& input, Device device) {
    for (Tensor* tensor : {&input.Q, &input.K, &input.V, &input.x, &input.W_Q, &input.W_K, &input.W_V})
        if (tensor->defined()) *tensor = tensor->to(device);
    if (input.additive)
        for (Tensor* tensor : {&input.additive->W_q, &input.additive->W_k, &input.additive->v})
            *tensor = tensor->to(device);
}

Device device_of(const std::string& backend) {
    if (backend == "cpu") return Device::cpu;
    glassbox::backend(Device::cuda);  // says why when there is none
    return Device::cuda;
}

// The computation itself; whoever listens sees every step.
void forward(const AttentionInput& input, Score score, const Mask& mask,
             const glassbox::AttentionConfig& config) {
    Tensor Q = input.Q, K = input.K, V = input.V;
    if (input.is_projected()) {
        const Tensor x = named("x", input.x);        // (…, T, d)
        const Tensor W_Q = named("W_Q", input.W_Q);  // (d, d_k)
        const Tensor W_K = named("W_K", input.W_K);  // (d, d_k)
        const Tensor W_V = named("W_V", input.W_V);  // (d, d_v)
        Q = matmul(x, W_Q);
        K = matmul(x, W_K);
        V = matmul(x, W_V);
    }
    switch (score) {
        case Score::scaled:
            scaled_dot_product(Q, K, V, mask, config);
            return;
        case Score::unscaled:
            dot_product(Q, K, V, mask, config);
            return;
        case Score::additive:
            additive_attention(Q, K, V, *input.additive, mask, config);
            return;
    }
}

std::string formula_of(Score score) {
    switch (score) {
        case Score::scaled:
            return "Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V";
        case Score::unscaled:
            return "Attention(Q, K, V) = softmax(Q Kᵀ) V";
        case Score::additive:
            return "Attention(Q, K, V) = softmax(v · tanh(q W_q + k W_k)) V";
    }
    return "";
}

// "logits[0,0] = -0.66·1.73 + 0.7·0.36 = -0.89": the step's first number (of a mask: the first hidden one).
std::string worked_example(const Trace::Step& step, const Tensor& visible, const Explainer& explainer) {
    if (step.value.numel() == 0) return "";
    index_t linear = 0;
    if (step.path == "masked") {
        const std::vector<real> seen = glassbox::broadcast_to(visible, step.value.shape()).values();
        const auto first = std::find(seen.begin(), seen.end(), real(0));
        if (first != seen.end()) linear = first - seen.begin();
    }
    const Element element{step.value, place_of(step.value.shape(), linear)};
    const Arithmetic arithmetic = explainer.arithmetic(element);
    if (arithmetic.symbols.empty()) return "";
    if (arithmetic.lines.empty()) return fmt::format("{} = {}", explainer.label(element), arithmetic.symbols);
    return fmt::format("{} = {} = {}", explainer.label(element), arithmetic.lines[0],
                       number(element.value(), 4));
}

std::vector<std::string> header_lines(const Trace& trace, const AttentionInput& input, Score score,
                                      const Mask& mask, const glassbox::AttentionConfig& config) {
    const Tensor &Q = trace["Q"], &K = trace["K"], &V = trace["V"];
    const index_t n_q = Q.size(-2), n_k = K.size(-2);
    std::string sizes =
        fmt::format("n_q = {} {}, n_k = {} {}, d_k = {}, d_v = {}", n_q, n_q == 1 ? "query" : "queries", n_k,
                    n_k == 1 ? "key" : "keys", K.size(-1), V.size(-1));
    if (score == Score::additive) sizes += fmt::format(", d_a = {}", trace["v"].size(-1));
    if (Q.rank() == 3) sizes += fmt::format(", batch {}", Q.size(0));
    if (Q.rank() == 4) sizes += fmt::format(", batch {}, {} heads", Q.size(0), Q.size(1));
    std::vector<std::string> lines{formula_of(score), sizes};
    if (!input.rng.empty())
        lines.push_back(score == Score::additive ? "Q, K, V, W_q, W_k, v: standard normal numbers"
                                                 : "Q, K, V: standard normal numbers");
    if (mask) lines.push_back(fmt::format("hidden scores become {:g}", config.mask_fill));
    return lines;
}

Report report_of(const Trace& trace, const Typed& t, const AttentionInput& input, Score score,
                 const Mask& mask, const glassbox::AttentionConfig& config) {
    Report report;
    report.command = "attention";
    report.convention = t.convention;
    report.score = t.score;
    report.rng = input.rng;
    report.seed = input.seed;
    const std::string kind = score == Score::scaled     ? "Scaled dot-product"
                             : score == Score::unscaled ? "Dot-product"
                                                        : "Additive";
    report.title = fmt::format("{} attention · convention {} ({}) · {}", kind, t.convention,
                               glassbox::convention(t.convention).source, input.origin);
    report.header = header_lines(trace, input, score, mask, config);
    const Tensor visible = mask ? mask.visible(trace["attention"].shape()) : Tensor();
    const Explainer explainer(trace, 4);
    std::string before;
    for (const Trace::Step& step : trace.steps()) {
        const Legend legend = legend_of(step.path, before, config.mask_fill);
        report.steps.push_back(
            {step.path, step.value.to(Device::cpu), legend.formula, "", legend.sentence, {}, {}, {}, {}});
        Report::Step& shown = report.steps.back();
        if (input.is_projected() && (step.path == "Q" || step.path == "K" || step.path == "V"))
            shown.formula = "x W_" + step.path;
        if (!shown.formula.empty()) shown.worked = worked_example(step, visible, explainer);
        before = step.path;
    }
    add_checks(report, visible);
    return report;
}

// --only: the named steps, in the order of the computation.
void keep_only(Report& report, const std::string& only) {
    std::vector<std::string> names;
    for (const Report::Step& step : report.steps) names.push_back(step.path);
    std::vector<std::string> wanted = comma_list(only);
    for (const std::string& name : wanted)
        if (std::find(names.begin(), names.end(), name) == names.end())
            fail<UsageError>("--only: no step '{}'; the steps are {}{}", name, fmt::join(names, ", "),
                             did_you_mean(name, names));
    std::erase_if(report.steps, [&](const Report::Step& step) {
        return std::find(wanted.begin(), wanted.end(), step.path) == wanted.end();
    });
}

std::string format_of(const Typed& t) {
    if (!t.format.empty()) return t.format;
    if (t.output.ends_with(".npz")) return "npz";
    return t.output.ends_with(".json") ? "json" : "text";
}

// Options that say nothing together are refused: none is left out silently.
void check_combination(const Typed& t, const Options& options, const std::string& format) {
    const std::string interactive = t.predict ? "--predict" : t.step ? "--step" : "";
    if (format != "text" && !t.explain.empty()) fail<UsageError>("--explain: is text, not {}", format);
    if (format != "text" && !interactive.empty())
        fail<UsageError>("{}: is text, not {}", interactive, format);
    if (!t.output.empty() && !interactive.empty())
        fail<UsageError>("{}: shows on the terminal, not in -o {}", interactive, t.output);
    if (!interactive.empty() && t.input == "-")
        fail<UsageError>("{}: reads keys from standard input, and so does --input -", interactive);
    if (!t.explain.empty())
        for (const char* flag : {"--grad", "--only", "--step", "--predict"})
            if (options.given(flag)) fail<UsageError>("{}: not together with --explain", flag);
    if (!t.grad && options.given("--scalar"))
        fail<UsageError>("--scalar: says what --grad differentiates: add --grad");
    if (t.explain.empty() && options.given("--depth"))
        fail<UsageError>("--depth: says how deep --explain goes: add --explain");
    if (options.given("--da") && t.score != "additive")
        fail<UsageError>("--da: is the width of the additive score's hidden layer: add --score additive");
    if (format == "npz" && (t.output.empty() || t.output == "-") && ::isatty(STDOUT_FILENO))
        fail<UsageError>("--format: npz is not for a terminal: add -o FILE.npz");
}

}  // namespace

std::shared_ptr<const Options> attention_options() {
    const auto declared = std::make_shared<const Declared>();
    return {declared, &declared->options};
}

void run_attention(const Arguments& arguments) {
    Declared declared;
    Options& options = declared.options;
    const Typed& t = declared.typed;
    if (!options.parse(arguments)) return;
    const std::string format = format_of(t);
    check_combination(t, options, format);
    const glassbox::Convention& convention = glassbox::convention(t.convention);
    const Score score = glassbox::parse_score(t.score);
    TextStyle style;
    style.numbers.precision = static_cast<int>(whole_number("--precision", t.precision, 0, 17));
    style.color = wants_color(t.color, t.output);
    style.numbers.heat = style.color;
    const std::optional<Scalar> scalar = t.grad ? std::optional(Scalar::parse(t.scalar)) : std::nullopt;
    const int depth = t.depth.empty() ? -1 : static_cast<int>(whole_number("--depth", t.depth, 1, 1000));

    const Device device = device_of(t.backend);
    AttentionInput input = input_of(t, options, convention, score);
    move_to(input, device);
    const Sizes sizes = sizes_of(input);
    check_memory(sizes, score, t.grad);
    const Mask mask = mask_of(t, sizes);
    const glassbox::AttentionConfig config{convention.mask_fill};
    Trace trace;
    try {
        forward(input, score, mask, config);
    } catch (const glassbox::UsageError&) {
        throw;
    } catch (const glassbox::Error& error) {
        if (!t.input.empty()) fail<glassbox::FileError>("{}: {}", t.input, error.what());
        throw;
    }

    Report report = report_of(trace, t, input, score, mask, config);
    if (!t.explain.empty()) {
        const Explainer explainer(trace, style.numbers.precision);
        return deliver(
            render_header(report, style) + "\n" + explainer.text(explainer.parse(t.explain), depth),
            t.output);
    }
    if (!t.only.empty()) keep_only(report, t.only);
    const Tensor visible = mask ? mask.visible(trace["attention"].shape()) : Tensor();
    if (scalar) add_gradients(report, *scalar, visible, [&] { forward(input, score, mask, config); });
    if (t.step || t.predict) return step_through(report, style, t.predict);
    deliver(format == "json"  ? render_json(report)
            : format == "npz" ? render_npz(report)
                              : render_text(report, style),
            t.output);
}

}  // namespace tracer
