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

// Throws where the course asks for a layer, a lesson or a step that there is none of, or for a program that
// is not there: before any work is graded.
void try_course(const GradeRequest& request);

// Grades what every student handed in, several hand-ins at a time, and gives the marks in the order of the
// students' names. Whatever a hand-in does, its student gets a result and the others theirs. Throws
// UsageError or FileError for the course itself, and Interrupted once a signal was caught: nothing runs then,
// and the folders that were needed are gone.
std::vector<StudentMarks> grade_class(const GradeRequest& request);

// Writes each student's own inputs of the tasks whose arrays are handed in into the student's folder,
// NAME-inputs.npz, and beside them what they are to be computed with, NAME-inputs.txt. The text says both.
std::string hand_out(const GradeRequest& request);

}  // namespace glassbox::tracer
