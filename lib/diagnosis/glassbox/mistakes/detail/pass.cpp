#include <glassbox/mistakes/detail/pass.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <glassbox/decoding/decoding.h>
#include <glassbox/decoding/token_reader.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/models/predictor.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/loss.h>

namespace glassbox::detail {

namespace {

// From −1 to 1, by splitmix64.
double uniform(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    x ^= x >> 31;
    return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

// Scores of which the first of the largest is taken: equal ones change alike, and stay equal.
bool has_ties(const StepInfo& step) {
    const StepInfo* const all[] = {&steps::predictor::logits,     &steps::transformer::logits,
                                   &steps::token_reader::logits,  &steps::loss::logits,
                                   &steps::decoding::next,        &steps::anomaly::scores,
                                   &steps::anomaly::probabilities};
    return std::find(std::begin(all), std::end(all), &step) != std::end(all);
}

struct Rounded {
    const StepInfo& step;
    std::uint64_t number;  // of the step
    const std::vector<double>* half_width = nullptr;
};

Tensor rounded(const Tensor& x, const RandomRounding& rounding, const Rounded& as) {
    const std::vector<double>* half_width = as.half_width;
    const bool by_value = has_ties(as.step);
    // −ln of a probability near 1 is as uncertain as that is, however small; so is its difference from 1.
    const bool is_near_one = &as.step == &steps::loss::losses || &as.step == &steps::loss::dlogits;
    const double absolute = is_near_one ? rounding.unit : 0;
    std::vector<real> values = x.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double v = static_cast<double>(values[i]);
        const std::uint64_t key = by_value ? std::bit_cast<std::uint64_t>(v) : i;
        const double any = uniform(rounding.seed * 1000003 + as.number * 7919 + key);
        const double u = rounding.one_way ? std::abs(any) : any;
        const double width = half_width && i < half_width->size() ? (*half_width)[i] : 0;
        const bool is_exact =
            v == std::round(v) && width == 0 && !is_near_one;  // else tokens and masks are invalid
        if (!std::isfinite(v) || is_exact) continue;
        values[i] = static_cast<real>(v + (v * rounding.unit + absolute + width) * u);
    }
    return Tensor(x.shape(), values, x.device());
}

Tensor by_other_moments(const Operation& norm) {
    const Moments other = norm["one_pass"] != 0 ? Moments::two_pass : Moments::one_pass;
    return layer_norm(norm.inputs[0], norm.inputs[1], norm.inputs[2], norm["epsilon"], other);
}

Tensor with_infinite_fill(const Tensor& masked) {
    constexpr double lowest = -std::numeric_limits<double>::infinity();
    return where(masked < lowest_score, lowest, masked);
}

// Times 0.5 to 1.5. Zeros stay 0: they may not depend on the steps before.
Tensor nudged(const Tensor& x) {
    std::vector<real> values = x.values();
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<real>(static_cast<double>(values[i]) * (1 + uniform(i + 1) / 2));
    return Tensor(x.shape(), values, x.device());
}

struct Stop {};  // the wanted step is there

// The step as this pass computes it, and then its changed value.
class Changes {
  public:
    explicit Changes(const Pass& pass) : pass_(pass), mistaken_(hook_of(pass.mistakes)) {}

    Tensor made(const Frame& frame, const StepInfo& step, const Tensor& right) {
        ++step_;
        Tensor value = pass_.mistakes.empty() ? right : mistaken_(frame, step, right);
        if (pass_.infinite_fill && &step == &steps::scaled_dot_product::masked)
            value = with_infinite_fill(value);
        if (!pass_.rounding) return value;
        const Operation* operation = frame.trace().operation_of(value);
        if (pass_.rounding->other_moments && operation && operation->op == std::string_view("layer_norm"))
            value = by_other_moments(*operation);
        return rounded(value, *pass_.rounding, {step, step_});
    }

    Tensor continued(const Frame& frame, const StepInfo& step, const Tensor& made) const {
        const Tensor value = given_or(frame, step, made);
        return pass_.nudged && pass_.nudged->count(frame.path()) ? nudged(value) : value;
    }

  private:
    Tensor given_or(const Frame& frame, const StepInfo& step, const Tensor& made) const {
        if (!pass_.given) return made;
        const auto given = pass_.given->find(frame.path());
        if (given == pass_.given->end()) return made;
        if (!pass_.rounding) return given->second;
        const std::vector<double>* half_width = nullptr;
        if (pass_.half_widths)
            if (const auto found = pass_.half_widths->find(frame.path()); found != pass_.half_widths->end())
                half_width = &found->second;
        return rounded(given->second, *pass_.rounding, {step, step_, half_width});
    }

    const Pass& pass_;
    Trace::Hook mistaken_;
    std::uint64_t step_ = 0;
};

}  // namespace

void Pass::look_at(const Computation& computation, const std::string& path,
                   const std::function<void(const Frame& frame, const Tensor& made)>& look) const {
    Trace trace;
    Changes changes(*this);
    trace.set_hook([&](const Frame& frame, const StepInfo& step, const Tensor& right) {
        const Tensor made = changes.made(frame, step, right);
        if (frame.path() != path) return changes.continued(frame, step, made);
        look(frame, made);
        throw Stop{};
    });
    try {
        computation.forward();
    } catch (const Stop&) {
    } catch (const Error&) {  // a mistaken step's shape, which later steps cannot take
    }
}

Tensor Pass::value_at(const Computation& computation, const std::string& path) const {
    Tensor wanted;
    look_at(computation, path, [&](const Frame&, const Tensor& made) { wanted = made; });
    return wanted;
}

StepValues Pass::values(const Computation& computation) const {
    Trace trace;
    Changes changes(*this);
    StepValues all;
    trace.set_hook([&](const Frame& frame, const StepInfo& step, const Tensor& right) {
        const Tensor made = changes.made(frame, step, right);
        all[frame.path()] = made;
        return changes.continued(frame, step, made);
    });
    try {
        computation.forward();
    } catch (const Error&) {
    }
    return all;
}

}  // namespace glassbox::detail
