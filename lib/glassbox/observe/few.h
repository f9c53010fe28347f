#pragma once
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace glassbox {

// A list of a few things, mostly one to four, without an allocation: the inputs of an op, and their
// gradients.
template <class T>
class Few {
  public:
    Few() = default;
    template <class... Ts, class = std::enable_if_t<(std::is_convertible_v<Ts, T> && ...)>>
    Few(Ts&&... items) {
        (add(std::forward<Ts>(items)), ...);
    }

    void add(T item) {
        if (count_ < inline_count) first_[count_] = std::move(item);
        else rest_.push_back(std::move(item));
        ++count_;
    }
    std::size_t size() const { return count_; }
    T& operator[](std::size_t i) { return i < inline_count ? first_[i] : rest_[i - inline_count]; }
    const T& operator[](std::size_t i) const {
        return i < inline_count ? first_[i] : rest_[i - inline_count];
    }

  private:
    static constexpr std::size_t inline_count = 4;
    std::size_t count_ = 0;
    std::array<T, inline_count> first_{};
    std::vector<T> rest_;
};

}  // namespace glassbox
