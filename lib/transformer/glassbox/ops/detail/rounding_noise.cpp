#include <glassbox/ops/testing.h>

#include <algorithm>
#include <cmath>

namespace glassbox::numerics {

// Higher-order differences remove a smooth f and leave the noise, amplified by a known factor (Moré and Wild,
// Estimating computational noise, 2011):
//     σ_k² = (k!)² / (2k)! · mean of (Δᵏf)²
// Each k from 3 to 5 estimates the same σ. With few values each may come out too small, so take the largest.
double rounding_noise(std::vector<double> values) {
    double factor = 1, largest = 0;
    for (int k = 1; k <= 5; ++k) {
        for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = values[i + 1] - values[i];
        values.pop_back();
        factor *= k / (2.0 * (2 * k - 1));  // (k!)² / (2k)!
        double squares = 0;
        for (const double each : values) squares += each * each;
        const double sigma = std::sqrt(factor * squares / static_cast<double>(values.size()));
        if (std::isnan(sigma)) return sigma;
        if (k >= 3) largest = std::max(largest, sigma);
    }
    return largest;
}

}  // namespace glassbox::numerics
