// Keys and values kept from step to step, in place and while a trace or a tape records.
#include <glassbox/layers/multi_head_attention.h>

#include <glassbox/conventions/made.h>
#include <glassbox/layers/decoder_block.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

enum class Way { plain, traced, taped };

// Appends pieces of these lengths, and compares with all of them at once after each.
void check_growth(Way way, Random& random, const Shape& leading, const std::vector<index_t>& pieces) {
    std::optional<Trace> trace;
    std::optional<Tape> tape;
    if (way == Way::traced) trace.emplace();
    if (way == Way::taped) tape.emplace();
    KeyValueCache cache;
    CHECK(cache.length() == 0);
    std::vector<Tensor> keys, values;
    for (const index_t n : pieces) {
        keys.push_back(random.normal(leading.with_appended(n).with_appended(3)));
        values.push_back(random.normal(leading.with_appended(n).with_appended(2)));
        const Tensor before = cache.length() > 0 ? cache.K() : Tensor();
        const std::vector<real> numbers = before.defined() ? before.values() : std::vector<real>();
        cache.append(keys.back(), values.back());
        CAPTURE(static_cast<int>(way), n);
        check_close(cache.K(), concat(keys, -2), exact, "K");
        check_close(cache.V(), concat(values, -2), exact, "V");
        CHECK(cache.length() == cache.K().size(-2));
        if (before.defined()) CHECK(before.values() == numbers);  // a view of it does not change
    }
}

}  // namespace

TEST_CASE("what is kept is all that was appended, in pieces of any length, whoever records") {
    for_seeds(1, [](Random& random) {
        for (const Way way : {Way::plain, Way::traced, Way::taped})
            for (const Shape& leading : {Shape{2}, Shape{3, 2}})
                for (const std::vector<index_t>& pieces :
                     std::vector<std::vector<index_t>>{std::vector<index_t>(40, 1),
                                                       {15, 1, 1},
                                                       {16, 1},
                                                       {17, 1, 1},
                                                       {1, 15, 1, 30, 1},
                                                       {40, 3},
                                                       {2, 1, 0, 3}})
                    check_growth(way, random, leading, pieces);
    });
}

TEST_CASE("what was kept in place is continued under a trace, and the other way round") {
    Random random(1);
    KeyValueCache cache;
    std::vector<Tensor> keys;
    const auto append = [&] {
        keys.push_back(random.normal({2, 1, 3}));
        cache.append(keys.back(), keys.back());
        check_close(cache.K(), concat(keys, -2), exact, "K");
        check_close(cache.V(), concat(keys, -2), exact, "V");
    };
    append();
    {
        const Trace trace;
        append(), append();
    }
    append(), append();
}

TEST_CASE("an empty cache has nothing to show, and other shapes do not continue what is kept") {
    KeyValueCache cache;
    check_error([&] { (void)cache.K(); }, "key_value_cache: nothing has been kept yet");
    check_error([&] { (void)cache.V(); }, "key_value_cache: nothing has been kept yet");
    cache.select_rows({0});  // nothing to select
    CHECK(cache.length() == 0);
    cache.append(Tensor::ones({2, 1, 3}), Tensor::ones({2, 1, 3}));
    check_error(
        [&] {
            cache.append(Tensor::ones({2, 1, 4}), Tensor::ones({2, 1, 3}));
        },
        "key_value_cache: keys of shape (2, 1, 4) do not continue those of shape (2, 1, 3)");
    check_error(
        [&] {
            cache.append(Tensor::ones({2, 1, 3}), Tensor::ones({2, 1, 4}));
        },
        "key_value_cache: values of shape (2, 1, 4) do not continue those of shape (2, 1, 3)");
    check_error(
        [&] {
            cache.append(Tensor::ones({2, 2, 3}), Tensor::ones({2, 1, 3}));
        },
        "key_value_cache: needs a value for each key, got keys of shape (2, 2, 3) and values of shape (2, "
        "1, 3)");
    CHECK(cache.length() == 1);
    check_error([&] { cache.select_rows({0}); },
                "key_value_cache: needs a batch axis, got keys of shape (2, 1, 3)");
    CHECK(cache.length() == 1);
}

TEST_CASE("a cache is of one layer: another layer, or the same with other weights, does not continue it") {
    const auto layer = [](std::uint64_t seed) {
        return made<MultiHeadAttention>("paper", {.d_model = 4, .heads = 2}, *make_stream(Rng::numpy, seed));
    };
    const MultiHeadAttention first = layer(1), second = layer(2), copy = first;
    const Tensor x = Random(3).normal({1, 4});
    const std::string refusal =
        "key_value_cache: the 2 positions kept here are another layer's, or were kept before this layer was "
        "given other weights: each layer needs its own cache, and a new one for other weights";
    KeyValueCache cache, memory;
    first(x, Mask::causal(), &cache);
    copy(x, Mask::causal(), &cache);  // a copy has the same weights
    check_error([&] { second(x, Mask::causal(), &cache); }, refusal);
    first(x, Random(4).normal({2, 4}), {}, &memory);
    check_error([&] { second(x, Random(4).normal({2, 4}), {}, &memory); }, refusal);
    CHECK(cache.length() == 2);
    first(x, Mask::causal(), &cache);
    CHECK(cache.length() == 3);
    KeyValueCache own;  // of an attention of one's own, which names no layer
    own.append(Tensor::ones({2, 1, 3}), Tensor::ones({2, 1, 3}));
    own.append(Tensor::ones({2, 1, 3}), Tensor::ones({2, 1, 3}));
    CHECK(own.length() == 2);
}

