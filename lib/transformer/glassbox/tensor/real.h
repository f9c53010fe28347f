#pragma once
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
// `xtensor` has the host's memory, as `cpu` has. `oracle` is for a backend that the program supplies (the
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

}  // namespace glassbox
