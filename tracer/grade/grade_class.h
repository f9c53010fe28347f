#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grade/lesson_files.h"
#include "grade/mark.h"

namespace glassbox::tracer {

struct GradeRequest {
    std::filesystem::path folder;  // with a folder for each student
    Course course;
    LessonPlaces places;
    std::string student;    // only this one; empty: all
    bool trust = false;     // run code without a sandbox
    bool expected = false;  // show right numbers
};

// Throws, before any work is graded, if the course names an unknown layer, lesson or step, or a missing
// program.
void try_course(const GradeRequest& request);

// Grades every student's submission, several at a time, and returns the marks in the order of the students'
// names. Whatever a submission does, its student gets a result and the others theirs. Throws UsageError or
// FileError for the course itself, and Interrupted once a signal was caught: nothing runs then, and the
// folders that were needed are gone.
std::vector<StudentMarks> grade_class(const GradeRequest& request);

// Writes each student's own inputs, of tasks for which arrays are submitted, into the student's folder,
// NAME-inputs.npz, and beside them what to compute with them, NAME-inputs.txt. The text states both.
std::string hand_out(const GradeRequest& request);

}  // namespace glassbox::tracer
