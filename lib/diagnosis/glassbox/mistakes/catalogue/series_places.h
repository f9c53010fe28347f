#pragma once
#include <cmath>

#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/series/scaling.h>
#include <glassbox/series/windows.h>

// The words for wrong lines that look beyond a part of a series: at what came after it.
namespace glassbox::wrong {

// The series that a part was cut from; else undefined.
inline Tensor whole_of(const Frame& f, const Tensor& part) {
    const Operation* cut = f.trace().operation_of(part);
    const bool is_part = cut && cut->op == std::string_view("slice") && cut->inputs[0].size(0) > part.size(0);
    return is_part ? cut->inputs[0] : not_here;
}
inline Tensor rows(const Tensor& x, index_t begin, index_t end) { return slice(x, 0, begin, end); }
inline Tensor rows_from(const Tensor& x, index_t begin) { return rows(x, begin, x.size(0)); }

// The steps of the scaling learned in this scope or else in the nearest around it; null without one.
struct LearnedScaling {
    explicit LearnedScaling(const Frame& f) {
        std::string scope = scope_of(f.path());
        while (!find(f.trace(), scope) && !scope.empty()) scope = scope_of(scope.substr(0, scope.size() - 1));
    }
    const Trace::Step *mean = nullptr, *deviation = nullptr;

  private:
    bool find(const Trace& trace, const std::string& scope) {
        const index_t at = trace.position_of(scope + "mean"), after = trace.position_of(scope + "deviation");
        if (at < 0 || after < 0) return false;
        mean = &trace.steps()[static_cast<std::size_t>(at)];
        deviation = &trace.steps()[static_cast<std::size_t>(after)];
        return mean->info == &steps::scaling::mean;
    }
};
// The part that it was learned from: mean = Σ known x / Σ known.
inline Tensor learned_from(const Frame& f) {
    const LearnedScaling scaling(f);
    return scaling.mean ? input_of(f, input_of(f, input_of(f, scaling.mean->made, 0), 0), 1) : not_here;
}

// Mean and deviation of each column, x (T, c), in double: of large values small differences are left.
struct ColumnScaling {
    explicit ColumnScaling(const Tensor& x)
        : mean(static_cast<std::size_t>(x.size(-1))), deviation(mean.size()) {
        const std::vector<real> numbers = x.values();
        const double T = static_cast<double>(x.size(0));
        for (std::size_t i = 0; i < numbers.size(); ++i)
            mean[i % mean.size()] += static_cast<double>(numbers[i]) / T;
        for (std::size_t i = 0; i < numbers.size(); ++i)
            deviation[i % mean.size()] +=
                std::pow(static_cast<double>(numbers[i]) - mean[i % mean.size()], 2) / T;
        for (double& each : deviation) each = std::sqrt(each);
    }
    double scaled(const std::vector<real>& numbers, std::size_t i) const {
        const std::size_t column = i % mean.size();
        return (static_cast<double>(numbers[i]) - mean[column]) / deviation[column];
    }
    std::vector<double> mean, deviation;
};

// What was cut as the window's targets, if it was cut from a series.
inline Tensor targets_behind(const Frame& f, const Tensor& window) {
    const Trace::Step* step = f.trace().step_of(window);
    return step && step->info == &steps::windows::x ? step_at(f, scope_of(step->path) + "targets") : not_here;
}

}  // namespace glassbox::wrong
