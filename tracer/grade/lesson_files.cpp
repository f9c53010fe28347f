#include "grade/lesson_files.h"

#include <unistd.h>

#include <vector>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

namespace fs = std::filesystem;

namespace {

fs::path lesson_folder(const fs::path& lessons, const std::string& number) {
    std::error_code error;
    std::vector<std::string> there;
    for (fs::directory_iterator entry(lessons, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (fs::exists(entry->path() / "lesson.json")) there.push_back(name.substr(0, 2));
        if (name.starts_with(number + "-")) return entry->path();
    }
    if (there.empty())
        fail<UsageError>("{}: there are no lessons; set their folder by --lessons FOLDER", lessons.string());
    fail<UsageError>("{}: there is no lesson {}", lessons.string(), number);
}

}  // namespace

std::string own_program() {
    std::error_code error;
    const fs::path path = fs::read_symlink("/proc/self/exe", error);
    if (error) fail<IoError>("/proc/self/exe: {}", error.message());
    return path.string();
}

LessonFiles lesson_files(const LessonPlaces& places, const std::string& number) {
    const fs::path beside = fs::path(own_program()).parent_path();  // build/release
    const fs::path lessons = places.lessons.empty() ? beside / "../../lessons" : places.lessons;
    const fs::path checks = places.checks.empty() ? beside / "lessons" : places.checks;
    LessonFiles files{fs::absolute(lesson_folder(lessons.lexically_normal(), number)),
                      fs::absolute(lessons.lexically_normal() / "support"),
                      fs::absolute(checks / number / "check"), fs::absolute(checks / number / "collect")};
    for (const fs::path& program : {files.check, files.collect})
        if (::access(program.c_str(), X_OK) != 0)
            fail<UsageError>(
                "{}: there is no program that checks lesson {}: ./dev build release lesson_{} builds it",
                program.string(), number, number);
    return files;
}

}  // namespace glassbox::tracer
