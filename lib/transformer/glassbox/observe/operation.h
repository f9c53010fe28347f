#pragma once
#include <string_view>

#include <glassbox/observe/detail/small_vector.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// An argument of an op other than its input tensors: {"axis", 1}, {"epsilon", 1e-6}.
struct Setting {
    const char* name = "";
    double value = 0;

    Setting() = default;
    template <class Number>
    constexpr Setting(const char* setting_name, Number number)
        : name(setting_name), value(static_cast<double>(number)) {}
};

// One recorded call of an op. --explain follows these from a number down to the inputs.
struct Operation {
    const char* op = "";  // the op's name: "matmul", "softmax", …
    Tensor output;
    SmallVector<Tensor> inputs;
    SmallVector<Setting> settings{};

    bool has(std::string_view setting) const;
    double operator[](std::string_view setting) const;  // throws Error that lists the settings
    int axis() const { return static_cast<int>((*this)["axis"]); }
};

}  // namespace glassbox
