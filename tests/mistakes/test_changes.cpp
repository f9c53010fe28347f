// What no line of the catalogue is, but a change of a part of a step's formula.
#include <algorithm>
#include <random>

#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/mistakes/detail/changes.h>
#include <glassbox/mistakes/diagnosis.h>
#include <glassbox/mistakes/diagnosis_json.h>
#include <glassbox/mistakes/right_pass.h>
#include <glassbox/ops/ops.h>
#include <glassbox/ops/testing.h>
#include <glassbox/random/stream.h>

#include "mistakes/specimens.h"
#include "support/catch.h"

using namespace glassbox;
using namespace glassbox::detail;
using glassbox_test::has;

namespace {

struct Softmax {
    explicit Softmax(index_t rows = 4) : x(make_stream(Rng::numpy, 3)->normal({rows, 5})) {}

    Tensor x;
    Computation computation{[x = x] { (void)named(steps::scaled_dot_product::attention, softmax(x)); },
                            "attention"};

    Diagnosis of(const Tensor& mine) const { return diagnose(computation, {{"", mine}}, {.effort = 60000}); }
};

const Mistake& named(const Diagnosis& diagnosis) {
    REQUIRE(diagnosis.first_wrong());
    REQUIRE(diagnosis.first_wrong()->explanations.size() == 1);
    return *diagnosis.first_wrong()->explanations.front().mistakes.front().mistake;
}

// The computation's result with a change of the step at `path`; undefined where it cannot be made.
Tensor result_with(const Computation& computation, const std::string& path, const Edit& edit) {
    Trace trace;
    trace.set_hook([&](const Frame& frame, const StepInfo&, const Tensor& made) {
        return frame.path() == path ? Formula(frame, made).changed(edit).value() : made;
    });
    try {
        computation.forward();
        return trace[computation.result];
    } catch (const Error&) {
        return {};
    }
}

std::vector<Change> changes_of(const Computation& computation, const std::string& path) {
    std::vector<Change> all;
    Trace trace;
    trace.set_hook([&](const Frame& frame, const StepInfo&, const Tensor& made) {
        if (frame.path() == path) {
            const Formula formula(frame, made);
            for (const auto& kind : {replaced_parts, added_functions, added_operands})
                for (Change& each : kind(formula)) all.push_back(std::move(each));
        }
        return made;
    });
    computation.forward();
    return all;
}

// Enough numbers that are all finite, not all whole, and of which most are far from the right ones.
bool shows(const Tensor& mine, const Tensor& right) {
    if (!mine.defined() || mine.shape() != right.shape() || mine.numel() < 8) return false;
    const std::vector<real> a = mine.values(), b = right.values();
    std::size_t far = 0;
    bool has_fractions = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!std::isfinite(a[i]) || std::abs(a[i]) > 1e4F) return false;
        has_fractions = has_fractions || a[i] != std::round(a[i]);
        far += std::abs(a[i] - b[i]) > 0.02F * (std::abs(a[i]) + std::abs(b[i]));
    }
    return has_fractions && 2 * far > a.size();
}
// A step that is made several times is changed everywhere.
bool is_made_once(const RightPass& right, const RightPass::Step& step) {
    const auto is_it = [&](const RightPass::Step& each) { return each.info == step.info; };
    return std::count_if(right.steps().begin(), right.steps().end(), is_it) == 1;
}

}  // namespace

TEST_CASE("changes: a formula is written as it was computed, fused ops as what they compute") {
    const Softmax subject;
    std::string text;
    {
        Trace trace;
        trace.set_hook([&](const Frame& frame, const StepInfo&, const Tensor& made) {
            const Formula formula(frame, made);
            text = formula.text();
            CHECK(all_close(formula.value(), made));
            return made;
        });
        subject.computation.forward();
    }
    CHECK(text == "exp(x − max(x)) / Σ(exp(x − max(x)))");
}

