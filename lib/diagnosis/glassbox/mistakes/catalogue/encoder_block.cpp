#include <glassbox/layers/decoder_block.h>
#include <glassbox/mistakes/catalogue/places.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace encoder = steps::encoder_block;
namespace decoder = steps::decoder_block;

namespace {

const WrongAt& residual() {
    static const WrongAt at("residual", {&encoder::residual1, &encoder::residual2, &decoder::residual1,
                                         &decoder::residual2, &decoder::residual3});
    return at;
}
const WrongAt& later_residual() {
    static const WrongAt at("residual", {&encoder::residual2, &decoder::residual2, &decoder::residual3});
    return at;
}
const WrongAt& norm() {
    static const WrongAt at("norm", {&encoder::norm1, &encoder::norm2, &encoder::norm2_shared,
                                     &decoder::norm1, &decoder::norm2, &decoder::norm3});
    return at;
}

Tensor sublayer(const Frame& f) { return input(f, 1); }  // a residual is x + sublayer(x)

// The step of this block with the same number: the residual of a norm, the norm of a residual. In a pre-norm
// block the norm comes first.
std::string same_number(const Frame& f, const char* name) {
    return name + f.path().substr(f.path().size() - 1);
}
// The output of the sublayer before this one.
Tensor sublayer_before(const Frame& f) {
    return f.operation(f.path().back() == '3' ? "residual2" : "residual1").inputs[1];
}
bool is_before_residual(const Frame& f) { return !f.contains(same_number(f, "residual")); }
bool is_after_norm(const Frame& f) { return f.contains(same_number(f, "norm")); }
// LayerNorm(x) with γ and β of the norm with this number.
Tensor with_norm_of(const Operation& norm, const Tensor& x) {
    return glassbox::layer_norm(x, norm.inputs[1], norm.inputs[2], norm["epsilon"]);
}
Tensor normed_alike(const Frame& f, const Tensor& x) {
    return with_norm_of(f.operation(same_number(f, "norm")), x);
}
const Operation& sum_of(const Frame& f) { return f.operation(same_number(f, "residual")); }
// LayerNorm(x) as this norm does it.
Tensor normed(const Frame& f, const Tensor& x) { return with_norm_of(f.operation(), x); }

// A step of the residuals, from both terms.
Mistake sum(const char* name, const char* formula, const char* sentence,
            Tensor (*other)(const Tensor& x, const Tensor& found)) {
    return {residual(), name, formula, sentence,
            [other](const Frame& f, const Tensor&) { return other(input(f, 0), sublayer(f)); }};
}

std::vector<Mistake> of_sums() {
    std::vector<Mistake> all;
    all.push_back(sum("left-out", "Sublayer(x)",
                      "The sublayer's input is not added: a position's own content is gone.",
                      [](const Tensor&, const Tensor& found) { return found; })
                      .seen("https://github.com/patverga/bran/issues/5"));
    all.push_back(sum("nothing-added", "x", "The sublayer's output is not added.",
                      [](const Tensor& x, const Tensor&) { return x; }));
    all.push_back(sum("input-twice", "2 x + Sublayer(x)", "The sublayer's input is added twice.",
                      [](const Tensor& x, const Tensor& found) { return x * 2 + found; }));
    all.push_back(sum("sublayer-twice", "x + 2 Sublayer(x)", "The sublayer's output is added twice.",
                      [](const Tensor& x, const Tensor& found) { return x + found * 2; }));
    all.push_back(sum("doubled-output", "2 Sublayer(x)",
                      "The sublayer's output is added to itself: its input was overwritten.",
                      [](const Tensor&, const Tensor& found) { return found * 2; })
                      .seen("https://github.com/kyegomez/BitNet/issues/32"));
    all.push_back(sum("mean", "(x + Sublayer(x)) / 2", "The mean is taken, not the sum.",
                      [](const Tensor& x, const Tensor& found) { return (x + found) / 2; })
                      .in_class("a factor before a norm"));
    all.push_back(sum("by-root-two", "(x + Sublayer(x)) / √2", "The sum is divided by √2.",
                      [](const Tensor& x, const Tensor& found) { return (x + found) * 0.70710678; })
                      .in_class("a factor before a norm"));
    all.push_back(sum("half-sublayer", "x + Sublayer(x) / 2", "Only half of the output is added.",
                      [](const Tensor& x, const Tensor& found) { return x + found / 2; }));
    all.push_back(sum("subtracted", "x − Sublayer(x)", "The sublayer's output is subtracted.",
                      [](const Tensor& x, const Tensor& found) { return x - found; }));
    all.push_back(sum("input-subtracted", "Sublayer(x) − x", "The sublayer's input is subtracted.",
                      [](const Tensor& x, const Tensor& found) { return found - x; }));
    all.push_back(sum("multiplied", "x ∘ Sublayer(x)", "The two are multiplied instead of added.",
                      [](const Tensor& x, const Tensor& found) { return x * found; }));
    all.push_back(sum("factor", "x ∘ (1 + Sublayer(x))",
                      "The output scales the input instead of being added to it.",
                      [](const Tensor& x, const Tensor& found) { return x * (found + 1); }));
    all.push_back(sum("relu", "max(0, x + Sublayer(x))",
                      "A ReLU follows the sum, as in a ResNet; here the sum is passed on unchanged.",
                      [](const Tensor& x, const Tensor& found) { return relu(x + found); }));
    all.push_back(sum("last-position", "x + Sublayer(x) of the last position, everywhere",
                      "Every position gets the last one's output instead of its own.",
                      [](const Tensor& x, const Tensor& found) {
                          const index_t T = found.size(-2);
                          return T > 1 ? x + slice(found, -2, T - 1, T) : not_here;
                      }));
    return all;
}

std::vector<Mistake> of_other_terms() {
    return {
        Mistake{
            later_residual(), "from-x", "x + Sublayer(y), x the block's input",
            "The residual starts from the block's input again and drops the previous sublayer's output.",
            [](const Frame& f, const Tensor&) { return f.operation("residual1").inputs[0] + sublayer(f); }}
            .seen("https://github.com/strutive07/transformer-tensorflow2.0/issues/14"),
        {later_residual(), "first-sublayer", "y + MultiHead(x)",
         "The first sublayer's output is added again instead of this one's.",
         [](const Frame& f, const Tensor&) { return input(f, 0) + f.operation("residual1").inputs[1]; }},
        {later_residual(), "from-sublayer", "MultiHead(x) + Sublayer(y)",
         "The residual starts from the previous sublayer's output alone: that sublayer's own residual is "
         "lost.",
         [](const Frame& f, const Tensor&) { return sublayer_before(f) + sublayer(f); }},
        {WrongAt("residual", {&decoder::residual3}), "from-norm1", "y + FFN(z), y from before the memory",
         "The residual also skips the cross-attention, whose output is lost.",
         [](const Frame& f, const Tensor&) { return f.operation("residual2").inputs[0] + sublayer(f); }},
        Mistake{later_residual(), "not-normed", "residual + Sublayer(y), the sum from before the norm",
                "The residual also skips the preceding norm: it adds the norm's input.",
                [](const Frame& f, const Tensor&) {
                    const Operation* before = operation_behind(f, input(f, 0));
                    return before && before->op == std::string_view("layer_norm")
                               ? before->inputs[0] + sublayer(f)
                               : not_here;
                }}
            .seen("https://github.com/NVIDIA-NeMo/Speech/pull/4350"),
        Mistake{residual(), "from-norm", "LayerNorm(x) + Sublayer(LayerNorm(x))",
                "The norm's output is added instead of its input: a pre-norm block has no norm in the "
                "residual path.",
                [](const Frame& f, const Tensor&) {
                    return is_after_norm(f) ? f[same_number(f, "norm")] + sublayer(f) : not_here;
                }}
            .seen("https://github.com/Howuhh/faster-trajectory-transformer/issues/3"),
        {residual(), "sum-normed-too", "LayerNorm(x + Sublayer(LayerNorm(x)))",
         "The sum is normalised too: this is pre-norm and post-norm at once.",
         [](const Frame& f, const Tensor& made) {
             return is_after_norm(f) ? normed_alike(f, made) : not_here;
         }},
        {residual(), "sublayer-normed-too", "x + LayerNorm(Sublayer(LayerNorm(x)))",
         "The sublayer's output is normalised too: there is a norm on both sides.",
         [](const Frame& f, const Tensor&) {
             return is_after_norm(f) ? input(f, 0) + normed_alike(f, sublayer(f)) : not_here;
         }},
    };
}

// Which of the two comes first, and of what the norm is taken.
std::vector<Mistake> of_orders() {
    std::vector<Mistake> all;
    const WrongValue without_norm = [](const Frame& f, const Tensor&) {
        return is_before_residual(f) ? input(f, 0) : not_here;
    };
    all.push_back(Mistake{norm(), "post-norm", "LayerNorm(x + Sublayer(x))",
                          "The norm comes after the sum; in this block it precedes the sublayer.",
                          without_norm}
                      .and_at(residual(), [](const Frame& f, const Tensor& made) {
                          return is_after_norm(f) ? normed_alike(f, made) : not_here;
                      }));
    all.push_back(Mistake{norm(), "after-sublayer", "x + LayerNorm(Sublayer(x))",
                          "The norm comes after the sublayer; in this block it precedes it.", without_norm}
                      .and_at(residual(), [](const Frame& f, const Tensor&) {
                          return is_after_norm(f) ? input(f, 0) + normed_alike(f, sublayer(f)) : not_here;
                      }));
    const std::vector<Mistake> those = {
        // What goes into the norm takes the sum's place, and the sum the norm's.
        Mistake{WrongAt("norm", residual().steps), "normalised-first", "x + LayerNorm(Sublayer(x))",
                "The sublayer's output is normalised and then added; the norm applies to the sum.",
                [](const Frame& f, const Tensor&) { return is_after_norm(f) ? not_here : sublayer(f); }}
            .and_at(norm(),
                    [](const Frame& f, const Tensor&) {
                        return is_before_residual(f) ? not_here
                                                     : sum_of(f).inputs[0] + normed(f, sum_of(f).inputs[1]);
                    })
            .by_last_line()
            .seen("https://github.com/keras-team/keras-io/pull/2144"),
        {norm(), "input-normalised", "LayerNorm(x) + Sublayer(x)",
         "The sublayer's input is normalised and then added; the norm applies to the sum.",
         [](const Frame& f, const Tensor&) {
             return is_before_residual(f) ? not_here : normed(f, sum_of(f).inputs[0]) + sum_of(f).inputs[1];
         }},
        {norm(), "each-normalised", "LayerNorm(x) + LayerNorm(Sublayer(x))",
         "Both terms are normalised and then added; the norm applies to the sum.",
         [](const Frame& f, const Tensor&) {
             return is_before_residual(f) ? not_here
                                          : normed(f, sum_of(f).inputs[0]) + normed(f, sum_of(f).inputs[1]);
         }},
        {norm(), "before-sublayer", "LayerNorm(x), before Sublayer(x)",
         "The norm is applied to the sublayer's input; in this block it applies to the sum after it.",
         [](const Frame& f, const Tensor&) {
             return is_before_residual(f) ? not_here : normed(f, sum_of(f).inputs[0]);
         }},
        {norm(), "input-added-again", "x + LayerNorm(x + Sublayer(x))",
         "The sublayer's input is added again after the norm.",
         [](const Frame& f, const Tensor& made) {
             return is_before_residual(f) ? not_here : made + sum_of(f).inputs[0];
         }},
        Mistake{norm(), "sublayer-left-out", "x",
                "The whole sublayer is left out, with its residual and its norm.",
                [](const Frame& f, const Tensor&) {
                    return is_before_residual(f) ? not_here : sum_of(f).inputs[0];
                }}
            .in_class("the only block left out"),
        Mistake{WrongAt("norm2", {&encoder::norm2, &decoder::norm2}), "first-norm",
                "LayerNorm with γ_1 and β_1", "This is the first norm again; the second has its own γ and β.",
                [](const Frame& f, const Tensor&) { return with_norm_of(f.operation("norm1"), input(f, 0)); }}
            .seen("https://github.com/ml-explore/mlx/issues/1636"),
        {WrongAt("norm2", {&encoder::norm2, &decoder::norm2}), "first-beta", "LayerNorm with γ_2 and β_1",
         "β is the first norm's; the second has its own β.",
         [](const Frame& f, const Tensor&) {
             return glassbox::layer_norm(input(f, 0), input(f, 1), f.operation("norm1").inputs[2],
                                         f.operation()["epsilon"]);
         }},
        {WrongAt("norm3", {&decoder::norm3}), "first-norm", "LayerNorm with γ_1 and β_1",
         "This is the first norm again; the third has its own γ and β.",
         [](const Frame& f, const Tensor&) { return with_norm_of(f.operation("norm1"), input(f, 0)); }},
        {WrongAt("norm3", {&decoder::norm3}), "other-weights", "LayerNorm with γ_2 and β_2",
         "This is the second norm again; the third has its own γ and β.",
         [](const Frame& f, const Tensor&) { return with_norm_of(f.operation("norm2"), input(f, 0)); }},
    };
    all.insert(all.end(), those.begin(), those.end());
    return all;
}

}  // namespace

// LayerNorm(x + Sublayer(x)), or x + Sublayer(LayerNorm(x)): encoder blocks and decoder blocks
std::vector<Mistake> encoder_block() { return joined({of_sums(), of_other_terms(), of_orders()}); }

}  // namespace glassbox::catalogue
