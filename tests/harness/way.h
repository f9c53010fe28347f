#pragma once
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

// The tables of docs/architecture.md that follow something through the source, file by file.
namespace glassbox_test {

struct Stop {
    std::string file, function;
};

inline std::string content(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// The rows of the page's table that begins with this function:
//     | `train/trainer.cpp` | `Trainer::step` | … |
inline std::vector<Stop> way_from(const std::string& function) {
    std::istringstream page(content(std::filesystem::path(GLASSBOX_SOURCE) / "docs/architecture.md"));
    const std::regex row(R"(\| `([^`]+\.cpp)` \| `([^`]+)` \| .*)");
    std::vector<Stop> found;
    std::smatch parts;
    for (std::string line; std::getline(page, line);) {
        const bool is_row = std::regex_match(line, parts, row);
        if (!is_row && !found.empty()) break;
        if (is_row && (!found.empty() || parts[2] == function)) found.push_back({parts[1], parts[2]});
    }
    return found;
}

// Whether the stop's file, in `folder`, has the function.
inline bool is_there(const std::string& folder, const Stop& stop) {
    const std::filesystem::path file = std::filesystem::path(GLASSBOX_SOURCE) / folder / stop.file;
    return std::regex_search(content(file), std::regex("[ >&]" + stop.function + R"(\([^;]*\)[^;]*\{)"));
}

}  // namespace glassbox_test
