#include <glassbox/train/optimiser.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace adam_step = steps::adam;
namespace step = steps::descent;

namespace {

Tensor eta(const Frame& f) { return input_of(f, input(f, 1), 1); }

// clip · ∂L/∂w [+ λ w], of every optimiser.
std::vector<Mistake> of_gradient() {
    const WrongAt g("g", {&adam_step::g, &step::g});
    const WrongAt g_decayed("g", {&adam_step::g_decayed, &step::g_decayed});
    const WrongAt any("g", {&adam_step::g, &adam_step::g_decayed, &step::g, &step::g_decayed});
    return {
        {g, "not-clipped", "∂L/∂w", "The gradient is not multiplied by the clipping's factor.",
         [](const Frame& f, const Tensor&) { return f["gradient"]; }},
        {g, "clipped-twice", "clip² · ∂L/∂w", "The clipping's factor is applied twice.",
         [](const Frame& f, const Tensor& made) { return made * input(f, 1); }},
        {g_decayed, "decay-clipped", "clip · (∂L/∂w + λ w)",
         "The decay is clipped too: it is added before clipping.",
         [](const Frame& f, const Tensor&) {
             const Tensor clip = input_of(f, input(f, 0), 1);
             return (f["gradient"] + input(f, 1)) * clip;
         }},
        {g_decayed, "no-decay", "clip · ∂L/∂w", "The decay is missing.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {g_decayed, "decay-grows", "clip · ∂L/∂w − λ w", "The decay has the wrong sign: the weights grow.",
         [](const Frame& f, const Tensor&) { return input(f, 0) - input(f, 1); }},
        {g_decayed, "decay-of-gradient", "clip · ∂L/∂w · (1 + λ)",
         "The decay is computed from the gradient instead of the weights.",
         [](const Frame& f, const Tensor&) {
             return input(f, 0) + input(f, 0) * input_of(f, input(f, 1), 1);
         }},
        {any, "signs-only", "sign(g)", "Only the signs of the gradient are used.",
         [](const Frame&, const Tensor& made) { return (made > 0) - (made < 0); }},
    };
}

}  // namespace

// m ← μ m + g,  w ← w − η m
std::vector<Mistake> descent() {
    const WrongAt velocity("velocity", {&step::m}), w("step", {&step::w});
    std::vector<Mistake> all = of_gradient();
    const std::vector<Mistake> those = {
        Mistake{velocity, "no-momentum", "g", "The velocity is not kept: every step starts afresh.",
                [](const Frame& f, const Tensor&) { return input(f, 1); }}
            .in_class("no velocity"),
        {velocity, "dampened", "μ m + (1 − μ) g",
         "The gradient is weighted by 1 − μ, as in Adam; here its weight is 1.",
         [](const Frame& f, const Tensor& made) { return made - input(f, 1) * input_of(f, input(f, 0), 1); }},
        {velocity, "all-kept", "m + g", "The old velocity is not multiplied by μ: it grows without bound.",
         [](const Frame& f, const Tensor&) { return input_of(f, input(f, 0), 0) + input(f, 1); }},
        {velocity, "exchanged", "m + μ g", "μ multiplies the gradient instead of the old velocity.",
         [](const Frame& f, const Tensor&) {
             return input_of(f, input(f, 0), 0) + input(f, 1) * input_of(f, input(f, 0), 1);
         }},
        Mistake{velocity, "sign", "μ m − g",
                "The gradient is subtracted here, and the velocity again from the weights.",
                [](const Frame& f, const Tensor&) { return input(f, 0) - input(f, 1); }}
            .in_class("uphill"),
        Mistake{w, "ascent", "w + η m", "The step goes uphill: the gradient points where the loss grows.",
                [](const Frame& f, const Tensor&) { return input(f, 0) + input(f, 1); }}
            .in_class("uphill"),
        {w, "no-rate", "w − m", "The step is not multiplied by the learning rate.",
         [](const Frame& f, const Tensor&) { return input(f, 0) - f["m"]; }},
        Mistake{w, "gradient-alone", "w − η g", "The step uses the gradient instead of the velocity.",
                [](const Frame& f, const Tensor&) { return input(f, 0) - f["g"] * eta(f); }}
            .in_class("no velocity"),
        {w, "nesterov", "w − η (μ m + g)", "The gradient is added once more: that is Nesterov's momentum.",
         [](const Frame& f, const Tensor&) {
             const Tensor mu = input_of(f, f.operation("m").inputs[0], 1);
             return input(f, 0) - (f["m"] * mu + f["g"]) * eta(f);
         }},
        {w, "no-step", "w", "The parameters have not changed.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
    };
    all.insert(all.end(), those.begin(), those.end());
    return all;
}

}  // namespace glassbox::catalogue
