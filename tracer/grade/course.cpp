#include "grade/course.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include <glassbox/io/file.h>
#include <glassbox/io/json.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/nearest.h"

namespace glassbox::tracer {

using Json = nlohmann::json;

namespace {

// As a message shows it.
std::string shown(const Json& json) { return printable(json.dump(), 80); }

// One object of the file, and where it is: "course.json: tasks[1]".
class Fields {
  public:
    Fields(const Json& json, std::string where, const std::vector<std::string>& keys)
        : json_(json), where_(std::move(where)) {
        if (!json.is_object()) fail<FileError>("{}: expected an object {{…}}, got {}", where_, shown(json));
        for (const auto& [key, value] : json.items())
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                fail<FileError>("{}: unknown key '{}'; the keys are {}{}", where_, printable(key),
                                fmt::join(keys, ", "), did_you_mean(key, keys));
    }

    bool has(const char* key) const { return json_.contains(key); }
    const Json& at(const char* key) const {
        if (!has(key)) fail<FileError>("{}: missing key '{}'", where_, key);
        return json_[key];
    }
    std::string text(const char* key) const {
        const Json& value = at(key);
        if (!value.is_string() || value.get<std::string>().empty())
            fail<FileError>("{}: {}: expected a text, got {}", where_, key, shown(value));
        return value;
    }
    double number(const char* key, double low, double high) const {
        const Json& value = at(key);
        const double x = value.is_number() ? value.get<double>() : NAN;
        if (!(x >= low && x <= high))
            fail<FileError>("{}: {}: expected a number from {} to {}, got {}", where_, key, low, high,
                            shown(value));
        return x;
    }
    const std::string& where() const { return where_; }

