#include <glassbox/ops/embedding.h>

#include <cmath>

#include <glassbox/ops/check.h>
#include <glassbox/ops/matmul.h>
#include <glassbox/ops/views.h>

namespace glassbox {
namespace {

std::vector<index_t> checked_ids(const char* op, const Tensor& ids, index_t n) {
    std::vector<index_t> result;
    for (const real id : ids.values()) {
        if (!(id >= 0) || !(id < static_cast<real>(n)) || id != std::floor(id))
            fail("{}: ids are whole numbers from 0 to {}, got {}", op, n - 1, id);
        result.push_back(static_cast<index_t>(id));
    }
    return result;
}

}  // namespace

Tensor one_hot(const Tensor& ids, index_t n) {
    std::vector<real> rows(static_cast<std::size_t>(ids.numel() * n));
    std::size_t row = 0;
    for (const index_t id : checked_ids("one_hot", ids, n)) {
        rows[row + static_cast<std::size_t>(id)] = 1;
        row += static_cast<std::size_t>(n);
    }
    return Tensor(ids.shape().with_appended(n), rows, ids.device());
}

// y_i = table[ids_i]
Tensor embedding(const Tensor& table, const Tensor& ids) {
    common_device("embedding", table, ids);
    if (table.rank() != 2) fail("embedding: a table of shape (n, d) needed, got {}", table.shape());
    const Tensor rows = reshape(one_hot(ids, table.size(0)), {ids.numel(), table.size(0)});
    return reshape(matmul(rows, table), ids.shape().with_appended(table.size(1)));
}

}  // namespace glassbox
