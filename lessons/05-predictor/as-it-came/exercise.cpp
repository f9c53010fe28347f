// Lesson 05: your work. Fill in the steps in order, and ask after each whether it is right:
//     ./dev lesson 05
// lesson.h, beside this file, says what ids and w are, and what is given.
#include "lesson.h"

#include <algorithm>  // std::max

void predict_elements(const Vector& ids, const PredictorWeights& w, Steps& steps) {
    // 1  x: row t is 1 at column ids(t), and 0 everywhere else.
    //    For a start:  steps.x = Matrix(ids.size(), w.W_in.columns());

    // 2  input_net: linear(x, W_in, b_in) would do. But nearly all of x is 0. Can you write it without one
    //    multiplication?

    // 3  positional.output: positional_encoding(...) is there. How does it come in?

    // 4  encoded: encoder_block(...) is there.

    // 5  output_net.linear, output_net.norm, output_net.relu, logits: in this order.

    // 6  softmax. Over what?
}

void predict_whole(const PredictorWeights& w, Steps& steps) {
    // 7  mean.pooled: one row. Then mean.logits, through the same output network.
    //    For a start:  steps.mean.pooled = Matrix(1, steps.encoded.columns());

    // 8  cls.cls: one row more than input_net has. Then cls.positional.output and cls.encoded, as in 3 and 4.

    // 9  cls.pooled: one row of cls.encoded. Which? Then cls.logits.
}
