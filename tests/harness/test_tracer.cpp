// The folders of the command, and how one number is explained, file by file (docs/architecture.md).
#include <algorithm>
#include <set>

#include "call_path.h"
#include "support/catch.h"

using namespace glassbox_test;
namespace fs = std::filesystem;

namespace {

const fs::path house = fs::path(GLASSBOX_SOURCE) / "tracer";

// From the top down, as in the document: | `commands/` | … |
std::vector<std::string> documented_rooms() {
    const std::string text = content(fs::path(GLASSBOX_SOURCE) / "docs/architecture.md");
    const std::string table = text.substr(text.find("| folder of `tracer/` |"));
    const std::string rows = table.substr(0, table.find("\n\n"));
    const std::regex row(R"(\n\| `(\w+)/` \|)");
    std::vector<std::string> rooms;
    for (std::sregex_iterator i(rows.begin(), rows.end(), row), end; i != end; ++i) rooms.push_back((*i)[1]);
    return rooms;
}

}  // namespace

TEST_CASE("the command: the document lists every room") {
    const std::vector<std::string> rooms = documented_rooms();
    std::set<std::string> folders;
    for (const auto& entry : fs::directory_iterator(house))
        if (entry.is_directory()) folders.insert(entry.path().filename().string());
    CHECK(folders == std::set<std::string>(rooms.begin(), rooms.end()));
}

TEST_CASE("the command: fewer than ten files from main to the line of arithmetic, as documented") {
    const std::vector<Call> path = call_path_from("main");
    REQUIRE(path.size() >= 2);
    CHECK(path.size() < 10);
    for (const Call& call : path) {
        INFO(call.file << ": " << call.function);
        CHECK(defines("tracer", call));
    }
    CHECK(content(house / path.back().file).find("C_ij = Σ_c A_ic B_cj") != std::string::npos);
}
