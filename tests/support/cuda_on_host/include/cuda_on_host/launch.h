#pragma once
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime.h"

namespace cuda_on_host {

// A kernel with its arguments, which are kept while it may run in a stream or a graph.
struct Kernel {
    const void* function;
    dim3 grid, block;
    std::size_t shared;
    std::size_t shared_limit;  // of dynamic plus static shared memory
    std::shared_ptr<const void> held;
    void (*run_thread)(const void* held);
};
cudaError_t launch(Kernel kernel, const void* const* pointers, int pointer_count,
                   const cudaLaunchConfig_t& config);

template <typename... Params>
struct Held {
    void (*function)(Params...);
    std::tuple<Params...> arguments;
    static void run_thread(const void* held) {
        const Held& self = *static_cast<const Held*>(held);
        std::apply(self.function, self.arguments);
    }
};

template <typename T>
const void* pointer_in(const T& argument) {
    if constexpr (std::is_pointer_v<T>) return reinterpret_cast<const void*>(argument);
    else return nullptr;
}

}  // namespace cuda_on_host

template <typename... Params, typename... Args>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Params...), Args&&... args) {
    return [&](Params... coerced) {
        using Held = cuda_on_host::Held<Params...>;
        const void* pointers[] = {cuda_on_host::pointer_in(coerced)..., nullptr};
        auto held = std::make_shared<Held>(Held{kernel, std::tuple<Params...>(coerced...)});
        return cuda_on_host::launch({reinterpret_cast<const void*>(kernel), config->gridDim, config->blockDim,
                                     config->dynamicSmemBytes, 0, std::move(held), &Held::run_thread},
                                    pointers, sizeof...(Params), *config);
    }(std::forward<Args>(args)...);
}

template <typename... Params>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Params...), cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <typename... Params>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(Params...)) {
    return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <typename... Params>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(Params...), int threads,
                                                          std::size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(kernel),
                                                         threads, shared);
}
