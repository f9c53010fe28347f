#pragma once
#include <algorithm>
#include <filesystem>
#include <vector>

#include "../../lessons/support/check.h"
#include "support/catch.h"
#include "tracer/command.h"

// The lessons of the repository, and lessons/run as ./dev lesson calls it.
namespace lesson_test {

using glassbox_test::has;

namespace fs = std::filesystem;
using glassbox_test::content;
using glassbox_test::Folder;
using lesson::Lesson;

inline const fs::path lessons = fs::path(GLASSBOX_SOURCE) / "lessons";
inline const fs::path build = fs::path(GLASSBOX_TRACER).parent_path();

inline std::vector<Lesson> all_lessons() {
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(lessons))
        if (fs::exists(entry.path() / "exercise.cpp")) folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    std::vector<Lesson> all;
    for (const fs::path& folder : folders) all.push_back(lesson::read_lesson(folder));
    return all;
}

inline Lesson lesson_of(const std::string& number) {
    for (const Lesson& lesson : all_lessons())
        if (lesson.number == number) return lesson;
    FAIL("there is no lesson " << number);
    return {};
}

struct Run {
    int exit_code;
    std::string output;  // messages too
};

inline Run run_lesson(const std::vector<std::string>& arguments, const fs::path& course = lessons,
                      const fs::path& programs = build, fs::path passed = {},
                      const std::string& setting = "") {
    if (passed.empty()) passed = course == lessons ? build / "tests/passed" : course / ".passed";
    glassbox_test::Surroundings around;
    around.set = {"GLASSBOX_BUILD=" + programs.string(), "NO_COLOR=1", "GLASSBOX_PASSED=" + passed.string()};
    if (!setting.empty()) around.set.push_back(setting);
    around.program = (course / "run").string();
    const glassbox_test::Ran ran = glassbox_test::run_program(arguments, around);
    return {ran.code, ran.out + ran.err};
}

}  // namespace lesson_test
