#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/distributed/communicator.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/memory.h>
#include <glassbox/train/optimiser.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Tensor copy_on(Device device, const Tensor& x) { return Tensor(x.shape(), x.values(), device); }

// Block sizes: zero, one, one more than a thread's chunk, some thousand.
index_t some_size(Random& random) {
    return random.whole(0, 3) == 0 ? random.whole(0, 9) : random.whole(10, 5000);
}

OptimiserConfig some_config(Random& random) {
    OptimiserConfig config;
    config.kind = static_cast<OptimiserKind>(random.whole(0, 2));
    config.momentum = config.kind == OptimiserKind::sgd ? 0.5 : 0;
    config.weight_decay = random.whole(0, 1) ? 0.25 : 0;
    return config;
}

AdamParams adam_params(real coupled) {
    return {real(0.9), real(0.99), real(1e-8), real(0.1), real(0.01), coupled, real(0.5) - coupled};
}

}  // namespace

DEVICE_TEST("three steps of an optimiser match the oracle's: w, m and v") {
    for_seeds(30, [&](Random& random) {
        const index_t n = some_size(random);
        const OptimiserConfig config = some_config(random);
        const Tensor start = random.normal({n});
        Tensor w = copy_on(device, start), expected = copy_on(Device::oracle, start);
        Optimiser ours(config, n, device), theirs(config, n, Device::oracle);
        for (int step = 0; step < 3; ++step) {
            const Tensor g = random.normal({n});
            ours.step(w, g.to(device), 0.1, 0.5);
            theirs.step(expected, g.to(Device::oracle), 0.1, 0.5);
        }
        check_close(w, expected, chain, "w");
        check_close(ours.m, theirs.m, chain, "m");
        if (ours.has_second_moment()) check_close(ours.v, theirs.v, chain, "v");
    });
}

DEVICE_TEST("a step reads its live parameters from the device, bit for bit as if passed by value") {
    for_seeds(10, [&](Random& random) {
        const index_t n = random.whole(1, 100);
        const StepNumbers numbers{real(0.125), real(0.75), real(0.1), real(0.01)}, wrong;
        const Tensor live({4}, {numbers.rate, numbers.clip, numbers.correction1, numbers.correction2},
                          device);
        const LiveStep given{numbers}, read{wrong, reinterpret_cast<const StepNumbers*>(live.data())};
        const Tensor start = random.normal({n}), g = copy_on(device, random.normal({n}));
        std::vector<Tensor> results;
        for (const LiveStep& step : {given, read}) {
            Tensor w = copy_on(device, start), m = Tensor::ones({n}, device), v = Tensor::ones({n}, device);
            backend(device).adam(adam_params(0.25), step, g.view(), w.writable(), m.writable(), v.writable());
            backend(device).descend({real(0.5), real(0.1)}, step, g.view(), w.writable(), m.writable());
            results.push_back(w);
        }
        check_close(results[1], results[0], exact, "w");
    });
}

DEVICE_TEST("blocks are added in order, with and without the previous total") {
    for_seeds(20, [&](Random& random) {
        const index_t n = some_size(random), count = random.whole(1, 40);
        std::vector<Tensor> blocks, theirs;
        for (index_t i = 0; i < count; ++i) {
            const Tensor block = random.normal({n});
            blocks.push_back(copy_on(device, block));
            theirs.push_back(copy_on(Device::oracle, block));
        }
        for (const bool onto : {false, true}) {
            Tensor total = Tensor::ones({n}, device), expected = Tensor::ones({n}, Device::oracle);
            add_in_order(blocks, total, onto);
            add_in_order(theirs, expected, onto);
            check_close(total, expected, rounding, "total");
        }
    });
    // 1 + 2⁻²⁴ + 2⁻²⁴ is 1 in float from left to right, and more from right to left.
    const real half = std::numeric_limits<real>::epsilon() / 2;
    Tensor total = Tensor::ones({1}, device);
    add_in_order({Tensor::full({1}, half, device), Tensor::full({1}, half, device)}, total, true);
    CHECK(total.item() == 1);
}

DEVICE_TEST(
    "a gradient's norm matches the oracle's, is reproducible, and clips on the device as on the host") {
    for_seeds(30, [&](Random& random) {
        const index_t n = random.whole(0, 5) == 0 ? random.whole(100000, 700000) : some_size(random);
        const Tensor host = random.normal({n}), g = copy_on(device, host);
        const double length = norm(g), theirs = norm(copy_on(Device::oracle, host));
        CHECK(std::abs(length - theirs) <= 1e-12 * theirs);
        CHECK(norm(g) == length);
        for (const double most : {0.0, 0.5 * length, 2 * length}) {
            const Clipping clipping{most, 1e-6};
            Tensor numbers = Tensor::zeros({4}, device), found = Tensor::zeros({1}, device);
            backend(device).clip(g.view(), clipping, reinterpret_cast<StepNumbers*>(numbers.writable().data),
                                 found.writable());
            const real factor = static_cast<real>(clip_factor(clipping, length));
            check_close(numbers, {0, factor, 0, 0}, exact, "clip");
            check_close(found, Tensor{static_cast<real>(length)}, exact, "norm");
        }
    });
    CHECK(std::isnan(norm(Tensor({2}, {std::numeric_limits<real>::quiet_NaN(), 1}, device))));
}

