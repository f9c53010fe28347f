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
    void update(Tensor& w, const Tensor& g, const Step& numbers);
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

}  // namespace glassbox
