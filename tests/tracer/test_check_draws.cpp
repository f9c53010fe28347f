// tracer check where the formulas are right and the random numbers were drawn otherwise
// (tests/golden/make_draws.py).
#include <glassbox/io/numpy.h>
#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/ops/ops.h>

#include "command.h"

using namespace glassbox_test;
using glassbox::Tensor;

namespace {

const std::string said_before = "he formulas are right, but the random numbers differ: seed 42";

// An array of the file whose framework the case's name begins with.
Tensor golden(const std::string& name, const std::string& array) {
    static const glassbox::Npz torch(std::string(GLASSBOX_GOLDEN) + "/draws_torch.npz"),
        jax(std::string(GLASSBOX_GOLDEN) + "/draws_jax.npz");
    return (name.starts_with("jax") ? jax : torch).read(name + "/" + array);
}

std::string checked(const std::string& arguments, const Tensor& result) {
    const Folder folder;
    glassbox::write_npy(folder / "mine.npy", result);
    const Ran ran = tracer_run(words("check " + arguments + " " + folder / "mine.npy"));
    CHECK(ran.code == 1);
    return ran.out;
}

// What is said of the draw.
std::string said(const std::string& arguments, const Tensor& result) {
    const std::string out = checked(arguments, result);
    const std::size_t at = out.find(said_before);
    if (at == std::string::npos) return "nothing: " + out;
    const std::size_t begin = at + said_before.size();
    return out.substr(begin, out.find('\n', begin) + 1 - begin);
}

Tensor values_of(const std::string& name) {
    return scaled_dot_product(golden(name, "Q"), golden(name, "K"), golden(name, "V")).values;
}

Tensor rows(const std::string& name, const char* what) {
    return glassbox::contiguous(
        glassbox::concat({golden(name, std::string("q.") + what), golden(name, std::string("k.") + what),
                          golden(name, std::string("v.") + what)},
                         0));
}

Tensor output_of(const std::string& name, bool is_apart) {
    const auto layout = is_apart ? glassbox::QkvLayout::stacked : glassbox::QkvLayout::per_head;
    glassbox::MultiHeadAttention layer({.d_model = 4, .heads = 2, .qkv_layout = layout});
    layer.qkv_proj = {is_apart ? rows(name, "weight") : golden(name, "qkv.weight"),
                      is_apart ? rows(name, "bias") : golden(name, "qkv.bias")};
    layer.o_proj = {golden(name, "o.weight"), golden(name, "o.bias")};
    return layer(golden(name, "x"));
}

}  // namespace

TEST_CASE("check: another order of drawing, another generator, another use of keys are recognised",
          "[exhaustive]") {
    struct Case {
        std::string name, options, said;
    };
    const std::string own = "attention --seq 3 --dk 2", torch = own + " --rng torch",
                      numpy = own + " --rng numpy",
                      since = " as JAX draws them since version 0.5 (jax_threefry_partitionable)",
                      legacy = " as np.random.seed and np.random.randn draw them";
    const Case cases[] = {
        {"torch, Q V K", torch, " in the order Q, V, K.\n"},
        {"torch, Q V K", own, " as PyTorch draws them, in the order Q, V, K.\n"},
        {"torch, K Q V, 4 x 8", "attention --seq 4 --dk 8 --rng torch", " in the order K, Q, V.\n"},
        {"torch, Q V K, 5 keys", torch + " --keys 5", " in the order Q, V, K.\n"},
        {"torch, rand", torch, " uniform in [0, 1), as rand draws them, not randn.\n"},
        {"torch, one draw", torch, " all arrays in one draw.\n"},
        {"torch, second run", torch, " in a second run without setting the seed again.\n"},
        {"numpy, legacy", numpy, legacy + ".\n"},
        {"numpy, legacy", own, legacy + ".\n"},
        {"numpy, legacy, rand", numpy, legacy + ", uniform in [0, 1), as rand draws them, not randn.\n"},
        {"numpy, V K Q", numpy, " in the order V, K, Q.\n"},
        {"jax new, one draw", own, since + ".\n"},
        {"jax old, split(key, 3)", own, " with the keys of split(key, 3).\n"},
        {"jax new, split(key, 3)", own, since + ", with the keys of split(key, 3).\n"},
        {"jax old, same key", own, " all with the same key, which is never split.\n"},
        {"jax new, same key", own, since + ", all with the same key, which is never split.\n"},
        {"jax old, each its key, Q V K", own, " each array in its own draw, in the order Q, V, K.\n"},
        {"jax new, each its key, Q V K", own,
         since + ", each array in its own draw, in the order Q, V, K.\n"},
    };
    for (const Case& each : cases) {
        INFO(each.name << ": " << each.options);
        CHECK(said(each.options, values_of(each.name)) == each.said);
    }
}

