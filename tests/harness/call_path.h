#pragma once
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

// The tables of docs/architecture.md that list a call path, file by file.
namespace glassbox_test {

struct Call {
    std::string file, function;
};

inline std::string content(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// The rows of the table that starts with this function:
//     | `train/trainer.cpp` | `Trainer::step` | … |
inline std::vector<Call> call_path_from(const std::string& function) {
    std::istringstream text(content(std::filesystem::path(GLASSBOX_SOURCE) / "docs/architecture.md"));
    const std::regex row(R"(\| `([^`]+\.cpp)` \| `([^`]+)` \| .*)");
    std::vector<Call> found;
    std::smatch parts;
    for (std::string line; std::getline(text, line);) {
        const bool is_row = std::regex_match(line, parts, row);
        if (!is_row && !found.empty()) break;
        if (is_row && (!found.empty() || parts[2] == function)) found.push_back({parts[1], parts[2]});
    }
    return found;
}

// Whether the file, in `folder`, defines the function.
inline bool defines(const std::string& folder, const Call& call) {
    const std::filesystem::path file = std::filesystem::path(GLASSBOX_SOURCE) / folder / call.file;
    return std::regex_search(content(file),
                             std::regex("[ >&]" + call.function + R"((\([^;]*\)[^;]*\{| = \[))"));
}

}  // namespace glassbox_test
