#include <glassbox/ops/ops.h>

#include <algorithm>
#include <numeric>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// Squared, so that the gradient depends on where each number went.
Function squared(const std::function<Tensor(const Tensor&)>& view) {
    return [view](const std::vector<Tensor>& x) {
        const Tensor y = view(x[0]);
        return y * y;
    };
}

}  // namespace

DEVICE_TEST("views by hand") {
    const Tensor x = Tensor{{1, 2, 3}, {4, 5, 6}}.to(device);
    check_close(transpose(x), {{1, 4}, {2, 5}, {3, 6}}, exact, "transpose");
    check_close(permute(x, {-1, 0}), {{1, 4}, {2, 5}, {3, 6}}, exact, "permute");
    check_close(reshape(x, {3, 2}), {{1, 2}, {3, 4}, {5, 6}}, exact, "reshape");
    check_close(reshape(transpose(x), {6}), {1, 4, 2, 5, 3, 6}, exact, "reshape of a transpose");
    check_close(slice(x, 1, 1, 3), {{2, 3}, {5, 6}}, exact, "slice");
    check_close(slice(x, -2, 1, 2), Tensor({1, 3}, {4, 5, 6}), exact, "slice of rows");
    check_close(broadcast_to(Tensor{1, 2}.to(device), {2, 2}), {{1, 2}, {1, 2}}, exact, "broadcast_to");
    check_close(concat({x, transpose(x).alias({2, 1}, {1, 1})}, 1), {{1, 2, 3, 1}, {4, 5, 6, 2}}, exact,
                "concat");
    check_close(concat({x, x}, 0), {{1, 2, 3}, {4, 5, 6}, {1, 2, 3}, {4, 5, 6}}, exact, "concat of rows");
    const std::vector<Tensor> thirds = split(x, -1, 3);
    CHECK(thirds.size() == 3);
    check_close(thirds[2], Tensor({2, 1}, {3, 6}), exact, "a third");
    check_close(contiguous(transpose(x)), {{1, 4}, {2, 5}, {3, 6}}, exact, "contiguous");
}

DEVICE_TEST("reshape: a size of −1 is inferred") {
    const Tensor x = Tensor{{1, 2, 3}, {4, 5, 6}}.to(device);
    check_close(reshape(x, {-1, 2}), {{1, 2}, {3, 4}, {5, 6}}, exact, "(−1, 2)");
    check_close(reshape(x, {-1}), {1, 2, 3, 4, 5, 6}, exact, "(−1)");
    CHECK(reshape(x, {1, 6, -1}).shape() == Shape{1, 6, 1});
    CHECK(reshape(x, {3, -1}).shares_storage_with(x));
    CHECK(reshape(Tensor(Shape{0, 3}, {}, device), {3, -1}).shape() == Shape{3, 0});
    CHECK(reshape(Tensor(2.0).to(device), {-1}).shape() == Shape{1});
    CHECK(reshape(Tensor{7}.to(device), {}).shape() == Shape{});
}

DEVICE_TEST("views share storage; only concat, contiguous and reshapes with gaps copy") {
    const Tensor x = Tensor::ones({2, 3, 4}, device);
    CHECK(transpose(x).shares_storage_with(x));
    CHECK(permute(x, {2, 0, 1}).shares_storage_with(x));
    CHECK(reshape(x, {6, 4}).shares_storage_with(x));
    CHECK(slice(x, 1, 0, 2).shares_storage_with(x));
    CHECK(split(x, 2, 2)[1].shares_storage_with(x));
    CHECK(broadcast_to(x, {5, 2, 3, 4}).shares_storage_with(x));
    CHECK(contiguous(x).id() == x.id());
    CHECK_FALSE(reshape(transpose(x), {24}).shares_storage_with(x));
    CHECK_FALSE(contiguous(transpose(x)).shares_storage_with(x));
    CHECK(contiguous(transpose(x)).contiguous());
    // An axis of length 1 may have any stride: swapping it makes no gap.
    const Tensor one_head = permute(Tensor::ones({2, 5, 1, 4}, device), {0, 2, 1, 3});
    CHECK(reshape(one_head, {2, 5, 4}).shares_storage_with(one_head));
}