TEST_CASE("check: the generator of another source is an option") {
    CHECK(checked("attention --seq 3 --dk 2 --rng torch", values_of("jax old, one draw"))
              .find("All would be right with --rng jax") == std::string::npos);  // it was typed: not tried
    CHECK(said("attention --seq 3 --dk 2 --rng torch", values_of("jax old, one draw")) ==
          " as JAX draws them.\n");
}

TEST_CASE("check: other first values of attention's weights are recognised", "[exhaustive]") {
    const std::string own = "multihead --dmodel 4 --convention uva-torch";
    CHECK(said(own, output_of("linear layers", false)) ==
          " attention's weights and biases as a linear layer draws them, not as Xavier does.\n");
    CHECK(said(own, output_of("linear layers, then x", false)) ==
          " the input after the weights, attention's weights and biases as a linear layer draws them, not as "
          "Xavier "
          "does.\n");
    CHECK(said(own, output_of("a layer each, then x", true)) ==
          " the input after the weights, W_Q, W_K and W_V each in its own linear layer, with that layer's "
          "weights and biases.\n");
    CHECK(said(own, output_of("a layer each, Xavier", true)) ==
          " W_Q, W_K and W_V each in its own linear layer, in Xavier's limits for it.\n");
    CHECK(said(own, output_of("Xavier, then x", false)) == " the input after the weights.\n");
}

TEST_CASE("check: numbers that no draw gives are not explained by one", "[exhaustive]") {
    const std::string none = "nothing";
    const Tensor other = values_of("torch, Q V K") + 0.01;
    CHECK(said("attention --seq 3 --dk 2", other).starts_with(none));
    CHECK(said("multihead --dmodel 4 --convention uva-torch", output_of("linear layers", false) * 1.001)
              .starts_with(none));
    // Another seed, and numbers that were not drawn.
    CHECK(said("attention --seq 3 --dk 2 --rng torch --seed 7", values_of("torch, Q V K")).starts_with(none));
    CHECK(said("attention --Q=1,2;3,4;5,6 --K=1,2;3,4;0,1 --V=1,0;0,1;1,1", values_of("torch, Q V K"))
              .starts_with(none));
}

TEST_CASE("check: a few digits, which some draw may have by chance, are not explained by one") {
    for (const char* number : {"0.1", "0.2", "0.5", "0.7", "-0.3", "-1.2"}) {
        INFO(number);
        const Ran ran = run_program(words("check attention --seq 1 --dk 1 -"), {.in = number});
        CHECK(ran.out.find(said_before) == std::string::npos);
    }
}

TEST_CASE("check: a mistake is named rather than a draw, and JSON tells the draw", "[exhaustive]") {
    const Folder folder;
    glassbox::write_npy(folder / "mine.npy", values_of("torch, Q V K"));
    const Ran ran =
        tracer_run(words("check attention --seq 3 --dk 2 --rng torch --format json " + folder / "mine.npy"));
    CHECK(ran.out.find("\"drawn\": \"seed 42 in the order Q, V, K\"") != std::string::npos);
    const std::string file = folder / "wrong.npz";
    REQUIRE(tracer_run(words("attention --seq 3 --dk 2 --mistake scaled/not-divided -o " + file)).code == 0);
    const Ran named = tracer_run(words("check attention --seq 3 --dk 2 " + file));
    CHECK(named.out.find("scaled/not-divided") != std::string::npos);
    CHECK(named.out.find(said_before) == std::string::npos);
}
