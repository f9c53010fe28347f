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
        constexpr bool takes_it = std::is_invocable_v<F&, const Tensor&>;
        static_assert(takes_it,
                      "record: a pullback takes the gradient of the result: [..](const Tensor& dy)");
        if constexpr (takes_it) {
            constexpr bool returns_them =
                std::is_convertible_v<std::invoke_result_t<F&, const Tensor&>, Gradients>;
            static_assert(returns_them,
                          "record: a pullback returns the gradients of the inputs, in their order, as "
                          "Tape::Gradients, or of a single input as a Tensor");
            if constexpr (returns_them) keep<F>(std::forward<Function>(function));
        }
    }
    ~Pullback() { destroy_(room_); }
    Pullback(const Pullback&) = delete;
    Pullback& operator=(const Pullback&) = delete;

    Gradients operator()(const Tensor& dy) { return call_(room_, dy); }

  private:
    // In the room, or, where it is larger, behind a pointer there.
    template <class F, class Function>
    void keep(Function&& function) {
        if constexpr (sizeof(F) <= sizeof(room_) && alignof(F) <= alignof(std::max_align_t)) {
            new (room_) F(std::forward<Function>(function));
            call_ = [](void* f, const Tensor& dy) -> Gradients { return (*static_cast<F*>(f))(dy); };
            destroy_ = [](void* f) { static_cast<F*>(f)->~F(); };
        } else {
            new (room_) F*(new F(std::forward<Function>(function)));
            call_ = [](void* f, const Tensor& dy) -> Gradients { return (**static_cast<F**>(f))(dy); };
            destroy_ = [](void* f) { delete *static_cast<F**>(f); };
        }
    }

    Gradients (*call_)(void*, const Tensor&);
    void (*destroy_)(void*);
    alignas(std::max_align_t) std::byte room_[160];
};

// In a pullback's list, of an input that has none: labels, ids, a plain number.
inline const Tensor no_gradient;

}  // namespace glassbox
