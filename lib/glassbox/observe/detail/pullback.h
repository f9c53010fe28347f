#pragma once
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <glassbox/observe/detail/few.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// How gradients flow back through one op: what std::function is, without an allocation for what the function
// has captured, as long as that is a handful of tensors and shapes.
class Pullback {
  public:
    using Gradients = Few<Tensor>;  // of the op's inputs, in order

    template <class Function>
    explicit Pullback(Function&& function) {
        using F = std::decay_t<Function>;
        if constexpr (sizeof(F) <= sizeof(room_) && alignof(F) <= alignof(std::max_align_t)) {
            new (room_) F(std::forward<Function>(function));
            call_ = [](void* f, const Tensor& dy) { return (*static_cast<F*>(f))(dy); };
            destroy_ = [](void* f) { static_cast<F*>(f)->~F(); };
        } else {
            new (room_) F*(new F(std::forward<Function>(function)));
            call_ = [](void* f, const Tensor& dy) { return (**static_cast<F**>(f))(dy); };
            destroy_ = [](void* f) { delete *static_cast<F**>(f); };
        }
    }
    ~Pullback() { destroy_(room_); }
    Pullback(const Pullback&) = delete;
    Pullback& operator=(const Pullback&) = delete;

    Gradients operator()(const Tensor& dy) { return call_(room_, dy); }

  private:
    Gradients (*call_)(void*, const Tensor&);
    void (*destroy_)(void*);
    alignas(std::max_align_t) std::byte room_[160];
};

// In a pullback's list, of an input that has none: labels, ids, a plain number.
inline const Tensor no_gradient;

}  // namespace glassbox
