// The shape of the house: what may include what (docs/architecture.md, "The house").
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"

namespace fs = std::filesystem;

namespace {

// From the ground up: a folder of lib/glassbox includes those before it, and none behind it.
const std::vector<std::string> rooms{"tensor",      "random", "io",     "backend",     "observe",
                                     "ops",         "layers", "models", "distributed", "train",
                                     "conventions", "runs",   "tasks"};

std::size_t height_of(const std::string& room) {
    return static_cast<std::size_t>(std::find(rooms.begin(), rooms.end(), room) - rooms.begin());
}

std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// "ops/matmul.h" for each #include <glassbox/ops/matmul.h> of a source.
std::set<std::string> headers_included(const std::string& source) {
    std::set<std::string> found;
    const std::string begin = "#include <glassbox/";
    for (std::size_t at = source.find(begin); at != std::string::npos; at = source.find(begin, at + 1)) {
        const std::size_t name = at + begin.size();
        found.insert(source.substr(name, source.find('>', name) - name));
    }
    return found;
}

// Their rooms: "ops".
std::set<std::string> rooms_included(const std::string& source) {
    std::set<std::string> found;
    for (const std::string& header : headers_included(source))
        if (const std::size_t slash = header.find('/'); slash != std::string::npos)
            found.insert(header.substr(0, slash));
    return found;
}

}  // namespace

TEST_CASE("rooms: what a file includes is read from it") {
    CHECK(rooms_included(
              "#include <glassbox/ops/matmul.h>\n#include <glassbox/glassbox.h>\n#include <ops/x.h>\n") ==
          std::set<std::string>{"ops"});
}

TEST_CASE("rooms: each is known, and an arrow points down only") {
    const fs::path house = fs::path(GLASSBOX_SOURCE) / "lib/glassbox";
    int looked_at = 0;
    for (const auto& entry : fs::recursive_directory_iterator(house)) {
        const std::string ending = entry.path().extension().string();
        if (!entry.is_regular_file() || (ending != ".h" && ending != ".cpp" && ending != ".cu")) continue;
        const fs::path inside = fs::relative(entry.path(), house);
        if (inside.begin() == --inside.end()) continue;  // glassbox.h includes all
        const std::string room = inside.begin()->string();
        INFO(inside.string());
        REQUIRE(height_of(room) < rooms.size());
        for (const std::string& below : rooms_included(content(entry.path()))) {
            INFO("includes " << below);
            CHECK(height_of(below) <= height_of(room));
        }
        ++looked_at;
    }
    CHECK(looked_at > 200);
}

TEST_CASE("rooms: layers and models are maths alone, without random numbers and without a source's choices") {
    const fs::path house = fs::path(GLASSBOX_SOURCE) / "lib/glassbox";
    for (const char* room : {"layers", "models"})
        for (const auto& entry : fs::directory_iterator(house / room)) {
            const std::string text = content(entry.path());
            INFO(entry.path().filename().string());
            CHECK(rooms_included(text).count("random") == 0);
            for (const char* word : {"Stream", "Convention", "convention("}) {
                INFO(word);
                CHECK(text.find(word) == std::string::npos);
            }
        }
}

TEST_CASE("rooms: no header is included by more than half of another room's files") {
    const fs::path house = fs::path(GLASSBOX_SOURCE) / "lib/glassbox";
    for (const std::string& room : rooms) {
        int files = 0;
        std::map<std::string, int> included;  // "ops/matmul.h" → by how many files
        for (const auto& entry : fs::recursive_directory_iterator(house / room)) {
            const std::string ending = entry.path().extension().string();
            if (!entry.is_regular_file() || (ending != ".h" && ending != ".cpp" && ending != ".cu")) continue;
            ++files;
            for (const std::string& header : headers_included(content(entry.path())))
                if (!header.starts_with(room + "/")) ++included[header];
        }
        for (const auto& [header, count] : included) {
            INFO(header << " is included by " << count << " of the " << files << " files of " << room);
            CHECK(2 * count <= files);
        }
    }
}
