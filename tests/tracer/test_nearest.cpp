#include "support/catch.h"
#include "tracer/cli/nearest.h"

using namespace glassbox;
using namespace glassbox::tracer;

TEST_CASE("nearest: a typo finds the intended word") {
    const std::vector<std::string> words = {"attention", "logits", "Q", "--seq", "--output", "-o", "uva-jax"};
    CHECK(nearest("atention", words) == "attention");
    CHECK(nearest("attentoin", words) == "attention");
    CHECK(nearest("logit", words) == "logits");
    CHECK(nearest("Logits", words) == "logits");
    CHECK(nearest("q", words) == "Q");
    CHECK(nearest("--sqe", words) == "--seq");
    CHECK(nearest("seq", words) == "--seq");
    CHECK(nearest("uva", words) == "uva-jax");
}

TEST_CASE("nearest: another word, nothing, and an endless word find none") {
    const std::vector<std::string> words = {"attention", "Q", "--seq"};
    CHECK(nearest("banana", words).empty());
    CHECK(nearest("", words).empty());
    CHECK(nearest("--", words).empty());
    CHECK(nearest("3", words).empty());
    CHECK(nearest(std::string(100000, 'a'), words).empty());
    CHECK(nearest("x", {}).empty());
}

TEST_CASE("nearest: the question is appended to a message, or empty") {
    CHECK(did_you_mean("tourch", {"torch"}) == "; did you mean 'torch'?");
    CHECK(did_you_mean("banana", {"torch"}).empty());
}
