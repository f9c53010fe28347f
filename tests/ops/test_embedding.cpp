#include <glassbox/ops/ops.h>

#include <limits>

#include <glassbox/backend/parallel.h>
#include <glassbox/ops/detail/integers.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

const Function rows_of = [](const std::vector<Tensor>& x) { return embedding(x[0], x[1]); };

Tensor random_ids(Random& random, const Shape& shape, index_t n) {
    std::vector<real> ids(static_cast<std::size_t>(shape.numel()));
    for (real& id : ids) id = static_cast<real>(random.whole(0, n - 1));
    return Tensor(shape, ids);
}

}  // namespace

DEVICE_TEST("embedding and one_hot by hand") {
    const Tensor table = Tensor{{1, 2}, {3, 4}, {5, 6}}.to(device), ids = Tensor{2, 0, 2}.to(device);
    check_close(embedding(table, ids), {{5, 6}, {1, 2}, {5, 6}}, exact, "rows");
    check_close(embedding(table, Tensor(Shape{}, {1}, device)), {3, 4}, exact, "of one id");
    check_close(one_hot(ids, 3), {{0, 0, 1}, {1, 0, 0}, {0, 0, 1}}, exact, "one_hot");
    check_close(matmul(one_hot(ids, 3), table), embedding(table, ids), exact, "one-hot rows times the table");
}

DEVICE_TEST("the gradient of a table's row is the sum over the positions that used it") {
    const Tensor table = Tensor::zeros({3, 2}, device), ids = Tensor{2, 0, 2}.to(device);
    const std::vector<Tensor> gradients =
        tape_gradients(rows_of, {table, ids}, Tensor{{1, 2}, {10, 20}, {100, 200}}.to(device));
    check_close(gradients[0], {{10, 20}, {0, 0}, {101, 202}}, exact, "∂/∂table");
    check_close(gradients[1], {0, 0, 0}, exact, "∂/∂ids");
}

DEVICE_TEST("embedding on random shapes: oracle, paths, gradients") {
    for_seeds(40, [&](Random& random) {
        const index_t n = random.whole(1, 5), d = random.whole(0, 4);
        const Tensor ids = random_ids(random, random.shape(0, 4, 3), n);
        OpCheck check;
        check.without_gradient = {1};
        check.finite_differences =
            false;  // ids are integers; the table enters linearly: compared with the oracle
        check_op(device, random, "embedding" + ids.shape().str(), rows_of, {random.normal({n, d}), ids},
                 check);
    });
}

DEVICE_TEST("the table's gradient agrees with finite differences") {
    for_seeds(10, [&](Random& random) {
        const Tensor ids = random_ids(random, {2, 3}, 4).to(device);
        check_tape_gradients([&](const std::vector<Tensor>& x) { return embedding(x[0], ids); },
                             {random.normal({4, 2}).to(device)}, random.normal({2, 3, 2}).to(device),
                             "embedding");
    });
}

DEVICE_TEST("large embeddings, split over threads, match the oracle") {
    Random random(1);
    OpCheck check;
    check.without_gradient = {1};
    check_op(device, random, "embedding of 900 ids", rows_of,
             {random.normal({50, 150}), random_ids(random, {30, 30}, 50)}, check);
}

TEST_CASE("embedding and its gradient have the same bits on any number of threads") {
    Random random(2);
    const int before = num_threads();
    const Tensor table = random.normal({20, 300}), ids = random_ids(random, {500}, 20),
                 dy = random.normal({500, 300});
    set_num_threads(1);
    const Tensor alone = tape_gradients(rows_of, {table, ids}, dy)[0];
    set_num_threads(4);
    check_close(tape_gradients(rows_of, {table, ids}, dy)[0], alone, exact, "∂/∂table");
    set_num_threads(before);
}

DEVICE_TEST("embedding of no ids, of rows without numbers") {
    const Tensor none = Tensor::zeros({0}, device);
    CHECK(embedding(Tensor::zeros({3, 2}, device), none).shape() == Shape{0, 2});
    CHECK(embedding(Tensor::zeros({3, 0}, device), Tensor{0, 2}.to(device)).shape() == Shape{2, 0});
    CHECK(one_hot(none, 4).shape() == Shape{0, 4});
    const std::vector<Tensor> gradients =
        tape_gradients(rows_of, {Tensor::ones({3, 2}, device), none}, Tensor::zeros({0, 2}, device));
    check_close(gradients[0], Tensor::zeros({3, 2}), exact, "∂/∂table");
}

TEST_CASE("ids outside the table are refused by name") {
    devices();
    const Tensor table = Tensor::zeros({3, 2});
    const std::string rule = "embedding: ids are whole numbers from 0 to 2, got ";
    check_error([&] { embedding(table, Tensor{0, 3}); }, rule + "3 at (1,)");
    check_error([&] { embedding(table, Tensor{-1}); }, rule + "-1 at (0,)");
    check_error([&] { embedding(table, Tensor{0.5f}); }, rule + "0.5 at (0,)");
    check_error([&] { embedding(table, Tensor{NaN}); }, rule + "nan at (0,)");
    check_error([&] { one_hot(Tensor{4}, 4); }, "one_hot: ids are whole numbers from 0 to 3, got 4 at (0,)");
    const index_t many = max_exact_integer + 4;  // n − 1 is rounded up to n as a real
    const Tensor last = Tensor(static_cast<real>(many));
    CHECK_THROWS_AS(embedding(Tensor::zeros({many, 0}), last), Error);
    CHECK_THROWS_AS(one_hot(last, many), Error);
    check_error([&] { one_hot(Tensor::zeros({8}), index_t{1} << 61); },
                "shape: (8, 2305843009213693952) has more elements than can be counted");
    check_error([&] { one_hot(Tensor::zeros({0}), -1); }, "shape: sizes must not be negative, got (0, -1)");
    check_error([&] { embedding(Tensor::zeros({3}), Tensor{0}); },
                "embedding: needs a table of shape (n, d), got (3,)");
    check_error(
        [&] {
            embedding(Tensor::zeros({0, 2}), Tensor{0});
        },
        "embedding: needs a table of at least 1 row, got (0, 2)");
    check_error([&] { embedding(table, Tensor()); }, "embedding: an operand is undefined");
    check_error([&] { embedding(table, Tensor{0}.to(Device::oracle)); },
                "embedding: operands on two devices: cpu and oracle");
}
