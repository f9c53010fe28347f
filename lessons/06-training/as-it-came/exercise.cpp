// Lesson 06: your work. Fill in the steps in order, and ask after each whether it is right:
//     ./dev lesson 06
// lesson.h, beside this file, says what goes in and what is to come out.
#include "lesson.h"

#include <algorithm>  // std::max, std::min
#include <cmath>      // std::exp, std::log, std::sqrt, std::pow, std::cos
#include <numbers>    // std::numbers::pi

void cross_entropy(const Matrix& logits, const Vector& labels, Steps& steps) {
    // 1  losses: -ln of the probability that softmax gives to the label. What if a logit is 1000?
    //    For a start:  steps.losses = Vector(logits.rows());

    // 2  loss: the mean. Over what?
    //    In the end:   steps.loss = ...;

    // 3  gradient: how much does the loss change with each logit?
}

void clip(const Gradients& gradients, double max_norm, Steps& steps) {
    // 4  norm: one length for each update, of all that is in gradients.W and gradients.b

    // 5  clipped.W, clipped.b: the same direction, but no longer than max_norm
}

void learning_rates(const Schedule& schedule, Steps& steps) {
    // 6  rates: from 0 up to the peak, then along half a cosine back to 0
}

void adamw(const Vector& w, const AdamW& settings, Steps& steps) {
    // 7  m, v: before the first update both are 0

    // 8  m_hat, v_hat: divided by what is missing to a mean

    // 9  weights: one step against m_hat, measured in √v_hat; and the decay, which goes its own way
}
