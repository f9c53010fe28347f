#pragma once
#include <glassbox/train/evaluation.h>
#include <glassbox/train/learner.h>

namespace glassbox {

// What a learner says of some examples, held to what learner.h asks of it: Error that names score().
Outcome scored(const Learner& learner, const Examples& examples);
// How many of `counted` elements were answered rightly: a whole number, 0 where score() left it out.
index_t correct_of(const Outcome& outcome, index_t counted);
// A mean loss and how many were answered rightly, NaN where that was left out.
Scored score_of(double loss, index_t counted, double correct);

// Throws Error unless the loss and the count of two of these examples are the sums of each one's alone: a
// mean is not. Nobody is shown these scores, and nothing is dropped.
void check_sums(const Learner& learner, const Examples& examples, Device device);

}  // namespace glassbox
