// How one training step goes, file by file (docs/architecture.md, "One training step").
#include "call_path.h"
#include "support/catch.h"

using namespace glassbox_test;

TEST_CASE("a training step: fewer than six files to the optimiser's line, as documented") {
    const std::string folder = "lib/transformer/glassbox";
    const std::vector<Call> path = call_path_from("Trainer::step");
    REQUIRE(path.size() >= 2);
    CHECK(path.size() < 6);
    for (const Call& call : path) {
        INFO(call.file << ": " << call.function);
        CHECK(defines(folder, call));
    }
    const std::string last = content(std::filesystem::path(GLASSBOX_SOURCE) / folder / path.back().file);
    CHECK(last.find("w[i] -=") != std::string::npos);
}
