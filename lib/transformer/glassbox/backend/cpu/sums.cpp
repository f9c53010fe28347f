#include <glassbox/backend/cpu/product.h>

#include <algorithm>
#include <vector>

#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

constexpr index_t group = 8;  // rows added at a time

// totals_j += Σ x_ij, i < group, for contiguous rows, the group's sum in the type of the first argument.
constexpr Kernel add_rows = []<class Number>(auto, Number, const real* x, index_t step, index_t n,
                                             double* totals) {
    for (index_t j = 0; j < n; ++j) {
        const real* p = x + j;
        const Number sum =
            ((Number(p[0]) + Number(p[step])) + (Number(p[2 * step]) + Number(p[3 * step]))) +
            ((Number(p[4 * step]) + Number(p[5 * step])) + (Number(p[6 * step]) + Number(p[7 * step])));
        totals[j] += static_cast<double>(sum);
    }
};

void add_row(Matrix x, index_t row, index_t n, double* totals) {
    for (index_t j = 0; j < n; ++j) totals[j] += static_cast<double>(x.data[row * x.row + j * x.col]);
}

template <class Number>
void column_sums_on_one_thread(index_t rows, index_t n, Matrix x, real* sums) {
    std::vector<double> totals(static_cast<std::size_t>(n), 0);
    index_t i = 0;
    if (x.col == 1)
        for (; i + group <= rows; i += group)
            add_rows(Number(0), x.data + i * x.row, x.row, n, totals.data());
    for (; i < rows; ++i) add_row(x, i, n, totals.data());
    std::transform(totals.begin(), totals.end(), sums, [](double total) { return static_cast<real>(total); });
}

}  // namespace

template <class Number>
void column_sums(index_t rows, index_t n, Matrix x, real* sums) {
    parallel_for(n, std::max<index_t>(64, sizes().piece / std::max<index_t>(rows, 1)),
                 [&](index_t begin, index_t end) {
                     column_sums_on_one_thread<Number>(rows, end - begin,
                                                       {x.data + begin * x.col, x.row, x.col}, sums + begin);
                 });
}

template void column_sums<float>(index_t rows, index_t n, Matrix x, real* sums);
template void column_sums<double>(index_t rows, index_t n, Matrix x, real* sums);

}  // namespace glassbox
