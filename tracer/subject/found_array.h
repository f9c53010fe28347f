#pragma once
#include <optional>
#include <string>
#include <vector>

#include "subject/written_array.h"

namespace glassbox::tracer {

constexpr index_t any_size = -1;  // of a shape not fully stated

// An array of a text, or a tuple that may be the shape of the one beside it.
struct FoundArray {
    SubmittedArray array;
    std::string hint = {};  // the word before it, which may be its name
    bool is_size = false;
    std::optional<std::vector<index_t>> stated = {};  // the shape stated by its own print
    std::optional<index_t> row = {};                  // its number, like a row's
};

double count_of(const std::vector<index_t>& sizes);

// Takes the reading with the shape that the array's print states: else why there is none.
std::string as_stated(FoundArray& found);

// A tuple is the shape of the array beside it if their sizes agree. Words that state a shape, and a tuple
// beside an array of as many axes, contradict another.
void take_sizes(std::vector<FoundArray>& found);

}  // namespace glassbox::tracer
