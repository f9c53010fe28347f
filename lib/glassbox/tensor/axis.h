#pragma once
#include <concepts>

namespace glassbox {

// Which axis of a tensor, from the end where negative: a whole number, and nothing that becomes one in
// silence, so that max(x, 0.5) and sum(x, true) do not compile.
class Axis {
  public:
    template <std::integral T>
    requires(!std::same_as<T, bool>) Axis(T axis) : axis_(static_cast<int>(axis)) {}
    operator int() const { return axis_; }

  private:
    int axis_;
};

// Whether a reduction leaves its axis, of size 1: a bool alone, so that var(x, -1, 1) does not compile.
class Keep {
  public:
    template <std::same_as<bool> T>
    Keep(T keep) : keep_(keep) {}
    operator bool() const { return keep_; }

  private:
    bool keep_;
};

}  // namespace glassbox