DEVICE_TEST("dropout reads its live key from the device, bit for bit as if passed by value") {
    const TwoWords key{0x12345678, 0x9abcdef0};
    Tensor there = Tensor::empty({2}, device);
    memory(device).from_host(there.writable().data, &key, sizeof key);
    const Tensor x = Tensor::ones({101}, device);
    Tensor given = Tensor::empty({101}, device), read = Tensor::empty({101}, device);
    DropoutParams params{{key}, 1u << 23, 2};
    backend(device).dropout(x.view(), params, given.writable());
    params.key = {{}, reinterpret_cast<const TwoWords*>(there.data())};
    backend(device).dropout(x.view(), params, read.writable());
    check_close(read, given, exact, "kept");
}

namespace {

// The values that change from step to step, read from the device.
struct Changing {
    Tensor gradient, numbers, key;
    void set(Random& random, int step) {
        const Device device = gradient.device();
        const std::vector<real> g = random.normal(gradient.shape()).values();
        const StepNumbers now{real(0.1) / real(step + 1), 1, real(0.1) * real(step + 1), real(0.5)};
        const std::uint32_t words[2] = {std::uint32_t(step), 5};
        memory(device).from_host(gradient.writable().data, g.data(), g.size() * sizeof(real));
        memory(device).from_host(numbers.writable().data, &now, sizeof now);
        memory(device).from_host(key.writable().data, words, sizeof words);
    }
};

// A miniature training step: dropout on the gradient, clipping, descent.
void small_step(Changing& live, Tensor& w, Tensor& m, Tensor& v, Tensor& norm) {
    Backend& here = backend(w.device());
    Tensor dropped = Tensor::empty(w.shape(), w.device());
    const DropoutParams dropout{{{}, reinterpret_cast<const TwoWords*>(live.key.data())}, 1u << 22, 2};
    here.dropout(live.gradient.view(), dropout, dropped.writable());
    auto* numbers = reinterpret_cast<StepNumbers*>(live.numbers.writable().data);
    here.clip(dropped.view(), {2, 0}, numbers, norm.writable());
    here.adam(adam_params(0.25), {{}, numbers}, dropped.view(), w.writable(), m.writable(), v.writable());
}

}  // namespace

DEVICE_TEST("replayed recorded steps have the bits of steps called one by one") {
    const index_t n = 1000;
    std::vector<Tensor> results;
    for (const bool recorded : {false, true}) {
        Random random(1);
        Changing live{Tensor::zeros({n}, device), Tensor::zeros({4}, device), Tensor::zeros({2}, device)};
        Tensor w = Tensor::ones({n}, device), m = Tensor::zeros({n}, device), v = Tensor::zeros({n}, device);
        Tensor norm = Tensor::zeros({1}, device);
        const auto step = [&] { small_step(live, w, m, v, norm); };
        // It has been called once before, as recording requires; null on a device that cannot record.
        std::unique_ptr<Recording> work;
        for (int i = 0; i < 4; ++i) {
            live.set(random, i);
            if (recorded && i == 1) work = backend(device).record(step);
            if (work) work->run();
            else step();
            const Tensor other =
                Tensor::full({n}, 7, device);  // other work must not disturb it, nor be disturbed by it
            CHECK(other.at({n - 1}) == 7);
        }
        results.push_back(w);
    }
    check_close(results[1], results[0], exact, "w");
    CHECK(results[0].at({0}) != 1);
}

DEVICE_TEST(
    "code that reads values cannot be recorded, fails with a message, and leaves the device unchanged") {
    if (device != Device::cuda) return;  // other devices record nothing
    const Tensor x = Tensor::ones({10}, device);
    Backend& here = backend(device);
    Tensor y = Tensor::zeros({10}, device);
    const auto fill = [&] {
        const Tensor twice = x + x;
        here.copy(twice.view(), y.writable());
    };
    fill();
    const auto refused = [&](const std::string& what, const auto& look) {
        const auto body = [&] {
            CHECK(Recording::is_on());
            fill();
            look();
        };
        check_error<NotRecordable>([&] { here.record(body); },
                                   what + ": not while kernels are recorded, which run later");
        CHECK_FALSE(Recording::is_on());
        check_close(x + x, Tensor::full({10}, 2), exact, "afterwards");
    };
    refused("copy to the host", [&] { x.values(); });
    refused("copy to the host", [&] { x.at({3}); });
    refused("copy to the host", [&] { norm(x); });
    refused("copy from the host", [&] { (void)Tensor{1, 2}.to(device); });
    refused("waiting for the GPU", [&] { here.wait(); });
    const std::unique_ptr<Recording> work = here.record(fill);
    REQUIRE(work);
    here.fill(y.writable(), 0);
    work->run();
    check_close(y, Tensor::full({10}, 2), exact, "run");
}