TEST_CASE("rows of a batch are dropped, doubled and reordered, in every layer, and then go on") {
    Random random(2);
    const Tensor K = random.normal({3, 2, 4, 5}), V = random.normal({3, 2, 4, 6});
    const auto picked = [](const Tensor& x, const std::vector<index_t>& rows) {
        std::vector<Tensor> parts;
        for (const index_t row : rows) parts.push_back(slice(x, 0, row, row + 1));
        return concat(parts, 0);
    };
    for (const std::vector<index_t>& rows :
         std::vector<std::vector<index_t>>{{0, 1, 2}, {2, 2, 0, 1}, {1}, {2, 0}}) {
        StackCache stack(2);
        for (BlockCache& block : stack.layers) {
            block.self_attn.append(K, V);
            block.cross_attn.append(V, K);
        }
        CHECK(stack.length() == 4);
        stack.select_rows(rows);
        const Tensor more = random.normal({static_cast<index_t>(rows.size()), 2, 1, 5});
        for (BlockCache& block : stack.layers) {
            check_close(block.self_attn.K(), picked(K, rows), exact, "K");
            check_close(block.self_attn.V(), picked(V, rows), exact, "V");
            check_close(block.cross_attn.K(), picked(V, rows), exact, "the memory's K");
            check_close(block.cross_attn.V(), picked(K, rows), exact, "the memory's V");
            block.self_attn.append(more, random.normal(more.shape().with(-1, 6)));
            check_close(block.self_attn.K(), concat({picked(K, rows), more}, -2), exact, "continued");
        }
        CHECK(stack.length() == 5);
    }
}

TEST_CASE("attention step by step, with what it has kept, equals attention to all at once") {
    for_seeds(2, [](Random& random) {
        for (const char* convention : {"uva-jax", "paper"})
            for (const bool traced : {false, true}) {
                MultiHeadChoices choices;
                choices.d_in = 6, choices.d_model = 6, choices.heads = 3;
                const auto layer = made<MultiHeadAttention>(glassbox::convention(convention), choices,
                                                            *make_stream(Rng::jax, 7));
                const Tensor x = random.normal({2, 7, 6}), memory = random.normal({2, 5, 6});
                const Tensor self = layer(x, Mask::causal()), cross = layer(x, memory, Mask());
                std::optional<Trace> trace;
                if (traced) trace.emplace();
                KeyValueCache kept, of_memory;
                index_t at = 0;
                for (const index_t n : {1, 1, 3, 2}) {
                    const Tensor rows = slice(x, 1, at, at + n);
                    check_close(layer(rows, Mask::causal(), &kept), slice(self, 1, at, at + n), chain,
                                "self");
                    check_close(layer(rows, memory, Mask(), &of_memory), slice(cross, 1, at, at + n), chain,
                                "cross");
                    at += n;
                    CHECK(kept.length() == at);
                    CHECK(of_memory.length() == 5);
                }
            }
    });
}

TEST_CASE("a memory's keys are those of one memory, and not self-attention's") {
    Random random(1);
    MultiHeadChoices choices;
    choices.d_in = 4, choices.d_model = 4, choices.heads = 2;
    const auto layer =
        made<MultiHeadAttention>(glassbox::convention("paper"), choices, *make_stream(Rng::jax, 7));
    const Tensor x = random.normal({2, 1, 4}), memory = random.normal({2, 3, 4});
    KeyValueCache of_memory, of_itself, by_hand;
    (void)layer(x, memory, Mask(), &of_memory);
    (void)layer(x, Mask::causal(), &of_itself);
    // The same numbers computed once more, a batch of fewer, what was appended by hand: all right.
    CHECK_NOTHROW(layer(x, memory.clone(), Mask(), &of_memory));
    by_hand.append(of_memory.K(), of_memory.V());
    CHECK_NOTHROW(layer(x, memory, Mask(), &by_hand));
    KeyValueCache of_fewer;
    (void)layer(x, memory, Mask(), &of_fewer);
    of_fewer.select_rows({1});
    CHECK_NOTHROW(layer(slice(x, 0, 1, 2), slice(memory, 0, 1, 2), Mask(), &of_fewer));

    const std::string end = ": another memory needs a new cache";
    check_error([&] { layer(x, memory * 2, Mask(), &of_memory); },
                "key_value_cache: the keys kept here are those of a memory with other numbers" + end);
    check_error(
        [&] {
            layer(x, random.normal({2, 5, 4}), Mask(), &of_memory);
        },
        "key_value_cache: the keys of a memory of 3 positions are kept here, and this one has 5" + end);
    const std::string each = ": self-attention and attention to a memory need a cache each";
    check_error([&] { layer(x, Mask::causal(), &of_memory); },
                "key_value_cache: 3 positions kept here, of a memory" + each);
    check_error([&] { layer(x, memory, Mask(), &of_itself); },
                "key_value_cache: 1 position kept here, of self-attention" + each);
    CHECK(of_memory.length() == 3);
    CHECK(of_itself.length() == 1);
}

TEST_CASE("a decoder block step by step, with its caches, equals the block of all positions") {
    for_seeds(2, [](Random& random) {
        for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
            BlockChoices choices;
            choices.d_model = 6, choices.heads = 2, choices.d_ff = 8, choices.norm = norm;
            const auto block = made<DecoderBlock>(choices, *make_stream(Rng::jax, 2));
            const Tensor x = random.normal({1, 4, 6}), memory = random.normal({1, 3, 6});
            const Tensor all = block(x, memory);
            BlockCache cache;
            for (index_t t = 0; t < 4; ++t)
                check_close(block(slice(x, 1, t, t + 1), memory, {}, {}, &cache), slice(all, 1, t, t + 1),
                            chain, "position " + std::to_string(t));
        }
    });
}
