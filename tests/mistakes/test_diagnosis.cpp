#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/mistakes/detail/evidence.h>
#include <glassbox/mistakes/diagnosis_text.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/optimiser.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "support/catch.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using glassbox_test::has;

namespace {

StepValues steps_of(const Computation& computation, const std::vector<const char*>& mistakes = {}) {
    Trace trace;
    std::vector<PlacedMistake> placed;
    for (const char* each : mistakes) placed.push_back(parse_mistake(each));
    trace.set_hook(hook_of(placed));
    computation.forward();
    StepValues values;
    for (const Trace::Step& step : trace.steps()) values[step.path] = step.value;
    return values;
}

// Attention in a batch of 2 with 3 heads, all sizes different.
struct Attention {
    Tensor Q, K, V;
    Mask mask;
    Computation computation;

    explicit Attention(const Mask& of = {}, double size = 1) : mask(of) {
        const auto stream = make_stream(Rng::numpy, 7);
        Q = stream->normal({2, 3, 4, 5}) * size, K = stream->normal({2, 3, 6, 5}) * size;
        V = stream->normal({2, 3, 6, 7});
        computation = {[q = Q, k = K, v = V, of] { (void)scaled_dot_product(q, k, v, of); }, "values"};
    }

    StepValues steps(const std::vector<const char*>& mistakes = {}) const {
        return steps_of(computation, mistakes);
    }
    Tensor result(const std::vector<const char*>& mistakes = {}) const {
        return steps(mistakes).at("values");
    }
    Diagnosis of_result(const Tensor& mine) const { return diagnose(computation, {{"", mine}}); }
};

// Self-attention of 4 positions with 2 heads.
Computation self_attention() {
    const auto stream = make_stream(Rng::numpy, 3);
    MultiHeadAttention layer({.d_model = 6, .heads = 2});
    layer.qkv_proj.weight = stream->normal(layer.qkv_proj.weight.shape());
    layer.o_proj.weight = stream->normal(layer.o_proj.weight.shape());
    return {[layer, x = stream->normal({3, 4, 6})] { (void)layer(x); }, "output"};
}

StepDiagnosis said_of(const Diagnosis& diagnosis, const std::string& path) {
    for (const StepDiagnosis& step : diagnosis.steps)
        if (step.path == path) return step;
    FAIL("no step " << path);
    return diagnosis.steps.front();
}

std::string names(const StepDiagnosis& said) {
    std::string all;
    for (const Explanation& each : said.explanations) {
        if (!all.empty()) all += " | ";
        for (const PlacedMistake& mistake : each.mistakes)
            all += (&mistake == &each.mistakes.front() ? "" : " + ") + mistake.name();
    }
    return all;
}

Tensor rounded_to_decimals(const Tensor& x, int decimals) {
    const real tenth = static_cast<real>(std::pow(10, decimals));
    std::vector<real> values = x.values();
    for (real& v : values) v = std::round(v * tenth) / tenth;
    return Tensor(x.shape(), values);
}

Tensor rounded_to_half(const Tensor& x) {
    std::vector<real> values = x.values();
    for (real& v : values) {
        int exponent = 0;
        const double fraction = std::frexp(static_cast<double>(v), &exponent);
        v = static_cast<real>(std::ldexp(std::round(fraction * 2048) / 2048, exponent));
    }
    return Tensor(x.shape(), values);
}

}  // namespace

TEST_CASE(
    "diagnosis: what is NaN has no digit in common with a number, and nothing compared is no agreement") {
    const Tensor half = {NAN, 2}, none = {NAN, NAN}, all = {1, 2};
    CHECK(digits_in_common(all, all) == 15);
    CHECK(digits_in_common(half, half) == 15);
    CHECK(digits_in_common(half, all) == 0);
    CHECK(digits_in_common(half, none) == 0);
    CHECK(digits_in_common(none, none) == 0);
}

TEST_CASE("diagnosis: a step that hands wrong numbers on is not where they come from") {
    const auto stream = make_stream(Rng::numpy, 5);
    const Tensor Q = stream->normal({4, 1}), K = stream->normal({6, 1}), V = stream->normal({6, 3});
    // Of vectors with one number √d_k is 1: scaled has the numbers of logits, whatever they are.
    const Computation attention{[=] { (void)scaled_dot_product(Q, K, V); }, "values"};
    const Tensor noise = stream->normal({4, 6});
    for (const bool has_both : {false, true}) {
        std::vector<SubmittedStep> submitted{{"logits", noise}};
        if (has_both) submitted.push_back({"scaled", noise});
        const StepDiagnosis said = said_of(diagnose(attention, submitted), "logits");
        CHECK(said.verdict == Verdict::wrong);
        CHECK(said.looks_like.find("those of") == std::string::npos);
    }
    // Those of a step that has them by itself are told.
    const StepDiagnosis exchanged =
        said_of(diagnose(attention, {{"logits", steps_of(attention).at("attention")}}), "logits");
    CHECK((exchanged.looks_like.find("those of attention") != std::string::npos ||
           !exchanged.explanations.empty()));
}

