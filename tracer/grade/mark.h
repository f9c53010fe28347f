#pragma once
#include <string>
#include <vector>

#include <glassbox/mistakes/diagnosis.h>

#include "grade/course.h"

namespace glassbox::tracer {

// What is said of one step of a hand-in.
struct StepMark {
    std::string name;
    Verdict verdict;
    std::string message;  // where it differs
    double weight = 1;
    bool counts = false;       // for the points
    bool is_known = false;     // wrong, and a known mistake gives its numbers
    bool is_own = false;       // of code: it was seen to come from the inputs
    bool is_mistaken = false;  // what is wrong was done in this step
    bool is_asked = true;      // it was handed in, or what was handed in is computed from it
};

// A known mistake that explains a hand-in's numbers.
struct NamedMistake {
    std::string step, name, sentence;  // "scaled/no-root"
    std::string others{};  // those that explain the same numbers: "scaled/by-dk or logits/divided"
};

// What the judge found.
struct Judged {
    std::string problem;  // why nothing could be judged: "there is no exercise.cpp"; else empty
    std::string detail;   // what the compiler or Python said of it
    std::vector<StepMark> steps;
    std::vector<NamedMistake> mistakes;
    bool is_missing = false;  // the problem is that there is no file of this name
    std::string instead{};    // then another one that may be meant: "exercise.py"
    // Of a function: what it has no parameter for and is judged without, and whether what it returned, or was
    // asked to return, is not the layer's result but a step before it.
    std::vector<std::string> without{};
    bool is_part = false;
    std::string
        remark{};  // how the task was understood, for what it does not say: "taken by the convention …"
    std::string right_with{};  // options with which all would be right
};

// Whether it is judged, and each of its steps counts, of a part those that were asked for.
bool is_all_right(const Judged& found);

// One task of one student.
struct TaskMark {
    std::string task;
    double points = 0, most = 0;
    Judged found;
    bool has_failed = false;  // not judged, and not by the student's doing: see found.problem
    bool is_capped = false;   // the result is wrong, and the course gives no more for the steps before it

    bool is_full() const { return points == most && found.problem.empty(); }
};

struct StudentMarks {
    std::string student;
    std::vector<TaskMark> tasks;

    double points() const;
    double most() const;
};

// Which steps of a lesson count (of arrays tracer check says it). Right ones do. One that is right for what
// it was given counts where code made it from the inputs, or where known mistakes explain every wrong step
// before it. One that was not handed in counts where the last step is right, or where known mistakes explain
// all that is wrong and none of them was made in it.
void count(Judged& found);

// The steps that are wrong and cost nothing, for the course gives them no weight and all that has one is
// right.
std::vector<std::string> wrong_beside(const TaskMark& task);

// The task's points times the share of its steps that count, by weight, and at most what the course gives
// where the result is wrong. Of a function that returns certain steps only what leads to them has a weight,
// and the last of these is its last. A mistake in steps without a weight costs the next step that has one and
// is not right, so that it is not free. Throws FileError where the course gives a weight to a step that there
// is none of, or to none that has a say.
TaskMark mark(const CourseTask& task, Judged found);

}  // namespace glassbox::tracer
