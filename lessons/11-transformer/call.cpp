// Lesson 11: how the exercise is called.
#include "../support/call.h"

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* whole = exercise.function<decltype(transformer)>("transformer");
    auto* one_by_one = exercise.function<decltype(translate)>("translate");
    const Vector source = vector_of(golden.at("source")), sentence = vector_of(golden.at("sentence"));
    const TransformerWeights w = transformer_weights_of(golden);
    const int longest = number_of(golden.at("longest"));
    return run_each<Steps>(
        1, golden,
        [&](index_t, Steps& steps) {
            whole(source, sentence, w, steps);
            if (steps.words.size() > 0) one_by_one(source, w, longest, steps);
        },
        [](Collected& all, const Steps& steps) {
            all.add("source/scaled", steps.source.scaled);
            all.add("source/positional/output", steps.source.positional);
            all.add("source_mask", steps.source_mask), all.add("memory", steps.memory);
            all.add("target/tokens", steps.targets), all.add("labels", steps.labels);
            all.add("target/scaled", steps.target.scaled);
            all.add("target/positional/output", steps.target.positional);
            all.add("target_mask", steps.target_mask), all.add("memory_mask", steps.memory_mask);
            all.add("decoded", steps.decoded), all.add("logits", steps.logits);
            all.add("softmax", steps.softmax), all.add("words", steps.words);
            all.add("translation", steps.translation);
        });
}

}  // namespace lesson