TEST_CASE("diagnosis: the result alone names a mistake far upstream") {
    const Attention attention(Mask::causal());
    for (const char* mistake : {"scaled/not-divided", "scaled/multiplied", "attention/over-queries"}) {
        INFO(mistake);
        const Diagnosis found = attention.of_result(attention.result({mistake}));
        REQUIRE(found.first_wrong());
        CHECK(found.first_wrong()->path == "values");
        CHECK(names(*found.first_wrong()) == mistake);
    }
}

TEST_CASE("diagnosis: √d_k rounded down is a mistake of its own where it is not 1, for any number of keys") {
    const auto stream = make_stream(Rng::numpy, 13);
    const auto named_of = [&](index_t d_k, index_t n_k, const char* mistake) {
        const Tensor Q = stream->normal({7, d_k}), K = stream->normal({n_k, d_k});
        const Computation computation{[Q, K] { (void)scaled_dot_product(Q, K, K); }, "values"};
        const Tensor mine = steps_of(computation, {mistake}).at("values");
        return names(said_of(diagnose(computation, {{"", mine}}), "values"));
    };
    CHECK(named_of(3, 5, "scaled/not-divided") == "scaled/not-divided");
    CHECK(named_of(5, 3, "scaled/whole-root") == "scaled/whole-root");
}

TEST_CASE("diagnosis: two mistakes made together are both named") {
    const Attention attention(Mask::causal());
    const Diagnosis found =
        attention.of_result(attention.result({"scaled/not-divided", "attention/over-queries"}));
    CHECK(names(said_of(found, "values")) == "scaled/not-divided + attention/over-queries");
}

TEST_CASE("diagnosis: two mistakes of one step are named, where one is of what the other made") {
    const auto named = [](const Computation& computation, const char* path,
                          const std::vector<const char*>& mistakes) {
        const Tensor mine = steps_of(computation, mistakes).at(path);
        return names(said_of(diagnose(computation, {{"", mine}}), path));
    };
    const Computation encoding{[] { (void)PositionalEncoding(6)(Tensor::zeros({5, 6})); }, "encoding"};
    CHECK(named(encoding, "encoding", {"encoding/from-one", "encoding/concatenated"}) ==
          "encoding/from-one + encoding/concatenated");
    CHECK(named(encoding, "encoding", {"encoding/multiplied", "encoding/concatenated"}) ==
          "encoding/multiplied + encoding/concatenated");
    const Attention attention(Mask::causal());
    CHECK(named(attention.computation, "values", {"masked/ignored", "attention/twice"}) ==
          "masked/ignored + attention/twice");
    CHECK(named(attention.computation, "values", {"attention/over-queries", "attention/twice"}) ==
          "attention/over-queries + attention/twice");
}

TEST_CASE("diagnosis: of two mistakes, others that give the same numbers are named, too") {
    const OptimiserConfig config{.kind = OptimiserKind::adam};
    const auto stream = make_stream(Rng::numpy, 5);
    const Tensor w = stream->normal({2, 3}), m = stream->normal({2, 3}), gradient = stream->normal({2, 3});
    const Computation second{[=] { (void)adam({w, m, m * m}, gradient, config, 2, 0.01, 1); }, "w"};
    const Tensor mine = steps_of(second, {"m_hat/no-power", "v_hat/no-power"}).at("w");
    const std::string said = names(said_of(diagnose(second, {{"", mine}}), "w"));
    CHECK(has(said, "m_hat/no-power + v_hat/no-power"));
    CHECK(has(said, "m_hat/from-zero + v_hat/from-zero"));
}

TEST_CASE("diagnosis: what half precision cannot show is not called right, or is said not to show") {
    const OptimiserConfig config{.kind = OptimiserKind::adam};
    const auto stream = make_stream(Rng::numpy, 6);
    const Tensor w = stream->normal({4, 5}), gradient = stream->normal({4, 5});
    const auto update = [=](double rate) {
        return Computation{[=] {
                               (void)adam({w, w * 0.01, abs(w) * 0.001}, gradient, config, 2, rate, 1);
                           },
                           "w"};
    };
    const auto judged = [&](const Computation& computation, const Tensor& mine) {
        return diagnose(computation, {{"", mine, {}, SubmittedLayout::any, half_precision()}});
    };
    const Diagnosis coarse = judged(update(1e-4), w);
    CHECK(said_of(coarse, "w").verdict == Verdict::wrong);
    CHECK(said_of(coarse, "w").is_too_coarse);
    const Computation large = update(0.1);
    const Diagnosis right = judged(large, steps_of(large).at("w"));
    const Diagnosis exact = diagnose(large, {{"", steps_of(large).at("w")}});
    CHECK(right.all_right());
    CHECK(exact.all_right());
    CHECK(right.unseen.size() > exact.unseen.size());
}

TEST_CASE("diagnosis: two mistakes, one of them in one layer only, are named from 8 numbers on") {
    const auto stream = make_stream(Rng::numpy, 31);
    const auto found_in = [&](index_t rows) {
        const Tensor x = stream->normal({rows, 1}), other = stream->normal({rows, 3});
        const Computation two_layers{
            [x, other] {
                Tensor values = x;
                for (index_t i = 0; i < 2; ++i) {
                    const Scope scope("layer", i);
                    const Tensor q = concat({values, other}, -1), k = concat({other, values}, -1);
                    values = scaled_dot_product(q, k, values).values;
                }
            },
            "layer/1/values"};
        const Tensor mine = steps_of(two_layers, {"layer/0: scaled/multiplied", "attention/over-queries"})
                                .at("layer/1/values");
        return names(said_of(diagnose(two_layers, {{"", mine}}, {.effort = passes_in(two_layers, 60)}),
                             "layer/1/values"));
    };
    CHECK(found_in(7).empty());
    CHECK(found_in(8) == "layer/0: scaled/multiplied + attention/over-queries");
}

