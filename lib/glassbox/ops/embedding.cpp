#include <glassbox/ops/embedding.h>

#include <cmath>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/ops/check.h>

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

// y_i = table[ids_i]          ∂L/∂table[n] = Σ ∂L/∂y_i over the i with ids_i = n
Tensor embedding(const Tensor& table, const Tensor& ids) {
    const Device device = common_device("embedding", table, ids);
    if (table.rank() != 2) fail("embedding: a table of shape (n, d) needed, got {}", table.shape());
    if (table.size(0) < 1) fail("embedding: a table of at least 1 row needed, got {}", table.shape());
    checked_ids("embedding", ids, table.size(0));
    Tensor y = Tensor::empty(ids.shape().with_appended(table.size(1)), device);  // (…, d)
    backend(device).gather_rows(table.view(), ids.view(), y.writable());
    return record("embedding", y, {&table, &ids},
                  [ids, shape = table.shape(), device](const Tensor& dy) -> Tape::Gradients {
                      Tensor dtable = Tensor::empty(shape, device);
                      backend(device).scatter_rows(dy.view(), ids.view(), dtable.writable());
                      return {dtable};
                  });
}

}  // namespace glassbox
