#include <glassbox/train/optimiser.h>

#include <fmt/format.h>

#include <cmath>

#include <glassbox/backend/parallel.h>
#include <glassbox/ops/ops.h>

#include "support/errors.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

OptimiserConfig optimiser_of(const GoldenConfig& golden) {
    OptimiserConfig config;
    config.kind = parse<OptimiserKind>(golden.kind());
    config.beta1 = golden.number("beta1", config.beta1);
    config.beta2 = golden.number("beta2", config.beta2);
    config.epsilon = golden.number("epsilon", config.epsilon);
    config.momentum = golden.number("momentum", config.momentum);
    config.weight_decay = golden.number("weight_decay", config.weight_decay);
    return config;
}

// Sums over many steps have rounding errors relative to what was added, parameter by parameter: row `step` of
// both relative to the largest number in the parameter's column.
void check_row(const Tensor& actual, const Tensor& rows, index_t step, const std::string& path) {
    const index_t steps = rows.size(0), count = rows.size(1);
    Tensor ours = Tensor::empty({count}), theirs = Tensor::empty({count});
    for (index_t i = 0; i < count; ++i) {
        real unit = 0;
        for (index_t t = 0; t < steps; ++t) unit = std::max(unit, std::abs(rows.at({t, i})));
        if (unit == 0) unit = 1;
        ours.writable().data[i] = actual.at({i}) / unit;
        theirs.writable().data[i] = rows.at({step, i}) / unit;
    }
    check_close(ours, theirs, golden_optimiser, fmt::format("{} after step {}", path, step + 1));
}

Tensor row(const Tensor& rows, index_t i) { return contiguous(select(rows, 0, i)); }

// Parameters of a block, updated in place.
Tensor copy(const Tensor& x) { return {x.shape(), x.values()}; }

}  // namespace

TEST_CASE("Adam, AdamW and SGD match PyTorch and optax, step by step: parameters and moments") {
    const Npz file = golden_train("optimisers");
    CHECK(file.contains("versions"));
    const Tensor gradients = file.read("gradients"), rates = file.read("rates");
    int cases = 0, compared = 0;
    for (const std::string& key : file.names()) {
        if (!key.ends_with("/config")) continue;
        const std::string name = key.substr(0, key.find('/'));
        Tensor w = copy(file.read("start"));
        Optimiser optimiser(optimiser_of(GoldenConfig(file.read(key))), w.numel());
        for (index_t t = 0; t < gradients.size(0); ++t) {
            optimiser.step(w, row(gradients, t), static_cast<double>(rates.at({t})));
            CHECK(optimiser.steps_done() == t + 1);
            for (const std::string source : {"torch", "optax"})
                for (const auto& [what, tensor] :
                     {std::pair{"w", w}, std::pair{"m", optimiser.m}, std::pair{"v", optimiser.v}}) {
                    const std::string path = name + "/" + source + "/" + what;
                    if (!file.contains(path)) continue;
                    check_row(tensor, file.read(path), t, path);
                    ++compared;
                }
        }
        ++cases;
    }
    CHECK(cases == 10);
    CHECK(compared == 30 * (6 * 2 * 3 + 2 * 2 * 2 + 2 * 2));  // plain SGD has no state
}

TEST_CASE("Adam's first step by hand: as long as the learning rate, for any size of the gradient") {
    for (const real size : {real(1e-3), real(1), real(1e6)}) {
        Tensor w{1, 1, 1};
        Optimiser adam({}, 3);
        adam.step(w, Tensor{size, -size, 0}, 0.125);
        check_close(w, {0.875, 1.125, 1}, {1e-5, 0}, "w");
        check_close(adam.m, {size / 10, -size / 10, 0}, rounding, "m");
        check_close(adam.v, {size * size / 1000, size * size / 1000, 0}, rounding, "v");
    }
}

