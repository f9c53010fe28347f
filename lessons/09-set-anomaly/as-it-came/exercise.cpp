// Lesson 09: your work. Fill in the steps in order, and ask after each whether it is right:
//     ./dev lesson 09
// lesson.h, beside this file, says what x, classes, order and w are, and what is given.
#include "lesson.h"

#include <cmath>  // std::log

void find_anomaly(const Matrices& x, const Matrix& classes, const AnomalyWeights& w, Steps& steps) {
    // 1  labels: the place of the element whose class no other element of its set has.
    //    For a start:  steps.labels = Vector(x.count());

    // 2  encoded, for each set: the input network, then one encoder block after the other. What does lesson
    // 05
    //    do in between, and what would it do to a set?

    // 3  logits: the output network. scores: (T, 1) becomes a row of T numbers.

    // 4  probabilities: softmax. Over what?

    // 5  losses: -ln of one probability. Which? loss: their mean.

    // 6  found: the place of the largest probability.
}

void permute(const Matrices& x, const Vector& order, const AnomalyWeights& w, Steps& steps) {
    // 7  permuted.x: row i is row order(i) of x. permuted.labels: to which place did the anomaly come?

    // 8  permuted.scores: run the model again. Or do you know them already?
}
