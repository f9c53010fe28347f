#include <glassbox/ops/testing.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/detail/position.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace {

using numerics::Derivative;
using numerics::Function;

// Quasi-random magnitudes from 0.5 to 1.5 with alternating signs. Equal weights would cancel the gradient of
// a softmax, whose rows sum to 1.
Tensor weights_for(const Tensor& y) {
    const double golden_ratio = 0.6180339887498949;
    std::vector<real> weights;
    for (index_t i = 0; i < y.numel(); ++i) {
        const double turns = static_cast<double>(i + 1) * golden_ratio;
        const double size = 0.5 + turns - std::floor(turns);
        weights.push_back(static_cast<real>(i % 2 ? -size : size));
    }
    return Tensor(y.shape(), weights, y.device());
}

// Of the finite ones: an infinite gradient is not a scale for the others.
double largest(const Tensor& x) {
    double result = 0;
    for (const real each : x.values())
        if (std::isfinite(each)) result = std::max(result, std::abs(static_cast<double>(each)));
    return result;
}

// Aliases with new ids: a tensor passed twice becomes two, and f can only get them from its argument.
std::vector<Tensor> aliases(const std::vector<Tensor>& tensors) {
    std::vector<Tensor> result;
    for (const Tensor& each : tensors) result.push_back(each.alias(each.shape(), each.strides()));
    return result;
}

// Which of the tensors are the input of an op, or f's result.
std::vector<bool> used_by(const Function& f, const std::vector<Tensor>& tensors) {
    Trace trace;
    const Tensor::Id result = f(tensors).id();
    std::vector<bool> used;
    for (const Tensor& each : tensors) {
        const auto is_it = [&](const Tensor& other) { return other.id() == each.id(); };
        used.push_back(result == each.id() || std::any_of(trace.operations().begin(),
                                                          trace.operations().end(), [&](const Operation& op) {
                                                              return std::any_of(op.inputs.begin(),
                                                                                 op.inputs.end(), is_it);
                                                          }));
    }
    return used;
}

std::vector<Tensor> gradients_of(const Function& f, const std::vector<Tensor>& tensors,
                                 const Tensor& weights) {
    Tape tape;
    tape.backward(f(tensors), weights);
    std::vector<Tensor> gradients;
    for (const Tensor& each : tensors) gradients.push_back(tape.gradient(each));
    return gradients;
}

// The rounding of single numbers of the tape's gradient of tensors[which]: measured where all tensors move by
// a few last digits.
class TapeRounding {
  public:
    TapeRounding(const Function& f, const std::vector<Tensor>& tensors, std::size_t which,
                 const Tensor& weights)
        : f_(f), tensors_(tensors), which_(which), weights_(weights) {}

    double operator()(index_t at) {
        for (int count = static_cast<int>(nearby_.size()); count < numerics::rounding_noise_values; ++count) {
            std::vector<Tensor> moved;
            for (const Tensor& each : tensors_) moved.push_back(numerics::moved_by_digits(each, count));
            nearby_.push_back(gradients_of(f_, moved, weights_)[which_].values());
        }
        std::vector<double> of_this;
        for (const std::vector<real>& each : nearby_)
            of_this.push_back(static_cast<double>(each[static_cast<std::size_t>(at)]));
        const double noise = 6 * numerics::rounding_noise(of_this);
        if (!std::isfinite(noise)) return INFINITY;
        return noise + numerics::tape_error(std::abs(of_this[0]), 0);
    }

    // Whether the tape and finite differences agree where f moves by more than a few last digits, and the
    // rest of the tape's number is lost in those of the others: a softmax of nearly 1 stays so.
    bool agrees_where_f_moves(index_t at, double by_tape, const Derivative& measured) const {
        constexpr int digits = 8;
        const std::size_t place = static_cast<std::size_t>(at);
        const Tensor y = f_(tensors_);
        std::vector<bool> still = numerics::changed_by(f_, tensors_, which_, place, y, digits);
        still.flip();
        std::vector<real> moving = weights_.values();
        for (std::size_t i = 0; i < moving.size(); ++i)
            if (still[i]) moving[i] = 0;
        const double of_moving = static_cast<double>(
            gradients_of(f_, tensors_, Tensor(y.shape(), moving, y.device()))[which_].values()[place]);
        const double lost =
            numerics::hidden_slope(tensors_[which_].values()[place], y, weights_, still, digits);
        return by_tape != of_moving && std::abs(by_tape - of_moving) <= lost &&
               std::abs(of_moving - measured.value) <= measured.error + 1e-3 * std::abs(measured.value);
    }

