#pragma once
#include <algorithm>
#include <set>

#include "lessons.h"

// Work in Python, and what a course's files are told.
namespace lesson_test {

// A copy of the lessons, to work in.
class Course {
  public:
    Course() { fs::copy(lessons, course_, fs::copy_options::recursive | fs::copy_options::copy_symlinks); }

    fs::path folder(const Lesson& lesson) const { return course_ / lesson.folder.filename(); }
    fs::path folder(const std::string& number) const { return folder(lesson_of(number)); }
    Run run(const std::vector<std::string>& arguments) const {
        return run_lesson(arguments, course_, build, state(""));
    }
    std::string state(const std::string& name) const { return folder_ / ("passed/" + name); }
    void write(const std::string& number, const std::string& file, const std::string& text) const {
        glassbox_test::write((folder(number) / file).string(), text);
    }
    std::string text(const std::string& number, const std::string& file) const {
        return content((folder(number) / file).string());
    }

  private:
    Folder folder_;
    fs::path course_ = folder_ / "course";
};

// Ends the case where no Python has NumPy: ./dev lesson installs one, ./dev test does not.
inline void need_numpy() {
    if (has(run_lesson({"--needs", "01", "--python"}).output, "numpy")) SKIP("no Python here has NumPy");
}

// What is said after "Hint: ", in one line.
inline std::string hint_in(const std::string& output) {
    const std::size_t begin = output.find("\nHint: ");
    if (begin == std::string::npos) return "";
    std::string hint;
    const std::size_t end = std::min(output.find("\nName: ", begin), output.find("\nNext: ", begin));
    for (const std::string& word : glassbox_test::words(output.substr(begin + 7, end - begin - 7)))
        hint += (hint.empty() ? "" : " ") + word;
    return hint;
}

}  // namespace lesson_test
