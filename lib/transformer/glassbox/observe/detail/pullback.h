#pragma once
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <glassbox/observe/detail/small_vector.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox::detail {

// The gradient function of one op: a std::function that is not copyable, with enough inline storage that
// capturing a handful of tensors and shapes does not allocate.
class Pullback {
  public:
    using Gradients = SmallVector<Tensor>;  // of the op's inputs, in order

    template <class Function>
    explicit Pullback(Function&& function) {
        using F = std::decay_t<Function>;
        constexpr bool accepts_gradient = std::is_invocable_v<F&, const Tensor&>;
        static_assert(accepts_gradient,
                      "record: a pullback takes the gradient of the result: [..](const Tensor& dy)");
        if constexpr (accepts_gradient) {
            constexpr bool returns_gradients =
                std::is_convertible_v<std::invoke_result_t<F&, const Tensor&>, Gradients>;
            static_assert(returns_gradients,
                          "record: a pullback returns the gradients of the inputs, in their order, as "
                          "Tape::Gradients, or of a single input as a Tensor");
            if constexpr (returns_gradients) store<F>(std::forward<Function>(function));
        }
    }
    ~Pullback() { destroy_(storage_); }
    Pullback(const Pullback&) = delete;
    Pullback& operator=(const Pullback&) = delete;

    Gradients operator()(const Tensor& dy) { return call_(storage_, dy); }

  private:
    // Inline, or on the heap if it is too large.
    template <class F, class Function>
    void store(Function&& function) {
        if constexpr (sizeof(F) <= sizeof(storage_) && alignof(F) <= alignof(std::max_align_t)) {
            new (storage_) F(std::forward<Function>(function));
            call_ = [](void* f, const Tensor& dy) -> Gradients { return (*static_cast<F*>(f))(dy); };
            destroy_ = [](void* f) { static_cast<F*>(f)->~F(); };
        } else {
            new (storage_) F*(new F(std::forward<Function>(function)));
            call_ = [](void* f, const Tensor& dy) -> Gradients { return (**static_cast<F**>(f))(dy); };
            destroy_ = [](void* f) { delete *static_cast<F**>(f); };
        }
    }

    Gradients (*call_)(void*, const Tensor&);
    void (*destroy_)(void*);
    alignas(std::max_align_t) std::byte storage_[160];
};

}  // namespace glassbox::detail
