#include "grade/trial.h"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/text_width.h"
#include "grade/inputs.h"
#include "grade/readings.h"
#include "grade/scratch.h"
#include "worksheet/sheet.h"

namespace glassbox::tracer {

namespace fs = std::filesystem;

namespace {

constexpr const char *right = "right", *empty = "empty", *inputs_only = "inputs", *rounded_only = "rounded",
                     *zeros = "zeros";
// As students write functions: with the inputs alone, returning the loss, or the result and what comes with
// it.
constexpr const char *plain = "right, of inputs alone", *loss_alone = "right, the loss alone",
                     *tuple = "right, as a tuple", *of_sizes = "right, of sizes alone",
                     *apart = "right, its weights apart";
constexpr int decimals = 2;  // of the rounded inputs

std::string as_text(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Tensor zeros_like(const Tensor& x) {
    return Tensor(x.shape(), std::vector<real>(static_cast<std::size_t>(x.numel())));
}

// The inputs, rounded, in the place of the steps of the same shape.
NamedTensors rounded_inputs(const CourseTask& task, const TaskInputs& inputs) {
    const NamedTensors given = read_npz(inputs.file).arrays;
    NamedTensors steps;
    for (const auto& [step, value] : layer_steps(task, inputs)) {
        const Shape shape = value.shape();
        const auto same = std::find_if(given.begin(), given.end(),
                                       [&](const auto& each) { return each.second.shape() == shape; });
        if (same != given.end()) steps.emplace_back(step, rounded(same->second, decimals));
    }
    return steps;
}

// One of the right submissions.
bool is_right(const std::string& kind) { return kind == right || kind.starts_with(std::string(right) + ","); }

// "attention" beside values; m and v beside Adam's weights.
bool is_beside_result(const std::string& step) {
    return step == "attention" || step == "loss" || step == "m" || step == "v";
}

// An input's name as a parameter: Q is often q.
std::string parameter_of(std::string input) {
    if (input.size() == 1) input[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(input[0])));
    return input;
}

// array([0.25, …], dtype='f').reshape((3, 6, 7))
std::string in_python(const Tensor& x) {
    std::string numbers;
    for (const real value : x.values()) numbers += fmt::format("{:.9g}, ", static_cast<double>(value));
    std::string sizes;
    for (const index_t size : x.shape()) sizes += fmt::format("{}, ", size);
    return fmt::format("array([{}], dtype='f').reshape(({}))", numbers, sizes);
}

// A function that gives back these arrays, whatever it is called with.
std::string function_in_python(const std::string& name, const NamedTensors& arrays) {
    std::string values;
    for (const auto& [path, value] : arrays) values += in_python(value) + (arrays.size() > 1 ? ", " : "");
    return fmt::format("from numpy import array, inf, nan\n\n\ndef {}(*_):\n    return {}\n", name,
                       arrays.empty() ? "None" : values);
}

// Those that the function is to return; only the result if the course names none.
NamedTensors returned(const CourseTask& task, const NamedTensors& steps) {
    if (task.returns.empty()) return {steps.back()};
    NamedTensors kept;
    for (const std::string& name : task.returns)
        kept.push_back(
            *std::find_if(steps.begin(), steps.end(), [&](const auto& step) { return step.first == name; }));
    return kept;
}

NamedTensors submitted_arrays(const CourseTask& task, const TaskInputs& inputs, const std::string& kind) {
    if (kind == empty) return {};
    if (kind == inputs_only) return read_npz(inputs.file).arrays;
    if (kind == rounded_only) return rounded_inputs(task, inputs);
    const NamedTensors steps = layer_steps(task, inputs);
    NamedTensors own = task.runs_code() ? returned(task, steps)
                       : kind == right  ? steps
                                        : NamedTensors{steps.back()};
    if (kind == zeros)
        for (auto& [name, value] : own) value = zeros_like(value);
    return own;
}

bool is_input(const std::string& array) { return array.find('.') == array.npos && array != "mask"; }

// Students' names for a layer's parameters, each a separate argument, if one name can mean only one of them;
// else empty.
std::string weights_apart(const NamedTensors& given) {
    static constexpr std::pair<const char*, const char*> names[] = {{"qkv_proj.weight", "W_q, W_k, W_v"},
                                                                    {"qkv_proj.bias", "b_q, b_k, b_v"},
                                                                    {"o_proj.weight", "W_o"},
                                                                    {"o_proj.bias", "b_o"},
                                                                    {"linear_net.0.weight", "W1"},
                                                                    {"linear_net.0.bias", "b1"},
                                                                    {"linear_net.3.weight", "W2"},
                                                                    {"linear_net.3.bias", "b2"},
                                                                    {"norm1.weight", "gamma1"},
                                                                    {"norm1.bias", "beta1"},
                                                                    {"norm2.weight", "gamma2"},
                                                                    {"norm2.bias", "beta2"}};
    std::string parameters;
    for (const auto& [name, value] : given) {
        if (name.find('.') == name.npos) continue;
        const std::string_view self = "self_attn.";
        const std::string own = name.starts_with(self) ? name.substr(self.size()) : name;
        const auto found = std::find_if(std::begin(names), std::end(names),
                                        [&](const auto& each) { return own == each.first; });
        if (found == std::end(names)) return "";
        parameters += fmt::format(", {}", found->second);
    }
    return parameters;
}

// Whether a layer with these steps, and this course, lets a function return it so.
bool is_possible(const std::string& kind, const CourseTask& task, const TaskInputs& inputs) {
    const NamedTensors steps = layer_steps(task, inputs);
    if (kind == apart) return !weights_apart(read_npz(inputs.file).arrays).empty();
    if (kind == of_sizes)
        return task.returns.empty() && task.weights.empty() &&
               nlohmann::json::parse(inputs.options).contains("seq") &&
               steps_without_input(task, inputs, steps).size() < steps.size();
    const auto has = [&](const char* name) {
        return std::any_of(steps.begin(), steps.end(), [&](const auto& step) { return step.first == name; });
    };
    if (kind == plain) return true;
    if (!task.returns.empty()) return false;
    if (kind == tuple) return has("attention") || has("loss") || has("m");
    return has("loss") && task.weights.empty();
}

// A function's parameters: the inputs as students write them, and with all of them also every option.
std::string parameters_of(const TaskInputs& inputs, const NamedTensors& given, bool all) {
    std::vector<std::string> names;
    bool has_weights = false;
    for (const auto& [name, value] : given) {
        has_weights = has_weights || name.find('.') != name.npos;
        if (is_input(name)) names.push_back(parameter_of(name));
    }
    const auto options = nlohmann::ordered_json::parse(inputs.options);
    for (const auto& [name, value] : options.items())
        if ((all || name == "update") && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    if (all && has_weights) names.emplace_back("weights");
    if (all) names.emplace_back("mask");
    if (all && !inputs.labels_that_count.empty()) names.emplace_back("ignore_index");
    return fmt::format("{}", fmt::join(names, ", "));
}

// What it returns: the result, or what the course states, or other usual forms.
NamedTensors returned_as(const std::string& kind, const CourseTask& task, const NamedTensors& steps) {
    NamedTensors values;
    if (kind == loss_alone && steps.back().first != "dlogits")
        return values;  // no layer whose loss is as good
    for (const auto& step : steps)
        if (kind == loss_alone ? step.first == "loss" : is_beside_result(step.first)) values.push_back(step);
    if (kind == loss_alone) return values;
    if (kind != tuple) return returned(task, steps);
    values.insert(values.begin(), steps.back());
    return values;
}

// A function that is right when called with what the task draws: with only inputs, or with everything.
std::string right_function(const GradeRequest& request, const CourseTask& task, const std::string& kind) {
    std::string text =
                    "from numpy import abs, array, asarray, inf, nan\n\n\n"
                    "def same(a, b):\n"
                    "    a = asarray(a)\n"
                    "    return a.shape == b.shape and (abs(a - b) < 1e-6).all()\n\n\n",
                parameters;
    for (const bool other : {false, true}) {
        const ScratchFolder scratch;
        TaskInputs inputs = make_inputs(request.course, task, kind, request.places, scratch.path(), other);
        if (kind != right) inputs = without_options(inputs, inputs.drawn);
        const NamedTensors given = read_npz(inputs.file).arrays;
        if (parameters.empty()) {
            parameters = kind == of_sizes ? "seq_len, d_model" : parameters_of(inputs, given, kind == right);
            if (kind == apart) parameters += weights_apart(given);
            text += fmt::format("def {}({}):\n", task.function, parameters);
        }
        std::string values, conditions;
        NamedTensors steps = layer_steps(task, inputs);
        if (kind == of_sizes) steps = steps_without_input(task, inputs, std::move(steps));
        for (const auto& [path, value] : returned_as(kind, task, steps)) values += in_python(value) + ", ";
        for (const auto& [name, value] : given)
            if (is_input(name) && kind != of_sizes)
                conditions += fmt::format("{}same({}, {})", conditions.empty() ? "" : " and ",
                                          parameter_of(name), in_python(value));
        const bool is_one = kind == loss_alone || (kind != tuple && task.returns.empty());
        text += fmt::format("    if {}:\n        return ({}){}\n", conditions.empty() ? "True" : conditions,
                            values, is_one ? "[0]" : "");
        if (!inputs.has_other) break;
    }
    return text + "    raise ValueError('other inputs')\n";
}

// A function that returns its first argument, as it is or rounded, once for each value to return.
std::string function_of_input(const CourseTask& task, const TaskInputs& inputs, const std::string& kind) {
    const NamedTensors given = read_npz(inputs.file).arrays;
    if (given.empty()) return function_in_python(task.function, {});
    const std::string& name = given.front().first;
    const std::string result = kind == rounded_only ? fmt::format("{}.round({})", name, decimals) : name;
    const std::size_t count = std::max<std::size_t>(1, task.returns.size());
    return fmt::format("def {}({}):\n    return ({},) * {}\n", task.function, name, result, count);
}

void submit_layer(const GradeRequest& request, const CourseTask& task, const std::string& kind,
                  const fs::path& file) {
    const ScratchFolder scratch;
    const TaskInputs inputs = make_inputs(request.course, task, kind, request.places, scratch.path());
    if (task.runs_code() && is_right(kind)) {
        if (kind == right || is_possible(kind, task, inputs))
            put_file(file, right_function(request, task, kind));
        return;
    }
    if (is_right(kind) && kind != right) return;  // a way to return, and arrays are submitted
    if (task.runs_code() && (kind == inputs_only || kind == rounded_only))
        return put_file(file, function_of_input(task, inputs, kind));
    const NamedTensors arrays = submitted_arrays(task, inputs, kind);
    put_file(file,
             task.runs_code() ? function_in_python(task.function, arrays) : as_text(format_npz(arrays)));
}

void submit_lesson(const GradeRequest& request, const CourseTask& task, const std::string& kind,
                   const fs::path& file) {
    const std::string ending = task.kind == CourseTask::Kind::lesson_python ? ".py" : ".cpp";
    const fs::path lesson = lesson_files(request.places, task.lesson).folder;
    if (kind == right) put_file(file, as_text(read_file(lesson / ("solution" + ending))));
    if (kind == empty) put_file(file, as_text(read_file(lesson / "as-it-came" / ("exercise" + ending))));
}

bool is_function(const CourseTask& task) { return task.kind == CourseTask::Kind::function; }

// Tasks whose files have different names, by their places: of a file that several tasks share there is one
// submission for each.
std::vector<std::vector<std::size_t>> rounds_of(const std::vector<CourseTask>& tasks) {
    std::vector<std::vector<std::size_t>> rounds;
    for (std::size_t place = 0; place < tasks.size(); ++place) {
        const auto is_free = [&](const std::vector<std::size_t>& round) {
            return std::none_of(round.begin(), round.end(),
                                [&](std::size_t other) { return tasks[other].file == tasks[place].file; });
        };
        const auto round = std::find_if(rounds.begin(), rounds.end(), is_free);
        (round == rounds.end() ? rounds.emplace_back() : *round).push_back(place);
    }
    return rounds;
}

std::vector<StudentMarks> grade_kinds(GradeRequest request, const std::vector<const char*>& kinds) {
    const ScratchFolder folder;
    request.folder = folder.path();
    for (const char* kind : kinds) {
        fs::create_directory(folder / kind);
        for (const CourseTask& task : request.course.tasks)
            (task.lesson.empty() ? submit_layer : submit_lesson)(request, task, kind,
                                                                 folder / kind / task.file);
    }
    return grade_class(request);
}

}  // namespace

std::vector<StudentMarks> grade_trial(GradeRequest request) {
    request.student.clear();
    try_course(request);
    std::vector<const char*> kinds{right, empty, inputs_only, rounded_only, zeros};
    if (std::any_of(request.course.tasks.begin(), request.course.tasks.end(), is_function))
        kinds.insert(kinds.end(), {plain, loss_alone, tuple, of_sizes, apart});
    std::vector<StudentMarks> marks;
    for (const std::vector<std::size_t>& round : rounds_of(request.course.tasks)) {
        GradeRequest own = request;
        own.course.tasks.clear();
        for (const std::size_t place : round) own.course.tasks.push_back(request.course.tasks[place]);
        const std::vector<StudentMarks> some = grade_kinds(std::move(own), kinds);
        marks.resize(some.size());
        for (std::size_t submission = 0; submission < some.size(); ++submission) {
            marks[submission].student = some[submission].student;
            marks[submission].tasks.resize(request.course.tasks.size());
            for (std::size_t i = 0; i < round.size(); ++i)
                marks[submission].tasks[round[i]] = some[submission].tasks[i];
        }
    }
    std::stable_partition(marks.begin(), marks.end(),
                          [](const StudentMarks& each) { return is_right(each); });
    std::erase_if(marks, [](const StudentMarks& each) {  // of a way to return that no task has
        return is_right(each) && std::all_of(each.tasks.begin(), each.tasks.end(),
                                             [](const TaskMark& task) { return task.found.is_missing; });
    });
    return marks;
}

bool is_right(const StudentMarks& submission) { return is_right(submission.student); }

bool is_as_it_should_be(const StudentMarks& submission, const TaskMark& task) {
    const bool is_left_out = task.found.is_missing && is_right(submission) && submission.student != right;
    return is_left_out || (is_right(submission) ? task.is_full() : task.points == 0);
}

bool is_sound(const std::vector<StudentMarks>& trial) {
    return std::all_of(trial.begin(), trial.end(), [](const StudentMarks& submission) {
        return std::all_of(submission.tasks.begin(), submission.tasks.end(),
                           [&](const TaskMark& task) { return is_as_it_should_be(submission, task); });
    });
}

std::string drawn_text(const GradeRequest& request) {
    std::string text;
    for (const CourseTask& task : request.course.tasks) {
        if (!is_function(task)) continue;
        const ScratchFolder scratch;
        const TaskInputs inputs = make_inputs(request.course, task, right, request.places, scratch.path());
        std::string arrays, drawn;
        for (const auto& [name, value] : read_npz(inputs.file).arrays)
            if (name.find('.') == name.npos)
                arrays += fmt::format("{}{} {}", arrays.empty() ? "" : ", ", name, value.shape());
        for (const std::string& name : inputs.drawn)
            drawn += fmt::format("{}{}", drawn.empty() ? "" : ", ", name);
        text += fmt::format("{}: {} of {} is called as {}\n", printable(task.name), printable(task.function),
                            printable(task.file), layer_line(inputs));
        text += wrapped("   with " + arrays, 100, "   ") + "\n";
        for (const std::string& fact : inputs.facts) text += "   " + fact + "\n";
        if (!drawn.empty())
            text +=
                wrapped(fmt::format("   drawn, and left out for a function that has no parameter for it: {}",
                                    drawn),
                        100, "   ") +
                "\n";
        text += "\n";
    }
    return text;
}

}  // namespace glassbox::tracer
