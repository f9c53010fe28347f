#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Row `id` of the table for every id: table (n, d), ids (…) whole numbers kept as real, y (…, d). The same
// as one-hot rows times the table. Throws Error that names the id and n when an id is none of 0 … n − 1.
Tensor embedding(const Tensor& table, const Tensor& ids);

// 1 at column `id`, else 0: ids (…), y (…, n).
Tensor one_hot(const Tensor& ids, index_t n);

}  // namespace glassbox
