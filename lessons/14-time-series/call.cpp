// Lesson 14: how the exercise is called.
#include "../support/call.h"

#include <glassbox/tensor/format.h>

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {

namespace {

// golden's, as the exercise has them.
ForecasterWeights weights_of(const Tensors& golden) {
    ForecasterWeights w{vector_of(golden.at("omega")),
                        vector_of(golden.at("phi")),
                        matrix_of(golden.at("input_net.weight")),
                        vector_of(golden.at("input_net.bias")),
                        {},
                        matrix_of(golden.at("output_net.weight")),
                        vector_of(golden.at("output_net.bias"))};
    const auto path = [&] { return fmt::format("encoder.layers.{}.", w.encoder.size()); };
    while (golden.count(path() + "norm1.weight"))
        w.encoder.push_back(encoder_block_weights_of(golden, path()));
    return w;
}

}  // namespace

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* scale = exercise.function<decltype(::standardise)>("standardise");
    auto* windows = exercise.function<decltype(::cut)>("cut");
    auto* simple = exercise.function<decltype(::baselines)>("baselines");
    auto* transform = exercise.function<decltype(::forecast)>("forecast");
    auto* judge = exercise.function<decltype(::measure)>("measure");
    const auto number = [&](const char* name) { return number_of(golden.at(name)); };
    const auto vector = [&](const char* name) { return vector_of(golden.at(name)); };
    const Setting setting{number("training"), number("window"), number("horizon"), number("season")};
    const Vector series = vector("series"), tau = vector("tau"), b = vector("linear.bias");
    const Matrix W = matrix_of(golden.at("linear.weight"));
    const ForecasterWeights w = weights_of(golden);
    return run_each<Steps>(
        1, golden,
        [&](index_t, Steps& steps) {
            scale(series, setting, steps);
            if (steps.scaled.size() > 0) windows(setting, steps);
            // Else there is nothing to go on from yet.
            if (steps.test.x.rows() > 0) simple(setting, W, b, steps);
            if (steps.stepwise.rows() > 0) transform(tau, w, steps);
            if (steps.head.rows() > 0) judge(series, setting, steps);
        },
        [](Collected& all, const Steps& steps) {
            all.add("mean", steps.mean), all.add("deviation", steps.deviation);
            all.add("scaled", steps.scaled), all.add("part", steps.part);
            all.add("training/x", steps.training.x), all.add("training/targets", steps.training.targets);
            all.add("test/x", steps.test.x), all.add("test/targets", steps.test.targets);
            all.add("last", steps.last), all.add("seasonal", steps.seasonal);
            all.add("linear", steps.linear), all.add("stepwise", steps.stepwise);
            all.add("time2vec", steps.time2vec), all.add("input", steps.input);
            all.add("head", steps.head), all.add("forecasts", steps.forecasts);
            all.add("mae", steps.mae), all.add("rmse", steps.rmse);
            all.add("scale", steps.scale), all.add("mase", steps.mase);
        });
}

}  // namespace lesson