TEST_CASE("diagnosis: a mistake in one batch entry only is named with the entry") {
    const Attention attention;
    const Diagnosis found = attention.of_result(attention.result({"scaled/not-divided in entry 1"}));
    CHECK(names(said_of(found, "values")) == "scaled/not-divided in entry 1");
}

TEST_CASE(
    "diagnosis: a part of a step and two mistakes are tried in as many passes as is said, single ones "
    "always") {
    const Attention attention;
    const auto within = [&](index_t effort, const std::vector<const char*>& mistakes,
                            const std::function<bool()>& before_pairs = {}) {
        return diagnose(attention.computation, {{"", attention.result(mistakes)}},
                        {.effort = effort, .before_pairs = before_pairs});
    };
    const std::vector<const char*> two{"scaled/no-root", "attention/log"};
    CHECK(names(said_of(within(0, {"scaled/no-root"}), "values")) == "scaled/no-root");
    CHECK_FALSE(within(0, two).searched_all);
    CHECK(said_of(within(0, two), "values").explanations.empty());
    CHECK(said_of(within(20000, two), "values").explanations.size() == 1);
    int asked = 0;
    const Diagnosis simpler = within(10, two, [&] { return ++asked > 1; });
    CHECK(asked == 1);
    CHECK(said_of(simpler, "values").explanations.empty());
    CHECK_FALSE(simpler.searched_all);
}

TEST_CASE("diagnosis: with steps, only the wrong step is wrong, and what follows from it is not") {
    const Attention attention;
    const StepValues wrong = attention.steps({"scaled/not-divided"});
    const Diagnosis found = diagnose(attention.computation, {{"logits", wrong.at("logits")},
                                                             {"scaled", wrong.at("scaled")},
                                                             {"attention", wrong.at("attention")},
                                                             {"values", wrong.at("values")}});
    CHECK(said_of(found, "logits").verdict == Verdict::right);
    CHECK(said_of(found, "scaled").verdict == Verdict::wrong);
    CHECK(names(said_of(found, "scaled")) == "scaled/not-divided");
    CHECK(said_of(found, "attention").verdict == Verdict::inherited);
    CHECK(said_of(found, "values").verdict == Verdict::inherited);
    CHECK(said_of(found, "Q").verdict == Verdict::not_given);
}

TEST_CASE("diagnosis: with steps, two mistakes are each named at their own step") {
    const Attention attention(Mask::causal());
    const StepValues wrong = attention.steps({"scaled/not-divided", "attention/over-queries"});
    const Diagnosis found = diagnose(attention.computation, {{"scaled", wrong.at("scaled")},
                                                             {"masked", wrong.at("masked")},
                                                             {"attention", wrong.at("attention")}});
    CHECK(names(said_of(found, "scaled")) == "scaled/not-divided");
    CHECK(said_of(found, "masked").verdict == Verdict::inherited);
    CHECK(names(said_of(found, "attention")) == "attention/over-queries");
}

TEST_CASE("diagnosis: a mistake of two lines is told from one by the later step, if it was submitted") {
    const Attention attention(Mask::causal());
    const auto named = [&](const StepValues& wrong) {
        return names(said_of(diagnose(attention.computation,
                                      {{"masked", wrong.at("masked")}, {"attention", wrong.at("attention")}}),
                             "masked"));
    };
    CHECK(named(attention.steps({"masked/after-softmax"})) == "masked/after-softmax");
    CHECK(named(attention.steps({"masked/ignored"})) == "masked/ignored");
}

TEST_CASE("diagnosis: what follows from a wrong step that was rounded is no mistake, and worth its points") {
    const Attention attention;
    const StepValues wrong = attention.steps({"scaled/not-divided"});
    const auto judged = [&](const Tensor& weights) {
        return said_of(
            diagnose(attention.computation,
                     {{"scaled", rounded_to_decimals(wrong.at("scaled"), 2)}, {"attention", weights}},
                     {.earned = true}),
            "attention");
    };
    const StepDiagnosis follows = judged(wrong.at("attention"));
    CHECK(follows.verdict == Verdict::inherited);
    CHECK(follows.earned);
    const StepDiagnosis ones = judged(Tensor::full(wrong.at("attention").shape(), 1));
    CHECK(ones.verdict == Verdict::wrong);
    CHECK_FALSE(ones.earned);
}

TEST_CASE("diagnosis: an order of axes that a later step shows to be wrong is named as the mistake") {
    const Computation layer = self_attention();
    const StepValues right = steps_of(layer);
    const Tensor Q = contiguous(swap_axes(right.at("Q"), -3, -2)),  // as if heads were positions
        K = contiguous(swap_axes(right.at("K"), -3, -2));
    const Diagnosis found = diagnose(layer, {{"Q", Q}, {"K", K}, {"logits", matmul(Q, transpose(K))}});
    CHECK(said_of(found, "Q").verdict == Verdict::right);
    CHECK(said_of(found, "Q").accepted == "with its axes in the order (0, 2, 1, 3)");
    CHECK(said_of(found, "logits").verdict == Verdict::wrong);
    CHECK(names(said_of(found, "logits")) == "Q/heads-to-heads");
}

