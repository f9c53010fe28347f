// Without observers there must be no cost: counts allocations, not time (measured by bench/overhead.cpp).
#include <array>
#include <cstdlib>
#include <memory>
#include <new>

#include <glassbox/conventions/made.h>
#include <glassbox/models/predictor.h>
#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/detail/free_list.h>

#include "support/catch.h"

namespace {
thread_local long allocations = 0;

void* counted(std::size_t bytes) noexcept {
    ++allocations;
    return std::malloc(bytes ? bytes : 1);
}
void* counted_or_throw(std::size_t bytes) {
    if (void* block = counted(bytes)) return block;
    throw std::bad_alloc();
}
}  // namespace

// Counts all allocations of this program. All forms are replaced, as a sanitizer provides its own for the
// others.
void* operator new(std::size_t bytes) { return counted_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return counted_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { std::free(block); }

using namespace glassbox;
using namespace glassbox::detail;

namespace {

constexpr int layers = 25, ops_a_layer = 6;

// Ops whose kernels need no buffers, so that only tensors, tape and trace allocate.
Tensor forward(Tensor x) {
    for (int i = 0; i < layers; ++i) {
        const Scope scope("a layer's name, longer than small strings", i);
        x = named("scaled", x * 0.5);
        x = named("turned", transpose(transpose(tanh(x))));
        x = named("attention", softmax(x) + x);
    }
    return x;
}

// Allocations of one run, after warm-up runs have filled the thread's pools.
long allocations_of(void (*run)(const Tensor&)) {
    const Tensor x = Tensor::ones({4, 4});
    run(x);
    run(x);
    const long before = allocations;
    run(x);
    return allocations - before;
}

}  // namespace

TEST_CASE("ops, a tape and its backward pass allocate nothing once the thread's pools are full") {
    const long plain = allocations_of([](const Tensor& x) { forward(x); });
    const long taped = allocations_of([](const Tensor& x) {
        Tape tape;
        const Tensor y = forward(x);
        tape.backward(y, x);
    });
    if (!memory_is_reused) {
        CHECK(plain > 0);  // a sanitizer allocates every object anew
        return;
    }
    CHECK(plain == 0);
    CHECK(taped == 0);
}

TEST_CASE("a tape with gradient buffers allocates nothing more") {
    static const Tensor weight = Tensor::ones({4, 4}), buffer = Tensor::zeros({4, 4});
    static GradientBuffers buffers({{weight.id(), buffer}});
    const long taped = allocations_of([](const Tensor& x) {
        buffers.begin();
        Tape tape(&buffers);
        tape.backward(forward(x * weight), x);
        buffers.finish();
    });
    if (memory_is_reused) CHECK(taped == 0);
}

TEST_CASE("a trace allocates the path of each step, and little else") {
    const long traced = allocations_of([](const Tensor& x) {
        Trace trace;
        forward(x);
    });
    const int steps = 3 * layers, operations = ops_a_layer * layers;
    CHECK(traced >= steps);
    if (memory_is_reused) CHECK(traced <= steps + steps / 4 + operations / 2);
}

TEST_CASE("iterating over a model's parameters does not allocate per name") {
    PredictorChoices config;
    config.d_in = 4;
    config.classes = 2;
    config.encoder.block = {.d_model = 4, .heads = 2, .d_ff = 8};
    config.encoder.layers = 3;
    auto model = made<Predictor>(convention("uva-torch"), config, *make_stream(Rng::jax, 1));
    long count = 0;
    const long before = allocations;
    parameters_of(model).for_each([&](const Tensor&) { ++count; });
    const long without_names = allocations - before;
    (void)parameters_of(model).entries();
    const long with_names = allocations - before - without_names;
    CAPTURE(count, without_names, with_names);
    CHECK(count >= 40);
    CHECK(with_names >= count);
    CHECK(without_names < count / 2);
}

TEST_CASE("a pullback with large captures is stored separately, and works like the others") {
    struct Much {
        std::array<Shape, 4> shapes;
        std::shared_ptr<int> counted;
    };
    const auto counted = std::make_shared<int>(0);
    const Tensor x = {1, 2};
    for (const bool played : {false, true}) {
        Tape tape;
        const Tensor y = record("much", x * 2, {&x}, [much = Much{{}, counted}](const Tensor& dy) {
            ++*much.counted;
            return Tape::Gradients(dy);
        });
        CHECK(counted.use_count() == 2);
        if (played) tape.backward(sum(y));
        CHECK(counted.use_count() == (played ? 1 : 2));
        CHECK(*counted == (played ? 1 : 0));
    }
    CHECK(counted.use_count() == 1);
}

TEST_CASE("named, scopes and records allocate nothing without observers") {
    const Tensor x = {1, 2, 3};
    Tensor y = x;
    { const Scope first("the first one makes the thread's path"); }
    const long before = allocations;
    for (int i = 0; i < 1000; ++i) {
        const Scope scope("encoder", i);
        y = named("a name longer than any small string holds without an allocation", y);
        y = record("identity", y, {&y}, [x](const Tensor& dy) -> Tape::Gradients { return {dy}; });
    }
    CHECK(allocations - before == 0);
}

TEST_CASE("the counter works: an active trace does allocate") {
    const Tensor x = {1, 2, 3};
    const long before = allocations;
    Trace trace;
    (void)named("x", x);
    CHECK(allocations - before > 0);
}

TEST_CASE("a copy and a view of a tensor allocate nothing, a reshape only a reused header") {
    const Tensor x = {{1, 2}, {3, 4}};
    { const Tensor first = x.alias({4}, {1}); }
    const long before = allocations;
    const Tensor copy = x;
    const ConstView view = copy.view();
    const bool contiguous = view.contiguous();
    CHECK(allocations - before == 0);
    const Tensor alias = copy.alias({4}, {1});
    CHECK(allocations - before == (memory_is_reused ? 0 : 1));
    CHECK(contiguous);
    CHECK(alias.contiguous());
}
