#pragma once
#include <string_view>
#include <utility>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

enum class OptimiserKind { adam, adamw, sgd };

struct OptimiserConfig {
    OptimiserKind kind = OptimiserKind::adam;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  // of adam and adamw
    double momentum = 0;                                // of sgd
    double weight_decay = 0;  // added to the gradient; with adamw subtracted from the weights directly
};

// Gradient descent with momentum, Adam (Kingma and Ba 2015, algorithm 1) or AdamW (Loshchilov and Hutter
// 2019, algorithm 2, with λ times the learning rate as in PyTorch and optax). Works on parameter blocks, on
// any device; the only code that changes parameters in place.
class Optimiser {
  public:
    Optimiser(const OptimiserConfig& config, index_t size, Device device = Device::cpu);

    // Updates w in place: w and g (size), `rate` the learning rate, `clip` a factor on g.
    void step(Tensor& w, const Tensor& g, double rate, double clip = 1);
    // The parts of step(), for recorded steps: the numbers for the next update, the update, which may read
    // them from device memory, and setting the step count.
    StepNumbers next(double rate, double clip = 1) const;
    void update(Tensor& w, const Tensor& g, const LiveStep& numbers);
    void ensure_unique();  // replaces m and v by copies if their storage is shared; step() does this itself
    void set_steps_done(index_t done) { done_ = done; }

    const OptimiserConfig& config() const { return config_; }
    index_t steps_done() const { return done_; }
    bool has_second_moment() const { return config_.kind != OptimiserKind::sgd; }

    // The state for a checkpoint: Adam's m and v; SGD's velocity, in m.
    Tensor m, v;

  private:
    OptimiserConfig config_;
    index_t done_ = 0;
};

void check(const OptimiserConfig& config);  // throws Error for an invalid setting

template <>
struct EnumWords<OptimiserKind> {
    static constexpr const char* what = "optimiser";
    static constexpr Word<OptimiserKind> all[] = {
        {OptimiserKind::adam, "adam"}, {OptimiserKind::adamw, "adamw"}, {OptimiserKind::sgd, "sgd"}};
};

namespace steps::adam {
inline constexpr const char* layer = "adam";
inline constexpr StepInfo before{layer, "before", "", "The parameters before this update."};
inline constexpr StepInfo gradient{layer, "gradient", "", "∂L/∂w, from the backward pass."};
inline constexpr StepInfo m_before{layer, "m_before", "", "m after the update before; 0 before the first."};
inline constexpr StepInfo v_before{layer, "v_before", "", "v after the update before; 0 before the first."};
inline constexpr StepInfo g{layer, "g", "clip · ∂L/∂w", "The clipped gradient."};
inline constexpr StepInfo g_decayed{
    layer, "g", "clip · ∂L/∂w + λ w",
    "The clipped gradient plus weight decay. Adam divides the decay by √v̂ as well."};
inline constexpr StepInfo m{layer, "m", "β₁ m + (1 − β₁) g",
                            "The recent direction of gradients: a running average."};
inline constexpr StepInfo v{layer, "v", "β₂ v + (1 − β₂) g²",
                            "The recent size of gradients: a running average of their squares."};
inline constexpr StepInfo m_hat{layer, "m_hat", "m / (1 − β₁ᵗ)",
                                "Corrects for the average's start at 0, most in the first steps."};
inline constexpr StepInfo v_hat{layer, "v_hat", "v / (1 − β₂ᵗ)", "The same for the squares."};
inline constexpr StepInfo w{layer, "w", "w − η m̂ / (√v̂ + ε)",
                            "A step of at most about η in each direction, however large the gradients are."};
inline constexpr StepInfo w_decayed{layer, "w", "w − η (m̂ / (√v̂ + ε) + λ w)",
                                    "The same, and the weight itself shrinks by a share: AdamW."};
}  // namespace steps::adam

// A parameter and Adam's two moments.
struct AdamState {
    Tensor w, m, v;  // of the same shape
};

