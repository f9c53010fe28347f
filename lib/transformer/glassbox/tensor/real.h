#pragma once
#include <cmath>
#include <cstdint>

namespace glassbox {

// The number type: float, or double in a build with GLASSBOX_DOUBLE (preset `double`), for strict checks of
// gradients by finite differences.
#ifdef GLASSBOX_DOUBLE
using real = double;
#else
using real = float;
#endif

using index_t = std::int64_t;  // sizes and positions

// Where a tensor's numbers are stored, and therefore which backend computes with them.
// `xtensor` uses the host's memory, like `cpu`. `oracle` is for a backend that the program supplies (the
// tests register a naive one).
enum class Device { cpu, cuda, xtensor, oracle };

inline const char* name(Device device) {
    switch (device) {
        case Device::cpu:
            return "cpu";
        case Device::cuda:
            return "cuda";
        case Device::xtensor:
            return "xtensor";
        case Device::oracle:
            return "oracle";
    }
    return "unknown";
}

// Equal, or both NaN.
template <class Number>
bool equal_or_nan(Number a, Number b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

// a < b with NaN above every number, as in NumPy and PyTorch: an order of all numbers, by which to look for
// the largest and to sort.
inline bool precedes(real a, real b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

}  // namespace glassbox
