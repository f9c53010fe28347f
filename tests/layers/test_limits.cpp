// The limits of what layers take: the last that is accepted, the first that is refused, and with which words.
#include <glassbox/layers/decoder_block.h>
#include <glassbox/layers/linear.h>
#include <glassbox/layers/parameters.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/layers/score_functions.h>

#include <glassbox/conventions/made.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Tensor seen(const Mask& mask, const Shape& scores) { return mask.fill(Tensor::ones(scores), 0); }

std::string message_of_error(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a mask from a later position on: its first query sees all before it, and its window moves along") {
    check_close(seen(Mask::causal().from(2), {2, 4}), {{1, 1, 1, 0}, {1, 1, 1, 1}}, exact, "causal");
    check_close(seen(Mask::causal().from(0), {2, 2}), {{1, 0}, {1, 1}}, exact, "from the first");
    check_close(seen(Mask::causal().from(1), {1, 2}), {{1, 1}}, exact, "one query");
    check_close(seen(Mask::window(1).from(2), {2, 5}), {{0, 1, 1, 1, 0}, {0, 0, 1, 1, 1}}, exact, "window");
    check_close(seen(Mask::window(0), {3, 3}), {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, exact, "reach 0");
    check_close(seen(Mask::window(1), {2, 4}), {{1, 1, 0, 0}, {1, 1, 1, 0}}, exact, "reach 1");
    check_close(seen(Mask::window(2) & Mask::window(1), {2, 4}), seen(Mask::window(1), {2, 4}), exact,
                "the shorter reach");
    check_close(seen(Mask::window(1) & Mask::window(2), {2, 4}), seen(Mask::window(1), {2, 4}), exact,
                "in either order");
    check_close(seen(Mask::causal().from(1) & Mask::causal(), {1, 3}), {{1, 1, 0}}, exact, "the later first");
    check_close(seen(Mask::causal() & Mask::causal().from(1), {1, 3}), {{1, 1, 0}}, exact, "in either order");
    check_close(seen(Mask::none() & Mask::causal(), {2, 2}), {{1, 0}, {1, 1}}, exact, "causal of the second");
    check_close(seen(Mask::none() & Mask::lengths({1}), {1, 2}), {{1, 0}}, exact, "lengths of the second");
    const std::string past =
        "mask: from(9): 2 queries from position 9 on need 11 keys, got 5: scores have shape (2, 5)";
    check_error([] { return Mask::causal().from(9).visible({2, 5}); }, past);
    check_error([] { return Mask::window(1).from(9).visible({2, 5}); }, past);
    const Tensor Q = Tensor::ones({2, 3}), K = Tensor::ones({5, 3});
    check_error([&] { return attend(Q, K, K, Mask::causal().from(9)); }, past);
    check_error([] { return Mask::causal().from(-1); },
                "mask: the first query is at position 0 or later, got -1");
}

TEST_CASE("masks are as long as the keys, and no longer; a length of 0, and 2 to 4 axes, are accepted") {
    check_close(seen(Mask::lengths({3}), {1, 3}), {{1, 1, 1}}, exact, "all keys");
    check_close(seen(Mask::lengths({0}), {1, 3}), {{0, 0, 0}}, exact, "none");
    check_close(seen(Mask::lengths_from(Tensor{0, 2}), {2, 1, 2}), Tensor({2, 1, 2}, {0, 0, 1, 1}), exact,
                "in a tensor");
    check_error([] { return Mask::lengths_from(Tensor(real(1))); },
                "mask: needs lengths of shape (batch), got ()");
    for (const Shape& axes : {Shape{2, 2}, Shape{1, 2, 2}, Shape{1, 1, 2, 2}})
        CHECK_NOTHROW(Mask::given(Tensor::ones(axes)));
    for (const Shape& axes : {Shape{}, Shape{2}, Shape{1, 1, 1, 2, 2}})
        check_error(
            [&] { Mask::check_given(axes); },
            "mask: expected 2, 3 or 4 axes, (n_q, n_k), (batch, n_q, n_k) or (batch, heads, n_q, n_k), "
            "got " +
                axes.str());
    check_error(
        [] {
            return Mask::lengths({1, 2}).visible({2, 3});
        },
        "mask: 2 lengths for a batch of 1: scores have shape (2, 3)");
}

TEST_CASE("a token in front is seen by all and sees all, and causal and window masks cannot take one") {
    const Mask mask = Mask::lengths({2}) & Mask::given(Tensor({1, 2, 3}, {1, 0, 1, 0, 1, 1}));
    check_close(seen(mask.with_prepended_token(), {1, 3, 4}),
                Tensor({1, 3, 4}, {1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0}), exact, "in front");
    check_error(
        [] {
            return Mask::lengths({3}).with_prepended_token().visible({1, 3});
        },
        "mask: length 4 exceeds the 3 keys");
    for (const Mask& refused : {Mask::causal(), Mask::window(3)})
        check_error([&] { return refused.with_prepended_token(); },
                    "mask: a causal or window mask cannot take a token in front");
}

TEST_CASE(
    "positions: any number from none on, of at least one feature, and exactly as many as there may be") {
    CHECK(sinusoidal_encoding(0, 1).shape() == Shape{0, 1});
    check_error([] { return sinusoidal_encoding(-1, 4); },
                "positional_encoding: -1 positions of 4 features cannot be encoded");
    check_error([] { return sinusoidal_encoding(3, 0); },
                "positional_encoding: 3 positions of 0 features cannot be encoded");
    const PositionalEncoding limited(4, {false, 5});
    check_close(limited(Tensor::zeros({3, 4}), 2), sinusoidal_encoding(3, 4, false, 2), rounding, "up to 5");
    check_error(
        [&] {
            limited(Tensor::zeros({3, 4}), 3);
        },
        "positional_encoding: 6 positions, and this convention's encoding ends at max_len = 5");
    check_error([&] { limited(Tensor::zeros({4})); },
                "positional_encoding: needs x of shape (…, T, 4), got (4,)");
    const LearnedPositions learned(5, 3);
    CHECK(learned(Tensor::ones({5, 3})).shape() == Shape{5, 3});
    check_error([] { return shifted_encoding(sinusoidal_encoding(2, 6), shift_matrix(1, 4)); },
                "positional_encoding: needs x of shape (…, T, 4), got (2, 6)");
    CHECK(shift_matrix(1, 2).shape() == Shape{1, 2, 2});
}

TEST_CASE(
    "an encoding that is kept is that of the positions asked for, after shorter, longer and other ones") {
    struct Case {
        index_t T, d, first;
        bool in_float;
    };
    for (const auto& [T, d, first, in_float] : {Case{3, 6, 0, false},
                                                {70, 6, 0, false},
                                                {64, 6, 0, false},
                                                {1, 6, 63, false},
                                                {1, 6, 64, false},
                                                {2, 6, 127, false},
                                                {5, 6, 200, false},
                                                {5, 8, 0, false},
                                                {5, 8, 3, true},
                                                {5, 8, 3, false},
                                                {65, 8, 0, true},
                                                {1, 3, 0, true},
                                                {0, 3, 0, true}}) {
        CAPTURE(T, d, first, in_float);
        check_close(PositionalEncoding(d, {in_float, 0})(Tensor::zeros({T, d}), first),
                    sinusoidal_encoding(T, d, in_float, first), exact, "encoding");
        const Trace trace;
        check_close(PositionalEncoding(d, {in_float, 0})(Tensor::zeros({T, d}), first),
                    sinusoidal_encoding(T, d, in_float, first), exact, "traced");
        check_close(trace["encoding"], sinusoidal_encoding(T, d, in_float, first), exact, "the step");
    }
}

TEST_CASE("a decoder block refuses each of what it cannot have, by itself") {
    BlockChoices choices;
    choices.d_model = 4, choices.heads = 2, choices.d_ff = 8;
    const BlockConfig good = convention("uva-jax").decoder_block(choices);
    CHECK_NOTHROW(DecoderBlock(good));
    const std::string why =
        "decoder_block: needs a separate norm for each sublayer, masks that are passed on, and dropout on "
        "sublayers only; got ";
    BlockConfig bad = good;
    bad.one_norm = true;
    check_error([&] { DecoderBlock{bad}; }, why + "one_norm true, passes_mask true, norm_dropout 0");
    bad = good, bad.passes_mask = false;
    check_error([&] { DecoderBlock{bad}; }, why + "one_norm false, passes_mask false, norm_dropout 0");
    bad = good, bad.norm_dropout = 0.5;
    check_error([&] { DecoderBlock{bad}; }, why + "one_norm false, passes_mask true, norm_dropout 0.5");
}

TEST_CASE("a token table has at least one row and one feature") {
    CHECK(TokenEmbedding(1, 1).weight.shape() == Shape{1, 1});
    check_error([] { TokenEmbedding(1, 0); },
                "token_embedding: needs at least 1 token and 1 feature, got 1 and 0");
    check_error([] { TokenEmbedding(-1, 1); },
                "token_embedding: needs at least 1 token and 1 feature, got -1 and 1");
}

TEST_CASE("additive weights are matrices and a vector of the right sizes") {
    const Tensor Q = Tensor::zeros({3, 2}), K = Tensor::zeros({4, 5});
    const auto refused = [&](const Shape& W_q, const Shape& W_k, const Shape& v) {
        return message_of_error([&] {
            additive_attention(Q, K, K, {Tensor::zeros(W_q), Tensor::zeros(W_k), Tensor::zeros(v)});
        });
    };
    CHECK(refused({2, 6}, {5, 6}, {6}).empty());
    CHECK(refused({2}, {5, 6}, {6}).find("W_q must be (2, d_a)") != std::string::npos);
    CHECK(refused({2, 6, 1}, {5, 6}, {6}).find("W_q must be (2, d_a)") != std::string::npos);
    CHECK(refused({2, 6}, {5}, {6}).find("W_k must be (5, 6)") != std::string::npos);
    CHECK(refused({2, 6}, {5, 6, 1}, {6}).find("W_k must be (5, 6)") != std::string::npos);
    CHECK(refused({2, 6}, {4, 6}, {6}).find("W_k must be (5, 6)") != std::string::npos);
    CHECK(refused({2, 6}, {5, 6}, {1, 6}).find("v must be (6,)") != std::string::npos);
}

TEST_CASE("names in files: whole components are replaced, in order, behind the prefix") {
    FileNames names;
    names.prefix = "model.";
    names.renames = {{"a", "x"}, {"b.c", "y"}, {"z", "b.c"}};
    CHECK(names.of("a") == "model.x");
    CHECK(names.of("a.q") == "model.x.q");
    CHECK(names.of("q.a") == "model.q.x");
    CHECK(names.of("q.a.r") == "model.q.x.r");
    CHECK(names.of("aa.ab") == "model.aa.ab");
    CHECK(names.of("b.c.d") == "model.y.d");
    CHECK(names.of("b.cd") == "model.b.cd");
    CHECK(names.of("z") == "model.b.c");  // what has been replaced is not looked at again by earlier ones
    CHECK(names.of("a.a") == "model.x.a");
}

namespace {

// So many parameters of one number each.
struct Many {
    std::vector<Tensor> tensors;
    explicit Many(int count) : tensors(static_cast<std::size_t>(count), Tensor()) {
        for (Tensor& tensor : tensors) tensor = Tensor::zeros({1});
    }
    void parameters(Parameters& all) {
        for (std::size_t i = 0; i < tensors.size(); ++i) all(fmt::format("p{:02}", i), tensors[i]);
    }
};

}  // namespace

TEST_CASE("of names that a file lacks twelve are listed, and how many more there are") {
    const auto message = [](int count) {
        Many model(count);
        return message_of_error([&] { parameters_of(model).load({}); });
    };
    const std::string twelve =
        "weights: the file does not fit this model\n  missing: p00 (1,), p01 (1,), p02 (1,), p03 (1,), p04 "
        "(1,), "
        "p05 (1,), p06 (1,), p07 (1,), p08 (1,), p09 (1,), p10 (1,), p11 (1,)";
    CHECK(message(12) == twelve);
    CHECK(message(13) == twelve + " and 1 more");
    CHECK(message(15) == twelve + " and 3 more");
    CHECK(message(0).empty());
}

TEST_CASE("tied parameters count once, move as one, and may have any of their names in a file") {
    Many model(3);
    model.tensors[2] = model.tensors[0];
    CHECK(parameters_of(model).count() == 2);
    CHECK(parameters_of(model).entries().size() == 3);
    parameters_of(model).load({{"p01", Tensor{5}}, {"p02", Tensor{7}}});
    CHECK(model.tensors[0].item() == 7);
    CHECK(model.tensors[1].item() == 5);
    CHECK(model.tensors[0].id() == model.tensors[2].id());
    parameters_of(model).load({{"p00", Tensor{1}}, {"p01", Tensor{2}}, {"p02", Tensor{1}}});
    CHECK(model.tensors[2].item() == 1);
    check_error(
        [&] {
            parameters_of(model).load({{"p00", Tensor{1}}, {"p01", Tensor{2}}, {"p02", Tensor{3}}});
        },
        "weights: the file does not fit this model\n  one tensor in the model, but different numbers in the "
        "file: p00 and p02");
    CHECK(model.tensors[2].item() == 1);
    parameters_of(model).move_to(Device::cpu);
    CHECK(model.tensors[0].id() == model.tensors[2].id());
    CHECK(model.tensors[0].id() != model.tensors[1].id());
}
