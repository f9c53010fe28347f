#include <glassbox/observe/detail/gradient_buffers.h>

#include <memory>
#include <thread>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/detail/mutable_view.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

// y = 2 x with a pullback that requests its gradient buffer; `lent` stores what it got.
Tensor twice(const Tensor& x, Tensor* lent = nullptr) {
    const Tensor y = x.alias(x.shape(), x.strides());  // values do not matter here
    return record("twice", y, {&x}, [x, lent](const Tensor& dy) -> Tape::Gradients {
        Tensor buffer = gradient_buffer(x);
        backend(x.device()).binary(Binary::add, dy.view(), dy.view(), mutable_view(buffer));
        if (lent) *lent = buffer;
        return {buffer};
    });
}

struct Leaves {
    Tensor W, b, unused;
    Tensor block;
    GradientBuffers buffers;

    explicit Leaves(Device device)
        : W(Tensor{{1, 2}, {3, 4}}.to(device)),
          b(Tensor{5, 6}.to(device)),
          unused(Tensor{7}.to(device)),
          block(Tensor::full({8}, 99, device)),
          buffers({{W.id(), block.alias({2, 2}, {2, 1}, 0)},
                   {b.id(), block.alias({2}, {1}, 4)},
                   {unused.id(), block.alias({1}, {1}, 6)}}) {}
};

}  // namespace

DEVICE_TEST("gradient buffers: a gradient that requests its buffer is computed in it, not copied") {
    Leaves p(device);
    Tape tape(&p.buffers);
    Tensor lent;
    tape.backward(twice(p.W, &lent), Tensor{{1, 2}, {3, 4}}.to(device));
    CHECK(lent.data() == p.buffers.buffer(0).data());
    CHECK(p.buffers.is_written(0));
    CHECK_FALSE(p.buffers.is_written(1));
    CHECK(tape.gradient(p.W).shares_storage_with(p.block));
    check_close(p.buffers.buffer(0), {{2, 4}, {6, 8}}, exact, "W");
}

DEVICE_TEST(
    "gradient buffers: a parameter used twice gets the sum, in either order of requesting and returning") {
    Leaves p(device);
    Tape tape(&p.buffers);
    const Tensor y = sum(twice(p.b)) + sum(p.b * 10) + sum(twice(p.b));
    tape.backward(y);
    check_close(p.buffers.buffer(1), {14, 14}, exact, "b");
    check_close(tape.gradient(p.b), {14, 14}, exact, "tape");
}

DEVICE_TEST("gradient buffers: an op with one parameter as two inputs has two buffers") {
    for (const bool lent_first : {true, false}) {
        Leaves p(device);
        Tape tape(&p.buffers);
        const Tensor y = p.b.alias(p.b.shape(), p.b.strides());
        record("both", y, {&p.b, &p.b}, [&](const Tensor& dy) -> Tape::Gradients {
            Tensor first = gradient_buffer(p.b), other = gradient_buffer(p.b);
            CHECK(first.data() != other.data());
            backend(device).copy(dy.view(), mutable_view(first));
            backend(device).binary(Binary::add, dy.view(), dy.view(), other.writable());
            return lent_first ? Tape::Gradients(first, other) : Tape::Gradients(other, first);
        });
        tape.backward(y, Tensor{1, 2}.to(device));
        check_close(p.buffers.buffer(1), {3, 6}, exact,
                    lent_first ? "lent buffer first" : "lent buffer second");
    }
}

DEVICE_TEST("gradient buffers: a buffer returned twice, or read otherwise, is not lost") {
    Leaves p(device);
    Tape tape(&p.buffers);
    const Tensor y = p.b.alias(p.b.shape(), p.b.strides()), z = p.W.alias(p.W.shape(), p.W.strides());
    record("both", y, {&p.b, &p.b}, [&](const Tensor& dy) -> Tape::Gradients {
        Tensor buffer = gradient_buffer(p.b);
        backend(device).copy(dy.view(), mutable_view(buffer));
        return {buffer, buffer};
    });
    record("transposed", z, {&p.W}, [&](const Tensor& dz) -> Tape::Gradients {
        Tensor buffer = gradient_buffer(p.W);
        backend(device).copy(dz.view(), mutable_view(buffer));
        return {transpose(buffer)};
    });
    const Tensor weights = Tensor{{1, 2}, {3, 4}}.to(device);
    tape.backward(sum(y) + sum(z * weights));
    check_close(p.buffers.buffer(1), {2, 2}, exact, "twice");
    check_close(p.buffers.buffer(0), {{1, 3}, {2, 4}}, exact, "transposed");
}

