#include "grade/trial.h"

#include <algorithm>

#include <glassbox/io/detail/file.h>
#include <glassbox/io/npz.h>
#include <glassbox/tensor/format.h>

#include "grade/inputs.h"
#include "grade/scratch.h"
#include "worksheet/decimals.h"

namespace tracer {

namespace fs = std::filesystem;
using glassbox::NamedTensors;
using glassbox::Tensor;

namespace {

constexpr const char *right = "right", *empty = "empty", *inputs_only = "inputs", *rounded_only = "rounded",
                     *zeros = "zeros";
constexpr int decimals = 2;  // of the rounded inputs

std::string as_text(const glassbox::Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Tensor zeros_like(const Tensor& x) {
    return Tensor(x.shape(), std::vector<glassbox::real>(static_cast<std::size_t>(x.numel())));
}

// The inputs, rounded, in the place of the steps of the same shape.
NamedTensors rounded_inputs(const CourseTask& task, const TaskInputs& inputs) {
    const NamedTensors given = glassbox::read_npz(inputs.file).arrays;
    NamedTensors steps;
    for (const auto& [step, value] : layer_steps(task, inputs)) {
        const glassbox::Shape shape = value.shape();
        const auto same = std::find_if(given.begin(), given.end(),
                                       [&](const auto& each) { return each.second.shape() == shape; });
        if (same != given.end()) steps.emplace_back(step, rounded(same->second, decimals));
    }
    return steps;
}

// array([0.25, …], dtype='f').reshape((3, 6, 7))
std::string in_python(const Tensor& x) {
    std::string numbers;
    for (const glassbox::real value : x.values())
        numbers += fmt::format("{:.9g}, ", static_cast<double>(value));
    std::string sizes;
    for (const glassbox::index_t size : x.shape()) sizes += fmt::format("{}, ", size);
    return fmt::format("array([{}], dtype='f').reshape(({}))", numbers, sizes);
}

// A function that gives back these arrays, whatever it is called with.
std::string function_in_python(const std::string& name, const NamedTensors& arrays) {
    std::string values;
    for (const auto& [path, value] : arrays) values += in_python(value) + (arrays.size() > 1 ? ", " : "");
    return fmt::format("from numpy import array, inf, nan\n\n\ndef {}(*_):\n    return {}\n", name,
                       arrays.empty() ? "None" : values);
}

// Those that the function is to return; the result alone if the course says none.
NamedTensors returned(const CourseTask& task, const NamedTensors& steps) {
    if (task.returns.empty()) return {steps.back()};
    NamedTensors kept;
    for (const std::string& name : task.returns)
        kept.push_back(
            *std::find_if(steps.begin(), steps.end(), [&](const auto& step) { return step.first == name; }));
    return kept;
}

NamedTensors handed_in(const CourseTask& task, const TaskInputs& inputs, const std::string& kind) {
    if (kind == empty) return {};
    if (kind == inputs_only) return glassbox::read_npz(inputs.file).arrays;
    if (kind == rounded_only) return rounded_inputs(task, inputs);
    const NamedTensors steps = layer_steps(task, inputs);
    NamedTensors own = task.runs_code() ? returned(task, steps)
                       : kind == right  ? steps
                                        : NamedTensors{steps.back()};
    if (kind == zeros)
        for (auto& [name, value] : own) value = zeros_like(value);
    return own;
}

// A function that is right for two inputs, which it knows by the first array.
std::string function_for_two(const GradeRequest& request, const CourseTask& task,
                             const std::string& student) {
    std::string text = "from numpy import array, inf, nan\n\n\n", name;
    for (const bool other : {false, true}) {
        const ScratchFolder scratch;
        const TaskInputs inputs =
            make_inputs(request.course, task, student, request.places, scratch.path(), other);
        const auto [first, given] = glassbox::read_npz(inputs.file).arrays.front();
        std::string values;
        for (const auto& [path, value] : handed_in(task, inputs, right)) values += in_python(value) + ", ";
        if (name.empty()) text += fmt::format("def {}({}):\n", task.function, name = first);
        text += fmt::format("    if (abs({} - {}) < 1e-6).all():\n        return [{}]{}\n", name,
                            in_python(given), values, task.returns.empty() ? "[0]" : "");
    }
    return text;
}

// A function that gives back its first argument, as it is or rounded, as often as it is to return something.
std::string function_of_input(const CourseTask& task, const TaskInputs& inputs, const std::string& kind) {
    const NamedTensors given = glassbox::read_npz(inputs.file).arrays;
    if (given.empty()) return function_in_python(task.function, {});
    const std::string& name = given.front().first;
    const std::string result = kind == rounded_only ? fmt::format("{}.round({})", name, decimals) : name;
    const std::size_t count = std::max<std::size_t>(1, task.returns.size());
    return fmt::format("def {}({}):\n    return ({},) * {}\n", task.function, name, result, count);
}

void hand_in_layer(const GradeRequest& request, const CourseTask& task, const std::string& kind,
                   const fs::path& file) {
    const ScratchFolder scratch;
    const TaskInputs inputs = make_inputs(request.course, task, kind, request.places, scratch.path());
    if (task.runs_code() && inputs.has_other && kind == right)
        return put_file(file, function_for_two(request, task, kind));
    if (task.runs_code() && (kind == inputs_only || kind == rounded_only))
        return put_file(file, function_of_input(task, inputs, kind));
    const NamedTensors arrays = handed_in(task, inputs, kind);
    put_file(file, task.runs_code() ? function_in_python(task.function, arrays)
                                    : as_text(glassbox::format_npz(arrays)));
}

void hand_in_lesson(const GradeRequest& request, const CourseTask& task, const std::string& kind,
                    const fs::path& file) {
    const std::string ending = task.kind == CourseTask::Kind::lesson_python ? ".py" : ".cpp";
    const fs::path lesson = lesson_files(request.places, task.lesson).folder;
    if (kind == right) put_file(file, as_text(glassbox::read_file(lesson / ("solution" + ending))));
    if (kind == empty)
        put_file(file, as_text(glassbox::read_file(lesson / "as-it-came" / ("exercise" + ending))));
}

}  // namespace

std::vector<StudentMarks> grade_trial(GradeRequest request) {
    const ScratchFolder folder;
    request.folder = folder.path();
    request.student.clear();
    try_course(request);
    for (const char* kind : {right, empty, inputs_only, rounded_only, zeros}) {
        fs::create_directory(folder / kind);
        for (const CourseTask& task : request.course.tasks)
            (task.lesson.empty() ? hand_in_layer : hand_in_lesson)(request, task, kind,
                                                                   folder / kind / task.file);
    }
    std::vector<StudentMarks> marks = grade_class(request);
    std::stable_partition(marks.begin(), marks.end(),
                          [](const StudentMarks& each) { return each.student == right; });
    return marks;
}

bool is_sound(const std::vector<StudentMarks>& trial) {
    return std::all_of(trial.begin(), trial.end(), [](const StudentMarks& hand_in) {
        return std::all_of(hand_in.tasks.begin(), hand_in.tasks.end(), [&](const TaskMark& task) {
            return hand_in.student == right ? task.is_full() : task.points == 0;
        });
    });
}

}  // namespace tracer
