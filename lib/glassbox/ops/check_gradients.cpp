#include <glassbox/ops/check_gradients.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/detail/finite_differences.h>
#include <glassbox/ops/detail/position.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

using differences::Derivative;
using differences::Function;

// Sizes from 0.5 to 1.5 in no order, and both signs: no row of a softmax, which sums to 1, is weighed alike.
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

double largest(const Tensor& x) {
    double most = 0;
    for (const real each : x.values()) most = std::max(most, std::abs(static_cast<double>(each)));
    return most;
}

// The tensors under ids of their own: one that is given twice is two, and f knows them from here alone.
std::vector<Tensor> own(const std::vector<Tensor>& tensors) {
    std::vector<Tensor> result;
    for (const Tensor& each : tensors) result.push_back(each.alias(each.shape(), each.strides()));
    return result;
}

// Which of the tensors go into an op, or are f's result.
std::vector<bool> are_used(const Function& f, const std::vector<Tensor>& tensors) {
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

// What is compared of one tensor, number by number.
class Compared {
  public:
    Compared(std::string name, const Tensor& x, const Tensor& gradient, double largest_of_all)
        : name_(std::move(name)), x_(x), gradient_(gradient.values()) {
        const double own = largest(gradient);
        scale_ = std::max(own, differences::counts_as_nothing * largest_of_all);
        if (scale_ == 0) scale_ = 1;
        tape_error_ = differences::tape_error(own, largest_of_all);
    }

    void add(index_t at, const Derivative& moved) {
        const double by_tape = gradient_[static_cast<std::size_t>(at)], error = moved.error + tape_error_;
        const double off = std::abs(by_tape - moved.value);
        ++numbers_;
        if (std::isnan(moved.value) || !(error <= differences::coarse * scale_ || off > error)) ++unclear_;
        else if (off <= error) agreed_ = std::max(agreed_, off);
        else if (off <= error + moved.jump / 2) ++kinks_;
        else if (++wrong_ == 1) first_ = text(at, by_tape, moved, error);
    }

    // Nothing where the two agree.
    std::optional<std::string> failure() const {
        if (wrong_)
            return fmt::format("{} ({} of {} numbers differ{})", first_, wrong_, numbers_,
                               is_zero() ? "; the tape has 0 everywhere" : "");
        if (2 * unclear_ > numbers_)
            return fmt::format(
                "{}: {} of {} numbers cannot be judged: f rounds too much, or is NaN beside them", name_,
                unclear_, numbers_);
        return std::nullopt;
    }
    index_t numbers() const { return numbers_; }
    index_t all_numbers() const { return x_.numel(); }
    index_t kinks() const { return kinks_; }
    index_t unclear() const { return unclear_; }
    double agreed() const { return agreed_; }

  private:
    bool is_zero() const {
        return std::all_of(gradient_.begin(), gradient_.end(), [](real each) { return each == 0; });
    }
    std::string text(index_t at, double by_tape, const Derivative& moved, double error) const {
        return fmt::format("{} [{}]: the tape has {:.9g}, finite differences {:.9g} ± {:.1g}", name_,
                           fmt::join(position_of(x_.shape(), at), ", "), by_tape, moved.value, error);
    }

    std::string name_, first_;
    const Tensor& x_;
    std::vector<real> gradient_;
    double scale_ = 0, tape_error_ = 0, agreed_ = 0;
    index_t numbers_ = 0, wrong_ = 0, kinks_ = 0, unclear_ = 0;
};

// Places spread evenly over x where it has neighbours.
std::vector<index_t> places_in(const Tensor& x, index_t most) {
    const std::vector<real> values = x.values();
    const index_t count = std::min(x.numel(), most);
    std::vector<index_t> places;
    for (index_t i = 0; i < count; ++i)
        if (const index_t at = i * x.numel() / count; std::isfinite(values[static_cast<std::size_t>(at)]))
            places.push_back(at);
    return places;
}

// Why f cannot be checked, if so.
std::optional<std::string> refusal(const Function& f, const std::vector<Tensor>& tensors, const Tensor& y) {
    if (!y.defined()) return "f returns an undefined tensor";
    const Agreement again = all_close(f(tensors), y, Tolerance{0, 0, true}, "f");
    if (!again) return fmt::format("f has another value at its second call: {}", again.str());
    const std::vector<real> values = y.values();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))
            return fmt::format("f[{}] is {}: no difference says how it changes",
                               fmt::join(position_of(y.shape(), static_cast<index_t>(i)), ", "), values[i]);
    const std::vector<bool> used = are_used(f, tensors);
    for (std::size_t i = 0; i < used.size(); ++i)
        if (!used[i]) return fmt::format("tensor {} goes into no op: f does not use it", i);
    return std::nullopt;
}

