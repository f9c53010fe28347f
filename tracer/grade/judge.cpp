#include "grade/judge.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <glassbox/io/npz.h>
#include <glassbox/mistakes/mistake.h>
#include <glassbox/tensor/format.h>

#include "grade/scratch.h"

namespace tracer {

using InOrder = nlohmann::ordered_json;

namespace {

constexpr const char *right = "right", *inherited = "right for what it was given",
                     *not_given = "not handed in";

// The judge's own limits are not the student's: a search among thousands of mistakes takes time and memory.
Limits limits_of_judge(const Course& course) {
    return {
        .seconds = std::max(60.0, course.limits.seconds), .memory = 4096, .file_size = 256, .output = 1024};
}

bool counts(const std::string& verdict) { return verdict == right || verdict == inherited; }

std::string sentence_of(const std::string& name) {
    const std::string key = name.substr(0, name.find(' '));  // without "in head 1"
    for (const glassbox::Mistake& mistake : glassbox::all_mistakes())
        if (mistake.key == key) return mistake.sentence;
    return "";
}

// The simplest explanation of a wrong step; where several cannot be told apart, the first.
void add_mistakes(const InOrder& step, std::vector<NamedMistake>& mistakes) {
    if (step["mistakes"].empty()) return;
    for (const std::string& name : step["mistakes"][0].get<std::vector<std::string>>())
        mistakes.push_back({step["name"], name, sentence_of(name)});
}

// Inputs are steps of a trace, but not of the student's work.
bool is_input(const std::string& step, const TaskInputs& inputs) {
    return glassbox::Npz(inputs.file).contains(step);
}

StepMark step_mark(const InOrder& step) {
    StepMark mark{step["name"], step["verdict"], step["difference"], 1, counts(step["verdict"])};
    if (mark.message.empty()) mark.message = step["looks_like"];
    return mark;
}

// Who has the last step right need not hand in the others.
void count_what_is_not_given(std::vector<StepMark>& steps) {
    if (steps.empty() || !counts(steps.back().verdict)) return;
    for (StepMark& step : steps) step.counts = step.counts || step.verdict == not_given;
}

Judged from_check(const std::string& text, const TaskInputs& inputs) {
    const InOrder json = InOrder::parse(text);
    Judged judged;
    for (const InOrder& step : json["steps"]) {
        if (is_input(step["name"], inputs)) continue;
        judged.steps.push_back(step_mark(step));
        add_mistakes(step, judged.mistakes);
    }
    count_what_is_not_given(judged.steps);
    return judged;
}

int severity(const std::string& verdict) {
    const char* const order[] = {right, inherited, not_given, "missing", "wrong"};
    return static_cast<int>(std::find(std::begin(order), std::end(order), verdict) - std::begin(order));
}

// A step of a lesson is as good as in the case where it is worst.
void add_case(const InOrder& one, Judged& judged) {
    for (std::size_t i = 0; i < one["steps"].size(); ++i) {
        const InOrder& step = one["steps"][i];
        const std::string verdict = step["verdict"] == "follows" ? inherited : step["verdict"];
        if (severity(verdict) > severity(judged.steps[i].verdict))
            judged.steps[i] = {step["name"], verdict, step["message"], 1, counts(verdict)};
    }
}

Judged from_lesson(const std::string& text) {
    const InOrder json = InOrder::parse(text);
    Judged judged;
    for (const InOrder& step : json["steps"]) judged.steps.push_back({step, right, "", 1, true});
    for (const InOrder& one : json["cases"]) {
        add_case(one, judged);
        const std::string stopped = one["stopped"], mistake = one["mistake"], sentence = one["sentence"];
        if (!stopped.empty() && judged.detail.empty())
            judged.detail = fmt::format("case '{}': {}\n", std::string(one["name"]), stopped);
        if (mistake.empty()) continue;
        // Where it stopped, why says more than what is said of the step that it stopped in.
        const std::string why = mistake.ends_with("stopped") ? "It stopped: " + stopped : sentence;
        judged.mistakes.push_back({mistake.substr(0, mistake.find('/')), mistake, why});
    }
    return judged;
}

// What cannot be judged is the hand-in's fault, as it is said: "mine.npz: …".
Judged not_judged(const OwnCommand& ran) { return {"it cannot be judged: " + ran.reason(), "", {}, {}}; }

}  // namespace

Judged judge_arrays(const Course& course, const TaskInputs& inputs, const std::string& file_name,
                    const std::string& bytes, bool expected) {
    const std::filesystem::path folder = inputs.file.parent_path();
    put_file(folder / file_name, bytes);
    Arguments words = inputs.check;
    words.insert(words.end(), {"./" + file_name, "--format", "json"});
    if (!expected) words.push_back("--hide-expected");
    const OwnCommand ran = run_command(own_program(), words, folder, limits_of_judge(course));
    if (!ran.stopped.empty() || (ran.code != 0 && ran.code != 1)) return not_judged(ran);
    return from_check(ran.out, inputs);
}

Judged judge_lesson(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                    const CodeResult& work, const LessonPlaces& places, bool expected) {
    const std::filesystem::path folder = inputs.file.parent_path();
    const LessonFiles files = lesson_files(places, task.lesson);
    put_file(folder / "steps.npz", work.arrays);
    put_file(folder / "stopped", work.stopped);
    const char* const language = task.kind == CourseTask::Kind::lesson_python ? "python" : "cpp";
    const OwnCommand ran = run_command(files.check.string(),
                                       {files.folder.string(), "judge", inputs.file.string(), "steps.npz",
                                        "stopped", language, expected ? "show" : "hide"},
                                       folder, limits_of_judge(course));
    if (!ran.stopped.empty() || ran.code != 0) return not_judged(ran);
    return from_lesson(ran.out);
}

}  // namespace tracer