TEST_CASE("diagnosis: mistakes of one class cannot be told apart: one is named, with the others") {
    const Attention attention(Mask::causal());
    const Diagnosis found = attention.of_result(attention.result({"masked/zero"}));
    const StepDiagnosis said = said_of(found, "values");
    REQUIRE(said.explanations.size() == 1);
    const Explanation& only = said.explanations.front();
    REQUIRE(only.alike.size() >= 1);
    std::set<std::string> all{names(said)};
    for (const auto& each : only.alike) all.insert(each.front().name());
    CHECK(all.count("masked/zero") == 1);
    CHECK(all.count("masked/multiplied") == 1);
}

TEST_CASE("diagnosis: a right result is right in any order of axes, and the order is said") {
    const Attention attention;
    const Tensor right = attention.result();
    const auto accepted = [&](const Tensor& mine) {
        const Diagnosis found = attention.of_result(mine);
        CHECK(found.all_right());
        return said_of(found, "values").accepted;
    };
    CHECK(accepted(right).empty());
    CHECK(accepted(contiguous(permute(right, {0, 2, 1, 3}))) == "with its axes in the order (0, 2, 1, 3)");
    CHECK(accepted(reshape(contiguous(permute(right, {0, 2, 1, 3})), {2, 4, 21})) ==
          "with its heads side by side");
    CHECK(accepted(reshape(right, {1, 2, 3, 4, 7})).find("axes of size 1 are ignored") != std::string::npos);
    // As many sequences as heads: the layout is the one in which the numbers are right.
    const auto stream = make_stream(Rng::numpy, 12);
    const Computation square{
        [Q = stream->normal({3, 3, 5}), V = stream->normal({3, 3, 5})] { (void)scaled_dot_product(Q, Q, V); },
        "values"};
    const Diagnosis exchanged =
        diagnose(square, {{"", contiguous(permute(steps_of(square).at("values"), {1, 0, 2}))}});
    CHECK(exchanged.all_right());
    CHECK(said_of(exchanged, "values").accepted == "with its axes in the order (1, 0, 2)");
    const Computation layer = self_attention();
    const Diagnosis by_head = diagnose(layer, {{"concat", steps_of(layer).at("values")}});
    CHECK(by_head.all_right());
    CHECK(said_of(by_head, "concat").accepted == "with its own head axis");
}

TEST_CASE("diagnosis: a right entry of the batch alone is told so, where the layout is said") {
    const Attention attention;
    const Diagnosis found = diagnose(attention.computation,
                                     {{"", select(attention.result(), 0, 1), {}, SubmittedLayout::ordered}});
    const StepDiagnosis said = said_of(found, "values");
    CHECK(said.verdict == Verdict::wrong);
    CHECK(said.difference == "its shape is (3, 4, 7), expected (2, 3, 4, 7)");
    CHECK(said.looks_like == "it is right, but only entry 1 of the first axis; all 2 are needed");
}

TEST_CASE("diagnosis: half precision is right, and said") {
    const Attention attention;
    const Diagnosis found = attention.of_result(rounded_to_half(attention.result()));
    CHECK(found.all_right());
    CHECK(said_of(found, "values").accepted == "float16");
}

TEST_CASE("diagnosis: a hidden score of one's own is no mistake, one that is not low enough is") {
    const Attention attention(Mask::causal());
    const StepValues right = attention.steps();
    const auto verdict = [&](double fill) {
        const Tensor mask = Mask::causal().visible(right.at("scaled").shape());
        const Diagnosis found = diagnose(
            attention.computation,
            {{"scaled", right.at("scaled")}, {"masked", masked_fill(right.at("scaled"), mask, fill)}});
        return said_of(found, "masked").verdict;
    };
    CHECK(verdict(-1e9) == Verdict::right);
    CHECK(verdict(-INFINITY) == Verdict::right);
    CHECK(verdict(-1) == Verdict::wrong);
}

TEST_CASE("diagnosis: a hidden score of one's own hides no mistake in the visible ones") {
    const Attention attention(Mask::causal());
    const Tensor wrong = attention.steps({"scaled/not-divided"}).at("scaled");
    const Tensor masked = masked_fill(wrong, Mask::causal().visible(wrong.shape()), -1e9);
    CHECK(names(said_of(diagnose(attention.computation, {{"masked", masked}}), "masked")) ==
          "scaled/not-divided");
}

TEST_CASE("diagnosis: a query without keys may have any weights, which is said") {
    const Attention attention(Mask::lengths({4, 0}));
    const char* const zeros = "attention/zeros-without-keys";
    for (const int explained : {-1, 0}) {
        const Diagnosis found =
            diagnose(attention.computation, {{"", attention.result({zeros})}}, {.explained = explained});
        CHECK(found.all_right());
        CHECK(said_of(found, "values").accepted == mistake(zeros).sentence);
        CHECK(said_of(found, "values").difference.empty());
    }
}

