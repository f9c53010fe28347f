#include "grade/judge.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <glassbox/io/detail/text.h>
#include <glassbox/mistakes/mistake.h>
#include <glassbox/tensor/format.h>

#include "grade/scratch.h"

namespace tracer {

using InOrder = nlohmann::ordered_json;

namespace {

// The judge's own limits are not the student's: a search among thousands of mistakes takes time and memory.
Limits limits_of_judge(const Course& course) {
    return {
        .seconds = std::max(60.0, course.limits.seconds), .memory = 4096, .file_size = 256, .output = 1024};
}

std::string sentence_of(const std::string& name) {
    const std::size_t where = name.find(": ");  // "output: linear/no-bias in head 1"
    const std::string own = where == name.npos ? name : name.substr(where + 2);
    const std::string key = own.substr(0, own.find(' '));
    for (const glassbox::Mistake& mistake : glassbox::all_mistakes())
        if (mistake.key == key) return mistake.sentence;
    return "";
}

// The simplest explanation of a wrong step; where several cannot be told apart, the first, with the others'
// names.
void add_mistakes(const InOrder& step, std::vector<NamedMistake>& mistakes) {
    const InOrder& fitting = step["mistakes"];
    if (fitting.empty()) return;
    constexpr std::size_t most = 4;
    std::string others;
    for (std::size_t i = 1; i < std::min(most, fitting.size()); ++i)
        others += fmt::format("{}{}", i > 1 ? " or " : "",
                              fmt::join(fitting[i].get<std::vector<std::string>>(), " with "));
    for (const std::string& name : fitting[0].get<std::vector<std::string>>())
        mistakes.push_back({step["name"], name, sentence_of(name), others});
}

StepMark step_mark(const InOrder& step) {
    StepMark mark{step["name"], step["verdict"], step["difference"]};
    const std::string looks_like = step["looks_like"];
    // How many digits agree says nothing of the right number.
    const bool is_of_digits = looks_like.starts_with("the numbers agree to ");
    if (mark.message.empty()) mark.message = looks_like;
    else if (step["evident"] || is_of_digits) mark.message += ". " + looks_like;
    mark.is_known = !step["mistakes"].empty();
    mark.counts = step["earned"];
    mark.is_mistaken = step["mistaken"];
    mark.is_asked = step["asked"];
    return mark;
}

Judged from_check(const std::string& text) {
    const InOrder json = InOrder::parse(text);
    Judged judged;
    for (const InOrder& step : json["steps"]) {
        if (step["input"]) {  // of the trace, and not of the student's work
            // Steps that fit other inputs would be right for what they were given.
            if (step["verdict"] == verdict::wrong)
                return {fmt::format("its {} is not what was handed out to this student",
                                    step["name"].get<std::string>()),
                        "",
                        {},
                        {}};
            continue;
        }
        judged.steps.push_back(step_mark(step));
        add_mistakes(step, judged.mistakes);
    }
    const std::string option = judged.right_with = json["right_with"];
    for (StepMark& step : judged.steps)
        if (!option.empty() && step.verdict == verdict::wrong) {
            step.message += fmt::format(". All would be right with {}", option);
            break;
        }
    return judged;
}

// What lessons/support/grading.cpp calls them.
std::string verdict_of(const InOrder& step) {
    const std::string word = step["verdict"];
    if (word == "follows") return verdict::inherited;
    return word == "not given" ? verdict::not_given : word;
}

int severity(const std::string& of) {
    const char* const order[] = {verdict::right, verdict::inherited, verdict::not_given, verdict::missing,
                                 verdict::wrong};
    return static_cast<int>(std::find(std::begin(order), std::end(order), of) - std::begin(order));
}

// A class may have the command without the repository, whose lessons say ./dev tracer.
std::string for_a_class(std::string text) {
    const std::string_view own = "./dev ";
    for (std::size_t at; (at = text.find("./dev tracer")) != text.npos;) text.erase(at, own.size());
    return text;
}

// A step of a lesson is as good as in the case where it is worst.
void add_case(const InOrder& one, Judged& judged, std::vector<bool>& is_own) {
    for (std::size_t i = 0; i < one["steps"].size(); ++i) {
        const InOrder& step = one["steps"][i];
        if (severity(verdict_of(step)) > severity(judged.steps[i].verdict))
            judged.steps[i] = {step["name"], verdict_of(step), for_a_class(step["message"])};
        is_own[i] = is_own[i] && step["own"];
    }
}

// The lesson explains the first step that is wrong, for all cases.
void add_hint(const InOrder& one, Judged& judged) {
    const std::string stopped = one["stopped"], mistake = one["mistake"], sentence = one["sentence"];
    // On one line: lines of the student's own would read as if they were of the marks.
    if (!stopped.empty() && judged.detail.empty())
        judged.detail =
            fmt::format("case '{}': {}\n", one["name"].get<std::string>(), glassbox::printable(stopped));
    if (mistake.empty()) return;
    // Where it stopped, why says more than what is said of the step that it stopped in.
    const std::string why =
        mistake.ends_with("stopped") ? "It stopped: " + glassbox::printable(stopped) : sentence;
    judged.mistakes.push_back({mistake.substr(0, mistake.find('/')), mistake, for_a_class(why)});
    const auto wrong = std::find_if(judged.steps.begin(), judged.steps.end(),
                                    [](const StepMark& step) { return step.verdict == verdict::wrong; });
    if (wrong != judged.steps.end()) wrong->is_known = one["known"];
}

Judged from_lesson(const std::string& text) {
    const InOrder json = InOrder::parse(text);
    Judged judged;
    for (const InOrder& step : json["steps"]) judged.steps.push_back({step, verdict::right, ""});
    std::vector<bool> is_own(judged.steps.size(), true);
    for (const InOrder& one : json["cases"]) add_case(one, judged, is_own);
    for (std::size_t i = 0; i < is_own.size(); ++i) judged.steps[i].is_own = is_own[i];
    for (const InOrder& one : json["cases"]) add_hint(one, judged);
    return judged;
}

// What cannot be judged is the hand-in's fault, as it is said: "mine.npz: …". But not that the judge was
// killed, came to its own limits, or could not read or write. `path` is our own name for what the student
// calls `name`.
Judged not_judged(const OwnCommand& ran, const std::string& path = "", const std::string& name = "") {
    std::string reason = ran.reason();
    if (ran.has_machine_failed()) glassbox::fail<glassbox::IoError>("the judge: {}", reason);
    if (const std::size_t at = path.empty() ? reason.npos : reason.find(path); at != reason.npos)
        reason.replace(at, path.size(), name);
    return {"it cannot be judged: " + reason, "", {}, {}};
}

}  // namespace

Judged judge_arrays(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                    const std::string& bytes, bool expected, bool is_searched) {
    const std::filesystem::path folder = inputs.file.parent_path();
    const bool is_function = task.runs_code();
    const std::string file = is_function ? "result.npz" : task.file, path = "own/" + file;
    std::filesystem::create_directory(folder / "own");
    put_file(folder / path, bytes);
    Arguments words = inputs.check;
    // The inputs say in which order the last array's axes are.
    words.insert(words.end(), {path, "--format", "json", "--layout", is_function ? "exact" : "ordered"});
    if (!expected) words.push_back("--hide-expected");
    if (!is_searched) words.insert(words.end(), {"--seconds", "0"});
    OwnCommand ran = run_command(own_program(), words, folder, limits_of_judge(course));
    if (!ran.stopped.empty() &&
        is_searched) {  // pairs of mistakes are looked for at every wrong step: now without
        words.insert(words.end(), {"--seconds", "0"});
        ran = run_command(own_program(), words, folder, limits_of_judge(course));
    }
    if (!ran.stopped.empty() || (ran.code != 0 && ran.code != 1))
        return not_judged(ran, path, is_function ? "what " + task.function + " returned" : file);
    return from_check(ran.out);
}

Judged judge_lesson(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                    const CodeResult& work, const LessonPlaces& places, bool expected) {
    const std::filesystem::path folder = inputs.file.parent_path();
    const LessonFiles files = lesson_files(places, task.lesson);
    put_file(folder / "steps.npz", work.arrays);
    put_file(folder / "stopped", work.stopped);
    put_file(folder / "other_steps.npz", work.other_arrays);
    const char* const language = task.kind == CourseTask::Kind::lesson_python ? "python" : "cpp";
    const OwnCommand ran =
        run_command(files.check.string(),
                    {files.folder.string(), "judge", inputs.file.string(), "steps.npz", "stopped", language,
                     expected ? "show" : "hide", inputs.other.string(), "other_steps.npz"},
                    folder, limits_of_judge(course));
    if (!ran.stopped.empty() || ran.code != 0) return not_judged(ran);
    Judged judged = from_lesson(ran.out);
    count(judged);
    return judged;
}

}  // namespace tracer
