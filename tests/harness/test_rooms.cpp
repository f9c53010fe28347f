// What may include what (docs/architecture.md, "Folders").
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"

namespace fs = std::filesystem;

namespace {

// Folders from the bottom up: each includes only those before it.
struct House {
    const char* name;
    fs::path path;
    std::string include;  // the start of an #include of its headers
    std::vector<std::string> rooms;

    std::size_t height_of(const std::string& room) const {
        return static_cast<std::size_t>(std::find(rooms.begin(), rooms.end(), room) - rooms.begin());
    }
};

// Between the libraries the compiler and the linker see to it.
const std::vector<House>& houses() {
    static const auto library = [](const char* name, std::vector<std::string> rooms) {
        return House{name, fs::path(GLASSBOX_SOURCE) / name, "#include <glassbox/", std::move(rooms)};
    };
    static const std::vector<House> all = {
        library("lib/transformer/glassbox/", {"tensor", "random", "io", "backend", "observe", "ops", "layers",
                                              "models", "distributed", "train"}),
        library("lib/study/glassbox/",
                {"text", "conventions", "runs", "series", "blocks", "decoding", "tasks"}),
        library("lib/diagnosis/glassbox/", {"mistakes", "testing"}),
        {"tracer/",
         fs::path(GLASSBOX_SOURCE) / "tracer",
         "#include \"",
         {"cli", "tasks", "figures", "explain", "report", "subject", "worksheet", "train", "grade",
          "commands", "web"}},
    };
    return all;
}

bool is_source(const fs::path& file) {
    const std::string ending = file.extension().string();
    return ending == ".h" || ending == ".cpp" || ending == ".cu";
}

// Without what stands in for parts of the library in a browser.
std::vector<fs::path> sources_in(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const bool is_for_browser = entry.path().string().find("/tracer/web/") != std::string::npos;
        if (entry.is_regular_file() && is_source(entry.path()) && !is_for_browser)
            found.push_back(entry.path());
    }
    return found;
}

std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// "ops/matmul.h" for each #include <glassbox/ops/ops.h> of a source.
std::set<std::string> headers_included(const std::string& source, const House& house) {
    std::set<std::string> found;
    for (std::size_t at = source.find(house.include); at != std::string::npos;
         at = source.find(house.include, at + 1)) {
        const std::size_t name = at + house.include.size();
        found.insert(source.substr(name, source.find_first_of(">\"", name) - name));
    }
    return found;
}

// Their rooms: "ops".
std::set<std::string> rooms_included(const std::string& source, const House& house) {
    std::set<std::string> found;
    for (const std::string& header : headers_included(source, house))
        if (const std::size_t slash = header.find('/'); slash != std::string::npos)
            found.insert(header.substr(0, slash));
    return found;
}

}  // namespace

TEST_CASE("rooms: a file's includes are parsed") {
    CHECK(
        rooms_included("#include <glassbox/ops/ops.h>\n#include <glassbox/glassbox.h>\n#include <ops/x.h>\n",
                       houses()[0]) == std::set<std::string>{"ops"});
    CHECK(rooms_included("#include <glassbox/ops/ops.h>\n#include \"cli/options.h\"\n", houses().back()) ==
          std::set<std::string>{"cli"});
}

TEST_CASE("rooms: each is listed, and includes point down only") {
    int checked = 0;
    for (const House& house : houses())
        for (const fs::path& file : sources_in(house.path)) {
            const fs::path inside = fs::relative(file, house.path);
            if (inside.begin() == --inside.end()) continue;  // main.cpp
            const std::string room = inside.begin()->string();
            INFO(inside.string());
            REQUIRE(house.height_of(room) < house.rooms.size());
            for (const std::string& below : rooms_included(content(file), house)) {
                INFO("includes " << below);
                const bool is_of_another_library = house.height_of(below) == house.rooms.size();
                CHECK((is_of_another_library || house.height_of(below) <= house.height_of(room)));
            }
            ++checked;
        }
    CHECK(checked > 0);
}

TEST_CASE("rooms: docs/architecture.md has each") {
    const std::string page = content(fs::path(GLASSBOX_SOURCE) / "docs/architecture.md");
    for (const House& house : houses())
        for (const std::string& room : house.rooms) {
            INFO(house.name << ": " << room);
            CHECK(glassbox_test::has(page, "`" + room + "/`"));
        }
}

// So that a header that lacks an include does not compile.
TEST_CASE("rooms: a source of the command includes the header of its own name, if there is one, first") {
    const House& house = houses().back();
    int checked = 0;
    for (const fs::path& file : sources_in(house.path)) {
        const std::string inside = fs::relative(file, house.path).string();
        const std::string header = inside.substr(0, inside.rfind('.')) + ".h";
        if (file.extension() != ".cpp" || !fs::exists(house.path / header)) continue;
        INFO(inside);
        CHECK(content(file).find("#include \"" + header + "\"") == content(file).find("#include"));
        ++checked;
    }
    CHECK(checked > 0);
}

TEST_CASE("rooms: layers and models are only maths, without random numbers and conventions") {
    const fs::path house = fs::path(GLASSBOX_SOURCE) / "lib/transformer/glassbox";
    for (const char* room : {"layers", "models"})
        for (const auto& entry : fs::directory_iterator(house / room)) {
            const std::string text = content(entry.path());
            INFO(entry.path().filename().string());
            CHECK(rooms_included(text, houses()[0]).count("random") == 0);
            for (const char* word : {"Stream", "Convention", "convention("}) {
                INFO(word);
                CHECK(text.find(word) == std::string::npos);
            }
        }
}
