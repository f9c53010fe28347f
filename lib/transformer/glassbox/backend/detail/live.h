#pragma once

namespace glassbox {

// A kernel's argument: passed by value, or, in a step that is recorded once and replayed, read from device
// memory when the kernel runs. (constexpr so that device code can call it.)
template <class T>
struct Live {
    T now{};
    const T* device_value = nullptr;  // in device memory; if set, read instead of `now`

    constexpr T value() const { return device_value ? *device_value : now; }
};

}  // namespace glassbox
