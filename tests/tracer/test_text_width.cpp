#include "support/catch.h"
#include "tracer/cli/text_width.h"

using namespace glassbox;
using namespace glassbox::tracer;

TEST_CASE("text width: a text is wrapped between words, as late as possible") {
    CHECK(wrapped("one two three", 7) == "one two\nthree");
    CHECK(wrapped("one two three", 6) == "one\ntwo\nthree");
    CHECK(wrapped("one two three", 13) == "one two three");
    CHECK(wrapped("日本 語 x", 7) == "日本 語\nx");  // by columns, not bytes
    CHECK(wrapped("", 7) == "");
}

TEST_CASE("text width: new lines are indented, existing breaks are kept, a long word exceeds the width") {
    CHECK(wrapped("  one two three", 9, "  ") == "  one two\n  three");
    CHECK(wrapped("one\ntwo three\n", 7) == "one\ntwo\nthree\n");
    CHECK(wrapped("a longest b", 4) == "a\nlongest\nb");
    CHECK(wrapped("one two three", 0) == "one two three");
}

TEST_CASE("text width: a result stays behind its =, a shape is whole, and an address is not cut") {
    CHECK(wrapped("x = 1 + 2 = 3", 12, "  ") == "x = 1 + 2\n  = 3");
    CHECK(wrapped("x = 1 + 2 ≈ 3", 12, "  ") == "x = 1 + 2\n  ≈ 3");
    CHECK(wrapped("(1 + 2) / 4 - 3", 12, "  ") == "(1 + 2) / 4\n  - 3");
    CHECK(wrapped("a = b =", 5) == "a = b\n=");
    CHECK(wrapped("logits  (1, 2, 3)", 15, " ") == "logits \n (1, 2, 3)");
    CHECK(wrapped("logits \x1b[2m(1, 2, 3)\x1b[0m", 12, " ") == "logits\n \x1b[2m(1, 2, 3)\x1b[0m");
    CHECK(wrapped("see (both, of them)", 11) == "see (both,\nof them)");  // only numbers are a shape
    CHECK(wrapped("Seen in https://a.org/bcd", 18, "      ") == "Seen in\n https://a.org/bcd");
}

TEST_CASE("text width: each of several lines is wrapped separately, with two more columns of indentation") {
    CHECK(wrapped_lines("a = 1 + 2\n  = 3 + 4 + 5\n", 9) == "a = 1 + 2\n  = 3 + 4\n    + 5\n");
    CHECK(wrapped_lines("one two\n\nthree four", 7) == "one two\n\nthree\n  four");
    CHECK(wrapped_lines("  a b c", 0) == "  a b c");
    CHECK(wrapped_lines("", 7) == "");
}

TEST_CASE(
    "text width: a word has its position below the line, and so has an index where Unicode has all of them") {
    CHECK(at_position("the", 0) == "the₀");
    CHECK(at_position("∅", 15) == "∅₁₅");
    CHECK(with_indices("softmax(Q Kᵀ / √d_k) V") == "softmax(Q Kᵀ / √dₖ) V");
    CHECK(with_indices("n_q = 3, n_k = 3, d_k = 2, d_v = 2") == "n_q = 3, n_k = 3, dₖ = 2, dᵥ = 2");
    CHECK(with_indices("d_model = 4, d_h = 2") == "d_model = 4, d_h = 2");
    CHECK(with_indices("Concat(head_1, …, head_h) W_O") == "Concat(head₁, …, headₕ) W_O");
    CHECK(with_indices("x W_Q,i, x W_h,i") == "x W_Q,i, x W_h,i");
    CHECK(with_indices("exp(Σ_j x_j) _") == "exp(Σⱼ xⱼ) _");
    CHECK(with_indices("self_attn/output d_") == "self_attn/output d_");
}
