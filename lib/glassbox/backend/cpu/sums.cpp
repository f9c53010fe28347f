#include <glassbox/backend/cpu/sums.h>

#include <algorithm>
#include <vector>

#include <glassbox/backend/cpu/sizes.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/detail/kernel.h>

namespace glassbox {
namespace {

constexpr index_t group = 8;  // rows summed in `real` before they are added in double

// totals_j += Σ x_ij, i < group, for contiguous rows.
constexpr Kernel add_rows = [](auto, const real* x, index_t step, index_t n, double* totals) {
    for (index_t j = 0; j < n; ++j) {
        const real* p = x + j;
        const real sum = ((p[0] + p[step]) + (p[2 * step] + p[3 * step])) +
                         ((p[4 * step] + p[5 * step]) + (p[6 * step] + p[7 * step]));
        totals[j] += static_cast<double>(sum);
    }
};

void add_row(Matrix x, index_t row, index_t n, double* totals) {
    for (index_t j = 0; j < n; ++j) totals[j] += static_cast<double>(x.data[row * x.row + j * x.col]);
}

void column_sums_on_one_thread(index_t rows, index_t n, Matrix x, real* sums) {
    std::vector<double> totals(static_cast<std::size_t>(n), 0);
    index_t i = 0;
    if (x.col == 1)
        for (; i + group <= rows; i += group) add_rows(x.data + i * x.row, x.row, n, totals.data());
    for (; i < rows; ++i) add_row(x, i, n, totals.data());
    std::transform(totals.begin(), totals.end(), sums, [](double total) { return static_cast<real>(total); });
}

}  // namespace

void column_sums(index_t rows, index_t n, Matrix x, real* sums) {
    parallel_for(n, std::max<index_t>(64, sizes().piece / std::max<index_t>(rows, 1)),
                 [&](index_t begin, index_t end) {
                     column_sums_on_one_thread(rows, end - begin, {x.data + begin * x.col, x.row, x.col},
                                               sums + begin);
                 });
}

}  // namespace glassbox
