#pragma once

namespace glassbox {

// Where a tensor's numbers live, and so which backend computes with them.
// `oracle` is a seat for a backend that a program brings itself (the tests seat their naive one there).
enum class Device { cpu, cuda, oracle };

inline const char* name(Device device) {
    switch (device) {
        case Device::cpu:
            return "cpu";
        case Device::cuda:
            return "cuda";
        case Device::oracle:
            return "oracle";
    }
    return "unknown";
}

}  // namespace glassbox
