#pragma once
#include <cstdint>
#include <vector>

#include <glassbox/series/series.h>

namespace glassbox {

// x[t] = level + trend · t/1000 + Σ_i a_i sin(2π t / period_i + φ_i) + shift [t ≥ change_point] + noise · ε_t
struct GeneratedSeriesConfig {
    index_t length = 3000;
    double level = 10, trend = 1;
    std::vector<double> periods{24, 60};   // in steps
    std::vector<double> amplitudes{2, 1};  // as many
    double change_point = 0.3,
           shift = 3;    // where the level changes, as a part of the length, and by how much
    double noise = 0.5;  // the deviation of the noise
    std::uint64_t seed = 42;
};

// The series, and the noise that no forecast can know: its deviation is the smallest RMSE to hope for.
struct GeneratedSeries {
    Series series;
    Tensor noise;  // (T, 1), noise · ε_t
};

// Random numbers are NumPy's, default_rng(seed): the phases φ, uniform in [0, 2π), then ε, standard normal.
// Throws UsageError for values that make no series.
GeneratedSeries generated_series(const GeneratedSeriesConfig& config);

}  // namespace glassbox
