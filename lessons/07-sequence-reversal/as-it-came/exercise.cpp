// Lesson 07: your work. Fill in the steps in order, and ask after each whether it is right:
//     ./dev lesson 07
// lesson.h, beside this file, says what goes in, what is to come out, and what is given.
#include "lesson.h"

#include <cmath>  // std::log

void make_batch(const Matrix& numbers, int categories, Steps& steps) {
    // 1  x: one table for each sequence, one row for each number, one column for each number that there is.
    //    For a start:  steps.x = Matrices(numbers.rows(), numbers.columns(), categories);

    // 2  labels: each sequence backwards. Which axis is that?
}

void training_step(const ModelWeights& w, double rate, Steps& steps) {
    // 3  logits: predict(...).logits, for each sequence

    // 4  losses: one for each number of each sequence

    // 5  loss: their mean. Over what?
    //    In the end:   steps.loss = ...;

    // 6  gradient: b_2(k) is added to logit k of every position. How does the loss change with it?

    // 7  loss_after: the loss with w.b_2 - rate · gradient
}

void look(const ModelWeights& w, Steps& steps) {
    // 8  answers: for each position, the number with the largest logit; of equal ones, the first

    // 9  accuracy: the share of answers that are right

    // 10 mirrored: position t is to say what stands at T - 1 - t. What share of its attention goes there?
    //    The mean over all positions of all sequences.
}
