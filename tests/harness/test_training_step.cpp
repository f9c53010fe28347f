// How one training step goes, file by file (docs/architecture.md, "The house").
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"

namespace {

struct Stop {
    std::string file, function;
};

std::string content(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// | `train/trainer.cpp` | `Trainer::step` | … |
std::vector<Stop> stops(const std::string& page) {
    const std::regex row(R"(\n\| `([^`]+\.cpp)` \| `([^`]+)` \|)");
    std::vector<Stop> found;
    for (std::sregex_iterator i(page.begin(), page.end(), row), end; i != end; ++i)
        found.push_back({(*i)[1], (*i)[2]});
    return found;
}

}  // namespace

TEST_CASE("a training step: fewer than six files to the optimiser's line, as the page says") {
    const std::filesystem::path source = GLASSBOX_SOURCE;
    const std::vector<Stop> way = stops(content(source / "docs/architecture.md"));
    REQUIRE(way.size() >= 2);
    CHECK(way.size() < 6);
    CHECK(way.front().function == "Trainer::step");
    for (const Stop& stop : way) {
        INFO(stop.file << ": " << stop.function);
        CHECK(content(source / "lib/glassbox" / stop.file).find(stop.function + "(") != std::string::npos);
    }
    CHECK(content(source / "lib/glassbox" / way.back().file).find("w[i] -=") != std::string::npos);
}
