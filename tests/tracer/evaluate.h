#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Evaluates a line of arithmetic like a calculator: + - · / ^ ² ³ √, parentheses, and the functions that the
// command prints. Throws where a line is not arithmetic.
namespace glassbox_test {

class Evaluator {
  public:
    explicit Evaluator(const std::string& text) : text_(text) {}
    double value() {
        const double result = sum();
        if (at_ != text_.size()) refuse();
        return result;
    }

  private:
    [[noreturn]] void refuse() const {
        throw std::runtime_error("no arithmetic at '" + text_.substr(at_) + "'");
    }
    bool take(std::string_view what) {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        if (text_.compare(at_, what.size(), what) != 0) return false;
        at_ += what.size();
        return true;
    }
    double sum() {
        double total = product();
        for (;;)
            if (take("+")) total += product();
            else if (take("-")) total -= product();
            else return total;
    }
    double product() {
        double total = power();
        for (;;)
            if (take("·")) total *= power();
            else if (take("/")) total /= power();
            else return total;
    }
    double power() {
        if (take("-")) return -power();
        const double base = atom();
        if (take("²")) return base * base;
        if (take("³")) return base * base * base;
        return take("^") ? std::pow(base, power()) : base;
    }
    double atom() {
        if (take("(")) return closed(sum());
        if (take("√")) return std::sqrt(atom());
        if (take("max(")) {
            double most = sum();
            while (take(",")) most = std::max(most, sum());
            return closed(most);
        }
        if (take("min(")) {
            double least = sum();
            while (take(",")) least = std::min(least, sum());
            return closed(least);
        }
        using Function = double (*)(double);
        for (const auto& [name, f] : {std::pair<const char*, Function>{"exp(", std::exp},
                                      {"ln(", std::log},
                                      {"sin(", std::sin},
                                      {"cos(", std::cos},
                                      {"tanh(", std::tanh},
                                      {"erf(", std::erf},
                                      {"sigmoid(", [](double x) { return 1 / (1 + std::exp(-x)); }}})
            if (take(name)) return closed(f(sum()));
        char* end = nullptr;
        const double number = std::strtod(text_.c_str() + at_, &end);
        if (end == text_.c_str() + at_) refuse();
        at_ = static_cast<std::size_t>(end - text_.c_str());
        return number;
    }
    double closed(double inner) {
        if (!take(")")) refuse();
        return inner;
    }

    std::string text_;
    std::size_t at_ = 0;
};

inline double evaluate(const std::string& text) { return Evaluator(text).value(); }

}  // namespace glassbox_test
