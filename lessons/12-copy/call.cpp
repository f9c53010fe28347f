// Lesson 12: how the exercise is called.
#include "../support/call.h"

#include "lesson.h"

namespace lesson {

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* prepare = exercise.function<decltype(make_batch)>("make_batch");
    auto* judge = exercise.function<decltype(measure)>("measure");
    auto* write = exercise.function<decltype(decode)>("decode");
    const TransformerWeights w = transformer_weights_of(golden);
    const Matrix source = matrix_of(golden.at("source")), answers = matrix_of(golden.at("answers"));
    const Vector lengths = vector_of(golden.at("lengths"));
    const int longest = number_of(golden.at("longest"));
    return run_once<Steps>(
        golden,
        [&](Steps& steps) {
            prepare(answers, lengths, steps);
            if (steps.labels.rows() > 0) judge(source, w, steps);
            if (steps.accuracy.size() > 0) write(source, w, longest, steps);
        },
        [](Collected& all, const Steps& steps) {
            all.add("target", steps.target), all.add("labels", steps.labels);
            all.add("logits", steps.logits), all.add("losses", steps.losses);
            all.add("loss", steps.loss), all.add("accuracy", steps.accuracy);
            all.add("written", steps.written), all.add("certainty", steps.certainty);
        });
}

}  // namespace lesson
