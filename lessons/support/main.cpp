// Checks a student's work on one lesson. lessons/run compiles the exercise and calls this:
//   check FOLDER exercise LIBRARY NAME  a compiled exercise, called NAME in messages
//   check FOLDER arrays FILE.npz        arrays that another program made
//   check FOLDER python FILE.npz NAME [CASE KIND WHY]…
//                                       what run_python.py has collected, and in which cases it stopped
//   check FOLDER printed FILE NAME DURING OTHERS
//                                       how this output of a work is shown, which OTHERS more cases also had
//   check FOLDER formula LANGUAGE STEP  what STEP is, in the library and in words; LANGUAGE is cpp or python
//   check FOLDER inputs SEED FILE.npz   for tracer grade (grading.h): a student's own inputs
//   check FOLDER judge FILE.npz STEPS.npz STOPPED cpp|python hide|show OTHER.npz OTHER_STEPS.npz
//                                       the report on it, as JSON; with right numbers or without
//   check FOLDER mistake LIBRARY NAME   the wrong solution NAME of mistakes.txt
//   check FOLDER mistakes LIBRARY       whether each mistake of mistakes.txt gets its hint
//   check FOLDER golden golden.npz      whether the library's computation gives golden.npz
// Exit codes: 0 all right, 1 something is wrong, 2 wrong usage, 3 a bad file, 4 reading failed.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>

#include "check.h"
#include "grading.h"
#include "guard.h"
#include "mistakes.h"
#include "prints.h"
#include "python.h"

