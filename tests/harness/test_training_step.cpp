// How one training step goes, file by file (docs/architecture.md, "One training step").
#include "support/catch.h"
#include "way.h"

using namespace glassbox_test;

TEST_CASE("a training step: fewer than six files to the optimiser's line, as the page says") {
    const std::string folder = "lib/glassbox";
    const std::vector<Stop> way = way_from("Trainer::step");
    REQUIRE(way.size() >= 2);
    CHECK(way.size() < 6);
    for (const Stop& stop : way) {
        INFO(stop.file << ": " << stop.function);
        CHECK(is_there(folder, stop));
    }
    const std::string last = content(std::filesystem::path(GLASSBOX_SOURCE) / folder / way.back().file);
    CHECK(last.find("w[i] -=") != std::string::npos);
}
