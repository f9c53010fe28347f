#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lesson {

// The contents of lesson.json in a lesson's folder. The folder's name begins with the lesson's number.
struct Lesson {
    struct Case {
        std::string name, title;  // "causal", and what is special about it
    };
    std::filesystem::path folder;
    std::string number, title;                        // "01"
    std::vector<std::string> steps;                   // what the exercise computes, in order
    std::vector<Case> cases;                          // of golden.npz, in the order in which they are checked
    std::map<std::string, std::string> hints;         // by "step/reason", "step" or "reason"
    std::map<std::string, std::string> python_hints;  // for exercise.py instead; few
    std::string passed;                               // what to do when all is right

    // The hint for "scaled/no-root": this one, else that of "scaled", else that of "no-root". Steps may
    // contain slashes: "mlp/hidden/no-bias".
    const std::string& hint(const std::string& key) const;
};

// Throws FileError with file and reason.
Lesson read_lesson(const std::filesystem::path& folder);

}  // namespace lesson
