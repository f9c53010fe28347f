#include <glassbox/conventions/convention.h>

#include <array>
#include <limits>

#include <cmath>
#include <fstream>
#include <map>

#include <glassbox/tensor/format.h>

#include "support/catch.h"

using namespace glassbox;

namespace {

// The cells of the row of docs/conventions.md for this choice; empty when there is none.
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

TEST_CASE("docs/conventions.md has each choice, and each convention's value") {
    for (const Convention& a : conventions())
        for (const Convention& b : conventions())
            for (const Difference& difference : differences(a, b)) {
                INFO(difference.choice << ": " << a.name << " and " << b.name);
                const std::vector<std::string> cells = row_of(difference.choice);
                REQUIRE(cells.size() > conventions().size());
                CHECK(cells[column_of(a)] == difference.first);
                CHECK(cells[column_of(b)] == difference.second);
            }
}

TEST_CASE("docs/conventions.md has each convention's column, source and random numbers") {
    const std::map<std::string, std::string> rngs{{"jax", "JAX"}, {"torch", "PyTorch"}, {"numpy", "NumPy"}};
    const auto sources = row_of("source"), random = row_of("random numbers of its examples");
    for (const Convention& each : conventions()) {
        INFO(each.name << " needs a column in each table");
        REQUIRE(sources.size() > column_of(each));
        REQUIRE(random.size() > column_of(each));
        CHECK(sources[column_of(each)].starts_with(each.source));
        CHECK(random[column_of(each)] == rngs.at(name(each.rng)));
    }
}

TEST_CASE("docs/conventions.md has each convention's training settings") {
    const auto check_row = [](const char* choice, const auto& cell_of) {
        INFO(choice);
        const std::vector<std::string> cells = row_of(choice);
        REQUIRE(cells.size() == conventions().size() + 1);
        for (const Convention& each : conventions()) CHECK(cells[column_of(each)] == cell_of(each.training));
    };
    const auto optional = [](auto field) {
        return [field](const TrainingDefaults& t) {
            return t.*field ? fmt::format("{}", *(t.*field)) : "the task's";
        };
    };
    using T = TrainingDefaults;
    check_row("schedule", [](const T& t) { return std::string(name(t.schedule)); });
    check_row("clip", [](const T& t) { return fmt::format("{}", t.clipping.max_norm); });
    check_row("added to the norm when clipping",
              [](const T& t) { return fmt::format("{}", t.clipping.epsilon); });
    check_row("optimiser", [](const T& t) { return std::string(name(t.optimiser)); });
    check_row("rate", optional(&T::rate));
    check_row("warmup", optional(&T::warmup));
    check_row("beta2", optional(&T::beta2));
    check_row("epsilon", optional(&T::epsilon));
    check_row("weight-decay", optional(&T::weight_decay));
}

TEST_CASE("every field that a layer reads is among the differences") {
    Convention other = convention("uva-jax");
    other.mask_fill = -1, other.norm_epsilon = 1, other.moments = Moments::two_pass;
    other.gelu = Activation::gelu, other.qkv = QkvLayout::stacked, other.encoding_in_float = true;
    other.max_len = 1, other.dropout = DropoutPlace::norm, other.shares_norm = true;
    other.passes_mask = false, other.d_ff_factor = 2, other.input_dropout_after = true;
    other.deep_output_net = false;
    CHECK(differences(convention("uva-jax"), other).size() == 13);
}

TEST_CASE("a convention does not differ from itself, and differences are reversed with their order") {
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

namespace {

// Expected fields in uva-jax, uva-torch, report and paper.
template <class T>
void check_field(const char* name, T Convention::*field, std::array<std::common_type_t<T>, 4> expected) {
    const char* names[] = {"uva-jax", "uva-torch", "report", "paper"};
    for (std::size_t i = 0; i < 4; ++i) {
        INFO(name << " of " << names[i]);
        CHECK((convention(names[i]).*field == expected[i]));
    }
}

}  // namespace

TEST_CASE("each convention matches its source's code: the tutorials, the report's code, torch.nn") {
    using C = Convention;
    using D = DropoutPlace;
    check_field("mask_fill", &C::mask_fill, {-9e15, -9e15, -1e14, -std::numeric_limits<double>::infinity()});
    check_field("rng", &C::rng, {Rng::jax, Rng::torch, Rng::torch, Rng::jax});
    check_field("draws_o_proj_first", &C::draws_o_proj_first, {false, false, true, false});
    check_field("norm_epsilon", &C::norm_epsilon, {1e-6, 1e-5, 1e-5, 1e-5});
    check_field("moments", &C::moments,
                {Moments::one_pass, Moments::two_pass, Moments::two_pass, Moments::two_pass});
    check_field("gelu", &C::gelu,
                {Activation::gelu_tanh, Activation::gelu, Activation::gelu, Activation::gelu});
    check_field("qkv", &C::qkv,
                {QkvLayout::per_head, QkvLayout::per_head, QkvLayout::per_head, QkvLayout::stacked});
    check_field("init", &C::init, {Init::flax, Init::torch, Init::torch, Init::torch});
    check_field("encoding_in_float", &C::encoding_in_float, {false, true, true, false});
    check_field("max_len", &C::max_len, {0, 0, 16, 0});
    check_field("dropout", &C::dropout, {D::sublayer, D::sublayer, D::norm, D::sublayer});
    check_field("shares_norm", &C::shares_norm, {false, false, true, false});
    check_field("passes_mask", &C::passes_mask, {true, true, false, true});
    check_field("d_ff_factor", &C::d_ff_factor, {0, 0, 2, 0});
    check_field("input_dropout_after", &C::input_dropout_after, {false, false, true, false});
    check_field("deep_output_net", &C::deep_output_net, {true, true, false, false});
}
