// error: lists give at most 3 axes: Tensor(shape, {numbers})
#include <glassbox/glassbox.h>

using namespace glassbox;

const Tensor x{{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}};
