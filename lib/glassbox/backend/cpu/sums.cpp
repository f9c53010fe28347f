#include <glassbox/backend/cpu/sums.h>

#include <algorithm>
#include <vector>

#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/detail/clones.h>

namespace glassbox {
namespace {

constexpr index_t piece = index_t{1} << 15;  // elements a thread takes at a time
constexpr index_t together = 8;              // rows added up before they count as doubles

// totals_j += Σ x_ij, i < together, where the numbers of a row are adjacent.
GLASSBOX_CLONES void add_rows(const real* x, index_t step, index_t n, double* totals) {
    for (index_t j = 0; j < n; ++j) {
        const real* p = x + j;
        const real sum = ((p[0] + p[step]) + (p[2 * step] + p[3 * step])) +
                         ((p[4 * step] + p[5 * step]) + (p[6 * step] + p[7 * step]));
        totals[j] += static_cast<double>(sum);
    }
}

void add_row(Matrix x, index_t row, index_t n, double* totals) {
    for (index_t j = 0; j < n; ++j) totals[j] += static_cast<double>(x.data[row * x.row + j * x.col]);
}

void some_column_sums(index_t rows, index_t n, Matrix x, real* sums) {
    std::vector<double> totals(static_cast<std::size_t>(n), 0);
    index_t i = 0;
    if (x.col == 1)
        for (; i + together <= rows; i += together) add_rows(x.data + i * x.row, x.row, n, totals.data());
    for (; i < rows; ++i) add_row(x, i, n, totals.data());
    std::transform(totals.begin(), totals.end(), sums, [](double total) { return static_cast<real>(total); });
}

}  // namespace

void column_sums(index_t rows, index_t n, Matrix x, real* sums) {
    parallel_for(
        n, std::max<index_t>(64, piece / std::max<index_t>(rows, 1)), [&](index_t begin, index_t end) {
            some_column_sums(rows, end - begin, {x.data + begin * x.col, x.row, x.col}, sums + begin);
        });
}

}  // namespace glassbox
