#include <glassbox/layers/positional_encoding.h>

#include <glassbox/conventions/draw.h>

#include <cmath>

#include <glassbox/layers/linear.h>
#include <glassbox/layers/time2vec.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

double by_definition(index_t t, index_t j, index_t d) {
    const double w = std::pow(10000.0, -static_cast<double>(j / 2 * 2) / static_cast<double>(d));
    return j % 2 == 0 ? std::sin(static_cast<double>(t) * w) : std::cos(static_cast<double>(t) * w);
}

}  // namespace

TEST_CASE("positional encoding: interleaved sines and cosines, any length, odd widths too") {
    for (const index_t d : {1, 2, 5, 8, 49}) {
        const Tensor PE = sinusoidal_encoding(30, d);
        REQUIRE(PE.shape() == Shape{30, d});
        for (index_t t = 0; t < 30; ++t)
            for (index_t j = 0; j < d; ++j)
                REQUIRE(std::abs(static_cast<double>(PE.at({t, j})) - by_definition(t, j, d)) < 1e-6);
    }
    const Tensor far = sinusoidal_encoding(2, 8, false, 100000);
    CHECK(std::abs(static_cast<double>(far.at({1, 0})) - std::sin(100001.0)) < 1e-6);
    CHECK(sinusoidal_encoding(0, 8).shape() == Shape{0, 8});
}

TEST_CASE("positional encoding: the shift matrix moves every position by the same offset") {
    for (const index_t shift : {0, 1, 3, -2, 50}) {
        const Tensor M = shift_matrix(shift, 10);
        REQUIRE(M.shape() == Shape{5, 2, 2});
        check_close(shifted_encoding(sinusoidal_encoding(20, 10), M),
                    sinusoidal_encoding(20, 10, false, shift), rounding, "M PE(t)");
        check_close(matmul(M, transpose(M)),
                    Tensor({5, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}), rounding,
                    "a rotation");
    }
    CHECK(shift_matrix(1, 5).shape() == Shape{2, 2, 2});  // the last sine has no cosine
    check_error([] { return shift_matrix(1, 1); },
                "shift_matrix: a pair of sine and cosine needs a d_model of 2, got 1");
}

TEST_CASE("positional encoding: only the report is limited to 16 positions, with an error") {
    const Tensor x = Tensor::zeros({17, 4});
    CHECK_NOTHROW(PositionalEncoding(4, convention("uva-jax").positions())(x));
    CHECK_NOTHROW(PositionalEncoding(4, convention("report").positions())(slice(x, 0, 0, 16)));
    check_error([&] { PositionalEncoding(4, convention("report").positions())(x); },
                "positional_encoding: 17 positions, and this convention's encoding ends at max_len = 16");
    check_error([&] { PositionalEncoding(6, convention("paper").positions())(x); },
                "positional_encoding: needs x of shape (…, T, 6), got (17, 4)");
}

DEVICE_TEST("learned positions: added row by row, with gradients; not more positions than rows") {
    const std::unique_ptr<Stream> stream = make_stream(Rng::torch, 1);
    LearnedPositions made(5, 3);
    draw(made, *stream);
    Random random(1);
    const Function f = [made](const std::vector<Tensor>& in) {
        LearnedPositions layer = made;
        layer.weight = in[1];
        return layer(in[0]);
    };
    check_op(device, random, "learned", f, {random.normal({2, 4, 3}), random.normal({5, 3})});
    check_error(
        [&] {
            made(Tensor::zeros({6, 3}));
        },
        "positional_encoding: 6 positions, and 5 have been learned");
}

DEVICE_TEST("token embedding: one-hot rows times the table, times √d_model") {
    Random random(2);
    TokenEmbedding layer(5, 4);
    draw(layer, *make_stream(Rng::jax, 1));
    const Tensor tokens(Shape{2, 3}, {0, 4, 1, 1, 2, 3});
    parameters_of(layer).move_to(device);
    const Tensor y = layer(tokens.to(device));
    check_close(y, matmul(one_hot(tokens.to(device), 5), layer.weight) * 2.0, rounding, "embedding");
    check_error([&] { layer(Tensor::full({1}, 7).to(device)); },
                "embedding: ids are whole numbers from 0 to 4, got 7 at (0,)");
    check_error([] { TokenEmbedding(0, 4); },
                "token_embedding: needs at least 1 token and 1 feature, got 0 and 4");
}

DEVICE_TEST("time2vec: a linear term, then sines, appended to the series' features; gradients of ω and φ") {
    Random random(3);
    Time2Vec made(3);
    draw(made, *make_stream(Rng::jax, 1));
    const Function f = [made](const std::vector<Tensor>& in) {
        Time2Vec layer = made;
        layer.omega = in[1], layer.phi = in[2];
        return layer(in[0], in[3]);
    };
    check_op(device, random, "time2vec", f,
             {random.normal({2, 4, 2}), random.normal({3}), random.normal({3}), random.normal({4})});
    Time2Vec layer = made;
    layer.omega = Tensor{2, 3, 0}, layer.phi = Tensor{1, 0, 0.5};
    const Tensor y = layer(Tensor(Shape{2, 1}, {5, 6}), Tensor{0, 1});
    check_close(y, Tensor{{5, 1, 0, real(std::sin(0.5))}, {6, 3, real(std::sin(3.0)), real(std::sin(0.5))}},
                rounding, "by hand");
    check_error([] { Time2Vec(0); }, "time2vec: needs a width of at least 1, got 0");
    CHECK_THROWS_AS(made(Tensor::zeros({4, 2}), Tensor::zeros({3})), Error);
}
