#pragma once
#include <string>
#include <vector>

#include "figures/figure.h"
#include "grade/mark.h"

namespace glassbox::tracer {

// A mistake, and how many students made it in a task.
struct MadeMistake {
    std::string task, name, sentence;
    std::size_t students = 0;
};
// The most frequent first. What could not be judged counts as well: "does not compile".
std::vector<MadeMistake> mistakes_made(const std::vector<StudentMarks>& marks);

// Two maps: every student's share of each task's points, and how often each mistake was made.
Figure class_figure(const Course& course, const std::vector<StudentMarks>& marks);

}  // namespace glassbox::tracer