TEST_CASE("diagnosis: NaN of a query without keys hides no mistake in the other numbers") {
    const Attention attention(Mask::lengths({4, 0}));
    const Tensor mine = attention.result({"masked/infinity", "scaled/not-divided"});
    REQUIRE(std::isnan(mine.at({1, 0, 0, 0})));
    CHECK(names(said_of(attention.of_result(mine), "values")) == "scaled/not-divided");
}

TEST_CASE("diagnosis: large scores allow more, since rounding moves a softmax more there") {
    const Attention small, large({}, 25);
    const auto allowed = [](const Attention& attention) {
        return said_of(diagnose(attention.computation, {{"attention", attention.steps().at("attention")}}),
                       "attention")
            .tolerance;
    };
    CHECK(allowed(large) > 2 * allowed(small));
    CHECK(allowed(small) < 1e-5);
    // Q and K each divided by the root of √d_k, as PyTorch's own attention does it.
    const double root = std::sqrt(std::sqrt(5.0));
    const Tensor split = matmul(softmax(matmul(large.Q / root, transpose(large.K / root))), large.V);
    CHECK(large.of_result(split).all_right());
}

TEST_CASE("diagnosis: numbers that no mistake explains get none, but what they look like") {
    const Attention attention;
    const Tensor right = attention.result();
    const auto looks = [&](const Tensor& mine) {
        const Diagnosis found = attention.of_result(mine);
        CHECK_FALSE(found.all_right());
        CHECK(names(said_of(found, "values")).empty());
        return said_of(found, "values").looks_like;
    };
    CHECK(looks(right * 0.37) == "every number is 0.37 times the expected one");
    CHECK(looks(concat({slice(right, -2, 0, 3), slice(right, -2, 3, 4) * slice(right, -2, 0, 1)}, -2)) ==
          "only row 3 differs");
    CHECK(looks(concat({slice(right, 1, 2, 3), slice(right, 1, 0, 2)}, 1)) ==
          "its heads or batch entries are the expected ones in the order 2, 0, 1");
    CHECK(looks(where(greater(right, Tensor(1.0)), NAN, right)).find("NaN") != std::string::npos);
}

TEST_CASE("diagnosis: how wrong numbers differ from the expected ones is said") {
    const Tensor right{{1, 2, 3, -4}, {5, -6, 7, 8}, {9, 1, -2, 6}, {-7, 3, 4, 2}};
    const Tensor tall = concat({right, right * 2}, -2);
    const auto looks = [](const Tensor& mine, const Tensor& of) {
        return looks_like(mine, of, std::vector<double>(static_cast<std::size_t>(of.numel()), 1e-6));
    };
    // x, with these rows wrong.
    const auto with_rows = [](Tensor x, const std::vector<index_t>& rows) {
        std::vector<Tensor> all;
        for (index_t i = 0; i < x.size(0); ++i) {
            const Tensor row = slice(x, 0, i, i + 1);
            all.push_back(std::find(rows.begin(), rows.end(), i) == rows.end() ? row : row * row);
        }
        return concat(all, 0);
    };
    CHECK(looks(right - 0.5, right) == "every number is 0.5 below the expected one");
    CHECK(looks(right + 0.5, right) == "every number is 0.5 above the expected one");
    CHECK(looks(-right, right) == "every number has the wrong sign");
    CHECK(looks(contiguous(transpose(right)), right) == "it is transposed");
    CHECK(looks(concat({slice(right, 1, 1, 4), slice(right, 1, 0, 1)}, 1), right) ==
          "its columns are the expected ones in the order 1, 2, 3, 0");
    CHECK(looks(with_rows(tall, {2, 3, 4, 5, 6, 7}), tall) == "it differs from row 2 on");
    CHECK(looks(with_rows(tall, {0, 2, 5}), tall) == "only these differ, on the axis of size 8: row 0, 2, 5");
    const Tensor without = where(greater(tall, Tensor(17.0)), NAN, tall);  // in both, which is no difference
    CHECK(looks(with_rows(without, {3}), without) == "only row 3 differs");
}

TEST_CASE("diagnosis: one number everywhere is told as that, and no mistake is named for it") {
    const Attention attention;
    const std::map<double, const char*> texts{{0, "0"}, {2.5, "2.5"}, {-INFINITY, "-inf"}};
    const auto check = [&](double value, const std::string& text) {
        const Diagnosis found = attention.of_result(Tensor::full(attention.result().shape(), value));
        CHECK(names(*found.first_wrong()) == "");
        CHECK(found.first_wrong()->looks_like == "All numbers are " + text);
        CHECK(found.first_wrong()->is_evident);
    };
    for (const auto& [value, text] : texts) check(value, text);
    for (const double sign : {1.0, -1.0}) check(std::copysign(NAN, sign), "NaN");
}

TEST_CASE("diagnosis: a right result says which mistakes it cannot show") {
    const auto hides = [](const Attention& attention, const char* key) {
        for (const Mistake* each : attention.of_result(attention.result()).unseen)
            if (each->key == key) return true;
        return false;
    };
    const double small = std::sqrt(std::numeric_limits<real>::epsilon()) / 30;  // logits below one unit
    CHECK(hides(Attention({}, small), "scaled/no-root"));
    CHECK_FALSE(hides(Attention(), "scaled/no-root"));
    CHECK_FALSE(hides(Attention({}, 0), "scaled/no-root"));  // nothing differs, even inside
}

