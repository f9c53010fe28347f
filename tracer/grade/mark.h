#pragma once
#include <string>
#include <vector>

#include <glassbox/mistakes/diagnosis.h>

#include "grade/course.h"

namespace glassbox::tracer {

// The judgement of one step of a submission.
struct StepMark {
    std::string name;
    Verdict verdict;
    std::string message;  // where it differs
    double weight = 1;
    bool counts = false;       // for the points
    bool is_known = false;     // wrong, and a known mistake gives its numbers
    bool is_own = false;       // of code: it was seen to come from the inputs
    bool is_mistaken = false;  // what is wrong was done in this step
    bool is_asked = true;      // it was submitted, or a submitted step is computed from it
};

// A known mistake that explains a submission's numbers.
struct NamedMistake {
    std::string step, name, sentence;  // "scaled/no-root"
    std::string others{};  // those that explain the same numbers: "scaled/by-dk or logits/divided"
};

// What the judge found.
struct Judged {
    std::string problem;  // why nothing could be judged: "there is no exercise.cpp"; else empty
    std::string detail;   // the compiler's or Python's message
    std::vector<StepMark> steps;
    std::vector<NamedMistake> mistakes;
    bool is_missing = false;  // the problem is that there is not a file of this name
    std::string instead{};    // then another one that may be meant: "exercise.py"
    // Of a function: what it has no parameter for and is judged without, and whether what it returned, or was
    // asked to return, is not the layer's result but a step before it.
    std::vector<std::string> without{};
    bool is_part = false;
    std::string remark{};      // how the task was read where it is silent: "read with the convention …"
    std::string right_with{};  // options with which all would be right
};

// Whether it is judged and each of its steps counts; of a partial task each requested one.
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

// Which steps of a lesson count (for arrays: tracer check). Right ones do. One that is right for what it was
// given counts if code computed it from the inputs, or if known mistakes explain every wrong step before it.
// One not submitted counts if the last step is right, or if known mistakes explain all that is wrong and none
// was made in it.
void count(Judged& found);

// The steps that are wrong and cost nothing, for the course gives them no weight and all that has one is
// right.
std::vector<std::string> wrong_beside(const TaskMark& task);

// The task's points times the weighted share of its steps that count, at most what the course gives for a
// wrong result. If a function returns certain steps, only what leads to them has a weight, and the last of
// these is its last. A mistake in steps without a weight costs the next step that has one and is not right,
// so that it is not free. Throws FileError if the course weights an unknown step, or none that counts.
TaskMark mark(const CourseTask& task, Judged found);

}  // namespace glassbox::tracer
