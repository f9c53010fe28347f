#include "grade/inputs.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include <nlohmann/json.hpp>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/tensor/format.h>

#include "grade/process.h"

namespace glassbox::tracer {

namespace fs = std::filesystem;

OwnCommand run_command(const std::string& program, const Arguments& arguments, const fs::path& folder,
                       const Limits& limits) {
    LimitedRun run;
    // Messages stay apart from what is printed. The shell becomes the program: a signal that ends it is seen.
    run.words = {"/bin/sh", "-c", "exec \"$0\" \"$@\" >&3", program};
    run.words.insert(run.words.end(), arguments.begin(), arguments.end());
    run.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "OPENBLAS_NUM_THREADS=1",
                       "GLASSBOX_PATIENCE=0", "NO_COLOR=1"};
    run.folder = folder.string();
    run.cores = std::max(1u, std::thread::hardware_concurrency());
    const RunResult result = run_limited(run, limits);
    return {result.code, result.stopped, result.result, result.printed};
}

// "error: there is no …" without its first word.
std::string OwnCommand::reason() const {
    if (!stopped.empty()) return stopped;
    if (code < 0) return fmt::format("it was terminated by signal {} ({})", -code, ::strsignal(-code));
    if (messages.empty()) return fmt::format("it ended with exit code {} and printed nothing", code);
    const std::string text = messages.substr(0, messages.find('\n'));
    return text.starts_with("error: ")    ? text.substr(7)
           : text.starts_with("lesson: ") ? text.substr(8)
                                          : text;
}

// The command's own exit codes: 0 and 1 are answers, 2 and 3 are about what it was given.
bool OwnCommand::has_machine_failed() const { return !stopped.empty() || code < 0 || code > 3; }

namespace {

const Limits limits_of_making{.seconds = 60, .memory = 4096, .file_size = 256};

// The task's text is in the course's file, or in the command line.
void check_made(const OwnCommand& ran, const Course& course, const CourseTask& task) {
    if (ran.code == 0 && ran.stopped.empty()) return;
    if (ran.has_machine_failed())
        fail<IoError>("task '{}': its inputs cannot be created: {}", task.name, ran.reason());
    const std::string text = fmt::format("task '{}': {}", task.name, ran.reason());
    if (course.file.empty()) fail<UsageError>("{}", text);
    fail<FileError>("{}: {}", course.file, text);
}

void make_lesson_inputs(const Course& course, const CourseTask& task, const LessonPlaces& places,
                        const fs::path& file, std::uint64_t seed) {
    const LessonFiles files = lesson_files(places, task.lesson);
    const OwnCommand ran =
        run_command(files.check.string(),
                    {files.folder.string(), "inputs", std::to_string(seed), file.filename().string()},
                    file.parent_path(), limits_of_making);
    check_made(ran, course, task);
}

bool is_flag(const std::string& word) { return word.starts_with("--"); }

// "--label-smoothing=0.1" → "--label-smoothing"
std::string flag_in(const std::string& word) { return word.substr(0, word.find('=')); }

std::string flag_of(std::string argument) {
    std::replace(argument.begin(), argument.end(), '_', '-');
    return "--" + argument;
}

bool asks_for(const CourseTask& task, const std::string& flag) {
    return std::any_of(task.layer.begin(), task.layer.end(),
                       [&](const std::string& word) { return is_flag(word) && flag_in(word) == flag; });
}

// Which optimiser it is, if the function's name tells and the course does not; else empty.
std::string optimiser_named(const CourseTask& task) {
    if (task.layer[0] != "adam" || !task.runs_code() || asks_for(task, "--optimiser")) return "";
    std::string name = task.function;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char* each : {"adamw", "adam", "sgd"})
        if (name.find(each) != name.npos) return each;
    return "";
}

// For a function: what the probe has chosen and the course does not request.
void set_drawn(TaskInputs& inputs, const CourseTask& task) {
    for (const std::string& word : inputs.check) {
        const std::string flag = is_flag(word) ? flag_in(word) : "";
        if (flag.empty() || asks_for(task, flag)) continue;
        std::string name = flag.substr(2);
        std::replace(name.begin(), name.end(), '-', '_');
        const auto is_name = [&](const char* each) { return name == each; };
        if (std::any_of(std::begin(can_be_left_out), std::end(can_be_left_out), is_name))
            inputs.drawn.push_back(name);
        if (flag == "--optimiser") inputs.is_optimiser_drawn = optimiser_named(task).empty();
    }
    const Npz npz(inputs.file);
    if (!npz.contains("labels") || asks_for(task, "--lengths")) return;
    const index_t classes = npz.read("logits").size(-1);
    index_t place = 0;
    for (const real label : npz.read("labels").values()) {
        const auto other = static_cast<double>(place++ % classes);
        inputs.labels_that_count.push_back(label < 0 ? other : static_cast<double>(label));
    }
    inputs.drawn.emplace_back("padding");
}

void put_labels(const fs::path& file, const std::vector<double>& labels) {
    NamedTensors arrays = read_npz(file).arrays;
    for (auto& [name, value] : arrays)
        if (name == "labels") value = Tensor(value.shape(), std::vector<real>(labels.begin(), labels.end()));
    write_npz(file, arrays);
}

}  // namespace

void take_out(Arguments& words, const std::string& flag) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!is_flag(words[i]) || flag_in(words[i]) != flag) continue;
        const bool has_value = words[i] == flag && i + 1 < words.size() && !is_flag(words[i + 1]);
        const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
        words.erase(at, at + (has_value ? 2 : 1));
        return;
    }
}

