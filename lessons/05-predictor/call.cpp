// Lesson 05: how the exercise is called.
#include "../support/call.h"

#include "lesson.h"

namespace lesson {

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* elements = exercise.function<decltype(predict_elements)>("predict_elements");
    auto* whole = exercise.function<decltype(predict_whole)>("predict_whole");
    auto w = model_weights_of<PredictorWeights>(golden);
    w.cls = vector_of(golden.at("cls_token"));
    const Vector ids = vector_of(golden.at("ids"));
    return run_once<Steps>(
        golden,
        [&](Steps& steps) {
            elements(ids, w, steps);
            if (steps.softmax.rows() > 0) whole(w, steps);  // else there is nothing to go on from yet
        },
        [](Collected& all, const Steps& steps) {
            all.add("x", steps.x), all.add("input_net", steps.input_net);
            all.add("positional/output", steps.positional.output), all.add("encoder/0/norm2", steps.encoded);
            all.add("output_net/linear", steps.output_net.linear);
            all.add("output_net/norm", steps.output_net.norm);
            all.add("output_net/relu", steps.output_net.relu);
            all.add("logits", steps.logits), all.add("softmax", steps.softmax);
            all.add("mean/pooled", steps.mean.pooled), all.add("mean/logits", steps.mean.logits);
            all.add("cls/cls", steps.cls.cls);
            all.add("cls/positional/output", steps.cls.positional.output);
            all.add("cls/encoder/0/norm2", steps.cls.encoded);
            all.add("cls/pooled", steps.cls.pooled), all.add("cls/logits", steps.cls.logits);
        });
}

}  // namespace lesson
