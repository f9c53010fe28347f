#pragma once

namespace glassbox {

// A number that a kernel takes: as it is given; or, in a step that is recorded once and run many times, as it
// lies on the device when the kernel runs. (constexpr: so that a GPU may call it too.)
template <class T>
struct Live {
    T now{};
    const T* there = nullptr;  // on the device: read instead of `now`

    constexpr T value() const { return there ? *there : now; }
};

}  // namespace glassbox