  private:
    const Function& f_;
    const std::vector<Tensor>& tensors_;
    std::size_t which_;
    const Tensor& weights_;
    std::vector<std::vector<real>> nearby_;  // gradients, from the first on
};

// The comparison of one tensor's gradient with finite differences, element by element.
class Comparison {
  public:
    Comparison(std::string name, const Tensor& x, const Tensor& gradient, double largest_of_all)
        : name_(std::move(name)), x_(x), gradient_(gradient.values()) {
        const double largest_here = largest(gradient);
        scale_ = std::max(largest_here, numerics::negligible_share * largest_of_all);
        if (scale_ == 0) scale_ = 1;
        tape_error_ = numerics::tape_error(largest_here, largest_of_all);
    }

    void add(index_t at, const Derivative& measured, TapeRounding& own_rounding) {
        const double by_tape = gradient_[static_cast<std::size_t>(at)], error = measured.error + tape_error_;
        const double off = std::abs(by_tape - measured.value);
        ++numbers_;
        const bool is_nan = std::isnan(measured.value);
        if (is_nan || !(error <= numerics::coarse * scale_ || off > error)) {
            if (++unclear_ == 1) first_unclear_ = unclear_text(at, is_nan);
        } else if (off <= error && !is_off_for_its_size(at, off, measured, own_rounding))
            agreed_ = std::max(agreed_, off);
        else if (off > error && off <= error + measured.jump / 2) ++kinks_;
        else if (own_rounding.agrees_where_f_moves(at, by_tape, measured)) agreed_ = std::max(agreed_, off);
        else if (++wrong_ == 1) first_ = text(at, by_tape, measured, error);
    }

    // Empty if the two agree.
    std::optional<std::string> failure() const {
        if (wrong_)
            return fmt::format("{} ({} of {} numbers differ{})", first_, wrong_, numbers_,
                               is_zero() ? "; the tape has 0 everywhere" : "");
        if (unclear_)
            return fmt::format("{} ({} of {} numbers cannot be judged)", first_unclear_, unclear_, numbers_);
        if (numbers_ == 0 && x_.numel() > 0) return fmt::format("{}: none of its numbers is finite", name_);
        return std::nullopt;
    }
    index_t numbers() const { return numbers_; }
    index_t all_numbers() const { return x_.numel(); }
    index_t kinks() const { return kinks_; }
    double agreed() const { return agreed_; }

  private:
    // The bound on the tape's rounding follows the largest number of the gradient, beside which another may
    // be small but accurate by finite differences: it is compared within its own rounding.
    bool is_off_for_its_size(index_t at, double off, const Derivative& measured,
                             TapeRounding& own_rounding) const {
        const double share = numerics::coarse * std::abs(measured.value);
        return off > share && measured.error < share && off > measured.error + own_rounding(at);
    }
    bool is_zero() const {
        return std::all_of(gradient_.begin(), gradient_.end(), [](real each) { return each == 0; });
    }
    std::string text(index_t at, double by_tape, const Derivative& measured, double error) const {
        return fmt::format("{} [{}]: the tape has {:.9g}, finite differences {:.9g} ± {:.1g}", name_,
                           fmt::join(position_of(x_.shape(), at), ", "), by_tape, measured.value, error);
    }

    std::string unclear_text(index_t at, bool is_nan) const {
        return fmt::format("{} [{}] cannot be judged: {}", name_,
                           fmt::join(position_of(x_.shape(), at), ", "),
                           is_nan ? "f is NaN or infinite next to it" : "f rounds too much");
    }

    std::string name_, first_, first_unclear_;
    const Tensor& x_;
    std::vector<real> gradient_;
    double scale_ = 0, tape_error_ = 0, agreed_ = 0;
    index_t numbers_ = 0, wrong_ = 0, kinks_ = 0, unclear_ = 0;
};

// At most max_count indices, spread evenly over x, without those of NaN and infinities.
std::vector<index_t> sample_indices(const Tensor& x, index_t max_count) {
    const std::vector<real> values = x.values();
    const index_t count = std::min(x.numel(), max_count);
    std::vector<index_t> indices;
    for (index_t i = 0; i < count; ++i)
        if (const index_t at = i * x.numel() / count; std::isfinite(values[static_cast<std::size_t>(at)]))
            indices.push_back(at);
    return indices;
}

