#pragma once
#include <string>
#include <vector>

#include "check.h"

namespace lesson {

// The lesson for readers of exercise.py: its hints speak of shapes and NumPy, not of Matrix and std. If the
// mistake itself differs in Python, lesson.json's "python" has a hint of the same name.
Lesson in_python(Lesson lesson);

// A hint in the words of a NumPy user: "Matrix(T, d_model)" is "shape (T, d_model)".
std::string in_python_words(const std::string& text);

// What run_python.py has collected in `file`, and where it stopped: for each case its name, the word of the
// kind of stop, and the reason.
std::vector<Outcome> check_python(const Lesson& lesson, const Check& check, const std::filesystem::path& file,
                                  const std::vector<std::string>& stopped);

}  // namespace lesson
