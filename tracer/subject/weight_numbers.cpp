#include "subject/weight_numbers.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace tracer {

using glassbox::real;

std::string why_no_weights(const std::vector<NamedWeights>& weights) {
    constexpr std::size_t least_different = 6;
    constexpr double large = 256, most_of_16_bits = 65535;  // beyond those of 8 bits
    for (const auto& [name, value] : weights) {
        const real *const begin = value->data(), *const end = begin + value->numel();
        const auto is_whole = [](real x) { return std::isfinite(x) && x == std::floor(x); };
        if (!std::all_of(begin, end, is_whole)) continue;
        std::set<real> different;
        double largest = 0;
        for (const real* at = begin; at < end; ++at) {
            const real x = *at;
            largest = std::max(largest, std::abs(static_cast<double>(x)));
            if (std::abs(static_cast<double>(x)) >= large && different.size() < least_different)
                different.insert(x);
        }
        if (different.size() < least_different) continue;
        const bool is_of_16_bits = largest <= most_of_16_bits;
        return fmt::format(
            "{} has whole numbers alone, up to {:.0f}: the bits of {}, kept as integers, or quantised "
            "weights, "
            "which need their scales; save the model in float32, bits as x.view(torch.{}).float() has them",
            glassbox::printable(name), largest, is_of_16_bits ? "float16 or bfloat16" : "float32",
            is_of_16_bits ? "bfloat16" : "float32");
    }
    return "";
}

bool are_true_and_false(const std::vector<NamedWeights>& weights) {
    constexpr double many = 60, min_part = 0.3;  // an identity's ones and norms' of 1 are fewer
    double zeros = 0, ones = 0;
    for (const auto& [name, value] : weights) {
        const real *const begin = value->data(), *const end = begin + value->numel();
        if (std::any_of(begin, end, [](real x) { return x != 0 && x != 1; })) return false;
        ones += static_cast<double>(std::count(begin, end, real(1)));
        zeros += static_cast<double>(std::count(begin, end, real(0)));
    }
    const double all = zeros + ones;
    return all >= many && std::min(zeros, ones) >= min_part * all;
}

}  // namespace tracer
