// Transposes, heads, slices and axes of length 1 are passed to BLAS in place: no operand is copied for them.
#include <glassbox/backend/cpu/product.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/observe/tape.h>
#include <glassbox/ops/ops.h>

#include "support/catch.h"
#include "support/compare.h"
#include "support/devices.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// The cpu's product, compared with the oracle's; returns how many operands were copied.
index_t copies_of(const Tensor& a, const Tensor& b, const std::string& what) {
    devices();
    const index_t before = product_copies();
    const Tensor c = matmul(a, b);
    const index_t copies = product_copies() - before;
    check_close(c, matmul(a.to(Device::oracle), b.to(Device::oracle)), chain, what);
    return copies;
}

// (batch, heads, n, d) as a view of (batch, n, heads · d), the output of a projection.
Tensor heads_of(const Tensor& x, index_t heads) {
    const index_t d = x.size(-1) / heads;
    return permute(reshape(x, {x.size(0), x.size(1), heads, d}), {0, 2, 1, 3});
}

}  // namespace

TEST_CASE("transposed operands are not copied") {
    Random random(1);
    const Tensor a = random.normal({5, 4}), b = random.normal({4, 6});
    CHECK(copies_of(a, b, "A B") == 0);
    CHECK(copies_of(transpose(random.normal({4, 5})), b, "Aᵀ B") == 0);
    CHECK(copies_of(a, transpose(random.normal({6, 4})), "A Bᵀ") == 0);
    CHECK(copies_of(transpose(random.normal({4, 5})), transpose(random.normal({6, 4})), "Aᵀ Bᵀ") == 0);
}

TEST_CASE("heads are not copied, nor a single head, a single row, or a width of 1") {
    Random random(2);
    for (index_t batch : {1, 3})
        for (index_t heads : {1, 2, 4})
            for (index_t n : {1, 5})
                for (index_t d : {1, 3}) {
                    const Tensor Q = heads_of(random.normal({batch, n, heads * d}), heads);
                    const Tensor K = heads_of(random.normal({batch, n, heads * d}), heads);
                    const std::string what = "heads " + Q.shape().str();
                    CHECK(copies_of(Q, transpose(K), what + " Q Kᵀ") == 0);
                    const Tensor A = random.normal({batch, heads, n, n});
                    CHECK(copies_of(A, K, what + " A V") == 0);
                    CHECK(copies_of(transpose(A), K, what + " Aᵀ V") == 0);
                }
}

TEST_CASE("slices of rows and of columns are not copied") {
    Random random(3);
    const Tensor x = random.normal({2, 7, 12});
    for (const Tensor& part : split(x, -1, 3))
        CHECK(copies_of(part, transpose(part), "a third of the columns") == 0);
    CHECK(copies_of(slice(x, 1, 2, 5), random.normal({12, 3}), "rows") == 0);
    CHECK(copies_of(slice(x, 1, 2, 3), random.normal({12, 3}), "one row") == 0);
    CHECK(copies_of(slice(x, 2, 4, 5), random.normal({1, 3}), "one column") == 0);
    CHECK(copies_of(transpose(slice(x, 2, 4, 5)), random.normal({7, 3}), "one column as a row") == 0);
}

TEST_CASE("q, k and v of one projection, split into heads, are copied neither forward nor backward") {
    Random random(4);
    for (index_t heads : {1, 2}) {
        const index_t d = 3;
        const Tensor x = random.normal({2, 5, 4}), W = random.normal({4, heads * 3 * d});
        const index_t before = product_copies();
        Tape tape;
        const Tensor qkv = permute(reshape(matmul(x, W), {2, 5, heads, 3 * d}), {0, 2, 1, 3});
        const std::vector<Tensor> parts = split(qkv, -1, 3);
        const Tensor values = scaled_dot_product(parts[0], parts[1], parts[2]).values;
        const Tensor together = reshape(permute(values, {0, 2, 1, 3}), {2, 5, heads * d});
        tape.backward(sum(together * together));
        CHECK(product_copies() - before == 0);
    }
}

TEST_CASE("an operand with gaps in both axes is copied, counted, and multiplied correctly") {
    const Tensor x = Random(5).normal({6, 8});
    const Tensor gaps = x.alias({3, 4}, {16, 2});
    CHECK(copies_of(gaps, Random(6).normal({4, 2}), "every second row and column") == 1);
    CHECK(copies_of(broadcast_to(Random(7).normal({1, 4}), {3, 4}), Random(8).normal({4, 2}),
                    "one row thrice") == 1);
}
