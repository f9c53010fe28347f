#pragma once
#include <string_view>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

enum class OptimiserKind { adam, adamw, sgd };

struct OptimiserConfig {
    OptimiserKind kind = OptimiserKind::adam;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  // of adam and adamw
    double momentum = 0;                                // of sgd
    double weight_decay = 0;  // added to the gradient, but adamw takes it off the weights themselves
};

// Changes parameters so that the loss falls. Gradient descent with momentum, Adam (Kingma and Ba 2015,
// algorithm 1), AdamW (Loshchilov and Hutter 2019, algorithm 2, with λ times the learning rate as PyTorch and
// optax have it). Works on whole blocks, on any device; the only code that writes into a parameter.
class Optimiser {
  public:
    Optimiser(const OptimiserConfig& config, index_t size, Device device = Device::cpu);

    // One step down: w and g (size), `rate` the learning rate; g counts `clip` times.
    void step(Tensor& w, const Tensor& g, double rate, double clip = 1);
    // The same in parts, for a device that runs recorded steps: the numbers of the step that comes, the
    // update, which reads them from there, and that it is done.
    StepNumbers next(double rate, double clip = 1) const;
    void update(Tensor& w, const Tensor& g, const Step& numbers);
    void make_own();  // gives m and v numbers of their own when others hold them too; step() does it
    void set_steps_done(index_t done) { done_ = done; }

    const OptimiserConfig& config() const { return config_; }
    index_t steps_done() const { return done_; }
    bool has_second_moment() const { return config_.kind != OptimiserKind::sgd; }

    // What is remembered from step to step, for a checkpoint: m and v of Adam; the velocity, in m, of SGD.
    Tensor m, v;

  private:
    OptimiserConfig config_;
    index_t done_ = 0;
};

void check(const OptimiserConfig& config);  // Error that names what makes no sense
template <>
struct EnumWords<OptimiserKind> {
    static constexpr const char* what = "optimiser";
    static constexpr Word<OptimiserKind> all[] = {
        {OptimiserKind::adam, "adam"}, {OptimiserKind::adamw, "adamw"}, {OptimiserKind::sgd, "sgd"}};
};

}  // namespace glassbox