TEST_CASE("AdamW subtracts its decay from the weights, Adam and SGD add it to the gradient") {
    const auto after_a_step = [](OptimiserKind kind) {
        OptimiserConfig config;
        config.kind = kind;
        config.weight_decay = 0.5;
        Tensor w{4};
        Optimiser(config, 1).step(w, Tensor{0}, 0.125);
        return w.item();
    };
    CHECK(after_a_step(OptimiserKind::adamw) == 4 - 0.125f * 0.5f * 4);
    CHECK(after_a_step(OptimiserKind::adam) == Approx(4 - 0.125));
    CHECK(after_a_step(OptimiserKind::sgd) == 4 - 0.125f * 0.5f * 4);
}

TEST_CASE("a clipped step is the step of the clipped gradient, its decay unclipped") {
    for (const OptimiserKind kind : {OptimiserKind::adam, OptimiserKind::adamw, OptimiserKind::sgd}) {
        Random random(1);
        OptimiserConfig config;
        config.kind = kind;
        config.weight_decay = 0.25;
        config.momentum = kind == OptimiserKind::sgd ? 0.5 : 0;
        const Tensor start = random.normal({20}), g = random.normal({20});
        Tensor quarter = copy(g);
        for (index_t i = 0; i < 20; ++i) quarter.writable().data[i] /= 4;
        Tensor a = copy(start), b = copy(start);
        Optimiser clipped(config, 20), plain(config, 20);
        for (int step = 0; step < 3; ++step) {
            clipped.step(a, g, 0.1, 0.25);
            plain.step(b, quarter, 0.1);
        }
        check_close(a, b, exact, name(kind));
    }
}

TEST_CASE("an optimiser's step has the same bits on any number of threads, elementwise") {
    const int before = num_threads();
    const index_t n = 50001;
    Random random(1);
    const Tensor start = random.normal({n}), g = random.normal({n});
    for (const OptimiserKind kind : {OptimiserKind::adam, OptimiserKind::sgd}) {
        OptimiserConfig config;
        config.kind = kind;
        std::vector<Tensor> results;
        for (const int threads : {1, 2, 3, 5}) {
            set_num_threads(threads);
            Tensor w = copy(start);
            Optimiser optimiser(config, n);
            for (int step = 0; step < 3; ++step) optimiser.step(w, g, 0.1);
            results.push_back(w);
            check_close(w, results.front(), exact, name(kind));
        }
        Tensor last{start.at({n - 1})};
        Optimiser alone(config, 1);
        for (int step = 0; step < 3; ++step) alone.step(last, Tensor{g.at({n - 1})}, 0.1);
        check_close(Tensor{results.front().at({n - 1})}, last, rounding, "the last number alone");
    }
    set_num_threads(before);
}

TEST_CASE("optimisers refuse invalid settings, with the number") {
    const auto with = [](auto change) {
        return [=] {
            OptimiserConfig config;
            change(config);
            Optimiser(config, 1);
        };
    };
    check_error(with([](auto& c) { c.beta1 = 1; }), "optimiser: needs β₁ in [0, 1), got 1");
    check_error(with([](auto& c) { c.beta2 = -0.5; }), "optimiser: needs β₂ in [0, 1), got -0.5");
    check_error(with([](auto& c) { c.momentum = std::nan(""); }),
                "optimiser: needs a momentum in [0, 1), got nan");
    check_error(with([](auto& c) { c.epsilon = 0; }), "optimiser: needs an ε above 0, got 0");
    check_error(with([](auto& c) { c.weight_decay = INFINITY; }),
                "optimiser: needs a finite weight decay of at least 0, got inf");
    Optimiser adam({}, 3);
    Tensor three = Tensor::zeros({3}), two = Tensor::zeros({2});
    check_error([&] { adam.step(two, three, 1); },
                "optimiser: made for 3 numbers, got parameters (2,) and gradients (3,)");
    check_error([&] { adam.step(three, two, 1); },
                "optimiser: made for 3 numbers, got parameters (3,) and gradients (2,)");
    CHECK(adam.steps_done() == 0);
    for (const char* each : {"adam", "adamw", "sgd"})
        CHECK(name(parse<OptimiserKind>(each)) == std::string(each));
    check_error<UsageError>([] { return parse<OptimiserKind>("Adam"); },
                            "optimiser: no optimiser 'Adam'; there are adam, adamw, sgd");
}