TEST_CASE(
    "changes: one operation that is another, and two, are named by the formula that gives the numbers") {
    const Softmax subject;
    const Tensor e = exp(subject.x - max(subject.x, -1, true));
    const Mistake& squared = named(subject.of(e * e / sum(e, -1, true)));
    CHECK(squared.key == "attention/changed");
    CHECK(has(squared.sentence, "One thing is changed: "));
    const Mistake& in_one_place = named(subject.of(sqrt(e) / sum(e, -1, true)));
    CHECK(in_one_place.formula == "√(exp(x − max(x))) / Σ(exp(x − max(x)))");
    const Mistake& two = named(subject.of(sqrt(e) / sum(e * e, -1, true)));
    CHECK(two.formula == "√(exp(x − max(x))) / Σ(exp(x − max(x))²)");
    CHECK(has(two.sentence, "Two things are changed: "));
    CHECK(named(subject.of(softmax(subject.x * 2.0))).key != "");
    // No change of one formula gives these; none is named.
    const Tensor other = make_stream(Rng::numpy, 4)->normal({4, 5});
    CHECK(subject.of(other).first_wrong()->explanations.empty());
}

TEST_CASE(
    "changes: of a few numbers nothing that is added is named, for one of so many would be right by chance") {
    const Softmax one(1), four;
    const auto multiplied = [](const Softmax& of) { return softmax(of.x) * exp(of.x - max(of.x, -1, true)); };
    CHECK(four.of(multiplied(four)).first_wrong()->explanations.size() == 1);
    CHECK(one.of(multiplied(one)).first_wrong()->explanations.empty());
}

TEST_CASE("changes: what is used twice may lack an operation in one of the places") {
    const Tensor x({2, 3}, {1, 2, 3, 4, 6, 5});
    std::vector<std::string> texts;
    Trace trace;
    trace.set_hook([&](const Frame& frame, const StepInfo&, const Tensor& made) {
        const Formula formula(frame, made);
        for (const Change& each : replaced_parts(formula)) texts.push_back(formula.changed(each.edit).text());
        return made;
    });
    (void)glassbox::named(steps::scaled_dot_product::attention, softmax(x));
    const auto is_there = [&](const char* text) {
        return std::find(texts.begin(), texts.end(), text) != texts.end();
    };
    CHECK(is_there("exp(x) / Σ(exp(x − max(x)))"));
    CHECK(is_there("exp(x − max(x)) / Σ(exp(x))"));
}

TEST_CASE("changes: a mask is in the formula, and what stands for what it hides") {
    const Tensor x({2, 2}, {1, 2, 3, 4}), mask({2, 2}, {1, 0, 1, 1});
    std::string text;
    Trace trace;
    trace.set_hook([&](const Frame& frame, const StepInfo&, const Tensor& made) {
        text = Formula(frame, made).text();
        return made;
    });
    (void)glassbox::named(steps::scaled_dot_product::masked, masked_fill(x, mask, -5));
    CHECK(text == "where(mask, x, −5)");
}

TEST_CASE("changes: a diagnosis with one is read back from its JSON") {
    const Softmax subject;
    const Tensor e = exp(subject.x - max(subject.x, -1, true));
    const Diagnosis diagnosis = subject.of(e * e / sum(e, -1, true));
    const Diagnosis again = from_json(to_json(diagnosis, true).text(), "again");
    CHECK(named(again).key == "attention/changed");
    CHECK(named(again).sentence == named(diagnosis).sentence);
}

TEST_CASE("changes: any of them, in any step, is explained from the result alone") {
    const int every = sizeof(real) == sizeof(double) ? 4 : 1;  // a watched build takes minutes for all
    std::mt19937 random(7);
    int step_number = 0, tried = 0;
    for (const auto& group : {specimens::of_attention(), specimens::of_models(), specimens::of_training()})
        for (const specimens::Specimen& specimen : group) {
            const Computation& computation = specimen.computation;
            const RightPass right(computation);
            if (right.steps().size() > 12) continue;  // a whole model
            for (const RightPass::Step& step : right.steps()) {
                if (!step.info || step.is_input || !step.operation || !is_made_once(right, step)) continue;
                const std::vector<Change> changes = changes_of(computation, step.path);
                if (changes.empty() || step_number++ % every != 0) continue;
                const Change& change = changes[random() % changes.size()];
                const Tensor mine = result_with(computation, step.path, change.edit);
                if (!shows(mine, right.find(computation.result)->made)) continue;
                ++tried;
                const Diagnosis found =
                    diagnose(computation, {{computation.result, mine}}, {.effort = 20000});
                CAPTURE(specimen.name, step.path, change.words);
                REQUIRE(found.first_wrong());
                CHECK(!found.first_wrong()->explanations.empty());
            }
        }
    CHECK(tried > 50 / every);
}
