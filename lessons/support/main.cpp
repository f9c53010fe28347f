// Checks a student's work on a lesson. lessons/run compiles the exercise and calls this:
//   lesson_check --lessons DIR list [STATE]              the lessons, those that are passed marked
//   lesson_check --lessons DIR folder NN                 a lesson's folder
//   lesson_check --lessons DIR exercise NN LIBRARY NAME  checks a compiled exercise, called NAME in messages
//   lesson_check --lessons DIR arrays NN FILE.npz        checks arrays that another program made
// Exit codes: 0 all right, 1 something is wrong, 2 wrong usage, 3 a bad file, 4 reading failed.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include <glassbox/tensor/format.h>

#include "check.h"
#include "guard.h"
#include "show.h"

namespace lesson {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// A lesson is passed when its exercise was, and has not been changed since.
bool is_passed(const fs::path& lessons, const Lesson& lesson, const fs::path& state) {
    std::error_code none;
    const auto passed = fs::last_write_time(state / lesson.number, none);
    return !none && passed >= fs::last_write_time(lessons / lesson.folder / "exercise.cpp", none) && !none;
}

int list(const fs::path& lessons, const fs::path& state) {
    bool is_next = true;
    for (const Lesson& lesson : read_manifest(lessons / "manifest.json")) {
        const bool passed = is_passed(lessons, lesson, state);
        fmt::print(
            "{} {}  {}{}\n", passed ? "✓" : " ", lesson.number, lesson.title,
            !passed && is_next ? fmt::format("   next: read lessons/{}/README.md", lesson.folder) : "");
        is_next = is_next && passed;
    }
    fmt::print("\n./dev lesson NN checks your work on one.\n");
    return 0;
}

int run(const Words& words) {
    if (words.size() < 3 || words[0] != "--lessons") glassbox::fail<glassbox::UsageError>("see lessons/run");
    const fs::path lessons = words[1];
    if (words[2] == "list") return list(lessons, words.size() > 3 ? fs::path(words[3]) : fs::path());
    if (words.size() < 4) glassbox::fail<glassbox::UsageError>("{}: which lesson?", words[2]);
    const std::vector<Lesson> all = read_manifest(lessons / "manifest.json");
    const Lesson& lesson = find_lesson(all, words[3]);
    if (words[2] == "folder") return fmt::print("{}\n", lesson.folder), 0;
    if (words.size() < 5) glassbox::fail<glassbox::UsageError>("{}: which file?", words[2]);
    const fs::path folder = lessons / lesson.folder, file = words[4];
    const std::string name = words.size() > 5 ? words[5] : words[4];
    const bool colors = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
    if (words[2] == "exercise") guard(name);
    const std::vector<Outcome> outcomes = words[2] == "arrays"
                                              ? check_arrays(lesson, folder, file)
                                              : check_exercise(lesson, folder, Exercise(file));
    fmt::print("{}", show(lesson, outcomes, name, colors));
    for (const Outcome& outcome : outcomes)
        if (!outcome.passed()) return 1;
    return 0;
}

int fail_with(const char* what, int code) {
    fmt::print(stderr, "lesson: {}\n", what);
    return code;
}

}  // namespace
}  // namespace lesson

int main(int argc, char** argv) {
    try {
        return lesson::run({argv + 1, argv + argc});
    } catch (const glassbox::FileError& error) {
        return lesson::fail_with(error.what(), 3);
    } catch (const glassbox::IoError& error) {
        return lesson::fail_with(error.what(), 4);
    } catch (const glassbox::UsageError& error) {
        return lesson::fail_with(error.what(), 2);
    } catch (const std::exception& error) {
        return lesson::fail_with(error.what(), 1);
    }
}
