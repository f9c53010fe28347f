// The folders of the command, and how one number is explained, file by file (docs/architecture.md).
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

}  // namespace

TEST_CASE("the command: the page has every room") {
    const std::vector<std::string> rooms = rooms_of_the_page();
    std::set<std::string> folders;
    for (const auto& entry : fs::directory_iterator(house))
        if (entry.is_directory()) folders.insert(entry.path().filename().string());
    CHECK(folders == std::set<std::string>(rooms.begin(), rooms.end()));
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
