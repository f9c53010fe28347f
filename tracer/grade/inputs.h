#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>

#include "grade/course.h"
#include "grade/lesson_files.h"

namespace glassbox::tracer {

inline constexpr const char* inputs_name = "inputs.npz";

// The options chosen by the probe that a function may lack a parameter for: numbers (NUMBERS in
// python/glassbox/signature.py) and what hides positions. Without others it would be given other arrays.
inline constexpr const char* can_be_left_out[] = {
    "rate",     "beta1",           "beta2",          "epsilon",        "weight_decay",   "momentum",
    "max_norm", "label_smoothing", "dropout",        "warmup",         "updates",        "start",
    "decay",    "least",           "temperature",    "top_k",          "top_p",          "repetition_penalty",
    "beam",     "tokens",          "prompt",         "window",         "horizon",        "training",
    "mask",     "lengths",         "target_lengths", "memory_lengths", "length_penalty", "end"};

// The inputs that a student's work of one task is tried on.
struct TaskInputs {
    std::filesystem::path file;        // an npz
    std::filesystem::path other;       // of a lesson: others, with which work is called a second time
    Arguments check;                   // of a layer: tracer check's arguments, without the submission's file
    std::string options{};             // of a layer: what it is computed with, by name, as a JSON object
    std::vector<std::string> facts{};  // what else is needed to compute it
    bool has_other = false;            // of a layer: one input cannot show all of its mistakes
    bool is_other = false;             // these are the other ones, which are tried if the first were right
    // For a function: the options that the probe has chosen and the course does not ask for, by their names
    // as arguments ("label_smoothing"), and "padding" if some labels do not count.
    std::vector<std::string> drawn{};
    std::vector<std::string> left_out{};      // of these what a function has no parameter for, as typed
    bool is_optimiser_drawn = false;          // nor does the function's name give it
    std::vector<double> labels_that_count{};  // the labels, with a class each in the place of padding
};

// Makes them in `folder`, from the student's own seed: as tracer probe does, or from the lesson's inputs.
// Throws UsageError if the course names an unknown layer or option.
// `other`: of a layer, the other ones.
TaskInputs make_inputs(const Course& course, const CourseTask& task, const std::string& student,
                       const LessonPlaces& places, const std::filesystem::path& folder, bool other = false);

// "multihead --heads 3 --mask causal": what to compute.
std::string layer_line(const TaskInputs& inputs);

// For a function that has no parameter for these of the drawn options: the layer is what the command computes
// without them. As in glassbox.check (python/glassbox/scalars.py). Changes the file where labels change.
TaskInputs without_options(TaskInputs inputs, const std::vector<std::string>& not_taken);

// Takes an option and its value out of a command's words.
void take_out(Arguments& words, const std::string& flag);

// The task's layer on the inputs, step by step, in order.
NamedTensors layer_steps(const CourseTask& task, const TaskInputs& inputs);
// The names of the task's steps, in order: of a lesson from its lesson.json, else as the layer computes them.
std::vector<std::string> step_names(const CourseTask& task, const TaskInputs& inputs,
                                    const LessonPlaces& places);

// One of Glassbox's own programs, run in this folder.
struct OwnCommand {
    int code = 0;  // −n where signal n ended it
    std::string stopped, out, messages;
    std::string reason() const;  // why it failed: a sentence
    // Neither the work nor the course is the cause: it was killed, was too slow, or could not read or write.
    bool has_machine_failed() const;
};
OwnCommand run_command(const std::string& program, const Arguments& arguments,
                       const std::filesystem::path& folder, const Limits& limits);

}  // namespace glassbox::tracer