DEVICE_TEST("gradient buffers: a shared or strided gradient is copied, its source tensors are unchanged") {
    Leaves p(device);
    const Tensor dy = Tensor{{1, 2}, {3, 4}}.to(device);
    Tape tape(&p.buffers);
    const Tensor y = transpose(p.W) + reshape(broadcast_to(reshape(p.b, {1, 2}), {2, 2}), {2, 2});
    const Tensor again = y + p.W;
    tape.backward(again, dy);
    check_close(p.buffers.buffer(0), {{2, 5}, {5, 8}}, exact, "dyᵀ + dy");
    check_close(p.buffers.buffer(1), {4, 6}, exact, "columns' sums");
    check_close(dy, {{1, 2}, {3, 4}}, exact, "dy itself");
}

DEVICE_TEST("gradient buffers: those not written become 0, tensors without one are unchanged") {
    Leaves p(device);
    Tape tape(&p.buffers);
    tape.backward(sum(p.b * 3));
    CHECK_FALSE(p.buffers.is_written(2));
    check_close(tape.gradient(p.unused), Tensor{0}, exact, "asked of the tape");
    p.buffers.finish();
    check_close(p.block, {0, 0, 0, 0, 3, 3, 0, 99}, exact, "the block");
}

DEVICE_TEST("gradient buffers: further tapes add, begin() resets") {
    Leaves p(device);
    const auto play = [&] {
        Tape tape(&p.buffers);
        tape.backward(sum(twice(p.b) * p.b));
    };
    play();
    const Tensor once = Tensor(p.b.shape(), p.buffers.buffer(1).values());
    play();
    check_close(p.buffers.buffer(1), once * 2, exact, "two tapes");
    p.buffers.finish();
    p.buffers.begin();
    CHECK_FALSE(p.buffers.is_written(1));
    play();
    check_close(p.buffers.buffer(1), once, exact, "after begin");
}

DEVICE_TEST("gradient buffers: the same gradients as a tape without them, also under a Trace") {
    Random random(5);
    const Tensor x = random.normal({3, 4}).to(device), W = random.normal({2, 4}).to(device),
                 b = random.normal({2}).to(device);
    const auto loss = [&] {
        const Tensor own = named("W", W);  // under a Trace a separate value
        const Tensor y = named("y", linear(x, own, b));
        return sum(linear(x, W, b) * tanh(y)) + sum(named("b", b));
    };
    Tape plain;
    plain.backward(loss());
    for (const bool traced : {false, true}) {
        const Tensor block = Tensor::full({10}, 99, device);
        GradientBuffers buffers({{b.id(), block.alias({2}, {1}, 8)}, {W.id(), block.alias({2, 4}, {4, 1})}});
        std::unique_ptr<Trace> trace = traced ? std::make_unique<Trace>() : nullptr;
        Tape tape(&buffers);
        tape.keep(x);
        tape.backward(loss());
        check_close(buffers.buffer(0), plain.gradient(b), exact, "b");
        check_close(buffers.buffer(1), plain.gradient(W), exact, "W");
        check_close(tape.gradient(W), plain.gradient(W), exact, "W of the tape");
        check_close(tape.gradient(x), plain.gradient(x), exact, "x, which is kept");
        if (traced) CHECK(tape.gradient((*trace)["y"]).shape() == Shape{3, 2});
    }
}

DEVICE_TEST("gradient buffers: the backward pass visits only what leads to a buffer or a kept tensor") {
    Leaves p(device);
    const Tensor x = Tensor{{1, 2}}.to(device), z = Tensor{{3, 4}}.to(device);
    const auto loss = [&](int& calls) {
        const Tensor y = z.alias(z.shape(), z.strides());
        record("counted", y, {&x, &z}, [&calls](const Tensor& dy) -> Tape::Gradients {
            ++calls;
            return {dy, dy};
        });
        return sum(linear(y * 2, p.W));
    };
    int calls = 0;
    Tape tape(&p.buffers);
    tape.backward(loss(calls));
    CHECK(calls == 0);
    check_close(p.buffers.buffer(0), {{6, 8}, {6, 8}}, exact, "W");
    check_error([&] { tape.gradient(x); },
                "gradient: x of shape (1, 2) has no buffer on a tape with gradient buffers: call "
                "tape.keep(x) before backward");
    Tape keeping(&p.buffers);
    keeping.keep(x);
    keeping.backward(loss(calls));
    CHECK(calls == 1);
    check_close(keeping.gradient(x), {{8, 12}}, exact, "x");
    check_error([&] { keeping.gradient(z); },
                "gradient: x of shape (1, 2) has no buffer on a tape with gradient buffers: call "
                "tape.keep(x) before backward");
}

