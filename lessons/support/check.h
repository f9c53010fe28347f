#pragma once
#include <map>
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

#include "exercise.h"
#include "lesson_json.h"

namespace lesson {

using glassbox::Tensor;
using Tensors = std::map<std::string, Tensor>;  // by the step's name: "Q", "logits", …

// The problem of a step that has not been computed.
inline const std::string not_there = "not there yet";

// What the student's work gave for one case.
struct Answer {
    struct Step {
        Tensor value;         // undefined when it is missing or has a wrong shape; then
        std::string problem;  // says so
    };
    std::map<std::string, Step> steps;
    std::string stopped;  // why the exercise stopped early; empty when it ran to its end
};

// What one lesson knows about its exercise.
class Check {
  public:
    virtual ~Check() = default;

    // Calls the student's function on the inputs of one golden case.
    virtual Answer run(const Exercise& exercise, const Tensors& golden) const = 0;
    // The right value of a step, computed from the inputs and the student's own earlier steps.
    virtual Tensor redo(const std::string& step, const Tensors& own) const = 0;
    // The reason why a step is wrong, as the hints name it: "no-root"; "" when it is none of
    // the mistakes that are known. `own` holds the inputs and all steps that the student has.
    virtual std::string diagnose(const std::string& step, const Tensors& own) const = 0;
    // A step as it is to be compared: what may be chosen freely is replaced by the choice of golden.npz.
    virtual Tensor comparable(const std::string& /*step*/, const Tensor& value,
                              const Tensors& /*golden*/) const {
        return value;
    }
};

const Check& the_check();  // the lesson's own, in its check.cpp

enum class Verdict { right, wrong, follows, missing, not_given };

// The outcome of one case.
struct Outcome {
    struct Step {
        std::string name;
        Verdict verdict;
        std::string message;  // where and how it differs, or why it could not be compared
    };
    Lesson::Case of;
    std::vector<Step> steps;
    std::string stopped;
    std::string hint;  // the key of a hint, for the first step that is not right; "" when all are

    const Step* first_wrong() const;  // null when all are right
    bool passed() const { return !first_wrong() && stopped.empty(); }
};

const Outcome* first_failed(const std::vector<Outcome>& outcomes);  // null when all passed

// Runs the exercise on every case of the lesson's golden.npz.
std::vector<Outcome> check_exercise(const Lesson& lesson, const Check& check, const Exercise& exercise);
// Compares arrays "case/step" of the student's own file. The last step of every case must be there; the
// others help to say which one is wrong.
std::vector<Outcome> check_arrays(const Lesson& lesson, const Check& check,
                                  const std::filesystem::path& file);

}  // namespace lesson
