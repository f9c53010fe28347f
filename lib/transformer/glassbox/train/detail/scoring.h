#pragma once
#include <string>
#include <vector>

#include <glassbox/train/learner.h>
#include <glassbox/train/parameter_block.h>

namespace glassbox::detail {

// learner.score(), with its result checked against the contract in learner.h: Error that names score().
Outcome scored(const Learner& learner, const Examples& examples);
// The number of correct answers among `counted` elements, checked to be an integer; 0 if score() does not
// give it.
index_t correct_of(const Outcome& outcome, index_t counted);
// `loss` is a mean; `correct` is the number of correct answers, NaN if score() does not give it.
Scored score_of(double loss, index_t counted, double correct);

// Throws Error unless the loss and the count of two of these examples are the sums of those of each (a mean
// is not). Without dropout, and not recorded.
void check_sums(const Learner& learner, const Examples& examples, Device device);

// The names of the parameters that get no gradient from the loss of these examples: those that no op of
// score() reads, and those on which the loss still does not depend. Without dropout, on its own tape.
struct Untrained {
    std::vector<std::string> unread{}, without_effect{};
    std::size_t count() const { return unread.size() + without_effect.size(); }
};
Untrained untrained(const Learner& learner, const Examples& examples, const ParameterBlock& parameters);

}  // namespace glassbox::detail
