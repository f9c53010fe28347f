#include <glassbox/backend/cpu/product.h>

#include <algorithm>
#include <cstring>

#include <glassbox/backend/cpu/registers.h>

namespace glassbox {

namespace {

// Transposes a square of n registers of n numbers in place: rows i and i + n/2 interleaved give rows 2i and
// 2i + 1. Each pass rotates the bits of an entry's (row, column) by one; as many as a row's number has
// exchange row and column.
template <class V, int n>
[[GLASSBOX_INLINED]] inline void transpose_square(V (&square)[n]) {
    V half_done[n];
#pragma GCC unroll 4
    for (int size = n; size > 1; size /= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < n / 2; ++i) zip(square[i], square[i + n / 2], half_done + 2 * i);
#pragma GCC unroll 16
        for (int i = 0; i < n; ++i) square[i] = half_done[i];
    }
}

constexpr Kernel pack_columns = []<class Set>(Set, Matrix b, index_t k, index_t n, real* to, index_t step) {
    constexpr index_t w = width<Set>;
    index_t done = 0;  // columns
    for (; done + w <= n; done += w) {
        index_t l = 0;
        for (; l + w <= k; l += w) {
            Vector<Set> square[w];
            const real* const from = b.data + l + done * b.col;
#pragma GCC unroll 16
            for (index_t i = 0; i < w; ++i) std::memcpy(&square[i], from + i * b.col, sizeof square[i]);
            transpose_square(square);
#pragma GCC unroll 16
            for (index_t i = 0; i < w; ++i)
                std::memcpy(to + (l + i) * step + done, &square[i], sizeof square[i]);
        }
        for (; l < k; ++l)
            for (index_t j = done; j < done + w; ++j) to[l * step + j] = b.data[l + j * b.col];
    }
    for (index_t l = 0; l < k; ++l) {
        for (index_t j = done; j < n; ++j) to[l * step + j] = b.data[l + j * b.col];
        std::fill(to + l * step + n, to + (l + 1) * step, real(0));
    }
};

constexpr Kernel pack_rows = [](auto, Matrix b, index_t k, index_t n, real* to, index_t step) {
    for (index_t l = 0; l < k; ++l)
        std::fill(std::copy_n(b.data + l * b.row, n, to + l * step), to + (l + 1) * step, real(0));
};

}  // namespace

void pack(Matrix b, index_t k, index_t n, real* to, index_t step) {
    if (b.col == 1 || n == 1) pack_rows(b, k, n, to, step);
    else pack_columns(b, k, n, to, step);
}

}  // namespace glassbox
