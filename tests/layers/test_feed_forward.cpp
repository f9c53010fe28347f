// The fused path of a feed-forward network matches the step by step one.
#include <glassbox/layers/feed_forward.h>

#include <glassbox/conventions/made.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/random/stream.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("plain and traced feed-forward networks agree, for every activation and convention") {
    for (const Convention& convention : conventions())
        for (const Activation activation : {Activation::relu, Activation::gelu})
            for_seeds(3, [&](Random& random) {
                const auto stream = make_stream(Rng::torch, 1);
                const auto network = made<FeedForward>(convention, {16, 40, 0.1, activation}, *stream);
                const Tensor x = random.normal({2, random.whole(1, 40), 16}), plain = network(x);
                Trace trace;
                check_close(network(x), plain, chain, convention.name);
                CHECK(trace.contains("hidden"));
                CHECK(trace.contains(name(activation)));
                CHECK(trace.contains("output"));
            });
}

TEST_CASE("a feed-forward network with dropout goes step by step, traced or not") {
    Random random(1);
    const auto stream = make_stream(Rng::torch, 1);
    const auto network = made<FeedForward>(convention("paper"), {16, 40, 0.5, Activation::relu}, *stream);
    const Tensor x = random.normal({3, 16}), kept = network(x);
    const auto dropped_out = [&] {
        const DropoutScope dropping(7);
        return network(x);
    };
    const Tensor plain = dropped_out();
    CHECK(find_difference(plain, kept, chain, "output") != "");
    Trace trace;
    check_close(dropped_out(), plain, exact, "traced");
    CHECK(trace.contains("dropout"));
}

TEST_CASE("a feed-forward network needs an activation; GELU has the convention's form") {
    const auto stream = make_stream(Rng::torch, 1);
    check_error(
        [&] {
            FeedForward({4, 8, 0, Activation::none});
        },
        "feed_forward: needs an activation, relu or gelu");
    const Tensor x = Random(1).normal({3, 4});
    for (const char* name : {"uva-jax", "paper"}) {
        const auto network = made<FeedForward>(convention(name), {4, 8, 0, Activation::gelu}, *stream);
        Trace trace;
        network(x);
        check_close(trace["gelu"], gelu(trace["hidden"], convention(name).gelu), exact, name);
    }
}
