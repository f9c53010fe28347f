// Concurrent use of one model: everything const is thread-safe, each thread with its own observers.
#include <glassbox/conventions/made.h>
#include <glassbox/models/transformer.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include <barrier>
#include <chrono>
#include <thread>

#include "support/compare.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr int threads = 4;

Transformer small_translator() {
    const StackChoices stack{.block = {.d_model = 24, .heads = 4, .d_ff = 48}, .layers = 2};
    return made<Transformer>(
        {.source_vocabulary = 11, .target_vocabulary = 11, .encoder = stack, .decoder = stack},
        *make_stream(Rng::jax, 5));
}

// Sentences of different lengths for each thread.
Tensor tokens(int thread) {
    Random random(static_cast<unsigned>(thread));
    std::vector<real> words(static_cast<std::size_t>(3 * (4 + thread)));
    for (real& word : words) word = static_cast<real>(random.whole(0, 10));
    return Tensor({3, 4 + thread}, words);
}

// Calls body(thread, all) on all threads concurrently; all.arrive_and_wait() is a barrier.
using All = std::barrier<>;
template <class Body>
void at_once(const Body& body) {
    All all(threads);
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t) running.emplace_back([&, t] { body(t, all); });
    for (std::thread& thread : running) thread.join();
}

}  // namespace

TEST_CASE("one model, called by four threads concurrently, gives each the bits of a single thread",
          "[exhaustive]") {
    const Transformer model = small_translator();
    std::vector<std::vector<real>> alone(threads), together(threads);
    for (int t = 0; t < threads; ++t)
        alone[static_cast<std::size_t>(t)] = model(tokens(t), tokens(t)).values();
    at_once([&](int t, All& all) {
        const Tensor sentences = tokens(t);
        const std::vector<real>& expected = alone[static_cast<std::size_t>(t)];
        std::vector<real>& got = together[static_cast<std::size_t>(t)] = expected;
        for (int call = 0; call < 2000; ++call) {
            all.arrive_and_wait();
            if (got == expected) got = model(sentences, sentences).values();
        }
    });
    for (int t = 0; t < threads; ++t) {
        INFO("thread " << t);
        CHECK(together[static_cast<std::size_t>(t)] == alone[static_cast<std::size_t>(t)]);
    }
}

namespace {

// The steps of a pass with their values, and the gradient of an embedding shared by all threads.
struct Seen {
    std::vector<std::string> paths;
    std::vector<std::vector<real>> numbers;

    friend bool operator==(const Seen&, const Seen&) = default;
};

// `meanwhile` is called after the observers are created, and after every step.
Seen seen_in_a_pass(const Transformer& model, const Tensor& weight, const Tensor& sentences,
                    const std::function<void()>& meanwhile) {
    Seen seen;
    Trace trace;
    trace.set_hook([&](const Frame&, const StepInfo&, const Tensor& made) {
        meanwhile();
        return made;
    });
    Tape tape;
    meanwhile();
    tape.backward(sum(model(sentences, sentences)));
    for (const Trace::Step& step : trace.steps()) {
        seen.paths.push_back(step.path);
        seen.numbers.push_back(step.value.values());
    }
    seen.numbers.push_back(tape.gradient(weight).values());
    return seen;
}

}  // namespace

TEST_CASE(
    "four threads: each one's Trace and Tape hold only its own pass, and threads without them record "
    "nothing") {
    Transformer model = small_translator();
    const Tensor weight = *parameters_of(model).entries().front().tensor;
    const Transformer& shared = model;
    std::vector<Seen> alone(threads), together(threads);
    for (int t = 0; t < threads; ++t)
        alone[static_cast<std::size_t>(t)] = seen_in_a_pass(shared, weight, tokens(t), [] {});

    const Trace mine;
    const Tape my_tape;
    at_once([&](int t, All& all) {
        all.arrive_and_wait();
        const auto let_others_go_on = [] { std::this_thread::sleep_for(std::chrono::microseconds(20)); };
        together[static_cast<std::size_t>(t)] = seen_in_a_pass(shared, weight, tokens(t), let_others_go_on);
    });
    CHECK(mine.steps().empty());
    CHECK(my_tape.size() == 0);
    for (int t = 0; t < threads; ++t) {
        INFO("thread " << t);
        CHECK(together[static_cast<std::size_t>(t)].paths == alone[static_cast<std::size_t>(t)].paths);
        CHECK(together[static_cast<std::size_t>(t)] == alone[static_cast<std::size_t>(t)]);
    }
}