DEVICE_TEST("views and copies on random shapes: oracle, paths, gradients") {
    for_seeds(40, [&](Random& random) {
        const Tensor x = random.normal(random.shape(2, 5, 3));
        const std::string of = " of " + x.shape().str();
        std::vector<int> order(static_cast<std::size_t>(x.rank()));
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size() - 1; i > 0; --i)
            std::swap(order[i], order[static_cast<std::size_t>(random.whole(0, static_cast<index_t>(i)))]);
        for (int& axis : order)
            if (random.whole(0, 2) == 0) axis -= x.rank();
        const int axis = static_cast<int>(random.whole(-x.rank(), x.rank() - 1));
        const index_t begin = random.whole(0, x.size(axis)), end = random.whole(begin, x.size(axis));
        const Shape flat{x.numel()};
        Shape wide = x.shape();
        for (int i = 0; i < wide.rank(); ++i)
            if (wide[i] == 1) wide = wide.with(i, 2);

        const auto check = [&](const char* name, const std::function<Tensor(const Tensor&)>& view) {
            check_op(device, random, name + of, squared(view), {x});
        };
        check("transpose", [](const Tensor& t) { return transpose(t); });
        check("permute", [&](const Tensor& t) { return permute(t, order); });
        check("reshape", [&](const Tensor& t) { return reshape(t, flat); });
        check("slice", [&](const Tensor& t) { return slice(t, axis, begin, end); });
        check("broadcast_to", [&](const Tensor& t) { return broadcast_to(t, wide); });
        check("contiguous", [](const Tensor& t) { return contiguous(transpose(t)); });
        check("split",
              [&](const Tensor& t) { return split(t, axis, std::max<index_t>(1, x.size(axis))).back(); });
    });
}

DEVICE_TEST("concat of up to six random parts: oracle, paths, gradients") {
    for_seeds(40, [&](Random& random) {
        const Shape shape = random.shape(1, 4, 3);
        const int axis = static_cast<int>(random.whole(-shape.rank(), shape.rank() - 1));
        std::vector<Tensor> parts;
        for (index_t count = random.whole(1, 6); count > 0; --count)
            parts.push_back(random.normal(shape.with(axis, random.whole(0, 3))));
        check_op(
            device, random, "concat on axis " + std::to_string(axis) + " of " + shape.str(),
            [&](const std::vector<Tensor>& x) {
                const Tensor y = concat(x, axis);
                return y * y;
            },
            parts);
    });
}

DEVICE_TEST("splitting and joining gives the same numbers") {
    for_seeds(20, [&](Random& random) {
        const index_t parts = random.whole(1, 4);
        const Tensor x = random.normal({2, parts * random.whole(0, 3), 3}).to(device);
        check_close(concat(split(x, 1, parts), 1), x, exact, "concat(split(x))");
    });
}

DEVICE_TEST("views of scalars, of empty tensors and with 8 axes") {
    Random random(1);
    const Tensor scalar = Tensor(real(3)).to(device);
    check_close(reshape(scalar, {1, 1}), Tensor({1, 1}, {3}), exact, "reshape of a scalar");
    check_close(broadcast_to(scalar, {2}), {3, 3}, exact, "broadcast scalar");
    check_close(permute(scalar, {}), Tensor(real(3)), exact, "permute of a scalar");
    CHECK(reshape(Tensor::zeros({0, 3}, device), {5, 0}).shape() == Shape{5, 0});
    CHECK(slice(Tensor::zeros({4}, device), 0, 4, 4).shape() == Shape{0});
    CHECK(split(Tensor::zeros({0, 2}, device), 0, 3)[2].shape() == Shape{0, 2});
    check_op(device, random, "permute of 8 axes", squared([](const Tensor& t) {
                 return permute(t, {7, 0, 6, 1, 5, 2, 4, 3});
             }),
             {random.normal({1, 2, 1, 2, 3, 1, 2, 2})});
}