// The reason why f cannot be checked, if any.
std::optional<std::string> refusal(const Function& f, const std::vector<Tensor>& tensors, const Tensor& y) {
    if (!y.defined()) return "f returns an undefined tensor";
    const Agreement again = all_close(f(tensors), y, Tolerance{0, 0, true}, "f");
    if (!again) return fmt::format("f returns a different value on its second call: {}", again.str());
    const std::vector<real> values = y.values();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))
            return fmt::format("f[{}] is {}: finite differences of it are undefined",
                               fmt::join(position_of(y.shape(), static_cast<index_t>(i)), ", "), values[i]);
    const std::vector<bool> used = used_by(f, tensors);
    for (std::size_t i = 0; i < used.size(); ++i)
        if (!used[i]) return fmt::format("tensor {} is the input of no op: f does not use it", i);
    return std::nullopt;
}

std::string summary(const std::vector<Comparison>& all) {
    index_t numbers = 0, kinks = 0, all_numbers = 0;
    double agreed = 0;
    for (const Comparison& each : all) {
        numbers += each.numbers();
        all_numbers += each.all_numbers();
        kinks += each.kinks();
        agreed = std::max(agreed, each.agreed());
    }
    std::string text = std::to_string(numbers - kinks);
    if (numbers < all_numbers) text += fmt::format(" of {}", all_numbers);
    text += fmt::format(" numbers agree with finite differences within {:.1g}", agreed);
    if (kinks) text += fmt::format(", {} at a kink", kinks);
    return text;
}

void check_arguments(const std::vector<Tensor>& tensors, const GradientCheckOptions& options) {
    if (tensors.empty()) fail("check_gradients: no tensors given");
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (!tensors[i].defined()) fail("check_gradients: tensor {} is undefined", i);
    if (options.numbers < 1)
        fail("check_gradients: needs at least 1 number per tensor, got {}", options.numbers);
}

// Assigns other values to some tensors, and restores the original ones at the end of its lifetime.
class TemporaryValues {
  public:
    explicit TemporaryValues(const std::vector<Tensor*>& tensors) : tensors_(tensors) {
        for (const Tensor* each : tensors) originals_.push_back(*each);
    }
    ~TemporaryValues() { set(originals_); }
    TemporaryValues(const TemporaryValues&) = delete;
    TemporaryValues& operator=(const TemporaryValues&) = delete;

    void set(const std::vector<Tensor>& values) {
        for (std::size_t i = 0; i < tensors_.size(); ++i) *tensors_[i] = values[i];
    }
    const std::vector<Tensor>& originals() const { return originals_; }

  private:
    const std::vector<Tensor*>& tensors_;
    std::vector<Tensor> originals_;
};

}  // namespace

Agreement check_gradients(const Function& f, const std::vector<Tensor>& given,
                          const GradientCheckOptions& options) {
    check_arguments(given, options);
    const NoRecording silence;
    const std::vector<Tensor> tensors = aliases(given);
    const Tensor y = f(tensors);
    if (const auto reason = refusal(f, tensors, y)) return {false, *reason};
    const Tensor weights = weights_for(y);
    const std::vector<Tensor> gradients = gradients_of(f, tensors, weights);
    double largest_of_all = 0;
    for (const Tensor& each : gradients) largest_of_all = std::max(largest_of_all, largest(each));
    std::vector<Comparison> all;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::vector<index_t> indices = sample_indices(tensors[i], options.numbers);
        const std::vector<Derivative> measured = numerics::derivatives(f, tensors, i, weights, indices);
        all.emplace_back(fmt::format("tensor {}", i), tensors[i], gradients[i], largest_of_all);
        TapeRounding rounding(f, tensors, i, weights);
        for (std::size_t k = 0; k < indices.size(); ++k) all.back().add(indices[k], measured[k], rounding);
        if (const auto difference = all.back().failure()) return {false, *difference};
    }
    return {true, summary(all)};
}

Agreement check_gradients(const std::function<Tensor(const Tensor&)>& f, const Tensor& x,
                          const GradientCheckOptions& options) {
    const Function of_one = [&](const std::vector<Tensor>& given) { return f(given[0]); };
    return check_gradients(of_one, std::vector<Tensor>{x}, options);
}

Agreement check_gradients(const std::function<Tensor()>& f, const std::vector<Tensor*>& tensors,
                          const GradientCheckOptions& options) {
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (!tensors[i]) fail("check_gradients: tensor {} is a null pointer", i);
    TemporaryValues temporary(tensors);
    const Function with_values = [&](const std::vector<Tensor>& values) {
        temporary.set(values);
        return f();
    };
    return check_gradients(with_values, temporary.originals(), options);
}

}  // namespace glassbox
