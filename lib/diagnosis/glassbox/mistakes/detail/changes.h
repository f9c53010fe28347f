#pragma once
#include <string>
#include <utility>
#include <vector>

#include <glassbox/mistakes/detail/formula.h>

// What may be written instead of one part of a formula.
namespace glassbox::detail {

struct Change {
    Edit edit;
    std::string words;  // "the root of v_hat + ε is left out"
};

// Another operation, axis or operand in the place of one, or none.
std::vector<Change> replaced_parts(const Formula& formula);
// A function of a part in its place.
std::vector<Change> added_functions(const Formula& formula);
// An operation more, with a number or with something of the formula or beside it.
std::vector<Change> added_operands(const Formula& formula);

// An operand, and the operation that takes it to another place.
std::vector<std::pair<Change, Change>> moved_parts(const Formula& formula);

}  // namespace glassbox::detail
