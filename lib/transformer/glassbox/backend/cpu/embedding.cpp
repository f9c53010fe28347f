#include <algorithm>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/parallel.h>

namespace glassbox {

namespace {

std::vector<index_t> to_integers(const ConstView& ids) {
    std::vector<real> buffer;
    const real* id = contiguous_data(ids, buffer);
    return std::vector<index_t>(id, id + ids.shape.numel());
}

}  // namespace

void CpuBackend::gather_rows(const ConstView& table, const ConstView& ids, const View& y) {
    const index_t d = table.shape[1], row = table.strides[0], col = table.strides[1];
    if (y.shape.numel() == 0) return;
    const std::vector<index_t> id = to_integers(ids);
    parallel_for(static_cast<index_t>(id.size()), std::max<index_t>(1, sizes().piece / d),
                 [&](index_t begin, index_t end) {
                     for (index_t i = begin; i < end; ++i) {
                         const real* from = table.data + id[static_cast<std::size_t>(i)] * row;
                         real* to = y.data + i * d;
                         for (index_t j = 0; j < d; ++j) to[j] = from[j * col];
                     }
                 });
}

// Every thread goes through all rows and sums some of the columns: no two threads write to the same element,
// and each sum is in row order.
void CpuBackend::scatter_rows(const ConstView& x, const ConstView& ids, const View& table) {
    fill(table, 0);
    if (x.shape.numel() == 0) return;
    const index_t d = table.shape[1];
    std::vector<real> buffer;
    const real* rows = contiguous_data(x, buffer);
    const std::vector<index_t> id = to_integers(ids);
    const index_t count = static_cast<index_t>(id.size());
    parallel_for(d, std::max<index_t>(64, sizes().piece / count), [&](index_t begin, index_t end) {
        for (index_t i = 0; i < count; ++i) {
            const real* from = rows + i * d;
            real* to = table.data + id[static_cast<std::size_t>(i)] * d;
            for (index_t j = begin; j < end; ++j) to[j] += from[j];
        }
    });
}

}  // namespace glassbox
