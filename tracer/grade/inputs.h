#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>

#include "grade/course.h"
#include "grade/lesson_files.h"

namespace tracer {

inline constexpr const char* inputs_name = "inputs.npz";

// What a student's work of one task is tried on.
struct TaskInputs {
    std::filesystem::path file;        // an npz
    std::filesystem::path other;       // of a lesson: others, with which work is called a second time
    Arguments check;                   // of a layer: tracer check's arguments, without the hand-in's file
    std::string options{};             // of a layer: what it is computed with, by name, as a JSON object
    std::vector<std::string> facts{};  // what else is needed to compute it
    bool has_other = false;            // of a layer: one input cannot show all of its mistakes
};

// Makes them in `folder`, from the student's own seed: as tracer probe does, or from the lesson's inputs.
// Throws UsageError where the course asks for a layer or an option that there is none of.
// `other`: of a layer, the other ones.
TaskInputs make_inputs(const Course& course, const CourseTask& task, const std::string& student,
                       const LessonPlaces& places, const std::filesystem::path& folder, bool other = false);

// What the task's layer makes of the inputs, step by step, in order.
glassbox::NamedTensors layer_steps(const CourseTask& task, const TaskInputs& inputs);
// The names of the task's steps, in order: of a lesson from its lesson.json, else as the layer computes them.
std::vector<std::string> step_names(const CourseTask& task, const TaskInputs& inputs,
                                    const LessonPlaces& places);

// One of Glassbox's own programs, run in this folder.
struct OwnCommand {
    int code = 0;  // −n where signal n ended it
    std::string stopped, out, messages;
    std::string reason() const;  // why it failed: a sentence
    // Nobody's work and no course is the reason: it was killed, was too slow, or could not read or write.
    bool has_machine_failed() const;
};
OwnCommand run_command(const std::string& program, const Arguments& arguments,
                       const std::filesystem::path& folder, const Limits& limits);

}  // namespace tracer
