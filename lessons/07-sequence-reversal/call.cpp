// Lesson 07: how the exercise is called.
#include "../support/call.h"

#include "lesson.h"

namespace lesson {

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* make = exercise.function<decltype(make_batch)>("make_batch");
    auto* train = exercise.function<decltype(training_step)>("training_step");
    auto* see = exercise.function<decltype(look)>("look");
    const Matrix numbers = matrix_of(golden.at("numbers"));
    const auto w = model_weights_of<ModelWeights>(golden);
    const double rate = static_cast<double>(golden.at("rate").item());
    return run_once<Steps>(
        golden,
        [&](Steps& steps) {
            make(numbers, w.b_2.size(), steps);
            // Else there is nothing to go on from yet.
            if (steps.x.count() == 0 || steps.labels.rows() == 0) return;
            train(w, rate, steps);
            see(w, steps);
        },
        [](Collected& all, const Steps& steps) {
            const auto number = [](const std::optional<double>& x) {
                Vector v(x ? 1 : 0);
                if (x) v(0) = *x;
                return v;
            };
            all.add("x", steps.x), all.add("labels", steps.labels);
            all.add("logits", steps.logits), all.add("losses", steps.losses);
            all.add("loss", number(steps.loss)), all.add("gradient", steps.gradient);
            all.add("loss_after", number(steps.loss_after)), all.add("answers", steps.answers);
            all.add("accuracy", number(steps.accuracy)), all.add("mirrored", number(steps.mirrored));
        });
}

}  // namespace lesson