TEST_CASE("diagnosis: a step that is not there is refused, with those that are") {
    const Attention attention;
    glassbox_test::check_error(
        [&] {
            (void)diagnose(attention.computation, {{"attn", attention.result()}});
        },
        "check: there is no step 'attn'; the steps are: Q, K, V, logits, scaled, attention, values");
}

TEST_CASE("diagnosis: of many explanations the first are written out, and the others counted") {
    StepDiagnosis said;
    said.path = "values", said.verdict = Verdict::wrong;
    const std::vector<Mistake>& all = all_mistakes();
    for (std::size_t i = 0; i < 6; ++i) said.explanations.push_back({{{&all[i]}}, 0});
    const std::string text = diagnosis_text({{said}});
    for (std::size_t i = 0; i < 6; ++i)
        CHECK((text.find("   " + all[i].key + ": ") != std::string::npos) == (i < 4));
    CHECK(text.ends_with("   and 2 more\n"));
}

TEST_CASE("diagnosis: every verdict has its sign, and a style may change each") {
    const Attention attention;
    const StepValues wrong = attention.steps({"scaled/not-divided"});
    DiagnosisStyle style;
    style.mark = [](Verdict, const std::string& sign) { return "<" + sign + ">"; };
    const std::string text = diagnosis_text(diagnose(attention.computation, {{"logits", wrong.at("logits")},
                                                                             {"scaled", wrong.at("scaled")},
                                                                             {"values", wrong.at("values")}}),
                                            style);
    for (const char* line : {"<✓> logits\n", "<✗> scaled  ", "<→> values  follows from the steps before it\n",
                             "<–> 4 steps not submitted\n"})
        CHECK(text.find(line) != std::string::npos);
}

namespace {

// Of square sizes, so that a step may have the shape of an input.
struct Square {
    Tensor Q, K, V;
    Computation computation;

    Square() {
        const auto stream = make_stream(Rng::numpy, 11);
        Q = stream->normal({2, 4, 4}), K = stream->normal({2, 4, 4}), V = stream->normal({2, 4, 4});
        computation = {[q = Q, k = K, v = V] { (void)scaled_dot_product(q, k, v); }, "values"};
    }
    StepDiagnosis said(const std::string& path, const Tensor& mine) const {
        return said_of(diagnose(computation, {{path, mine}}), path);
    }
};

}  // namespace

TEST_CASE("diagnosis: inputs alone are no work: the result is wrong, and all that was submitted is said") {
    const Square square;
    const auto found = [&](const std::vector<SubmittedStep>& submitted) {
        const Diagnosis diagnosis = diagnose(square.computation, submitted);
        REQUIRE(diagnosis.first_wrong());
        const StepDiagnosis& said = *diagnosis.first_wrong();
        CHECK((said.path == "values" && said.difference == "not submitted" && said.is_evident));
        return said.looks_like;
    };
    CHECK(found({{"V", square.V}}) == "Only V was submitted, an input, unchanged: no step was computed");
    CHECK(found({{"Q", square.Q}, {"K", square.K}}) ==
          "Only Q, K was submitted, inputs, unchanged: no step was computed");
    const Diagnosis nothing = diagnose(square.computation, {});
    CHECK(nothing.all_right());
    const StepValues right = steps_of(square.computation);
    CHECK(diagnose(square.computation, {{"V", square.V}, {"logits", right.at("logits")}}).all_right());
    // A wrong input is what is wrong.
    CHECK(diagnose(square.computation, {{"V", square.V * 2 + 1}}).first_wrong()->path == "V");
}

TEST_CASE("diagnosis: an input in the place of a step is told as that, to five digits") {
    const Square square;
    const auto near = [&](double by) { return square.said("values", square.V * (1 + by)); };
    CHECK(near(4e-6).looks_like == "These are the numbers of V, an input, unchanged");
    CHECK(near(4e-6).is_evident);
    CHECK(near(4e-4).looks_like != near(4e-6).looks_like);
}

TEST_CASE("diagnosis: numbers in so few digits that zeros or an input would pass are not taken for right") {
    constexpr StepInfo input{"own", "x", "", ""}, sum{"own", "sum", "", ""};
    const Square square;
    const Tensor small{{0.0004, 0.0011}, {0.0002, 0.0031}};
    const Computation added{[&] { (void)named(sum, small * 1.5 - small * 0.5); }, "sum"};
    const auto rounded = [&](const Tensor& mine, double half) {
        return said_of(diagnose(added, {{"sum", mine, std::vector<double>(4, half)}}), "sum");
    };
    const StepDiagnosis zeros = rounded(Tensor::full({2, 2}, 0), 0.005);
    CHECK(zeros.verdict == Verdict::wrong);
    CHECK(zeros.difference == "is rounded too coarsely to judge");
    CHECK(zeros.looks_like == "With so few digits zeros would pass too");
    CHECK(zeros.is_evident);
    CHECK(rounded(Tensor{{0.000, 0.001}, {0.000, 0.003}}, 0.0005).verdict == Verdict::right);
    // One number has all its digits, and the others none.
    const Tensor one{{0.0004, 0}, {0, 0}};
    const StepDiagnosis mixed = said_of(diagnose(added, {{"sum", one, {5e-8, 5e7, 5e6, 5e7}}}), "sum");
    CHECK(mixed.looks_like == "With so few digits zeros would pass too");

    const Computation moved{[&] { (void)named(sum, named(input, square.V) + 0.002); }, "sum"};
    const auto of_sum = [&](double by, double half) {
        return said_of(diagnose(moved, {{"sum", square.V + by, std::vector<double>(32, half)}}), "sum");
    };
    CHECK(of_sum(0, 0.005).looks_like == "With so few digits x, an input, would pass too");
    CHECK(of_sum(0.002, 0.005).verdict == Verdict::wrong);  // nor are the expected ones told from it
    CHECK(of_sum(0.002, 0.0005).verdict == Verdict::right);
    CHECK(of_sum(0.0002, 0.0005).looks_like == "These are the numbers of x, an input, unchanged");
    CHECK(of_sum(0.001, 0.0005).looks_like != of_sum(0.0002, 0.0005).looks_like);
}

