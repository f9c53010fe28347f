// The command's rooms, and how one number is explained, file by file (docs/architecture.md, "The house").
#include <algorithm>
#include <set>

#include "support/catch.h"
#include "way.h"

using namespace glassbox_test;
namespace fs = std::filesystem;

namespace {

const fs::path house = fs::path(GLASSBOX_SOURCE) / "tracer";

// From the roof down, as the page has them: | `commands/` | … |
std::vector<std::string> rooms_of_the_page() {
    const std::string page = content(fs::path(GLASSBOX_SOURCE) / "docs/architecture.md");
    const std::string table = page.substr(page.find("| folder of `tracer/` |"));
    const std::string rows = table.substr(0, table.find("\n\n"));
    const std::regex row(R"(\n\| `(\w+)/` \|)");
    std::vector<std::string> rooms;
    for (std::sregex_iterator i(rows.begin(), rows.end(), row), end; i != end; ++i) rooms.push_back((*i)[1]);
    return rooms;
}

// "report" of #include "report/renderer.h"
std::set<std::string> rooms_included(const std::string& source) {
    const std::regex include(R"re(#include "(\w+)/)re");
    std::set<std::string> found;
    for (std::sregex_iterator i(source.begin(), source.end(), include), end; i != end; ++i)
        found.insert((*i)[1]);
    return found;
}

}  // namespace

TEST_CASE("the command: the page has every room, and an arrow points down only") {
    const std::vector<std::string> rooms = rooms_of_the_page();
    std::set<std::string> folders;
    for (const auto& entry : fs::directory_iterator(house))
        if (entry.is_directory()) folders.insert(entry.path().filename().string());
    CHECK(folders == std::set<std::string>(rooms.begin(), rooms.end()));
    int arrows = 0;
    for (const auto& entry : fs::recursive_directory_iterator(house)) {
        const std::string ending = entry.path().extension().string();
        if (!entry.is_regular_file() || (ending != ".h" && ending != ".cpp")) continue;
        const fs::path inside = fs::relative(entry.path(), house);
        const auto room = std::find(rooms.begin(), rooms.end(), inside.begin()->string());
        if (room == rooms.end()) continue;  // main.cpp
        for (const std::string& below : rooms_included(content(entry.path()))) {
            INFO(inside.string() << " includes a header of " << below << "/");
            CHECK(std::find(room, rooms.end(), below) != rooms.end());
            ++arrows;
        }
    }
    CHECK(arrows > 100);
}

TEST_CASE("the command: fewer than ten files from main to the line of arithmetic, as the page says") {
    const std::vector<Stop> way = way_from("main");
    REQUIRE(way.size() >= 2);
    CHECK(way.size() < 10);
    for (const Stop& stop : way) {
        INFO(stop.file << ": " << stop.function);
        CHECK(is_there("tracer", stop));
    }
    CHECK(content(house / way.back().file).find("Σ_c A[…,i,c]·B[…,c,j]") != std::string::npos);
}
