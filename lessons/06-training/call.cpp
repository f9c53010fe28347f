// Lesson 06: how the exercise is called.
#include "../support/call.h"

#include "inputs.h"

namespace lesson {

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* entropy = exercise.function<decltype(cross_entropy)>("cross_entropy");
    auto* shorten = exercise.function<decltype(clip)>("clip");
    auto* schedule = exercise.function<decltype(learning_rates)>("learning_rates");
    auto* update = exercise.function<decltype(::adamw)>("adamw");
    const Inputs in(golden);
    return run_each<Steps>(
        1, golden,
        [&](index_t, Steps& steps) {
            entropy(in.matrix("logits"), in.vector("labels"), steps);
            shorten(in.gradients(), in.max_norm(), steps);
            schedule(in.schedule(), steps);
            // Else there is nothing to go on from yet.
            if (steps.clipped.W.rows() > 0 && steps.rates.size() > 0)
                update(in.vector("w"), in.adamw(), steps);
        },
        [](Collected& all, const Steps& steps) {
            Vector loss(steps.loss ? 1 : 0);
            if (steps.loss) loss(0) = *steps.loss;
            all.add("losses", steps.losses), all.add("loss", loss);
            all.add("gradient", steps.gradient), all.add("norm", steps.norm);
            all.add("clipped/W", steps.clipped.W), all.add("clipped/b", steps.clipped.b);
            all.add("rates", steps.rates), all.add("m", steps.m), all.add("v", steps.v);
            all.add("m_hat", steps.m_hat), all.add("v_hat", steps.v_hat);
            all.add("weights", steps.weights);
        });
}

}  // namespace lesson
