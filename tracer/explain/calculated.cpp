#include "explain/calculated.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>

namespace glassbox::tracer {
namespace {

// sum: product {(+|-|−) product};  product: power {(·|/) power};  power: atom [²|³|^atom]
class Calculator {
  public:
    explicit Calculator(std::string_view text) : rest_(text) {}

    std::optional<double> result() {
        const double value = sum();
        skip();
        return fails_ || !rest_.empty() ? std::nullopt : std::optional(value);
    }

  private:
    void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
    bool take(std::string_view sign) {
        skip();
        if (!rest_.starts_with(sign)) return false;
        rest_.remove_prefix(sign.size());
        return true;
    }
    bool take_minus() { return take("−") || take("-"); }

    double sum() {
        double value = product();
        for (;;)
            if (take("+")) value += product();
            else if (take_minus()) value -= product();
            else return value;
    }
    double product() {
        double value = power();
        for (;;)
            if (take("·")) value *= power();
            else if (take("/")) value /= power();
            else return value;
    }
    double power() {
        if (take_minus()) return -power();
        const double base = atom();
        if (take("²")) return base * base;
        if (take("³")) return base * base * base;
        return take("^") ? std::pow(base, atom()) : base;
    }
    double atom() {
        if (take("√")) return std::sqrt(atom());
        if (take("(")) return closed(sum());
        using Function = double (*)(double);
        constexpr std::pair<std::string_view, Function> functions[] = {
            {"exp(", [](double x) { return std::exp(x); }},
            {"ln(", [](double x) { return std::log(x); }},
            {"sin(", [](double x) { return std::sin(x); }},
            {"cos(", [](double x) { return std::cos(x); }},
            {"tanh(", [](double x) { return std::tanh(x); }}};
        for (const auto& [name, of] : functions)
            if (take(name)) return of(closed(sum()));
        if (take("max(")) return listed([](double a, double b) { return std::max(a, b); });
        if (take("min(")) return listed([](double a, double b) { return std::min(a, b); });
        return number();
    }
    double closed(double value) {
        if (!take(")")) fails_ = true;
        return value;
    }
    double listed(double (*chosen)(double, double)) {
        double value = sum();
        while (take(",")) value = chosen(value, sum());
        return closed(value);
    }
    double number() {
        skip();
        double value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc{}) return fails_ = true, rest_ = {}, 0;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }

    std::string_view rest_;
    bool fails_ = false;
};

// Half of its last digit; of the fourth, or the last that is written, if it has fewer, since these are exact.
double half_digit(std::string_view number, int precision) {
    const std::size_t e = std::min(number.find('e'), number.size()), point = number.substr(0, e).find('.');
    const int digits = point == number.npos ? 0 : static_cast<int>(e - point - 1);
    if (e < number.size())
        return 0.5 * std::pow(10, std::atoi(std::string(number.substr(e + 1)).c_str()) - digits);
    return 0.5 * std::pow(10, -std::max(digits, std::min(precision, 4)));
}

}  // namespace

std::optional<double> calculated(std::string_view arithmetic) { return Calculator(arithmetic).result(); }

std::string_view honest_sign(std::string_view before, std::string_view after, std::string_view result,
                             int precision) {
    const std::optional<double> by_hand = calculated(before), printed = calculated(after);
    const bool differs =
        by_hand && printed && std::abs(*by_hand - *printed) > 1.0001 * half_digit(result, precision);
    return differs ? "≈" : "=";
}

std::string with_honest_sign(std::string worked, int precision) {
    constexpr std::string_view equals = " = ";
    const std::size_t last = worked.rfind(equals);
    const std::size_t before =
        last == worked.npos || last == 0 ? worked.npos : worked.rfind(equals, last - 1);
    if (before == worked.npos) return worked;
    const std::size_t from = before + equals.size();
    const std::string_view all = worked, result = all.substr(last + equals.size());
    const std::string_view sign = honest_sign(all.substr(from, last - from), result, result, precision);
    return worked.replace(last + 1, 1, sign);
}

}  // namespace glassbox::tracer
