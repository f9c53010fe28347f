#pragma once
#include <string>
#include <vector>

#include "grade/course.h"

namespace tracer {

// What is said of one step of a hand-in.
struct StepMark {
    std::string name;
    std::string verdict;  // "right", "right for what it was given", "wrong", "missing" or "not handed in"
    std::string message;  // where it differs
    double weight = 1;
    bool counts = false;  // right, or right for what it was given
};

// A known mistake that explains a hand-in's numbers.
struct NamedMistake {
    std::string step, name, sentence;  // "scaled/no-root"
};

// What the judge found.
struct Judged {
    std::string problem;  // why nothing could be judged: "there is no exercise.cpp"; else empty
    std::string detail;   // what the compiler or Python said of it
    std::vector<StepMark> steps;
    std::vector<NamedMistake> mistakes;
};

// One task of one student.
struct TaskMark {
    std::string task;
    double points = 0, most = 0;
    Judged found;

    bool is_full() const { return points == most && found.problem.empty(); }
};

struct StudentMarks {
    std::string student;
    std::vector<TaskMark> tasks;

    double points() const;
    double most() const;
};

// The task's points times the share of its steps that count, by weight. Throws FileError where the course
// gives a weight to a step that there is none of.
TaskMark mark(const CourseTask& task, Judged found);

}  // namespace tracer
