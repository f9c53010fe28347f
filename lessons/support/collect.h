#pragma once
#include <filesystem>

#include "exercise.h"
#include "lesson_json.h"

namespace lesson {

// Calls the exercise on the inputs of `file`, and writes `out`.npz, the steps as "case/step", and
// `out`.stopped, for each case that stopped early: its name, why, and word_of() the kind of stop; each text
// ends with a NUL. A call that takes longer than `seconds` is the last.
void collect(const Lesson& lesson, const Exercise& exercise, const std::filesystem::path& file,
             unsigned seconds, const std::filesystem::path& out);

}  // namespace lesson
