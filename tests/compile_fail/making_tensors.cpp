// What a tensor is made of. Each case is compiled by itself: see check.
#include <glassbox/glassbox.h>

using namespace glassbox;

#ifdef CASE_doubles_as_numbers
// error: numbers are real: std::vector<real>
int main() {
    const std::vector<double> numbers{1, 2};
    const Tensor x({2}, numbers);
}
#endif

#ifdef CASE_numbers_without_a_shape
// error: numbers need a shape: Tensor({n}, values)
int main() {
    const std::vector<float> numbers{1, 2};
    const Tensor x(numbers);
}
#endif

#ifdef CASE_shape_taken_for_numbers
// error: a shape has no numbers: Tensor::zeros(shape)
int main() { const Tensor x(Shape{2, 3}); }
#endif

#ifdef CASE_number_beyond_float
// error: narrow
// error: e+300
const Tensor x{{1e300, 2}};
#endif

#ifdef CASE_four_axes_in_a_list
// error: lists give at most 3 axes: Tensor(shape, {numbers})
const Tensor x{{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}};
#endif

#ifdef CASE_lists_of_lists
// compiles
index_t all() {
    const Tensor row{1, 2}, rows{{1, 2}, {3, 4}}, column{{1}, {3}},
        matrices{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    const std::vector<Tensor> list{{1, 2}, {{1, 2}, {3, 4}}};
    const Tensor joined = concat({{{1, 2}, {3, 4}}, {{5, 6}}}, 0);
    return (row.numel() + rows.numel() + column.numel() + matrices.numel()) * joined.numel() *
           list[0].numel();
}
#endif
