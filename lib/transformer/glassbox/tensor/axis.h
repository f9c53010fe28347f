#pragma once
#include <concepts>

namespace glassbox {

// An axis of a tensor; negative axes count from the end. Only integer types convert to it, so that
// max(x, 0.5) and sum(x, true) do not compile.
class Axis {
  public:
    template <std::integral T>
    requires(!std::same_as<T, bool>) Axis(T axis) : axis_(static_cast<int>(axis)) {}
    operator int() const { return axis_; }

  private:
    int axis_;
};

// Whether a reduction keeps its axis, with size 1. Only bool converts to it, so that var(x, -1, 1) does not
// compile.
class Keep {
  public:
    template <std::same_as<bool> T>
    Keep(T keep) : keep_(keep) {}
    operator bool() const { return keep_; }

  private:
    bool keep_;
};

}  // namespace glassbox
