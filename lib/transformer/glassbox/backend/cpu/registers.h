#pragma once
#include <algorithm>
#include <cstring>
#include <utility>

#include <glassbox/tensor/processor.h>

// Loops over an array, a vector register at a time.
namespace glassbox {

template <class V>
[[GLASSBOX_INLINED]] inline V loaded(const real* x) {
    V v;
    std::memcpy(&v, x, sizeof v);
    return v;
}

template <class V>
[[GLASSBOX_INLINED]] inline void store(const V& v, real* y) {
    std::memcpy(y, &v, sizeof v);
}

template <class V, std::size_t... i>
[[GLASSBOX_INLINED]] inline void zip(const V& a, const V& b, V* both, std::index_sequence<i...>) {
    constexpr int n = sizeof...(i);
    both[0] = __builtin_shufflevector(a, b, (static_cast<int>(i) / 2 + (i % 2 ? n : 0))...);
    both[1] = __builtin_shufflevector(a, b, (static_cast<int>(i) / 2 + n / 2 + (i % 2 ? n : 0))...);
}

// Interleaves a and b: first their lower halves, then their upper halves.
template <class V>
[[GLASSBOX_INLINED]] inline void zip(const V& a, const V& b, V* both) {
    zip(a, b, both, std::make_index_sequence<sizeof(V) / sizeof(a[0])>());
}

// y_i = f(x_i, …), i < n, for an f of registers. y may be one of the x. The last register may overlap the one
// before it, so it is computed before anything is written.
template <class Set, class F, class... X>
[[GLASSBOX_INLINED]] inline void over_registers(index_t n, real* y, const F& f, const X*... x) {
    using V = Vector<Set>;
    constexpr index_t w = width<Set>;
    if (n < w) {
        const auto padded = [&](const real* from) {
            real all[w] = {};
            for (index_t j = 0; j < n; ++j) all[j] = from[j];
            return loaded<V>(all);
        };
        real all[w];
        store(V(f(padded(x)...)), all);
        for (index_t j = 0; j < n; ++j) y[j] = all[j];
        return;
    }
    V last = {};
    if (n % w != 0) last = f(loaded<V>(x + n - w)...);
    for (index_t i = 0; i + w <= n; i += w) store(V(f(loaded<V>(x + i)...)), y + i);
    if (n % w != 0) store(last, y + n - w);
}

}  // namespace glassbox
