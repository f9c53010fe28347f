#include <glassbox/ops/ops.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/record.h>
#include <glassbox/ops/detail/integers.h>
#include <glassbox/tensor/detail/mutable_view.h>

namespace glassbox {

using namespace detail;

namespace {

void check_ids(const char* op, const Tensor& ids, index_t n) {
    if (const auto wrong = first_non_integer(ids, 0, n - 1))
        fail("{}: ids are whole numbers from 0 to {}, got {} at {}", op, n - 1, wrong->value, wrong->place);
}

// table[ids_i] += rows_i, in the order of i; on the host, which reads the ids.
void add_rows(const Tensor& rows, const Tensor& ids, Tensor& table) {
    const index_t d = table.size(1);
    const Tensor all = rows.contiguous() ? rows : rows.clone();
    const View to = mutable_view(table);
    const real* from = all.data();
    for (const real id : ids.values()) {
        const ConstView row{from, {d}, {1}};
        const View sum{to.data + static_cast<index_t>(id) * d, {d}, {1}};
        backend(Device::cpu).binary(Binary::add, sum, row, sum);
        from += d;
    }
}

}  // namespace

Tensor one_hot(const Tensor& ids, index_t n) {
    check_ids("one_hot", ids, n);
    Tensor rows = Tensor::zeros(ids.shape().with_appended(n));
    real* row = rows.writable().data;
    for (const real id : ids.values()) {
        row[static_cast<index_t>(id)] = 1;
        row += n;
    }
    return rows.to(ids.device());
}

// y_i = table[ids_i]          ∂L/∂table[n] = Σ ∂L/∂y_i over the i with ids_i = n
Tensor embedding(const Tensor& table, const Tensor& ids) {
    const Device device = common_device("embedding", table, ids);
    if (table.rank() != 2) fail("embedding: needs a table of shape (n, d), got {}", table.shape());
    if (table.size(0) < 1) fail("embedding: needs a table of at least 1 row, got {}", table.shape());
    check_ids("embedding", ids, table.size(0));
    Tensor y = Tensor::empty(ids.shape().with_appended(table.size(1)), device);  // (…, d)
    backend(device).gather_rows(table.view(), ids.view(), y.writable());
    return record("embedding", y, {&table, &ids}, [table, ids, device](const Tensor& dy) -> Tape::Gradients {
        if (Tensor* dtable = device == Device::cpu ? filled_gradient_buffer(table) : nullptr) {
            add_rows(dy, ids, *dtable);
            return {no_gradient, no_gradient};
        }
        Tensor dtable = gradient_buffer(table);
        backend(device).scatter_rows(dy.view(), ids.view(), mutable_view(dtable));
        return {dtable, no_gradient};
    });
}

}  // namespace glassbox
