// Lesson 12: your work. Fill in the steps in order, and ask after each whether it is right:
//     ./dev lesson 12
// lesson.h, beside this file, says what answers, lengths, source and w are, and what is given.
#include "lesson.h"

#include <cmath>  // std::log

void make_batch(const Matrix& answers, const Vector& lengths, Steps& steps) {
    // 1  target: start, then the answer. labels: the answer, then end. Where does end stand?
    //    For a start:  steps.target = Matrix(answers.rows(), answers.columns() + 1);   all pad
}

void measure(const Matrix& source, const TransformerWeights& w, Steps& steps) {
    // 2  logits: transformer_logits of each source and ... what?
    //    For a start:  steps.logits = Matrices(source.rows(), T, w.W.rows());

    // 3  losses: -ln of one probability at each place that counts.

    // 4  loss: the mean. Divided by what? accuracy, in the same way.
}

void decode(const Matrix& source, const TransformerWeights& w, int longest, Steps& steps) {
    // 5  written, certainty: begin with start alone. Which row of the logits says the next token? What does
    // the
    //    decoder get in the next round? When do you stop?
    //    For a start:  steps.written = Matrix(source.rows(), longest);   all pad
}