// Update number t (from 1) of Adam (Kingma and Ba 2015, algorithm 1) or AdamW (Loshchilov and Hutter 2019,
// algorithm 2), step by step in ops, for reading and tracing; Optimiser does the same in one kernel. `rate`
// is η, `clip` is the factor on the gradient. Throws Error for another kind of optimiser, shapes that differ,
// and t < 1.
AdamState adam(const AdamState& state, const Tensor& gradient, const OptimiserConfig& config, index_t t,
               double rate, double clip = 1);

namespace steps::descent {
inline constexpr const char* layer = "descent";
inline constexpr StepInfo before = adam::before.of(layer);
inline constexpr StepInfo gradient = adam::gradient.of(layer);
inline constexpr StepInfo m_before = adam::m_before.of(layer);
inline constexpr StepInfo g = adam::g.of(layer);
inline constexpr StepInfo g_decayed{layer, "g", "clip · ∂L/∂w + λ w",
                                    "The clipped gradient plus weight decay."};
inline constexpr StepInfo m{layer, "m", "μ m + g", "The velocity, which keeps a share μ of its old value."};
inline constexpr StepInfo w{layer, "w", "w − η m", "A step downhill in proportion to the velocity."};
}  // namespace steps::descent

struct DescentState {
    Tensor w, m;  // of the same shape; m is the velocity
};

// One update of gradient descent with momentum μ, step by step in ops; Optimiser does the same in one kernel.
// Throws Error for another kind of optimiser and for shapes that differ.
DescentState descent(const DescentState& state, const Tensor& gradient, const OptimiserConfig& config,
                     double rate, double clip = 1);

namespace steps::averaging {
inline constexpr const char* layer = "averaging";
inline constexpr StepInfo mean{layer, "mean", "mean + (w − mean) / n",
                               "The mean of the parameters so far moves towards the new ones."};
}  // namespace steps::averaging

// The mean of the parameters at the ends of the last epochs of a run (Vaswani et al. 2017, section 6.1,
// average their last checkpoints): the noise of the steps in it cancels out. The count is a function of the
// epoch, so that a resumed run needs only the mean.
class ParameterAverage {
  public:
    // Over the last `last` of `epochs` epochs; 0: none.
    ParameterAverage(index_t last, index_t epochs) : last_(last < epochs ? last : epochs), epochs_(epochs) {}

    // The number of epochs that are in the mean once this many have ended.
    index_t count(index_t epochs_done) const {
        const index_t left_out = epochs_ - last_;
        return epochs_done > left_out ? epochs_done - left_out : 0;
    }
    // Called at the end of each epoch with the parameters. Steps: [mean].
    void add(const Tensor& parameters, index_t epochs_done);

    // Undefined until the first epoch in it has ended.
    const Tensor& mean() const { return mean_; }
    void set_mean(Tensor mean) { mean_ = std::move(mean); }

  private:
    index_t last_, epochs_;
    Tensor mean_;
};

namespace steps::clip {
inline constexpr const char* layer = "clip";
inline constexpr StepInfo gradient{layer, "gradient", "", "∂L/∂w of all parameters."};
inline constexpr StepInfo norm{layer, "norm", "√(Σ g²)",
                               "The length of the gradient as one vector of all its numbers."};
inline constexpr StepInfo factor{layer, "factor", "min(1, max_norm / (norm + ε))",
                                 "The factor on every number: 1 if the gradient is short enough."};
inline constexpr StepInfo clipped{layer, "clipped", "factor · g",
                                  "The same direction, no longer than max_norm."};
}  // namespace steps::clip

// Clips a gradient of any shape to max_norm, step by step in ops (Pascanu et al. 2013, algorithm 1). A
// training step does the same in two kernels. max_norm must be above 0, else Error.
Tensor clip(const Tensor& gradient, const Clipping& clipping);

}  // namespace glassbox