namespace lesson {
namespace {

using Words = std::vector<std::string>;

int show_outcomes(const Lesson& lesson, const std::vector<Outcome>& outcomes, const std::string& name) {
    const bool colors = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
    fmt::print("{}", show(lesson, outcomes, name, colors));
    return first_failed(outcomes) ? 1 : 0;
}

std::vector<Outcome> check_mistake(const Lesson& lesson, const std::string& library,
                                   const std::string& name) {
    note(name + " of mistakes.txt");
    return check_exercise(lesson, the_check(), Exercise(library, name));
}

int one_mistake(const Lesson& lesson, const std::string& library, const std::string& name) {
    std::string list;
    for (const WrongSolution& mistake : read_mistakes(lesson.folder / "mistakes.txt")) {
        if (mistake.name == name)
            return show_outcomes(lesson, check_mistake(lesson, library, name), "solution.cpp with " + name);
        list += fmt::format("\n  {}: {}", mistake.name, mistake.sentence);
    }
    glassbox::fail<glassbox::UsageError>("there is no mistake '{}'; the mistakes are{}", name, list);
}

// How a mistake differs from its entry; "" when it fails with its hint.
std::string difference_from_entry(const Lesson& lesson, const std::string& library,
                                  const WrongSolution& mistake) {
    const std::vector<Outcome> outcomes = check_mistake(lesson, library, mistake.name);
    const Outcome* failed = first_failed(outcomes);
    if (!failed) return "no mistake was found";
    return failed->hint.name == mistake.hint ? "" : fmt::format("the hint is {}", failed->hint.name);
}

int every_mistake(const Lesson& lesson, const std::string& library) {
    const std::vector<WrongSolution> mistakes = read_mistakes(lesson.folder / "mistakes.txt");
    if (first_failed(check_mistake(lesson, library, "solution"))) {
        fmt::print("✗ solution.cpp is not right: ./dev lesson {} --solution\n", lesson.number);
        return 1;
    }
    std::size_t width = 0, wrong = 0;
    for (const WrongSolution& mistake : mistakes) width = std::max(width, mistake.name.size());
    for (const WrongSolution& mistake : mistakes) {
        const std::string reason = difference_from_entry(lesson, library, mistake);
        fmt::print("{} {:<{}}  {}{}\n", reason.empty() ? "✓" : "✗", mistake.name, width, mistake.hint,
                   reason.empty() ? "" : ": " + reason);
        wrong += !reason.empty();
    }
    fmt::print("{} mistakes, {} without the hint that mistakes.txt names\n", mistakes.size(), wrong);
    return wrong ? 1 : 0;
}

int compare_golden(const Lesson& lesson) {
    const std::string differences = golden_differences(lesson, the_check());
    fmt::print("{}", differences);
    return differences.empty() ? 0 : 1;
}

int whole_number(const std::string& word) {
    if (word.empty() || word.size() > 9 || word.find_first_not_of("0123456789") != word.npos)
        glassbox::fail<glassbox::UsageError>("expected a whole number, got '{}'", word);
    return std::stoi(word);
}

// The part used by grading. A submission runs in another program: collect.cpp.
int grade(const Lesson& lesson, const Words& words) {
    const std::string& what = words[1];
    const std::size_t needed = what == "inputs" ? 4 : 9;
    if (words.size() != needed) glassbox::fail<glassbox::UsageError>("{}: needs {} arguments", what, needed);
    if (what == "inputs")
        write_inputs(lesson, the_check(), static_cast<std::uint64_t>(whole_number(words[2])), words[3]);
    if (what == "judge")
        fmt::print("{}", judged(words[5] == "python" ? in_python(lesson) : lesson, the_check(),
                                {words[2], words[3]}, words[4], {words[7], words[8]}, words[6] == "show"));
    return 0;
}

int run(const Words& words) {
    if (words.size() < 3) glassbox::fail<glassbox::UsageError>("see lessons/run");
    const Lesson lesson = read_lesson(words[0]);
    const std::string &what = words[1], &file = words[2];
    if (what == "inputs" || what == "judge") return grade(lesson, words);
    if (what == "arrays") return show_outcomes(lesson, check_arrays(lesson, the_check(), file), file);
    if (what == "mistakes") return every_mistake(lesson, file);
    if (what == "golden") return compare_golden(lesson);
    if (words.size() < 4) glassbox::fail<glassbox::UsageError>("{}: which name?", what);
    if (what == "mistake") return one_mistake(lesson, file, words[3]);
    if (what == "formula") {
        fmt::print("{}", formula_of(file == "python" ? in_python(lesson) : lesson, the_check(), words[3]));
        return 0;
    }
    if (what == "printed") {
        if (words.size() < 6) glassbox::fail<glassbox::UsageError>("printed: needs 6 arguments");
        const glassbox::Bytes bytes = glassbox::read_file(file);
        const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        fmt::print("{}", shown_prints(text, words[3], words[4], whole_number(words[5])));
        return 0;
    }
    if (what == "python") {
        const Lesson ours = in_python(lesson);
        return show_outcomes(ours, check_python(ours, the_check(), file, {words.begin() + 4, words.end()}),
                             words[3]);
    }
    const std::vector<Outcome> outcomes = check_exercise(lesson, the_check(), Exercise(file));
    fmt::print("{}", prints(words[3], ""));
    return show_outcomes(lesson, outcomes, words[3]);
}

int fail_with(const char* what, int code) {
    fmt::print(stderr, "lesson: {}\n", what);
    return code;
}

int run_with_messages(const Words& words) {
    try {
        return run(words);
    } catch (const glassbox::FileError& error) {
        return fail_with(error.what(), 3);
    } catch (const glassbox::IoError& error) {
        return fail_with(error.what(), 4);
    } catch (const glassbox::UsageError& error) {
        return fail_with(error.what(), 2);
    } catch (const std::bad_alloc&) {
        return fail_with("out of memory", 4);
    } catch (const std::exception& error) {
        return fail_with(error.what(), 1);
    }
}

}  // namespace
}  // namespace lesson

int main(int argc, char** argv) {
    const lesson::Words words(argv + 1, argv + argc);
    const std::string name = words.size() > 3 ? words[3] : "the work";
    if (words.size() == 4 && words[1] == "exercise") lesson::attend_student();
    // No student's work runs in these; their caller sees a signal that ends them.
    if (words.size() > 1 && (words[1] == "inputs" || words[1] == "judge"))
        return lesson::run_with_messages(words);
    return lesson::in_own_process(name, [&] { return lesson::run_with_messages(words); });
}
