#pragma once
#include <string>
#include <vector>

#include "grade/grade_class.h"

namespace glassbox::tracer {

// Grades five submissions of each task that need no student: the right one, an empty one, the inputs handed
// out, the same rounded in place of steps, and zeros in place of the result. Of a lesson: the solution and
// the unchanged exercise. Of a function: several right ones, with the parameters that students write: all,
// only the inputs, and those that return the loss or a tuple.
std::vector<StudentMarks> grade_trial(GradeRequest request);

// Whether it is one of the right ones, and whether a task of it earns what it should.
bool is_right(const StudentMarks& submission);
bool is_as_it_should_be(const StudentMarks& submission, const TaskMark& task);

// What each function of the course is called with, and what is drawn for it.
std::string drawn_text(const GradeRequest& request);

// Whether what is right earns all, and nothing else earns anything.
bool is_sound(const std::vector<StudentMarks>& trial);

}  // namespace glassbox::tracer
