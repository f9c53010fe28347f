#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/mistakes/mistake_scope.h>
#include <glassbox/ops/ops.h>
#include <glassbox/ops/testing.h>
#include <glassbox/random/stream.h>

#include <set>

#include "support/errors.h"

using namespace glassbox;

namespace {

const Tensor Q({2, 2}, {1, 2, 0, 1}), K({2, 2}, {1, 0, 3, 1}), V({2, 2}, {1, 2, 3, 4});

Tensor with(const char* text) {
    const MistakeScope mistaken({parse_mistake(text)});
    return scaled_dot_product(Q, K, V).attention;
}

}  // namespace

TEST_CASE("the catalogue: every key is unique, and says step and mistake") {
    std::set<std::string> keys;
    for (const Mistake& each : all_mistakes()) {
        INFO(each.key);
        CHECK(keys.insert(each.key).second);
        CHECK(each.key.find('/') != std::string::npos);
        CHECK(each.sentence.ends_with('.'));
        CHECK_FALSE(each.formula.empty());
    }
}

TEST_CASE("the catalogue: every class that is named is declared with its reason, and every class is used") {
    std::set<std::string> declared, used;
    for (const EffectClass& each : effect_classes()) {
        CHECK(declared.insert(each.name).second);
        CHECK(each.reason.ends_with('.'));
    }
    for (const Mistake& each : all_mistakes())
        if (!each.effect.empty()) used.insert(each.effect);
    CHECK(used == declared);
}

TEST_CASE("a mistake scope puts the wrong line into a computation, and takes it out again") {
    const Tensor right = scaled_dot_product(Q, K, V).attention;
    const Tensor wrong = with("attention/over-queries");
    const Tensor columns = sum(wrong, -2), rows = sum(right, -1);
    for (index_t i = 0; i < 2; ++i) {
        CHECK(columns.at({i}) == Approx(1));
        CHECK(rows.at({i}) == Approx(1));
    }
    CHECK(scaled_dot_product(Q, K, V).attention.values() == right.values());
}

TEST_CASE("batch and positions swapped: the result is that of the exchanged x, with its axes put back") {
    const auto stream = make_stream(Rng::numpy, 1);
    MultiHeadAttention layer({.d_model = 4, .heads = 2});
    layer.qkv_proj.weight = stream->normal(layer.qkv_proj.weight.shape());
    layer.o_proj.weight = stream->normal(layer.o_proj.weight.shape());
    const Tensor x = stream->normal({2, 3, 4}), right = swap_axes(layer(swap_axes(x, 0, 1)), 0, 1);
    const MistakeScope mistaken({parse_mistake("Q/batch-first")});
    const Tensor wrong = layer(x);
    CHECK(wrong.shape() == x.shape());
    CHECK(all_close(wrong, right));
}

TEST_CASE("a mistake in one row leaves the others as they are") {
    const std::vector<real> right = scaled_dot_product(Q, K, V).attention.values();
    const std::vector<real> all = with("scaled/not-divided").values();
    const std::vector<real> second = with("scaled/not-divided in row 1").values();
    CHECK(second[0] == right[0]);
    CHECK(second[2] == all[2]);
    CHECK(second[2] != right[2]);
}

TEST_CASE("a mistake in several rows is in all of them, and in no other") {
    const PlacedMistake placed = parse_mistake("scaled/not-divided in rows 0-2");
    CHECK(placed.name() == "scaled/not-divided in rows 0-2");
    const Tensor queries({4, 2}, {1, 2, 0, 1, 3, 1, 2, 2});
    const auto attention = [&](const std::vector<PlacedMistake>& mistakes) {
        const MistakeScope mistaken(mistakes);
        return scaled_dot_product(queries, K, V).attention;
    };
    const Tensor right = attention({}), all = attention({parse_mistake("scaled/not-divided")}),
                 some = attention({placed});
    CHECK(slice(some, 0, 0, 3).values() == slice(all, 0, 0, 3).values());
    CHECK(slice(some, 0, 3, 4).values() == slice(right, 0, 3, 4).values());
    CHECK(some.values() != all.values());
}

TEST_CASE("queries that come from no projection can have no mistake in how one is divided into heads") {
    const Tensor x = make_stream(Rng::numpy, 2)->normal({3, 4, 5});
    for (const char* key : {"Q/no-permute", "Q/interleaved", "Q/not-transposed", "Q/no-bias-of-queries"}) {
        INFO(key);
        std::vector<int> acted;
        Trace trace;
        trace.set_hook(hook_of({parse_mistake(key)}, &acted));
        const Tensor made = named(steps::multi_head_attention::Q, x * 2);
        CHECK(made.values() == (x * 2).values());
        CHECK(acted.front() == 0);
    }
}

TEST_CASE("a mistake's text: what is wrong with it is said") {
    glassbox_test::check_error<UsageError>(
        [] { (void)parse_mistake("attention/nothing"); },
        "there is no mistake 'attention/nothing'; tracer mistakes lists them");
    glassbox_test::check_error<UsageError>(
        [] { (void)parse_mistake("scaled/no-root in hand 1"); },
        "expected 'in head 1', 'in rows 0-2', 'in entry 0' or 'in column 3', got 'in hand 1'");
    CHECK(parse_mistake("encoder/0: scaled/no-root in head 1").name() ==
          "encoder/0: scaled/no-root in head 1");
}
