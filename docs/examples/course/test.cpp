#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <memory>

#include <glassbox/glassbox.h>
#include <glassbox/testing/check.h>

#include "attention.h"

using glassbox::is_result, glassbox::Mask, glassbox::named, glassbox::Tensor;

static Matrix matrix(const Tensor& x) {
    Matrix rows;
    for (const Tensor& row : x) {
        const std::vector<glassbox::real> numbers = row.values();
        rows.emplace_back(numbers.begin(), numbers.end());
    }
    return rows;
}

// The same numbers in every run; another course has another seed.
struct Inputs {
    std::shared_ptr<glassbox::Stream> stream = glassbox::make_stream(glassbox::Rng::numpy, 2026);

    Tensor normal(const glassbox::Shape& shape) const { return stream->normal(shape); }
};

struct Operands : Inputs {
    Tensor Q = normal({4, 5}), K = normal({4, 5}), V = normal({4, 2});
};

TEST_CASE_METHOD(Inputs, "softmax") {
    const Tensor x = normal({3, 4});
    const auto key =
        glassbox::check([&] { (void)named(glassbox::steps::scaled_dot_product::attention, softmax(x)); });
    CHECK_THAT(softmax(matrix(x)), is_result());
}

TEST_CASE_METHOD(Operands, "attention") {
    const auto key = glassbox::check([&] { (void)scaled_dot_product(Q, K, V); });
    CHECK_THAT(attention(matrix(Q), matrix(K), matrix(V)), is_result());
}

TEST_CASE_METHOD(Operands, "causal_attention") {
    const auto key = glassbox::check([&] { (void)scaled_dot_product(Q, K, V, Mask::causal()); });
    CHECK_THAT(causal_attention(matrix(Q), matrix(K), matrix(V)), is_result());
}

TEST_CASE_METHOD(Inputs, "layer_norm") {
    const Tensor x = normal({3, 4}) * 2 + 1;
    const glassbox::LayerNorm norm(4);
    const auto key = glassbox::check([&] { (void)named(glassbox::steps::encoder_block::norm1, norm(x)); });
    CHECK_THAT(layer_norm(matrix(x), Row(4, 1), Row(4, 0), norm.config.epsilon), is_result());
}

TEST_CASE("positional_encoding") {
    const auto key = glassbox::check([] { (void)glassbox::PositionalEncoding(6)(Tensor::zeros({5, 6})); });
    CHECK_THAT(positional_encoding(5, 6), key.is_step("encoding"));
}
