#include "report/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "explain/explainer.h"

namespace glassbox::tracer {

Scalar Scalar::parse(const std::string& text) {
    Scalar scalar;
    scalar.text_ = text;
    const auto inside = [&](const std::string& function) {
        const bool fits = text.size() > function.size() + 2 &&
                          text.compare(0, function.size() + 1, function + "(") == 0 && text.back() == ')';
        if (fits) scalar.step_ = text.substr(function.size() + 1, text.size() - function.size() - 2);
        return fits;
    };
    if (inside("sum")) scalar.kind_ = Kind::sum;
    else if (inside("mean")) scalar.kind_ = Kind::mean;
    else if (inside("sumsq")) scalar.kind_ = Kind::sumsq;
    else if (const std::size_t open = text.find('[');
             open != std::string::npos && open > 0 && text.back() == ']') {
        scalar.kind_ = Kind::element;
        scalar.step_ = text.substr(0, open);
        scalar.place_ = text.substr(open);
    } else
        fail<UsageError>(
            "--scalar: expected sum(values), mean(values), sumsq(values) or values[0,1], got '{}'", text);
    return scalar;
}

Scalar Scalar::in(const Trace& trace) const {
    Scalar resolved = *this;
    resolved.step_ = step_named(trace, step_, "--scalar");
    const std::size_t position = kind_ == Kind::element ? 0 : text_.find('(') + 1;
    resolved.text_.replace(position, step_.size(), resolved.step_);
    return resolved;
}

Tensor Scalar::of(const Trace& trace) const {
    const Tensor& x = trace[step_named(trace, step_, "--scalar")];
    switch (kind_) {
        case Kind::sum:
            return glassbox::sum(x);
        case Kind::mean:
            return mean(x);
        case Kind::sumsq:
            return glassbox::sum(x * x);
        case Kind::element:
            break;
    }
    Tensor y = x;
    const Element element = Explainer(trace, 8).parse(step_ + place_, "--scalar");
    for (int axis = 0; axis < x.rank(); ++axis) {
        const index_t i = element.at[static_cast<std::size_t>(axis)];
        y = glassbox::slice(y, axis, i, i + 1);
    }
    return glassbox::sum(y);
}

double Scalar::value(const Trace& trace) const {
    const Tensor& x = trace[step_];
    if (kind_ == Kind::element) return static_cast<double>(Explainer(trace, 8).parse(step_ + place_).value());
    double total = 0;
    for (real v : x.values())
        total += static_cast<double>(v) * (kind_ == Kind::sumsq ? static_cast<double>(v) : 1);
    return kind_ == Kind::mean ? total / static_cast<double>(x.numel()) : total;
}

double Scalar::rounding(const Trace& trace) const {
    const Tensor& x = trace[step_];
    const double last_digit =
        std::numeric_limits<real>::epsilon() / std::sqrt(12.0);  // standard deviation of uniform rounding
    if (kind_ == Kind::element) return last_digit * std::abs(value(trace));
    double max_size = 0;
    for (const real v : x.values())
        if (std::isfinite(v)) max_size = std::max(max_size, std::abs(static_cast<double>(v)));
    const double error_of_one = last_digit * max_size;
    if (kind_ == Kind::sumsq) return 2 * max_size * error_of_one;
    return kind_ == Kind::mean ? error_of_one / static_cast<double>(x.numel()) : error_of_one;
}

}  // namespace glassbox::tracer
