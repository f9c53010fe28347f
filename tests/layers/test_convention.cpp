#include <glassbox/layers/convention.h>

#include <cmath>
#include <fstream>

#include "support/catch.h"

using namespace glassbox;

namespace {

// The cells of the row of docs/conventions.md that begins with this choice; none when there is no such row.
std::vector<std::string> row_of(const std::string& choice) {
    std::ifstream document(GLASSBOX_SOURCE "/docs/conventions.md");
    REQUIRE(document);
    for (std::string line; std::getline(document, line);) {
        if (line.rfind("| " + choice + " |", 0) != 0) continue;
        std::vector<std::string> cells;
        std::size_t begin = 2;
        for (std::size_t end; (end = line.find(" |", begin)) != std::string::npos; begin = end + 3)
            cells.push_back(line.substr(begin, end - begin));
        return cells;
    }
    return {};
}

// The columns of the table: the choice, the conventions in their order, the reason.
std::size_t column_of(const Convention& convention) {
    for (std::size_t i = 0; i < conventions().size(); ++i)
        if (conventions()[i].name == convention.name) return i + 1;
    return 0;
}

std::vector<Difference> all_differences() {
    std::vector<Difference> all;
    for (const Convention& a : conventions())
        for (const Convention& b : conventions())
            for (Difference& each : differences(a, b)) all.push_back(std::move(each));
    return all;
}

}  // namespace

TEST_CASE("docs/conventions.md has each choice, what every convention chose, and why") {
    for (const Convention& a : conventions())
        for (const Convention& b : conventions())
            for (const Difference& difference : differences(a, b)) {
                INFO(difference.choice << ": " << a.name << " and " << b.name);
                const std::vector<std::string> cells = row_of(difference.choice);
                REQUIRE(cells.size() == conventions().size() + 2);
                CHECK(cells[column_of(a)] == difference.first);
                CHECK(cells[column_of(b)] == difference.second);
                CHECK(cells.back() == difference.why);
            }
}

TEST_CASE("every field that a layer reads is among the differences") {
    Convention other = convention("uva-jax");
    other.mask_fill = -1, other.norm_epsilon = 1, other.moments = Moments::two_pass;
    other.gelu = Gelu::erf, other.qkv = QkvLayout::stacked, other.encoding_in_float = true;
    other.max_len = 1, other.dropout = DropoutPlace::norm, other.shares_norm = true;
    other.passes_mask = false, other.d_ff_factor = 2, other.input_dropout_behind = true;
    other.deep_output_net = false;
    CHECK(differences(convention("uva-jax"), other).size() == 13);
}

TEST_CASE("a convention does not differ from itself, and differences turn round with their order") {
    for (const Convention& a : conventions()) {
        CHECK(differences(a, a).empty());
        for (const Convention& b : conventions()) {
            const auto there = differences(a, b), back = differences(b, a);
            REQUIRE(there.size() == back.size());
            for (std::size_t i = 0; i < there.size(); ++i) {
                CHECK(there[i].first == back[i].second);
                CHECK(there[i].first != there[i].second);
            }
        }
    }
    for (const Difference& each : all_differences()) CHECK_FALSE(each.steps.empty());
}

TEST_CASE("uva-jax is what Flax's layers and the tutorial's code choose") {
    const Convention& c = convention("uva-jax");
    CHECK(c.mask_fill == -9e15);
    CHECK(c.rng == "jax");
    CHECK(c.norm_epsilon == 1e-6);
    CHECK(c.moments == Moments::one_pass);
    CHECK(c.gelu == Gelu::tanh);
    CHECK(c.qkv == QkvLayout::per_head);
    CHECK(c.init == Init::flax);
    CHECK_FALSE(c.encoding_in_float);
    CHECK(c.max_len == 0);
    CHECK(c.dropout == DropoutPlace::sublayer);
    CHECK_FALSE(c.shares_norm);
    CHECK(c.passes_mask);
    CHECK(c.d_ff_factor == 0);
    CHECK_FALSE(c.input_dropout_behind);
    CHECK(c.deep_output_net);
}

TEST_CASE("uva-torch is the same model with PyTorch's layers") {
    const Convention& c = convention("uva-torch");
    CHECK(c.mask_fill == -9e15);
    CHECK(c.rng == "torch");
    CHECK(c.norm_epsilon == 1e-5);
    CHECK(c.moments == Moments::two_pass);
    CHECK(c.gelu == Gelu::erf);
    CHECK(c.qkv == QkvLayout::per_head);
    CHECK(c.init == Init::torch);
    CHECK(c.encoding_in_float);
    CHECK(c.max_len == 0);
    CHECK(c.dropout == DropoutPlace::sublayer);
    CHECK_FALSE(c.shares_norm);
    CHECK(c.passes_mask);
    CHECK(c.d_ff_factor == 0);
    CHECK_FALSE(c.input_dropout_behind);
    CHECK(c.deep_output_net);
}

TEST_CASE("report is its code, not its text") {
    const Convention& c = convention("report");
    CHECK(c.mask_fill == -1e14);
    CHECK(c.rng == "torch");
    CHECK(c.norm_epsilon == 1e-5);
    CHECK(c.moments == Moments::two_pass);
    CHECK(c.gelu == Gelu::erf);
    CHECK(c.qkv == QkvLayout::per_head);
    CHECK(c.init == Init::torch);
    CHECK(c.encoding_in_float);
    CHECK(c.max_len == 16);
    CHECK(c.dropout == DropoutPlace::norm);
    CHECK(c.shares_norm);
    CHECK_FALSE(c.passes_mask);
    CHECK(c.d_ff_factor == 2);
    CHECK(c.input_dropout_behind);
    CHECK_FALSE(c.deep_output_net);
}

TEST_CASE("paper hides with minus infinity and stacks Q, K and V as torch.nn does") {
    const Convention& c = convention("paper");
    CHECK((std::isinf(c.mask_fill) && c.mask_fill < 0));
    CHECK(c.rng == "jax");
    CHECK(c.norm_epsilon == 1e-5);
    CHECK(c.moments == Moments::two_pass);
    CHECK(c.gelu == Gelu::erf);
    CHECK(c.qkv == QkvLayout::stacked);
    CHECK(c.init == Init::torch);
    CHECK_FALSE(c.encoding_in_float);
    CHECK(c.max_len == 0);
    CHECK(c.dropout == DropoutPlace::sublayer);
    CHECK_FALSE(c.shares_norm);
    CHECK(c.passes_mask);
    CHECK(c.d_ff_factor == 0);
    CHECK_FALSE(c.input_dropout_behind);
    CHECK_FALSE(c.deep_output_net);
}