TEST_CASE("diagnosis: mistakes within the rounding of what was submitted are said not to show") {
    const Square square;
    const auto unseen = [&](double half) {
        const Tensor right = steps_of(square.computation).at("values");
        std::vector<real> values = right.values();
        for (real& each : values)
            each = static_cast<real>(std::round(static_cast<double>(each) / (2 * half)) * 2 * half);
        return diagnose(square.computation,
                        {{"values", Tensor(right.shape(), values), std::vector<double>(32, half)}})
            .unseen.size();
    };
    CHECK(unseen(0.5) > unseen(0.00005));
}

TEST_CASE("diagnosis: numbers that would be right in another layout are told so, where the layout is said") {
    const Attention attention;
    const Tensor right = attention.result();
    const auto said = [&](const Tensor& mine, SubmittedLayout layout) {
        return said_of(diagnose(attention.computation, {{"", mine, {}, layout}}), "values");
    };
    const Tensor turned = contiguous(permute(right, {0, 2, 1, 3})), more = reshape(right, {2, 3, 1, 4, 7});
    CHECK(said(turned, SubmittedLayout::ordered).looks_like ==
          "The numbers would be right with its axes in the order (0, 2, 1, 3)");
    CHECK(said(turned, SubmittedLayout::ordered).is_evident);
    CHECK(said(turned, SubmittedLayout::ordered).difference ==
          "its shape is (2, 4, 3, 7), expected (2, 3, 4, 7)");
    CHECK(said(more, SubmittedLayout::exact).looks_like == "The numbers would be right as (2, 3, 4, 7)");
    CHECK(said(more, SubmittedLayout::ordered).verdict == Verdict::right);
    CHECK(said(turned + 1, SubmittedLayout::ordered).looks_like.find("would be right") == std::string::npos);
    // One entry of the batch: to four digits.
    const Tensor entry = contiguous(select(right, 0, 0));
    CHECK(said(entry, SubmittedLayout::ordered).looks_like ==
          "it is right, but only entry 0 of the first axis; all 2 are needed");
    CHECK(said(entry * (1 + 4e-5), SubmittedLayout::ordered)
              .looks_like.starts_with("it is right, but only entry 0 of"));
    CHECK_FALSE(said(entry * (1 + 4e-3), SubmittedLayout::ordered)
                    .looks_like.starts_with("it is right, but only entry 0 of"));
}

TEST_CASE("diagnosis: rounded numbers are right, and how they were rounded is said") {
    const Attention attention;
    const Tensor right = attention.result();
    for (const int decimals : {2, 3, 4}) {
        const Diagnosis found = attention.of_result(rounded_to_decimals(right, decimals));
        CHECK(found.all_right());
        CHECK(said_of(found, "values").accepted == fmt::format("rounded to {} decimals", decimals));
    }
    const Tensor turned = contiguous(permute(right, {0, 2, 1, 3}));
    CHECK(said_of(attention.of_result(rounded_to_decimals(turned, 3)), "values").accepted ==
          "with its axes in the order (0, 2, 1, 3), rounded to 3 decimals");
    // Half a unit is allowed, and what rounding within the computation may add; a whole one is not.
    const double unit = 0.01;
    const auto off_by = [&](double units) {
        std::vector<double> half(static_cast<std::size_t>(right.numel()), unit / 2);
        return diagnose(attention.computation, {{"", right + unit * units, half}}).all_right();
    };
    CHECK((off_by(0.49) && off_by(-0.49) && !off_by(0.52) && !off_by(-0.52)));
}

TEST_CASE(
    "diagnosis: options: how many wrong steps are explained, whether two mistakes, and what is unseen") {
    const Attention attention(Mask::causal());
    const StepValues wrong = attention.steps({"scaled/not-divided", "attention/over-queries"}),
                     right = attention.steps();
    const auto explained = [&](int count) {
        const Diagnosis found = diagnose(
            attention.computation, {{"scaled", wrong.at("scaled")}, {"attention", wrong.at("attention")}},
            {.explained = count});
        return std::pair(names(said_of(found, "scaled")), names(said_of(found, "attention")));
    };
    CHECK(explained(-1) ==
          std::pair<std::string, std::string>("scaled/not-divided", "attention/over-queries"));
    CHECK(explained(0) == std::pair<std::string, std::string>("", ""));
    CHECK(explained(1) == std::pair<std::string, std::string>("scaled/not-divided", ""));
    CHECK(explained(2) == explained(-1));
    const Diagnosis single = diagnose(attention.computation, {{"", wrong.at("values")}}, {.pairs = false});
    CHECK(names(said_of(single, "values")).empty());

    const auto unseen = [&](const std::vector<SubmittedStep>& submitted, bool wanted) {
        return diagnose(attention.computation, submitted, {.unseen = wanted}).unseen.size();
    };
    const SubmittedStep logits{"logits", right.at("logits")};
    CHECK(unseen({logits}, true) > 0);
    CHECK(unseen({logits}, false) == 0);
    std::vector<SubmittedStep> all;
    for (const auto& [path, value] : right) all.push_back({path, value});
    CHECK(unseen(all, true) == 0);
    all.front().value = all.front().value + 1;  // not all right
    CHECK(unseen({all.front()}, true) == 0);
}

