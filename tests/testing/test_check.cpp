#include <array>
#include <cmath>
#include <sstream>
#include <thread>

#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/xtensor.h>
#include <glassbox/testing/check.h>

#include "support/catch.h"
#include "support/errors.h"

using glassbox_test::has;
using namespace glassbox;
using glassbox_test::check_error;

namespace {

const Tensor Q{{1, 0}, {0, 1}, {1, 1}}, K{{1, 1}, {0, 2}, {-1, 0.5}}, V{{10, 0}, {0, 10}, {5, 2}};

void pass() { (void)scaled_dot_product(Q, K, V); }

Tensor right_logits() { return matmul(Q, transpose(K)); }
Tensor right_attention() { return softmax(right_logits() / std::sqrt(2.0)); }
Tensor unscaled_attention() { return softmax(right_logits()); }

std::vector<std::vector<double>> nested(const Tensor& x) {
    std::vector<std::vector<double>> rows;
    for (const Tensor& row : x) {
        const std::vector<real> numbers = row.values();
        rows.emplace_back(numbers.begin(), numbers.end());
    }
    return rows;
}

// A matrix class as a course may have its own.
struct Matrix {
    std::vector<std::vector<double>> numbers;
    int rows() const { return static_cast<int>(numbers.size()); }
    int cols() const { return static_cast<int>(numbers.front().size()); }
    double operator()(int i, int j) const {
        return numbers[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
};

const char* const no_check =
    "is_step: no check exists on this thread: create one first, const auto key = glassbox::check([&] { … "
    "});";

}  // namespace

TEST_CASE("check: right numbers of any kind of array match") {
    const Check key = check(pass);
    const Tensor right = right_attention();
    const std::vector<real> flat = right.values();
    CHECK_THAT(right, key.is_step("attention"));
    CHECK_THAT(to_xtensor(right), key.is_step("attention"));
    CHECK_THAT(xt::xarray<double>(xtensor_view(right)), key.is_step("attention"));
    const xt::xarray<double, xt::layout_type::column_major> by_columns = xtensor_view(right);
    CHECK_THAT(by_columns, key.is_step("attention"));
    CHECK_THAT(nested(right), key.is_step("attention"));
    CHECK_THAT((Matrix{nested(right)}), key.is_step("attention"));
    CHECK_THAT(Numbers(flat, {3, 3}), key.is_step("attention"));
    CHECK_THAT(Numbers(flat.data(), {3, 3}), key.is_step("attention"));
    std::array<std::array<float, 3>, 3> fixed{};
    for (std::size_t i = 0; i < flat.size(); ++i) fixed[i / 3][i % 3] = static_cast<float>(flat[i]);
    CHECK_THAT(fixed, key.is_step("attention"));
    CHECK_THAT(matmul(right, V), key.is_result());
}

TEST_CASE("check: the matcher prints the mistake, its place, and no right number") {
    const Check key = check(pass);
    const StepMatcher matcher = key.is_step("attention");
    CHECK_FALSE(matcher.match(nested(unscaled_attention())));
    const std::string said = matcher.toString();
    CAPTURE(said);
    CHECK(has(said, "is the step attention\n✗ attention  [0, 0] is "));
    CHECK(has(said, "scaled/not-divided"));
    CHECK(has(said, mistake("scaled/not-divided").sentence));
    CHECK_FALSE(has(said, ", expected "));
    CHECK_FALSE(has(said, fmt::format("{:.4}", right_attention().at({0, 0}))));
    CHECK_FALSE(has(said, "not submitted"));

    const Check open = check(pass, {.expected = true});
    CHECK(has(open.step("attention", unscaled_attention()).str(), ", expected "));
}

TEST_CASE("check: a copy of the matcher prints the same, as Catch2 2 and GoogleTest ask") {
    const Check key = check(pass);
    const StepMatcher matcher = key.is_step("attention"), copy = matcher;
    std::ostringstream listener, described, negated;
    CHECK_FALSE(matcher.MatchAndExplain(unscaled_attention(), &listener));
    CHECK(copy.toString() == "is the step attention" + listener.str());
    CHECK(has(listener.str(), "scaled/not-divided"));
    matcher.DescribeTo(&described);
    matcher.DescribeNegationTo(&negated);
    CHECK(described.str() == "is the step attention");
    CHECK(negated.str() == "is not the step attention");
    CHECK(matcher.MatchAndExplain(right_attention(), nullptr));
}

TEST_CASE("check: is_step belongs to the check that was made last and lives") {
    check_error([] { (void)is_step("attention"); }, no_check);
    const Check outer = check(pass);
    CHECK_THAT(right_attention(), is_step("attention"));
    {
        const Check inner = check([] { (void)scaled_dot_product(Q * 2, K, V); });
        CHECK_THAT(softmax(right_logits() * std::sqrt(2.0)), is_step("attention"));
        CHECK_FALSE(is_step("attention").match(right_attention()));
    }
    CHECK_THAT(right_attention(), is_step("attention"));
    CHECK_THAT(matmul(right_attention(), V), is_result());
    std::thread([] { check_error([] { (void)is_result(); }, no_check); }).join();
}

TEST_CASE("check: a check that ends on another thread is forgotten on its own") {
    auto key = std::make_unique<Check>(pass);
    std::thread([&] { key.reset(); }).join();
    check_error([] { (void)is_step("attention"); }, no_check);
}

TEST_CASE("check: of several steps only the first wrong one counts as wrong") {
    const Check key = check(pass);
    const Tensor attention = unscaled_attention();
    const Checked found = key.steps(
        {{"logits", right_logits()}, {"attention", nested(attention)}, {"values", matmul(attention, V)}});
    CHECK_FALSE(found);
    REQUIRE(found.diagnosis().first_wrong());
    CHECK(found.diagnosis().first_wrong()->path == "attention");
    CHECK(has(found.str(), "✓ logits\n"));
    CHECK(has(found.str(), "→ values"));
    std::ostringstream printed;
    printed << found;
    CHECK(printed.str() == found.str());
    CHECK(key.result(matmul(right_attention(), V)));
}

TEST_CASE("check: what cannot be checked is said") {
    const Check key = check(pass);
    check_error(
        [&] { (void)key.step("atention", Q); },
        "check: there is no step 'atention'; the steps are: Q, K, V, logits, scaled, attention, values");
    check_error([] { (void)check([] { (void)(Q + Q); }); },
                "check: the computation names no step: call a layer or a model of Glassbox in it");
    check_error(
        [] {
            (void)Numbers(std::vector<std::vector<double>>{{1, 2}, {3}});
        },
        "numbers: rows of an array need equal lengths, got 1 after 2");
    check_error(
        [] {
            (void)Numbers(std::vector<float>{1, 2, 3}, {2, 2});
        },
        "numbers: the shape (2, 2) has 4 numbers, got 3");
    CHECK(has(key.step("attention", Q).str(), "✗ attention  its shape is (3, 2)"));
    CHECK_FALSE(key.step("attention", std::vector<double>{}));
}

TEST_CASE("check: numbers that are none, or too large, are wrong numbers") {
    const Check key = check(pass);
    std::vector<std::vector<double>> mine = nested(right_attention());
    for (const double bad : {std::nan(""), HUGE_VAL, 1e300, -1e300}) {
        mine[1][2] = bad;
        const Checked found = key.step("attention", mine);
        CAPTURE(bad, found.str());
        CHECK_FALSE(found);
    }
}

TEST_CASE("check: what is submitted alone is judged alone, and what was not is not mentioned") {
    const Check key = check(pass);
    const Checked right = key.step("attention", right_attention());
    CHECK(right);
    CHECK(right.str() == "✓ attention\nAll right.\n");
    const Checked wrong = key.step("attention", unscaled_attention());
    CHECK_FALSE(has(wrong.str(), "not submitted"));
    CHECK_FALSE(has(wrong.str(), ", expected "));
    // The last step that has a formula is the result, whatever is computed of it without one.
    const Check more = check([] { (void)(scaled_dot_product(Q, K, V).values * 2); });
    CHECK(more.result(matmul(right_attention(), V)));
    CHECK_THAT(matmul(right_attention(), V), more.is_result());
}

TEST_CASE("check: a matcher writes only what is wrong, and only to a listener") {
    const Check key = check(pass);
    std::ostringstream listener, numbers;
    CHECK(key.is_step("attention").MatchAndExplain(right_attention(), &listener));
    CHECK(listener.str().empty());
    CHECK_FALSE(key.is_step("attention").MatchAndExplain(unscaled_attention(), nullptr));
    numbers << Numbers(Tensor::zeros({3, 2}));
    CHECK(numbers.str() == "numbers of shape (3, 2)");
}

TEST_CASE("check: of the checks that live the latest made counts, in whatever order the others end") {
    auto first = std::make_unique<Check>(pass);
    auto second = std::make_unique<Check>([] { (void)scaled_dot_product(Q * 2, K, V); });
    const Tensor doubled = softmax(right_logits() * std::sqrt(2.0));
    first.reset();
    CHECK_THAT(doubled, is_step("attention"));
    first = std::make_unique<Check>(pass);
    CHECK_THAT(right_attention(), is_step("attention"));
    first.reset();
    CHECK_THAT(doubled, is_step("attention"));
    second.reset();
    check_error([] { (void)is_step("attention"); }, no_check);
}