DEVICE_TEST("gradient buffers: rows of a table that has another use are added to its buffer") {
    for_seeds(10, [&](Random& random) {
        const Tensor table = random.normal({7, 5}).to(device), weights = random.normal({3, 4, 7}).to(device);
        const Tensor ids = Tensor({4, 3}, {6, 0, 2, 0, 0, 3, 6, 5, 0, 2, 2, 6}).to(device);
        const auto loss = [&] {
            const Tensor x = swap_axes(embedding(table, ids), 0, 1);  // its gradient has strides
            return sum(linear(x, table) * weights);
        };
        Tape plain;
        plain.backward(loss());
        Tensor block = Tensor::full({7, 5}, 99, device);
        GradientBuffers buffers({{table.id(), block}});
        for (int step = 0; step < 2; ++step) {
            buffers.begin();
            Tape tape(&buffers);
            tape.backward(loss());
            buffers.finish();
            check_close(block, plain.gradient(table), Tolerance{}, "table");
        }
    });
}

TEST_CASE("gradient buffers: a value made by this tape may have one") {
    const Tensor x = {1, 2};
    Tensor block = Tensor::full({2}, 99);
    Tape outer;  // so that y is recorded by another tape too
    const Tensor y = x * 3;
    GradientBuffers buffers({{y.id(), block}});
    Tape tape(&buffers);
    const Tensor z = y.alias(y.shape(), y.strides());
    record("again", z, {&y}, [](const Tensor& dz) -> Tape::Gradients { return {dz}; });
    record("made", y, {&x}, [](const Tensor& dy) -> Tape::Gradients { return {dy * 3}; });
    tape.keep(x);
    tape.backward(y, {1, 1});
    check_close(block, {1, 1}, exact, "y");
    check_close(tape.gradient(x), {3, 3}, exact, "x");
}

TEST_CASE(
    "gradient buffers: outside a backward pass, and in an inner tape, a requested buffer is fresh memory") {
    Leaves p(Device::cpu);
    CHECK_FALSE(gradient_buffer(p.W).shares_storage_with(p.buffers.buffer(0)));
    Tape tape(&p.buffers);
    CHECK_FALSE(gradient_buffer(p.W).shares_storage_with(p.buffers.buffer(0)));
    const Tensor y = p.W.alias(p.W.shape(), p.W.strides());
    Tensor inner_buffer;
    record("inner", y, {&p.W}, [&](const Tensor& dy) -> Tape::Gradients {
        Tape inner;
        inner.backward(sum(twice(p.W, &inner_buffer)));
        return {dy};
    });
    tape.backward(sum(y));
    CHECK(inner_buffer.data() != p.buffers.buffer(0).data());
    check_close(p.buffers.buffer(0), Tensor::ones({2, 2}), exact, "W");
}

TEST_CASE("gradient buffers: threads with their own buffers are independent") {
    const Tensor x = {1, 2, 3};
    std::vector<Tensor> blocks;
    for (int t = 0; t < 4; ++t) blocks.push_back(Tensor::full({3}, 99));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            GradientBuffers buffers({{x.id(), blocks[static_cast<std::size_t>(t)]}});
            for (int i = 0; i < 100; ++i) {
                buffers.begin();
                Tape tape(&buffers);
                tape.backward(sum(x * x * (t + 1)));
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < 4; ++t)
        check_close(blocks[static_cast<std::size_t>(t)], x * (2.0 * (t + 1)), exact, "thread");
}

TEST_CASE("gradient buffers: two for one tensor, ones with gaps or of another shape are refused") {
    const Tensor x = {{1, 2}, {3, 4}}, buffer = Tensor::zeros({2, 2}), flat = Tensor::zeros({4});
    check_error(
        [&] {
            GradientBuffers({{x.id(), buffer}, {x.id(), buffer}});
        },
        "gradient buffers: one buffer per tensor, buffers 0 and 1 are for the same one");
    check_error(
        [&] {
            GradientBuffers({{x.id(), transpose(buffer)}});
        },
        "gradient buffers: need contiguous buffers, the one of shape (2, 2) has gaps");
    GradientBuffers buffers({{x.id(), flat}});
    for (const bool asks : {false, true}) {
        Tape tape(&buffers);
        const Tensor y = sum(asks ? twice(x) : x * 2);
        check_error([&] { tape.backward(y); },
                    "gradient buffers: a buffer of shape (4,) on cpu for a gradient of shape (2, 2) on cpu");
    }
}