TEST_CASE("invalid arguments of views are refused with the shape") {
    devices();
    const Tensor x = Tensor::zeros({2, 3});
    check_error([] { return transpose(Tensor{1, 2}); }, "transpose: needs at least 2 axes, got shape (2,)");
    check_error([&] { return permute(x, {0}); }, "permute: 1 axes named for shape (2, 3)");
    check_error([&] { return permute(x, {1, -1}); }, "permute: axis -1 is named twice");
    check_error([&] { return permute(x, {0, 2}); }, "shape: (2, 3) has no axis 2");
    check_error([&] { return reshape(x, {4, 2}); }, "reshape: 6 elements do not fit: (2, 3) to (4, 2)");
    check_error([&] { return reshape(x, {-1, 2, -1}); }, "reshape: one size may be -1, got (-1, 2, -1)");
    check_error([&] { return reshape(x, {4, -1}); }, "reshape: 6 elements do not divide: (2, 3) to (4, -1)");
    check_error([&] { return reshape(x, {0, -1}); }, "reshape: 6 elements do not divide: (2, 3) to (0, -1)");
    check_error(
        [&] {
            return reshape(Tensor::zeros({0, 3}), {0, -1});
        },
        "reshape: 0 elements do not divide: (0, 3) to (0, -1)");
    check_error([&] { return reshape(x, {-2, -1}); }, "shape: sizes must not be negative, got (-2, 1)");
    check_error(
        [&] {
            return broadcast_to(x, {3, 3});
        },
        "broadcast_to: a tensor of shape (2, 3) does not broadcast to (3, 3)");
    check_error([&] { return broadcast_to(x, {3}); },
                "broadcast_to: a tensor of shape (2, 3) does not broadcast to (3,)");
    check_error([&] { return slice(x, 1, 1, 4); }, "slice: [1, 4) is not within axis 1 of shape (2, 3)");
    check_error([&] { return slice(x, 1, -1, 2); },
                "slice: [-1, 2) is not within axis 1 of shape (2, 3): an index counts from the front "
                "here; axes and i of x[i] may be negative");
    check_error([&] { return slice(x, -1, 2, 1); }, "slice: [2, 1) is not within axis 1 of shape (2, 3)");
    check_error([&] { return slice(x, 2, 0, 1); }, "shape: (2, 3) has no axis 2");
    check_error([&] { return split(x, 1, 2); },
                "split: axis 1 of shape (2, 3) does not split into 2 equal parts");
    check_error([&] { return split(x, 1, 0); },
                "split: axis 1 of shape (2, 3) does not split into 0 equal parts");
    check_error([] { return concat({}, 0); }, "concat: no parts given");
    check_error(
        [&] {
            return concat({x, Tensor::zeros({3, 3})}, 1);
        },
        "concat: shapes differ outside axis 1: (2, 3) and (3, 3)");
    check_error(
        [&] {
            return concat({x, Tensor::zeros({2})}, 0);
        },
        "concat: shapes differ outside axis 0: (2, 3) and (2,)");
    check_error(
        [&] {
            return concat({x, x.to(Device::oracle)}, 0);
        },
        "concat: operands on two devices: cpu and oracle");
    check_error([&] { return concat({x, Tensor()}, 0); }, "concat: an operand is undefined");
    check_error([&] { return reshape(Tensor(), {1}); },
                "tensor: an undefined tensor was used: one declared but never given a value");
}

DEVICE_TEST("unbind by hand: the entries of an axis, whose gradients form one block") {
    const Tensor x = Tensor({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, device);
    const std::vector<Tensor> parts = unbind(x, 1);
    REQUIRE(parts.size() == 3);
    check_close(parts[1], {{2, 3}, {8, 9}}, exact, "part 1");
    CHECK(parts[1].shares_storage_with(x));
    // the middle one is not used, the last one twice
    const Function some = [](const std::vector<Tensor>& in) {
        const std::vector<Tensor> part = unbind(in[0], 1);
        return part[0] * 3 + part[2] * part[2];
    };
    check_close(tape_gradients(some, {x}, Tensor::ones({2, 2}, device))[0],
                Tensor({2, 3, 2}, {3, 3, 0, 0, 8, 10, 3, 3, 0, 0, 20, 22}), exact, "∂/∂x");
    const Function none = [](const std::vector<Tensor>& in) {
        return static_cast<void>(unbind(in[0], 1)), in[0] * 2;
    };
    check_close(tape_gradients(none, {x}, Tensor::ones({2, 3, 2}, device))[0], Tensor::full({2, 3, 2}, 2),
                exact, "∂/∂x without a part");
    CHECK(unbind(Tensor::zeros({2, 0}, device), 1).empty());
}

DEVICE_TEST("unbind on random shapes: oracle, paths, gradients") {
    for_seeds(30, [&](Random& random) {
        const Shape shape = random.shape(1, 5, 4, false);
        const int axis = static_cast<int>(random.whole(-shape.rank(), shape.rank() - 1));
        const double factor = random.uniform(0.5, 2);
        const Function weighted = [=](const std::vector<Tensor>& in) {
            const std::vector<Tensor> parts = unbind(in[0], axis);
            Tensor total = parts[0] * factor;
            for (std::size_t i = 1; i < parts.size(); ++i) total = total * 2 + parts[i];
            return total;
        };
        check_op(device, random, "unbind" + shape.str(), weighted, {random.normal(shape)});
    });
}
