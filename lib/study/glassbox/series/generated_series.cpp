#include <glassbox/series/generated_series.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <glassbox/random/generators.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

void check(const GeneratedSeriesConfig& c) {
    if (c.length < 1 || c.length > index_t{1} << 28)
        fail<UsageError>("generated series: 1 to {} values, got {}", index_t{1} << 28, c.length);
    if (c.periods.size() != c.amplitudes.size())
        fail<UsageError>("generated series: needs as many amplitudes as periods, got {} and {}",
                         c.amplitudes.size(), c.periods.size());
    for (const double period : c.periods)
        if (!(period >= 2) || period > 1e9)
            fail<UsageError>("generated series: needs periods of at least 2 steps, got {}", period);
    if (!(c.noise >= 0) || c.noise > 1e9)
        fail<UsageError>("generated series: needs a deviation of the noise of at least 0, got {}", c.noise);
}

}  // namespace

// x[t] = level + trend · t/1000 + Σ_i a_i sin(2π t / period_i + φ_i) + shift [t ≥ change_point] + noise · ε_t
GeneratedSeries generated_series(const GeneratedSeriesConfig& c) {
    check(c);
    NumpyGenerator random(c.seed);
    std::vector<double> phases(c.periods.size()), epsilon(static_cast<std::size_t>(c.length)), x;
    random.uniform(phases, 0, 2 * std::numbers::pi);
    random.standard_normal(epsilon);
    std::vector<real> noise;
    const double change = c.change_point * static_cast<double>(c.length);
    for (index_t row = 0; row < c.length; ++row) {
        const auto t = static_cast<double>(row);
        double value = c.level + c.trend * t / 1000 + (t >= change ? c.shift : 0);
        for (std::size_t i = 0; i < phases.size(); ++i)
            value += c.amplitudes[i] * std::sin(2 * std::numbers::pi * t / c.periods[i] + phases[i]);
        const double unknowable = c.noise * epsilon[static_cast<std::size_t>(row)];
        x.push_back(value + unknowable), noise.push_back(static_cast<real>(unknowable));
    }
    return {filled_series("generated", {"value"}, {}, x), Tensor({c.length, 1}, noise)};
}

}  // namespace glassbox