std::string layer_line(const TaskInputs& inputs) {
    const Arguments& check = inputs.check;
    std::string options;
    for (std::size_t i = 1; i < check.size(); ++i)
        if ((check[i] == "--input" || check[i] == "--weights") && check[i + 1] == inputs_name) ++i;
        else options += (options.empty() ? "" : " ") + shell_word(check[i]);
    return options;
}

namespace {

// For an unnamed update without an average of squares: gradient descent.
void set_descent(TaskInputs& inputs, bool has_average) {
    for (const char* flag : {"--optimiser", "--update", "--beta1", "--beta2", "--epsilon"})
        take_out(inputs.check, flag);
    inputs.check.insert(inputs.check.end(), {"--optimiser", "sgd"});
    if (!has_average) inputs.check.insert(inputs.check.end(), {"--momentum", "0"});
    inputs.is_optimiser_drawn = false;
}

}  // namespace

TaskInputs without_options(TaskInputs inputs, const std::vector<std::string>& not_taken) {
    const auto is_left = [&](const char* name) {
        return std::find(not_taken.begin(), not_taken.end(), name) != not_taken.end();
    };
    if (inputs.is_optimiser_drawn && is_left("v_before")) set_descent(inputs, !is_left("m_before"));
    const auto is_drawn = [&](const std::string& name) {
        return std::find(inputs.drawn.begin(), inputs.drawn.end(), name) != inputs.drawn.end();
    };
    for (const std::string& name : not_taken) {
        if (!is_drawn(name)) continue;
        take_out(inputs.check, flag_of(name));
        // Without the average of gradients no momentum; with it the command's default.
        if (name == "momentum" && is_left("m_before"))
            inputs.check.insert(inputs.check.end(), {"--momentum", "0"});
        if (name == "padding") put_labels(inputs.file, inputs.labels_that_count);
        if (name == "weight_decay" && inputs.is_optimiser_drawn) {
            take_out(inputs.check, "--optimiser");
            inputs.check.insert(inputs.check.end(), {"--optimiser", "adam"});
        }
        inputs.left_out.push_back(name == "padding" ? name : flag_of(name));
    }
    return inputs;
}

TaskInputs make_inputs(const Course& course, const CourseTask& task, const std::string& student,
                       const LessonPlaces& places, const fs::path& folder, bool other) {
    const std::uint64_t seed = seed_of(course, task, student);
    TaskInputs inputs{folder / inputs_name, {}, {}};
    if (!task.lesson.empty()) {
        inputs.other = folder / "other.npz";
        make_lesson_inputs(course, task, places, inputs.file, seed);
        make_lesson_inputs(course, task, places, inputs.other, (seed + 1) % seeds);
        return inputs;
    }
    Arguments words{"probe"};
    words.insert(words.end(), task.layer.begin(), task.layer.end());
    words.insert(words.end(), {"--seed", std::to_string(seed), "--format", "json", "-o", inputs_name});
    if (other) words.emplace_back("--other");
    // A student's update takes no factor from clipping, unless the course asks for one.
    const auto is_typed = [&](const std::string& word) { return word.starts_with("--factor"); };
    if (task.runs_code() && task.layer[0] == "adam" &&
        std::none_of(task.layer.begin(), task.layer.end(), is_typed))
        words.insert(words.end(), {"--factor", "1"});
    if (const std::string optimiser = optimiser_named(task); !optimiser.empty())
        words.insert(words.end(), {"--optimiser", optimiser});
    const OwnCommand ran = run_command(own_program(), words, folder, limits_of_making);
    check_made(ran, course, task);
    const auto probe = nlohmann::ordered_json::parse(ran.out, nullptr, false);
    if (probe.is_discarded())  // this command's file was replaced meanwhile
        fail<IoError>("task '{}': its inputs cannot be created: {} printed nothing readable", task.name,
                      display_name(own_program()));
    const auto words_of_check = probe["words"].get<Arguments>();  // "tracer", "check", …, "FILE"
    inputs.check.assign(words_of_check.begin() + 1, words_of_check.end() - 1);
    inputs.options = probe["options"].dump();
    inputs.has_other = probe["other"];
    inputs.is_other = other;
    inputs.facts = probe["facts"].get<std::vector<std::string>>();
    if (task.runs_code()) set_drawn(inputs, task);
    return inputs;
}

NamedTensors layer_steps(const CourseTask& task, const TaskInputs& inputs) {
    Arguments words(inputs.check.begin() + 1, inputs.check.end());  // without "check"
    words.insert(words.end(), {"-o", "steps.npz"});
    const fs::path folder = inputs.file.parent_path();
    const OwnCommand ran = run_command(own_program(), words, folder, limits_of_making);
    if (ran.has_machine_failed())
        fail<IoError>("task '{}': its steps cannot be created: {}", task.name, ran.reason());
    if (ran.code != 0) fail<UsageError>("task '{}': {}", task.name, ran.reason());
    const Npz given(inputs.file);
    NamedTensors steps = read_npz(folder / "steps.npz").arrays;
    std::erase_if(steps, [&](const auto& step) { return given.contains(step.first); });
    return steps;
}

std::vector<std::string> step_names(const CourseTask& task, const TaskInputs& inputs,
                                    const LessonPlaces& places) {
    std::vector<std::string> names;
    if (task.lesson.empty()) {
        for (const auto& [name, value] : layer_steps(task, inputs)) names.push_back(name);
        return names;
    }
    const Bytes text = read_file(lesson_files(places, task.lesson).folder / "lesson.json");
    return nlohmann::json::parse(text.begin(), text.end()).at("steps").get<std::vector<std::string>>();
}

}  // namespace glassbox::tracer
