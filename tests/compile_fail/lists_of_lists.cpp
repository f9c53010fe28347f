// compiles
#include <glassbox/glassbox.h>

using namespace glassbox;

index_t all() {
    const Tensor row{1, 2}, rows{{1, 2}, {3, 4}}, column{{1}, {3}},
        matrices{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    const std::vector<Tensor> list{{1, 2}, {{1, 2}, {3, 4}}};
    const Tensor joined = concat({{{1, 2}, {3, 4}}, {{5, 6}}}, 0);
    return (row.numel() + rows.numel() + column.numel() + matrices.numel()) * joined.numel() *
           list[0].numel();
}
