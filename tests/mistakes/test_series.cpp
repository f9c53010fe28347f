// What is peculiar to the mistakes of series: a split that is known by the rule that it breaks, and what lies
// behind a part.
#include <glassbox/mistakes/diagnosis.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/scaling.h>
#include <glassbox/series/windows.h>

#include <functional>

#include "support/catch.h"

using namespace glassbox;

namespace {

constexpr index_t T = 30, training = 20, L = 5, H = 3;

int right_part(index_t t) {
    if (t < L - 1 || t + H >= T) return part_none;
    return t + H < training ? part_training : t + 1 >= training ? part_test : part_none;
}

StepDiagnosis said_of(const Tensor& part) {
    const Computation cut{[] { (void)window_parts(T, training, {.window = L, .horizon = H}); }, "part"};
    return diagnose(cut, {{"part", part}}).steps.front();
}

// The mistake that is named where each window's part is what `of` says.
std::string named(const std::function<int(index_t t)>& of) {
    std::vector<real> part;
    for (index_t t = 0; t < T; ++t) part.push_back(static_cast<real>(of(t)));
    const StepDiagnosis said = said_of(Tensor({T}, part));
    if (said.verdict == Verdict::right) return "right";
    return said.explanations.empty() ? "" : said.explanations.front().mistakes.front().mistake->key;
}

// Right, but for these windows.
std::string named_but(const std::vector<std::pair<index_t, int>>& others) {
    return named([&](index_t t) {
        for (const auto& [at, part] : others)
            if (t == at) return part;
        return right_part(t);
    });
}

}  // namespace

TEST_CASE("a split of a series is known by the rule that it breaks, however it was made") {
    CHECK(named(right_part) == "right");
    const auto is_whole = [](index_t t) { return t >= L - 1 && t + H < T; };
    CHECK(named([&](index_t t) { return is_whole(t) ? 1 + (t * t % 7 < 3) : 0; }) == "part/random-split");
    CHECK(named_but({{17, part_training}}) == "part/across-split");
    CHECK(named_but({{18, part_test}}) == "part/tests-on-training");
    CHECK(named_but({{17, part_training}, {9, part_test}}) == "part/random-split");
    CHECK(named_but({{3, part_training}}) == "part/no-past");
    CHECK(named_but({{27, part_test}}) == "part/no-future");
    CHECK(named_but({{6, part_none}, {11, part_none}, {23, part_none}}) == "part/left-out");
    CHECK(named_but({{11, 3}}) == "part/other-number");
}

TEST_CASE("a split that a line of the catalogue gives is that mistake, not the rule that it breaks, too") {
    CHECK(named([](index_t t) {
              const int right = right_part(t);
              return right == part_none ? part_none : part_training + part_test - right;
          }) == "part/exchanged");
    CHECK(named_but({{26, part_none}}) == "part/last-lost");
    CHECK(named_but({{19, part_none}}) == "part/by-last-known");
}

TEST_CASE("windows and targets that were moved are known however far, up to their own length") {
    std::vector<real> numbers;
    for (index_t t = 0; t < T; ++t) numbers.push_back(static_cast<real>(t * t % 17));
    const Tensor series({T, 1}, numbers);
    const Computation cut{[=] { (void)window_at(series, 14, {.window = L, .horizon = H}); }, "targets"};
    const auto named = [&](const char* step, index_t begin, index_t end) {
        const Diagnosis found = diagnose(cut, {{step, slice(series, 0, begin, end)}});
        const auto& explanations = found.first_wrong()->explanations;
        return explanations.empty() ? "" : explanations.front().mistakes.front().mistake->key;
    };
    CHECK(named("x", 11, 16) == "window/target-inside");
    CHECK(named("x", 15, 20) == "window/target-inside");
    CHECK(named("x", 5, 10) == "window/too-early");
    CHECK(named("targets", 13, 16) == "targets/known-already");
    CHECK(named("targets", 18, 21) == "targets/too-late");
    CHECK(named("targets", 22, 25) == "");
}

TEST_CASE("a difference is placed as the user who submitted the step counts: without an axis of 1") {
    const Tensor series({5, 1}, {1, 2, 4, 8, 16});
    const Computation scaling{[=] { (void)scaled(series, {Tensor{3}, Tensor{2}}); }, "scaled"};
    const std::vector<real> right{-1, -0.5, 0.5, 2.5, 6.5}, wrong{-1, -0.5, 0.75, 2.5, 6.5};
    CHECK(diagnose(scaling, {{"", Tensor({5}, right)}}).all_right());
    for (const auto layout : {SubmittedLayout::any, SubmittedLayout::ordered})
        for (const auto& [shape, place] : {std::pair<Shape, std::string>{{5}, "[2]"}, {{5, 1}, "[2, 0]"}}) {
            SubmittedStep mine{"", Tensor(shape, wrong)};
            mine.layout = layout;
            const Diagnosis found = diagnose(scaling, {mine});
            CHECK(found.first_wrong()->difference ==
                  place + " is 0.75, expected 0.5 (1 of 5 numbers differ)");
        }
}