std::string summary(const std::vector<Compared>& all) {
    index_t numbers = 0, kinks = 0, unclear = 0, all_numbers = 0;
    double agreed = 0;
    for (const Compared& each : all) {
        numbers += each.numbers();
        all_numbers += each.all_numbers();
        kinks += each.kinks();
        unclear += each.unclear();
        agreed = std::max(agreed, each.agreed());
    }
    std::string text = std::to_string(numbers - kinks - unclear);
    if (numbers < all_numbers) text += fmt::format(" of {}", all_numbers);
    text += fmt::format(" numbers agree with finite differences, to {:.1g}", agreed);
    if (kinks) text += fmt::format(", {} at a kink", kinks);
    if (unclear) text += fmt::format(", {} cannot be judged", unclear);
    return text;
}

void check_arguments(const std::vector<Tensor>& tensors, const GradientCheckOptions& options) {
    if (tensors.empty()) fail("check_gradients: no tensors given");
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (!tensors[i].defined()) fail("check_gradients: tensor {} is undefined", i);
    if (options.numbers < 1) fail("check_gradients: at least 1 number is moved, got {}", options.numbers);
}

std::vector<Tensor> gradients_of(const Function& f, const std::vector<Tensor>& tensors,
                                 const Tensor& weights) {
    Tape tape;
    tape.backward(f(tensors), weights);
    std::vector<Tensor> gradients;
    for (const Tensor& each : tensors) gradients.push_back(tape.gradient(each));
    return gradients;
}

// Other tensors in place of some, as long as this lives.
class Replaced {
  public:
    explicit Replaced(const std::vector<Tensor*>& tensors) : tensors_(tensors) {
        for (const Tensor* each : tensors) before_.push_back(*each);
    }
    ~Replaced() {
        for (std::size_t i = 0; i < tensors_.size(); ++i) *tensors_[i] = before_[i];
    }
    Replaced(const Replaced&) = delete;
    Replaced& operator=(const Replaced&) = delete;

    void by(const std::vector<Tensor>& others) {
        for (std::size_t i = 0; i < tensors_.size(); ++i) *tensors_[i] = others[i];
    }
    const std::vector<Tensor>& before() const { return before_; }

  private:
    const std::vector<Tensor*>& tensors_;
    std::vector<Tensor> before_;
};

}  // namespace

Agreement check_gradients(const Function& f, const std::vector<Tensor>& given,
                          const GradientCheckOptions& options) {
    check_arguments(given, options);
    const Silence silence;
    const std::vector<Tensor> tensors = own(given);
    const Tensor y = f(tensors);
    if (const auto reason = refusal(f, tensors, y)) return {false, *reason};
    const Tensor weights = weights_for(y);
    const std::vector<Tensor> gradients = gradients_of(f, tensors, weights);
    double largest_of_all = 0;
    for (const Tensor& each : gradients) largest_of_all = std::max(largest_of_all, largest(each));
    std::vector<Compared> all;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::vector<index_t> places = places_in(tensors[i], options.numbers);
        const std::vector<Derivative> moved = differences::derivatives(f, tensors, i, weights, places);
        all.emplace_back(fmt::format("tensor {}", i), tensors[i], gradients[i], largest_of_all);
        for (std::size_t k = 0; k < places.size(); ++k) all.back().add(places[k], moved[k]);
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
    Replaced replaced(tensors);
    const Function of_given = [&](const std::vector<Tensor>& others) {
        replaced.by(others);
        return f();
    };
    return check_gradients(of_given, replaced.before(), options);
}

}  // namespace glassbox
