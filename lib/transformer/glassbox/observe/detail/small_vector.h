#pragma once
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace glassbox::detail {

// A vector with inline storage for four elements: the inputs of an op and their gradients, without an
// allocation in the usual case.
template <class T>
class SmallVector {
  public:
    SmallVector() = default;
    template <class... Ts, class = std::enable_if_t<(std::is_convertible_v<Ts, T> && ...)>>
    SmallVector(Ts&&... items) {
        (add(std::forward<Ts>(items)), ...);
    }

    template <class Item>
    void add(Item&& item) {
        if (count_ == inline_count) heap_.assign(inline_.begin(), inline_.end());
        if (count_ < inline_count) inline_[count_] = std::forward<Item>(item);
        else heap_.push_back(std::forward<Item>(item));
        ++count_;
    }
    std::size_t size() const { return count_; }
    const T& operator[](std::size_t i) const { return begin()[i]; }
    const T* begin() const { return count_ <= inline_count ? inline_.data() : heap_.data(); }
    const T* end() const { return begin() + count_; }

  private:
    static constexpr std::size_t inline_count = 4;
    std::size_t count_ = 0;
    std::array<T, inline_count> inline_{};
    std::vector<T> heap_;  // all elements, once there are more than inline_count
};

}  // namespace glassbox::detail
