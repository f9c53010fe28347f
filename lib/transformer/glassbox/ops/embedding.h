#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Row `id` of the table for every id: table (n, d), ids (…) integers stored as real, y (…, d). The same as
// one_hot(ids) times the table. Throws Error with the id and n unless all ids are in 0 … n − 1.
Tensor embedding(const Tensor& table, const Tensor& ids);

// 1 in column `id`, else 0: ids (…), y (…, n).
Tensor one_hot(const Tensor& ids, index_t n);

}  // namespace glassbox
