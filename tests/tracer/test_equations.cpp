// That the library's ops have equations.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "support/catch.h"
#include "tracer/explain/equations.h"

using namespace glassbox;
using namespace glassbox::tracer;
namespace fs = std::filesystem;

namespace {

// The names in record("…") of the library's sources.
std::set<std::string> recorded_ops() {
    const std::regex call("record\\(\\s*\"(\\w+)\"");
    std::set<std::string> ops;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(GLASSBOX_SOURCE) / "lib")) {
        if (entry.path().extension() != ".cpp") continue;
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i) ops.insert((*i)[1]);
    }
    return ops;
}

}  // namespace

TEST_CASE("equations: every op of the library has one, but those that are known to have none") {
    const std::set<std::string> moves_numbers{"broadcast_to", "concat", "contiguous", "permute",
                                              "reshape",      "select", "slice"};
    // Fused or given in a formula of its own, places and choices.
    const std::set<std::string> without{"argmax",       "attention", "choose",   "clip_factor", "decode",
                                        "feed_forward", "matches",   "schedule", "up_to_end",   "is_written",
                                        "parts",        "times",     "written",  "count_ngrams"};
    const std::set<std::string> ops = recorded_ops();
    CHECK(ops.size() > 40);
    for (const std::string& op : ops) {
        INFO(op);
        CHECK(has_equation(op) == !(moves_numbers.contains(op) || without.contains(op)));
    }
    for (const std::string& op : without) CHECK(ops.contains(op));
}