TEST_CASE("diagnosis: whether mistakes reproduce a step, from what else was submitted") {
    const Attention attention;
    const StepValues wrong = attention.steps({"scaled/not-divided"});
    const auto gives = [&](const std::vector<SubmittedStep>& submitted, const char* path,
                           const char* mistake) {
        return reproduces(attention.computation, submitted, path, {parse_mistake(mistake)});
    };
    CHECK(gives({{"values", wrong.at("values")}}, "values", "scaled/not-divided"));
    CHECK_FALSE(gives({{"values", wrong.at("values")}}, "values", "scaled/multiplied"));
    CHECK(gives({{"values", wrong.at("values")}}, "logits", "scaled/multiplied"));  // was not submitted
    // From the wrong step itself what follows needs no mistake, and one more makes it wrong.
    const std::vector<SubmittedStep> both{{"scaled", wrong.at("scaled")}, {"values", wrong.at("values")}};
    CHECK(reproduces(attention.computation, both, "values", {}));
    CHECK_FALSE(gives(both, "values", "attention/over-queries"));
}

TEST_CASE(
    "diagnosis: of a right step the largest tolerance is kept, of a wrong one that of its first number") {
    const Attention attention;
    const Tensor right = attention.result();
    const StepDiagnosis good = said_of(attention.of_result(right), "values");
    CHECK(good.tolerance > 0);
    CHECK(good.tolerance < 1e-4);
    const StepDiagnosis bad = said_of(attention.of_result(right * 1.5 + 0.7), "values");
    CHECK(bad.tolerance > 0);
    CHECK(bad.tolerance <= good.tolerance);
    CHECK(bad.difference.starts_with("[0, 0, 0, 0] is "));
    CHECK(bad.difference.ends_with("(168 of 168 numbers differ)"));
}

TEST_CASE(
    "diagnosis: one wrong array that stands for a step in two places is not where its own numbers come "
    "from") {
    const auto stream = make_stream(Rng::numpy, 8);
    const Tensor Q = stream->normal({4, 3}), K = stream->normal({6, 3}), V = stream->normal({6, 2});
    const Computation twice{[=] {
                                {
                                    const Scope scope("first");
                                    (void)scaled_dot_product(Q, K, V);
                                }
                                const Scope scope("second");
                                (void)scaled_dot_product(Q, K, V);
                            },
                            "second/values"};
    const Tensor noise = stream->normal({4, 6});
    const Diagnosis found = diagnose(twice, {{"first/logits", noise}, {"second/logits", noise}});
    for (const char* step : {"first/logits", "second/logits"}) {
        const StepDiagnosis said = said_of(found, step);
        CHECK(said.verdict == Verdict::wrong);
        CHECK(said.looks_like.find("those of") == std::string::npos);
    }
    // What another step has by itself is told still, in whatever place.
    const Tensor weights = steps_of(twice).at("first/attention");
    const StepDiagnosis exchanged =
        said_of(diagnose(twice, {{"first/logits", weights}, {"second/logits", weights}}), "second/logits");
    CHECK((exchanged.looks_like.find("attention, which do not belong here") != std::string::npos ||
           !exchanged.explanations.empty()));
}

TEST_CASE("diagnosis: a row of NaN among right numbers is not a mistake that makes NaN of all") {
    const Attention attention;
    Tensor mine = attention.result();
    std::vector<real> numbers = mine.values();
    for (index_t i = 0; i < mine.size(-1); ++i) numbers[static_cast<std::size_t>(i)] = NAN;
    const StepDiagnosis said = said_of(attention.of_result(Tensor(mine.shape(), numbers)), "values");
    CHECK(said.verdict == Verdict::wrong);
    CHECK(names(said) == "");
    CHECK(said.looks_like.find("are NaN, the first at [0, 0, 0, 0]") != std::string::npos);
}

TEST_CASE("diagnosis: passes are counted from what a computation multiplies, not from what it names alone") {
    const auto products_of = [](index_t width) {
        const Tensor Q = Tensor::ones({4, width}), V = Tensor::ones({4, 2});
        return passes_in({[=] { (void)scaled_dot_product(Q, Q, V); }, "values"}, 1);
    };
    CHECK(products_of(8) == products_of(8));
    CHECK(products_of(100'000) < products_of(8) / 20);
    CHECK(passes_in({[] { (void)scaled_dot_product(Tensor{{1}}, Tensor{{1}}, Tensor{{1}}); }, "values"}, 0) ==
          0);
}
