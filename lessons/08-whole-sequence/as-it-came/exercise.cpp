// Lesson 08: your work. Fill in the steps in order, and ask after each whether it is right:
//     ./dev lesson 08
// lesson.h, beside this file, says what x, lengths and w are, and what is given.
#include "lesson.h"

#include <algorithm>  // std::max

void aggregate(const Matrices& x, const Vector& lengths, const WholeWeights& w, Steps& steps) {
    // 1  real: which elements count?
    //    For a start:  steps.real = Matrix(x.count(), x[0].rows());

    // 2  encoded, for each sequence: x[b] with its positions, through encoder_block. Whom may nobody see?
    //    For a start:  steps.encoded = Matrices(x.count(), x[0].rows(), x[0].columns());

    // 3  mean.pooled: the sum of what? Divided by what? Then mean.logits.

    // 4  max.pooled. The numbers of a column may all be negative. Then max.logits.
}

void aggregate_by_token(const Matrices& x, const Vector& lengths, const WholeWeights& w, Steps& steps) {
    // 5  cls.input: one row more than x has. Which? cls.real: is the token real?

    // 6  cls.encoded, as in 2: there are 1 + T positions now.

    // 7  cls.pooled: one row of each sequence. Then cls.logits.
}
