#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "check.h"

// A lesson as part of a course that is graded: tracer grade. A submission is called by one program
// (collect.cpp), which has the inputs only, and judged by another, which it cannot reach.
namespace lesson {

// Writes golden.npz's arrays with other inputs, drawn from the seed, and with zeros for the steps, of which
// only the shapes are needed. Whole numbers, such as tokens, lengths and masks, are kept. Every right
// solution must be right: inputs for which rounding or an open question of the lesson decides are redrawn.
void write_inputs(const Lesson& lesson, const Check& check, std::uint64_t seed,
                  const std::filesystem::path& file);

// Files of one call: the inputs, and what was collected for them.
struct Collection {
    std::filesystem::path inputs, steps;
};

// Returns the report on the collected steps as JSON; `stopped` is the file of that name. The exercise was
// also called with other inputs: a step that stays the same where the right one does not is not its own work.
// Without `expected` no right number is in it.
std::string judged(const Lesson& lesson, const Check& check, const Collection& own,
                   const std::filesystem::path& stopped, const Collection& other, bool expected);

}  // namespace lesson
