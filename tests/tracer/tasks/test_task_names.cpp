// A task's name is in its own file only: no other code depends on which task it is.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tasks/task.h"

namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// Whether the source has a comparison with `"name"`.
bool compares_with(const std::string& source, const std::string& name) {
    const std::string quoted = '"' + name + '"';
    for (std::size_t at = source.find(quoted); at != std::string::npos; at = source.find(quoted, at + 1)) {
        const std::size_t before = source.find_last_not_of(" \n", at - 1);
        const std::size_t after = source.find_first_not_of(" \n", at + quoted.size());
        const auto is_comparison = [&](std::size_t end) {
            return end != std::string::npos && end > 0 && source[end] == '=' &&
                   (source[end - 1] == '=' || source[end - 1] == '!');
        };
        if ((at > 0 && is_comparison(before)) || (after != std::string::npos && is_comparison(after + 1)))
            return true;
    }
    return false;
}

}  // namespace

TEST_CASE("task names: a comparison with one is found, a name in a longer text is not") {
    CHECK(compares_with("if (task == \"copy\") {}", "copy"));
    CHECK(compares_with("if (t.task !=\n    \"copy\") {}", "copy"));
    CHECK(compares_with("return \"copy\" == task;", "copy"));
    CHECK_FALSE(compares_with("map({\"copy\", x});  y = \"copy\";", "copy"));
    CHECK_FALSE(compares_with("x == \"tracer train copy\"", "copy"));
}

TEST_CASE("task names: no file outside tasks/ compares with one, and the command contains none") {
    int checked = 0;
    for (const char* folder : {"lib", "tracer"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(GLASSBOX_SOURCE) / folder)) {
            const std::string file = fs::relative(entry.path(), GLASSBOX_SOURCE).generic_string();
            const std::string ending = entry.path().extension().string();
            if (!entry.is_regular_file() || (ending != ".h" && ending != ".cpp" && ending != ".cu")) continue;
            if (file.starts_with("tracer/tasks/")) continue;
            const std::string source = content(entry.path());
            for (const glassbox::Task& task : glassbox::tasks()) {
                if (task.name == "text") continue;  // also an output format
                INFO(file << " and the task " << task.name);
                CHECK_FALSE(compares_with(source, task.name));
                if (file.starts_with("tracer/"))
                    CHECK(source.find('"' + task.name + '"') == std::string::npos);
            }
            ++checked;
        }
    CHECK(checked > 0);
}
