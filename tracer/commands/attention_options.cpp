#include "commands/attention.h"
#include "report/backend_comparison.h"
#include "report/render.h"

#include <glassbox/tensor/format.h>

namespace tracer {
namespace {

using glassbox::fail;
using glassbox::UsageError;

const std::vector<std::string>& step_names() {  // those that completions offer
    static const std::vector<std::string> names = {"Q",      "K",      "V",         "logits",
                                                   "scaled", "masked", "attention", "values"};
    return names;
}

void declare(Options& o, AttentionTyped& t) {
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
    o.value("--convention", t.convention, "NAME",
            either(glassbox::convention_names()) + " (" + glassbox::conventions().front().name + ").",
            Values::one_of(glassbox::convention_names()));
    o.value("--mask", t.mask, "MASK", mask_help, mask_values());
    o.value("--lengths", t.lengths, "N,N", "Padding: how many keys are real, one number a batch entry.");
    o.value("--score", t.score, "NAME", "scaled, unscaled or additive (scaled).",
            Values::one_of({"scaled", "unscaled", "additive"}));
    o.value("--da", t.da, "N", "Width of the additive score's hidden layer (as d_k).");
    o.value("--backend", t.backend, "NAME", "cpu or cuda (cpu).", Values::one_of({"cpu", "cuda"}));
    o.value("--compare", t.compare, "NAME",
            "Computes with this backend, too: how far apart the two are, step by step.",
            Values::one_of({"cpu", "cuda"}));
    declare_products(o, t.products);
    o.flag("--grad", t.grad, "Gradients of a number for every step, beside finite differences.");
    o.value("--scalar", t.scalar, "WHAT",
            "What --grad differentiates: sum(STEP), mean(STEP), sumsq(STEP) (sum of squares) or one number, "
            "'values[0,1]' (sum(values)).",
            Values::such_as({"sum(values)", "mean(values)", "sumsq(values)"}));
    o.group("How it is shown");
    o.value("--explain", t.explain, "PLACE", "The arithmetic behind one number: 'values[0,1]'.",
            Values::such_as({"values[0,0]", "attention[0,0]", "logits[0,0]"}));
    o.value("--depth", t.depth, "N",
            "How many operations deep --explain goes, or all (as many as a screen or two hold).");
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

}  // namespace

AttentionDeclared::AttentionDeclared()
    : options{"attention",
              "Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V, every step of it.",
              {{"tracer attention --seq 3 --dk 2", "The tutorial's worked example, with its own numbers."},
               {"tracer attention --rng torch", "The same with the PyTorch notebook's random numbers."},
               {"tracer attention --mask causal --only masked,attention", "What a mask does."},
               {"tracer attention --explain 'values[0,1]'",
                "The arithmetic behind one number, down to Q, K and V."},
               {"tracer attention --grad", "The gradient of every step, checked by finite differences."},
               {"tracer attention --Q '1 0; 0 1' --K '1 0; 0 1' --V '1 2; 3 4'", "Your own numbers."},
               {"tracer attention --input qkv.npz --format json", "Your own arrays, for another program."},
               {"tracer attention --predict", "A quiz: say each shape or value before you see it."}}} {
    declare(options, typed);
}

void check_combination(const AttentionTyped& t, const Options& options, const std::string& format) {
    const std::string interactive = t.predict ? "--predict" : t.step ? "--step" : "";
    if (format != "text" && !t.explain.empty()) fail<UsageError>("--explain: is text, not {}", format);
    if (format != "text" && !interactive.empty())
        fail<UsageError>("{}: is text, not {}", interactive, format);
    if (!t.output.empty() && !interactive.empty())
        fail<UsageError>("{}: shows on the terminal, not in -o {}", interactive, t.output);
    if (!interactive.empty() && t.input == "-")
        fail<UsageError>("{}: reads keys from standard input, and so does --input -", interactive);
    for (const char* way : {"--explain", "--compare"})
        if (options.given(way))
            for (const char* flag : {"--grad", "--only", "--step", "--predict", "--explain"})
                if (options.given(flag) && flag != std::string(way))
                    fail<UsageError>("{}: not together with {}", flag, way);
    check_precision(options, format);
    use_products(t.products, t.backend, t.compare);
    check_compare({t.compare, t.backend, t.input, format});
    if (!t.grad && options.given("--scalar"))
        fail<UsageError>("--scalar: says what --grad differentiates: add --grad");
    if (t.explain.empty() && options.given("--depth"))
        fail<UsageError>("--depth: says how deep --explain goes: add --explain");
    if (options.given("--da") && t.score != "additive")
        fail<UsageError>("--da: is the width of the additive score's hidden layer: add --score additive");
}

}  // namespace tracer
