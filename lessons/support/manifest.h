#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lesson {

// One entry of lessons/manifest.json.
struct Lesson {
    struct Case {
        std::string name, title;  // "causal", and what is special about it
    };
    std::string number, title, folder;         // "01"; folder inside lessons/
    std::vector<std::string> steps;            // what the exercise computes, in order
    std::vector<Case> cases;                   // of golden.npz, in the order in which they are checked
    std::map<std::string, std::string> hints;  // by "step/reason", "step" or "reason"
    std::string passed;                        // what to do when all is right

    // The hint for "scaled/no-root": this one, else that of "scaled", else that of "no-root". Steps may have
    // slashes of their own: "mlp/hidden/no-bias".
    const std::string& hint(const std::string& key) const;
};

// Everything that shows lessons reads them from here. Throws FileError with file, offset and reason.
std::vector<Lesson> read_manifest(const std::filesystem::path& file);
// By number or folder: "01", "1", "01-scaled-dot-product". Throws UsageError that lists the lessons.
const Lesson& find_lesson(const std::vector<Lesson>& lessons, const std::string& name);

}  // namespace lesson
