#include "grade/judge.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <glassbox/io/text.h>
#include <glassbox/mistakes/diagnosis_json.h>
#include <glassbox/tensor/format.h>

#include "grade/scratch.h"

namespace glassbox::tracer {

using InOrder = nlohmann::ordered_json;

namespace {

// The judge's own limits are not the student's: a search among thousands of mistakes takes time and memory.
Limits limits_of_judge(const Course& course) {
    return {
        .seconds = std::max(60.0, course.limits.seconds), .memory = 4096, .file_size = 256, .output = 1024};
}

// The simplest explanation of a wrong step; if several cannot be distinguished, the first, with the others'
// names.
void add_mistakes(const StepDiagnosis& step, std::vector<NamedMistake>& mistakes) {
    if (step.explanations.empty()) return;
    const auto names_of = [](const std::vector<PlacedMistake>& together) {
        std::vector<std::string> names;
        for (const PlacedMistake& each : together) names.push_back(each.name());
        return names;
    };
    std::vector<std::vector<PlacedMistake>> alike = step.explanations.front().alike;
    for (std::size_t i = 1; i < step.explanations.size(); ++i) alike.push_back(step.explanations[i].mistakes);
    constexpr std::size_t max_shown = 3;
    std::string others;
    for (std::size_t i = 0; i < std::min(max_shown, alike.size()); ++i)
        others += fmt::format("{}{}", i > 0 ? " or " : "", fmt::join(names_of(alike[i]), " with "));
    for (const auto& mistake : step.explanations.front().mistakes)
        mistakes.push_back({step.path, mistake.name(), mistake.mistake->sentence, others});
}

StepMark step_mark(const StepDiagnosis& step) {
    StepMark mark{step.path, step.verdict, step.difference};
    // How many digits agree does not reveal the right number.
    const bool is_of_digits = step.looks_like.starts_with("the numbers agree to ");
    if (mark.message.empty()) mark.message = step.looks_like;
    else if (step.is_evident || is_of_digits) mark.message += ". " + step.looks_like;
    mark.is_known = !step.explanations.empty();
    mark.counts = step.earned;
    mark.is_mistaken = step.is_mistaken;
    mark.is_asked = step.is_asked;
    return mark;
}

Judged from_check(const std::string& text) {
    const Diagnosis diagnosis = from_json(text, "tracer check");
    Judged judged;
    for (const StepDiagnosis& step : diagnosis.steps) {
        if (step.is_input) {  // of the trace, and not of the student's work
            // Steps that fit other inputs would be right for what they were given.
            if (step.verdict == Verdict::wrong)
                return {
                    fmt::format("its {} is not what was handed out to this student", step.path), "", {}, {}};
            continue;
        }
        judged.steps.push_back(step_mark(step));
        add_mistakes(step, judged.mistakes);
    }
    const std::string option = judged.right_with = InOrder::parse(text)["right_with"];
    for (StepMark& step : judged.steps)
        if (!option.empty() && step.verdict == Verdict::wrong) {
            step.message += fmt::format(". All would be right with {}", option);
            break;
        }
    return judged;
}

// A class may have the command without the repository, whose lessons use ./dev tracer.
std::string for_a_class(std::string text) {
    const std::string_view own = "./dev ";
    for (std::size_t at; (at = text.find("./dev tracer")) != text.npos;) text.erase(at, own.size());
    return text;
}

// A step gets its worst verdict over all cases.
void add_case(const InOrder& one, Judged& judged, std::vector<bool>& is_own) {
    const Diagnosis diagnosis = from_json(one.dump(), "the lesson");
    const auto own = one["own"].get<std::vector<std::string>>();
    for (std::size_t i = 0; i < diagnosis.steps.size(); ++i) {
        const StepDiagnosis& step = diagnosis.steps[i];
        if (step.verdict > judged.steps[i].verdict)
            judged.steps[i] = {step.path, step.verdict,
                               for_a_class(step.difference.empty() ? step.accepted : step.difference)};
        is_own[i] = is_own[i] && std::find(own.begin(), own.end(), step.path) != own.end();
    }
}

// The lesson explains the first step that is wrong, for all cases.
void add_hint(const InOrder& one, Judged& judged) {
    const std::string stopped = one["stopped"], mistake = one["mistake"], sentence = one["sentence"];
    // On one line: lines of the student's own would read as if they were of the marks.
    if (!stopped.empty() && judged.detail.empty())
        judged.detail = fmt::format("case '{}': {}\n", one["name"].get<std::string>(), printable(stopped));
    if (mistake.empty()) return;
    // If it stopped, the reason is more useful than the step's verdict.
    const std::string why = mistake.ends_with("stopped") ? "It stopped: " + printable(stopped) : sentence;
    judged.mistakes.push_back({mistake.substr(0, mistake.find('/')), mistake, for_a_class(why)});
    const auto wrong = std::find_if(judged.steps.begin(), judged.steps.end(),
                                    [](const StepMark& step) { return step.verdict == Verdict::wrong; });
    if (wrong != judged.steps.end()) wrong->is_known = one["known"];
}

Judged from_lesson(const std::string& text) {
    const InOrder json = InOrder::parse(text);
    Judged judged;
    for (const InOrder& step : json["steps"]) judged.steps.push_back({step, Verdict::right, ""});
    std::vector<bool> is_own(judged.steps.size(), true);
    for (const InOrder& one : json["cases"]) add_case(one, judged, is_own);
    for (std::size_t i = 0; i < is_own.size(); ++i) judged.steps[i].is_own = is_own[i];
    for (const InOrder& one : json["cases"]) add_hint(one, judged);
    return judged;
}

// Failures to judge are reported as the submission's fault: "mine.npz: …". But not that the judge was killed,
// reached its own limits, or could not read or write. `path` is our own name for what the student calls
// `name`.
Judged not_judged(const OwnCommand& ran, const std::string& path = "", const std::string& name = "") {
    std::string reason = ran.reason();
    if (ran.has_machine_failed()) fail<IoError>("the judge: {}", reason);
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
    // The inputs give the order of the last array's axes.
    words.insert(words.end(), {path, "--format", "json", "--layout", is_function ? "exact" : "ordered"});
    if (!expected) words.push_back("--hide-expected");
    if (!is_searched) words.insert(words.end(), {"--effort", "0"});
    OwnCommand ran = run_command(own_program(), words, folder, limits_of_judge(course));
    if (!ran.stopped.empty() &&
        is_searched) {  // pairs of mistakes are searched at every wrong step: now without
        words.insert(words.end(), {"--effort", "0"});
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

}  // namespace glassbox::tracer
