#include <glassbox/train/optimiser.h>

#include <cmath>
#include <string>

#include <fmt/format.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::adam;

namespace {

double number(const Tensor& x) { return static_cast<double>(x.item()); }
// As it was typed, 0.999: the nearest float is off by 1e-8, and 1 − β then by 1e-5 of itself.
double as_typed(const Tensor& x) { return std::stod(fmt::format("{}", x.item())); }

// m and v are β · before + (1 − β) · new: the four of them.
Tensor before(const Frame& f) { return input_of(f, input(f, 0), 0); }
double beta(const Frame& f) { return number(input_of(f, input(f, 0), 1)); }
Tensor news(const Frame& f) { return input_of(f, input(f, 1), 0); }
double beta_of(const Frame& f, const char* average) {
    return as_typed(input_of(f, f.operation(average).inputs[0], 1));
}
Tensor averaged(const Frame& f, double kept, const Tensor& of) { return before(f) * kept + of * (1 - kept); }

// The update's settings are beside the clipping's factor: g = clip · ∂L/∂w, or that + λ w.
bool decay_is_in_gradient(const Frame& f) { return f.operation("g").op == std::string_view("add"); }
const Operation& settings(const Frame& f) {
    const Operation& g = f.operation("g");
    const Tensor clipped = decay_is_in_gradient(f) ? g.inputs[0] : g.output;
    return *f.trace().operation_of(input_of(f, clipped, 1));
}

bool decoupled(const Frame& f) { return settings(f)["weight_decay"] != 0 && !decay_is_in_gradient(f); }
Tensor with_l2(const Frame& f) { return f["g"] + f["before"] * settings(f)["weight_decay"]; }

// m̂ and v̂ are an average / (1 − βᵗ).
Tensor average(const Frame& f) { return input(f, 0); }
double update_number(const Frame& f, double beta) {
    return std::round(std::log(1 - number(input(f, 1))) / std::log(beta));
}
Tensor corrected(const Frame& f, double beta, double t) { return average(f) / (1 - std::pow(beta, t)); }

// The mistakes of both m and v, or both m̂ and v̂.
std::vector<Mistake> of_averages(const StepInfo& step) {
    return {
        Mistake{step, "forgets", "(1 − β) of the old + β of the new",
                "β and 1 − β are swapped: most of the old average should stay.",
                [](const Frame& f, const Tensor&) { return averaged(f, 1 - beta(f), news(f)); }}
            .seen("https://github.com/mila-iqia/blocks/issues/1159"),
        Mistake{step, "no-share", "β of the old + the new",
                "The new value is not weighted by 1 − β, so this is not a mean.",
                [](const Frame& f, const Tensor&) { return input(f, 0) + news(f); }}
            .seen("https://github.com/PennyLaneAI/pennylane/issues/1928"),
        {step, "from-zero-each-time", "(1 − β) of the new",
         "The average restarts at 0 in each update instead of continuing.",
         [](const Frame& f, const Tensor&) { return input(f, 1); }},
        {step, "not-decayed", "old + (1 − β) of the new", "The old average is not multiplied by β.",
         [](const Frame& f, const Tensor&) { return before(f) + input(f, 1); }},
        {step, "not-updated", "before", "The previous update's average is used.",
         [](const Frame& f, const Tensor&) { return before(f); }},
        {step, "replaced", "the new one", "Nothing is averaged: only the newest value counts.",
         [](const Frame& f, const Tensor&) { return news(f); }},
    };
}

std::vector<Mistake> of_corrections(const StepInfo& step, const char* own, const char* other) {
    return {
        {step, "not-corrected", "not divided by 1 − βᵗ",
         "The bias correction is missing: averages start at 0, so the first are too small.",
         [](const Frame& f, const Tensor&) { return average(f); }},
        Mistake{step, "from-zero", "divided by 1 − βᵗ⁻¹",
                "Updates are counted from 0: the first average is divided by 1 − β⁰ = 0.",
                [own](const Frame& f, const Tensor&) {
                    return corrected(f, beta_of(f, own), update_number(f, beta_of(f, own)) - 1);
                }}
            .seen("https://github.com/tracel-ai/burn/pull/630"),
        Mistake{step, "one-ahead", "divided by 1 − βᵗ⁺¹", "Updates are counted from 2; the first has t = 1.",
                [own](const Frame& f, const Tensor&) {
                    return corrected(f, beta_of(f, own), update_number(f, beta_of(f, own)) + 1);
                }}
            .seen("https://github.com/cs231n/cs231n.github.io/issues/179"),
        Mistake{step, "no-power", "divided by 1 − β",
                "Divided by 1 − β every time, which is correct only for t = 1.",
                [own](const Frame& f, const Tensor&) { return corrected(f, beta_of(f, own), 1); }}
            .seen("https://github.com/eriklindernoren/ML-From-Scratch/issues/35"),
        {step, "other-beta", "divided by 1 − βᵗ with the other β",
         "The bias correction uses the other average's β.",
         [own, other](const Frame& f, const Tensor&) {
             return corrected(f, beta_of(f, other), update_number(f, beta_of(f, own)));
         }},
        Mistake{step, "multiplied", "times 1 − βᵗ",
                "Multiplied by 1 − βᵗ: the average becomes smaller still.",
                [](const Frame& f, const Tensor&) { return average(f) * number(input(f, 1)); }}
            .seen("https://github.com/karpathy/convnetjs/pull/70"),
        {step, "added", "divided by 1 + βᵗ", "Divided by 1 + βᵗ: the average becomes smaller still.",
         [](const Frame& f, const Tensor&) { return average(f) / (2 - number(input(f, 1))); }},
        {step, "power-alone", "divided by βᵗ", "Divided by βᵗ instead of 1 − βᵗ.",
         [](const Frame& f, const Tensor&) { return average(f) / (1 - number(input(f, 1))); }},
    };
}

std::vector<Mistake> of_moments() {
    return {
        {step::m, "exchanged", "β₂ m + (1 − β₂) g", "m decays with β₂, which belongs to v.",
         [](const Frame& f, const Tensor&) { return averaged(f, settings(f)["beta2"], news(f)); }},
        {step::m, "l2", "β₁ m + (1 − β₁) (g + λ w)",
         "The decay is added to the gradient: that is Adam with L2, which also divides it by √v̂.",
         [](const Frame& f, const Tensor&) {
             const double lambda = settings(f)["weight_decay"];
             if (lambda == 0 || decay_is_in_gradient(f)) return not_here;
             return averaged(f, beta(f), news(f) + f["before"] * lambda);
         }},
        {step::m, "not-clipped", "β₁ m + (1 − β₁) ∂L/∂w", "The gradient from before clipping is used.",
         [](const Frame& f, const Tensor&) { return averaged(f, beta(f), f["gradient"]); }},
        {step::m, "sign", "β₁ m − (1 − β₁) g", "The gradient is subtracted.",
         [](const Frame& f, const Tensor&) { return input(f, 0) - input(f, 1); }},
        {step::v, "no-square", "β₂ v + (1 − β₂) g", "v averages the gradient itself instead of its square.",
         [](const Frame& f, const Tensor&) { return averaged(f, beta(f), f["g"]); }},
        {step::v, "absolute", "β₂ v + (1 − β₂) |g|",
         "v averages the gradient's magnitude instead of its square.",
         [](const Frame& f, const Tensor&) { return averaged(f, beta(f), abs(f["g"])); }},
        {step::v, "rate-squared", "β₂ v + ((1 − β₂) g)²",
         "1 − β₂ is squared together with the gradient: the parentheses are in the wrong place.",
         [](const Frame& f, const Tensor&) { return averaged(f, beta(f), f["g"] * f["g"] * (1 - beta(f))); }},
        {step::v, "exchanged", "β₁ v + (1 − β₁) g²", "v decays with β₁ instead of the slower β₂.",
         [](const Frame& f, const Tensor&) { return averaged(f, beta_of(f, "m"), news(f)); }},
        {step::v, "of-m", "β₂ v + (1 − β₂) m²", "v averages the square of m instead of that of the gradient.",
         [](const Frame& f, const Tensor&) { return averaged(f, beta(f), f["m"] * f["m"]); }},
        {step::v, "around-m", "β₂ v + (1 − β₂) (g − m)²",
         "The squares are centred on m: that is a variance (AdaBelief); Adam's v is not centred.",
         [](const Frame& f, const Tensor&) {
             return averaged(f, beta(f), (f["g"] - f["m"]) * (f["g"] - f["m"]));
         }},
        {step::v, "not-clipped", "β₂ v + (1 − β₂) (∂L/∂w)²", "The gradient from before clipping is used.",
         [](const Frame& f, const Tensor&) { return averaged(f, beta(f), f["gradient"] * f["gradient"]); }},
        {step::v, "never-smaller", "max(v, β₂ v + (1 − β₂) g²)", "v can only grow: that is AMSGrad.",
         [](const Frame& f, const Tensor& made) { return before(f) + relu(made - before(f)); }},
        {step::v, "sum", "v + g²", "The squares are summed: that is AdaGrad, whose steps only shrink.",
         [](const Frame& f, const Tensor&) { return before(f) + news(f); }},
        {step::v, "one-for-all", "the mean of v over all numbers",
         "All numbers share one v instead of having their own.",
         [](const Frame&, const Tensor& made) { return broadcast_to(mean(made), made.shape()); }},
        {step::m_hat, "nesterov", "(β₁ m + (1 − β₁) g) / (1 − β₁ᵗ)",
         "The gradient is added once more: that is NAdam.",
         [](const Frame& f, const Tensor&) {
             const double beta1 = beta_of(f, "m");
             return (f["m"] * beta1 + f["g"] * (1 - beta1)) / number(input(f, 1));
         }},
        Mistake{step::m_hat, "neither-corrected", "m and v for m̂ and v̂",
                "Neither average is divided by 1 − βᵗ: they start at 0, so the first are too small.",
                [](const Frame& f, const Tensor&) { return average(f); }}
            .and_at(step::v_hat, [](const Frame& f, const Tensor&) { return average(f); })
            .in_class("a step without corrections"),
    };
}

// w − η (direction + λ w), or without λ w.
bool decays(const Frame& f) {
    const Operation* change = f.trace().operation_of(input_of(f, input(f, 1), 0));
    return change->op == std::string_view("add");
}
Tensor w_before(const Frame& f) { return input(f, 0); }
Tensor change(const Frame& f) { return input_of(f, input(f, 1), 0); }
double eta(const Frame& f) { return number(input_of(f, input(f, 1), 1)); }
Tensor direction(const Frame& f) { return decays(f) ? input_of(f, change(f), 0) : change(f); }
Tensor decay(const Frame& f) { return input_of(f, change(f), 1); }  // λ w
double lambda(const Frame& f) { return number(input_of(f, decay(f), 1)); }
double epsilon(const Frame& f) { return number(input_of(f, input_of(f, direction(f), 1), 1)); }
// The update with another direction.
Tensor moved(const Frame& f, const Tensor& direction) {
    return w_before(f) - (decays(f) ? direction + decay(f) : direction) * eta(f);
}

const WrongAt& w() {
    static const WrongAt at("w", {&step::w, &step::w_decayed});
    return at;
}

std::vector<Mistake> of_steps() {
    return {
        Mistake{w(), "epsilon-inside", "m̂ / √(v̂ + ε) for m̂ / (√v̂ + ε)",
                "ε is inside the root; it should be added to the root.",
                [](const Frame& f, const Tensor&) {
                    return moved(f, f["m_hat"] / sqrt(f["v_hat"] + epsilon(f)));
                }}
            .seen("https://github.com/FluxML/Flux.jl/pull/448"),
        {w(), "no-epsilon", "m̂ / √v̂ for m̂ / (√v̂ + ε)",
         "ε is missing or negligibly small: where v̂ is 0, this is 0/0.",
         [](const Frame& f, const Tensor&) { return moved(f, f["m_hat"] / sqrt(f["v_hat"])); }},
        Mistake{w(), "epsilon-twice", "m̂ / (√(v̂ + ε) + ε) for m̂ / (√v̂ + ε)",
                "ε is added inside the root too.",
                [](const Frame& f, const Tensor&) {
                    return moved(f, f["m_hat"] / (sqrt(f["v_hat"] + epsilon(f)) + epsilon(f)));
                }}
            .seen("https://github.com/kozistr/pytorch_optimizer/issues/397"),
        Mistake{w(), "epsilon-subtracted", "m̂ / (√v̂ − ε) for m̂ / (√v̂ + ε)",
                "ε is subtracted; it should keep the denominator away from 0.",
                [](const Frame& f, const Tensor&) {
                    return moved(f, f["m_hat"] / (sqrt(f["v_hat"]) - epsilon(f)));
                }}
            .seen("https://github.com/tensorflow/tensorflow/pull/61411"),
        {w(), "no-root", "m̂ / (v̂ + ε) for m̂ / (√v̂ + ε)",
         "Divided by v̂, a mean of squares, instead of its root.",
         [](const Frame& f, const Tensor&) { return moved(f, f["m_hat"] / (f["v_hat"] + epsilon(f))); }},
        Mistake{w(), "hats-forgotten", "m / (√v + ε) for m̂ / (√v̂ + ε)",
                "The step uses m and v without bias correction.",
                [](const Frame& f, const Tensor&) { return moved(f, f["m"] / (sqrt(f["v"]) + epsilon(f))); }}
            .in_class("a step without corrections")
            .seen("https://github.com/oxiglade/mlx-rs/issues/301"),
        Mistake{
            w(), "epsilon-before-correction", "m̂ / (√v + ε) · √(1 − β₂ᵗ)",
            "ε is added to √v, not to √v̂, where it counts for more in the first updates: the paper's ε̂, as "
            "Keras and TensorFlow have it.",
            [](const Frame& f, const Tensor&) {
                const double root = std::sqrt(number(input_of(f, f["v_hat"], 1)));  // √(1 − β₂ᵗ)
                return moved(f, f["m_hat"] / (sqrt(f["v"]) + epsilon(f)) * root);
            }}
            .seen("https://github.com/tensorflow/tensorflow/issues/35102")
            .as_choice(),
        {w(), "no-v", "m̂ for m̂ / (√v̂ + ε)", "The step is m̂ alone: large gradients make large steps.",
         [](const Frame& f, const Tensor&) { return moved(f, f["m_hat"]); }},
        {w(), "no-m", "g / (√v̂ + ε) for m̂ / (√v̂ + ε)",
         "The gradient is used instead of its average m̂: that is RMSProp.",
         [](const Frame& f, const Tensor&) { return moved(f, f["g"] / (sqrt(f["v_hat"]) + epsilon(f))); }},
        {w(), "no-average", "1 / (√v̂ + ε) for m̂ / (√v̂ + ε)",
         "The average m̂ is missing: every step goes down.",
         [](const Frame& f, const Tensor&) { return moved(f, 1 / (sqrt(f["v_hat"]) + epsilon(f))); }},
        {w(), "step-alone", "η m̂ / (√v̂ + ε)", "This is the step; it is to be subtracted from w.",
         [](const Frame& f, const Tensor& made) { return w_before(f) - made; }},
        {w(), "multiplied", "m̂ (√v̂ + ε) for m̂ / (√v̂ + ε)", "Multiplied by √v̂ + ε instead of divided.",
         [](const Frame& f, const Tensor&) {
             return moved(f, f["m_hat"] * (sqrt(f["v_hat"]) + epsilon(f)));
         }},
        {w(), "ascent", "w + η …", "The step goes uphill: the gradient points where the loss grows.",
         [](const Frame& f, const Tensor&) { return moved(f, -direction(f)); }},
        {w(), "no-rate", "η = 1", "The step is not multiplied by the learning rate.",
         [](const Frame& f, const Tensor&) { return w_before(f) - change(f); }},
        {w(), "no-step", "w", "The parameters have not changed.",
         [](const Frame& f, const Tensor&) { return w_before(f); }},
        Mistake{step::m, "l2-for-decay", "m and v of g + λ w, and no λ w in the step",
                "This is Adam with L2: the decay is added to the gradient, averaged and divided by √v̂; AdamW "
                "subtracts it from the weights.",
                [](const Frame& f, const Tensor&) {
                    return decoupled(f) ? averaged(f, beta(f), with_l2(f)) : not_here;
                }}
            .and_at(step::v,
                    [](const Frame& f, const Tensor&) {
                        return decoupled(f) ? averaged(f, beta(f), with_l2(f) * with_l2(f)) : not_here;
                    })
            .and_at(step::w_decayed,
                    [](const Frame& f, const Tensor&) { return w_before(f) - direction(f) * eta(f); }),
        {step::w_decayed, "no-decay", "w − η m̂ / (√v̂ + ε)", "This is Adam: the decay is missing.",
         [](const Frame& f, const Tensor&) { return w_before(f) - direction(f) * eta(f); }},
        Mistake{step::w_decayed, "decay-without-rate", "w − η m̂ / (√v̂ + ε) − λ w",
                "The decay is not multiplied by η: it continues even when the rate is 0.",
                [](const Frame& f, const Tensor&) { return w_before(f) - direction(f) * eta(f) - decay(f); }}
            .seen("https://github.com/tensorflow/addons/issues/2282"),
        Mistake{
            step::w_decayed, "decay-grows", "w − η (m̂ / (√v̂ + ε) − λ w)",
            "The decay has the wrong sign: the weights grow.",
            [](const Frame& f, const Tensor&) { return w_before(f) - (direction(f) - decay(f)) * eta(f); }}
            .seen("https://github.com/egg-west/AdamW-pytorch/issues/1"),
        Mistake{step::w_decayed, "decay-after", "(1 − η λ) (w − η m̂ / (√v̂ + ε))",
                "The decay is computed from the weights after the step instead of before it.",
                [](const Frame& f, const Tensor&) {
                    const Tensor stepped = w_before(f) - direction(f) * eta(f);
                    return stepped - stepped * (eta(f) * lambda(f));
                }}
            .seen("https://github.com/aiqm/torchani/pull/261"),
        {step::w_decayed, "decay-after-without-rate", "(1 − λ) (w − η m̂ / (√v̂ + ε))",
         "The decay is not multiplied by η, and is of the weights after the step.",
         [](const Frame& f, const Tensor&) {
             const Tensor stepped = w_before(f) - direction(f) * eta(f);
             return stepped - stepped * lambda(f);
         }},
        {step::w_decayed, "ascent-with-decay", "w + η (m̂ / (√v̂ + ε) + λ w)",
         "The whole step goes uphill: the loss grows, and so do the weights.",
         [](const Frame& f, const Tensor&) { return w_before(f) + change(f) * eta(f); }},
        {step::w_decayed, "decay-divided", "w − η (m̂ + λ w) / (√v̂ + ε)",
         "The decay is divided by √v̂ + ε like a gradient, so weights with large gradients hardly decay.",
         [](const Frame& f, const Tensor&) {
             return w_before(f) - (f["m_hat"] + decay(f)) / (sqrt(f["v_hat"]) + epsilon(f)) * eta(f);
         }},
        {step::w_decayed, "decay-of-sizes", "w − η (m̂ / (√v̂ + ε) + λ sign(w))",
         "The decay is the same for all weights (an L1 penalty) instead of proportional to them.",
         [](const Frame& f, const Tensor&) {
             const Tensor sign = (w_before(f) > 0) - (w_before(f) < 0);
             return w_before(f) - (direction(f) + sign * lambda(f)) * eta(f);
         }},
        Mistake{
            step::w_decayed, "decay-without-weight", "w − η (m̂ / (√v̂ + ε) + λ)",
            "The decay is not multiplied by the weight: negative ones grow.",
            [](const Frame& f, const Tensor&) { return w_before(f) - (direction(f) + lambda(f)) * eta(f); }}
            .seen("https://github.com/e-sensing/torchopt/pull/14"),
        {step::w_decayed, "twice-the-decay", "w − η (m̂ / (√v̂ + ε) + 2 λ w)",
         "Twice the decay, as from a penalty λ w² without the factor ½.",
         [](const Frame& f, const Tensor&) { return w_before(f) - (change(f) + decay(f)) * eta(f); }},
    };
}

}  // namespace

// m ← β₁ m + (1 − β₁) g,  v ← β₂ v + (1 − β₂) g²,  w ← w − η m̂ / (√v̂ + ε)
std::vector<Mistake> adam() {
    return joined({of_averages(step::m), of_averages(step::v), of_moments(),
                   of_corrections(step::m_hat, "m", "v"), of_corrections(step::v_hat, "v", "m"), of_steps()});
}

}  // namespace glassbox::catalogue