  private:
    const Json& json_;
    std::string where_;
};

// Where the word begins that a JSON reader stopped at: it reports the end.
std::size_t begin_of(std::string_view text, std::size_t at, const std::string& message) {
    const auto is_in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    if (message.find("unexpected string") != message.npos && at > 0) return text.rfind('"', at - 1);
    while (at > 0 && is_in_word(text[at - 1])) --at;
    return at;
}

// From nlohmann's "… syntax error while parsing object - unexpected string literal; expected '}'".
std::string needed_in(const std::string& message) {
    const std::string begin = "; expected ";
    const std::size_t at = message.rfind(begin);
    const std::string expected = at == message.npos ? "" : message.substr(at + begin.size());
    if (expected == "string literal") return "expected a key in quotes";
    if (expected == "end of input") return "there is more after its end";
    if (expected == "'}'" || expected == "']'") return "expected a comma or " + expected;
    return expected == "':'" ? "expected ':' after the key" : "expected a value";
}

// "3:5: a comma before '}': …", the line and the column from 1.
std::string no_json(std::string_view text, const Json::parse_error& error) {
    const std::string message = error.what();
    std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    const bool is_at_end = at == text.size();
    if (!is_at_end) at = begin_of(text, at, message);
    const std::string_view before = text.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::string place = fmt::format("{}:{}", line, at - (before.rfind('\n') + 1) + 1);
    if (is_at_end) return place + ": the file ends here, and a bracket or a quote is still open";
    const std::size_t last = before.find_last_not_of(" \t\r\n");
    if (last != before.npos && before[last] == ',' && (text[at] == '}' || text[at] == ']'))
        return fmt::format("{}: a comma before '{}': the last entry has none after it", place, text[at]);
    return fmt::format("{}: this is not JSON: {}", place, needed_in(message));
}

// Of two equal keys a reader would silently keep the last.
Json parsed(const std::filesystem::path& file) {
    const Bytes bytes = read_file(file, 1 << 20, 1 << 20);
    refuse_other_kind(bytes, file.string(), Sought::text, "JSON");
    if (json_depth(glassbox::as_text(bytes)) > max_json_depth)
        fail<FileError>("{}: lists and objects more than {} deep", file.string(), max_json_depth);
    std::vector<std::set<std::string>> keys;
    std::string twice;
    const auto notice = [&](int, Json::parse_event_t event, Json& value) {
        if (event == Json::parse_event_t::object_start) keys.emplace_back();
        if (event == Json::parse_event_t::object_end) keys.pop_back();
        if (event == Json::parse_event_t::key && !keys.back().insert(value).second) twice = value;
        return true;
    };
    try {
        Json json = Json::parse(bytes.begin(), bytes.end(), notice);
        if (!twice.empty())
            fail<FileError>("{}: the key '{}' appears twice", file.string(), printable(twice));
        return json;
    } catch (const Json::parse_error& error) {
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        fail<FileError>("{}:{}", file.string(), no_json(text, error));
    } catch (const Json::exception& error) {  // a number that no double holds
        fail<FileError>("{}: {}", file.string(), printable(error.what()));
    }
}

Limits limits_of(const Fields& fields) {
    Limits limits;
    const std::pair<const char*, double Limits::*> all[] = {{"seconds", &Limits::seconds},
                                                            {"memory", &Limits::memory},
                                                            {"file_size", &Limits::file_size},
                                                            {"processes", &Limits::processes},
                                                            {"output", &Limits::output}};
    for (const auto& [key, member] : all)
        if (fields.has(key)) limits.*member = fields.number(key, 1, 1e6);
    return limits;
}

// "multihead --seq 4" as words.
Arguments words_of(const std::string& text, const std::string& where) {
    if (const std::optional<Arguments> words = shell_words(text)) return *words;
    fail<FileError>("{}: layer: a quote is not closed in {}", where, printable(text));
}

bool is_lesson_number(const std::string& text) {
    return text.size() == 2 && std::isdigit(static_cast<unsigned char>(text[0])) &&
           std::isdigit(static_cast<unsigned char>(text[1]));
}

bool ends_in_py(const std::string& file) { return file.ends_with(".py"); }

// The name of a file in the student's folder, and not a way out of it. `where` is the key or the option.
template <class Failure>
void check_name(const std::string& name, const std::string& where) {
    if (name.find('/') != name.npos || name.starts_with("."))
        fail<Failure>("{}: expected the name of a file in the student's folder, got '{}'", where,
                      printable(name));
}

template <class Failure>
CourseTask::Kind kind_of_lesson(const std::string& file, const std::string& where) {
    check_name<Failure>(file, where);
    if (!ends_in_py(file) && !file.ends_with(".cpp"))
        fail<Failure>("{}: a lesson is submitted as a .cpp or a .py file, not as '{}'", where,
                      printable(file));
    return ends_in_py(file) ? CourseTask::Kind::lesson_python : CourseTask::Kind::lesson_cpp;
}

CourseTask::Kind kind_of(const CourseTask& task, const Fields& fields) {
    const std::string& where = fields.where();
    if (!task.lesson.empty()) {
        if (!task.function.empty())
            fail<FileError>("{}: function: requires 'layer'; a lesson's functions have fixed names", where);
        return kind_of_lesson<FileError>(task.file, where + ": file");
    }
    if (task.function.empty() == ends_in_py(task.file))
        fail<FileError>("{}: {}", where,
                        task.function.empty()
                            ? "function: which function of " + printable(task.file) + "?"
                            : "file: a function is in a .py file, not in '" + printable(task.file) + "'");
    return task.function.empty() ? CourseTask::Kind::arrays : CourseTask::Kind::function;
}

void read_weights(const Json& json, const std::string& where, CourseTask& task) {
    if (json == "all") return;
    if (json == "last") {
        task.only_last = true;
        return;
    }
    if (!json.is_object() || json.empty())
        fail<FileError>("{}: steps: expected \"all\", \"last\" or weights {{\"scaled\": 1, …}}, got {}",
                        where, shown(json));
    for (const auto& [step, weight] : json.items()) {
        constexpr double max_weight = 1e6;
        if (!weight.is_number() || !(weight.get<double>() > 0 && weight.get<double>() <= max_weight))
            fail<FileError>("{}: steps: {}: expected a weight above 0, up to {}, got {}", where,
                            printable(step), max_weight, shown(weight));
        task.weights[step] = weight;
    }
}

void read_returns(const Json& json, const std::string& where, CourseTask& task) {
    const Json list = json.is_string() ? Json::array({json}) : json;
    const bool are_texts =
        list.is_array() && !list.empty() &&
        std::all_of(list.begin(), list.end(), [](const Json& each) { return each.is_string(); });
    if (!are_texts)
        fail<FileError>("{}: returns: expected a step or a list of steps, got {}", where, json.dump());
    if (task.function.empty()) fail<FileError>("{}: returns: requires 'function'", where);
    task.returns = list.get<std::vector<std::string>>();
}

CourseTask task_of(const Json& json, const std::string& where) {
    const Fields fields(
        json, where,
        {"name", "points", "lesson", "layer", "function", "returns", "file", "steps", "at_most"});
    CourseTask task;
    if (fields.has("lesson") == fields.has("layer"))
        fail<FileError>("{}: expected either 'lesson' or 'layer', got {}", where,
                        fields.has("lesson") ? "both" : "neither");
    if (fields.has("lesson")) task.lesson = fields.text("lesson");
    if (fields.has("layer")) task.layer = words_of(fields.text("layer"), where);
    if (!task.lesson.empty() && !is_lesson_number(task.lesson))
        fail<FileError>("{}: lesson: expected a number such as \"01\", got \"{}\"", where,
                        printable(task.lesson));
    if (task.lesson.empty() && task.layer.empty()) fail<FileError>("{}: layer: which layer?", where);
    if (fields.has("function")) task.function = fields.text("function");
    if (fields.has("returns")) read_returns(fields.at("returns"), where, task);
    if (fields.has("points")) task.points = fields.number("points", 0, 1e6);
    task.name = fields.has("name") ? fields.text("name") : task.lesson.empty() ? task.layer[0] : task.lesson;
    if (fields.has("file")) task.file = fields.text("file");
    else if (!task.lesson.empty()) task.file = "exercise.cpp";
    else task.file = task.name + (task.function.empty() ? ".npz" : ".py");
    check_name<FileError>(task.name, where + ": name");
    check_name<FileError>(task.file, where + ": file");
    task.kind = kind_of(task, fields);
    if (fields.has("steps")) read_weights(fields.at("steps"), where, task);
    if (fields.has("at_most")) task.at_most = fields.number("at_most", 0, 1);
    return task;
}

}  // namespace

Course read_course(const std::filesystem::path& file) {
    const Json json = parsed(file);
    const std::string where = file.string();
    const Fields fields(json, where, {"title", "seed", "limits", "tasks"});
    Course course;
    course.file = display_name(file);
    course.title = fields.has("title") ? fields.text("title") : "Course";
    if (fields.has("seed"))
        course.seed = static_cast<std::uint64_t>(fields.number("seed", 0, 9007199254740991));
    if (fields.has("limits"))
        course.limits = limits_of(Fields(fields.at("limits"), where + ": limits",
                                         {"seconds", "memory", "file_size", "processes", "output"}));
    const Json& tasks = fields.at("tasks");
    if (!tasks.is_array() || tasks.empty()) fail<FileError>("{}: tasks: expected a list of tasks", where);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        course.tasks.push_back(task_of(tasks[i], fmt::format("{}: tasks[{}]", where, i)));
        for (std::size_t other = 0; other < i; ++other)
            if (course.tasks[other].name == course.tasks[i].name)
                fail<FileError>("{}: tasks[{}]: a task '{}' already exists: choose another name", where, i,
                                printable(course.tasks[i].name));
    }
    return course;
}

Course course_of_lesson(const std::string& number, const std::string& file) {
    if (!is_lesson_number(number))
        fail<UsageError>("--lesson: expected a lesson's number such as 01, got '{}'", number);
    CourseTask task;
    task.name = "lesson " + number;
    task.lesson = number;
    task.file = file;
    task.kind = kind_of_lesson<UsageError>(file, "--file");
    Course course;
    course.title = "Lesson " + number;
    course.tasks.push_back(task);
    return course;
}

// FNV-1a: the same on every machine, and far apart for names that differ in one letter.
std::uint64_t seed_of(const Course& course, const CourseTask& task, const std::string& student) {
    std::uint64_t hash = 14695981039346656037u;
    const std::string text = fmt::format("{}\n{}\n{}", course.seed, task.name, student);
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return (hash ^ (hash >> 32)) % seeds;
}

}  // namespace glassbox::tracer
