#include <glassbox/decoding/written.h>

#include <glassbox/conventions/made.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Transformer small_model(std::uint64_t seed) {
    const StackChoices stack{{.d_model = 6, .heads = 2, .d_ff = 8}, 1};
    return made<Transformer>({5, 5, stack, stack}, *make_stream(Rng::jax, seed));
}

// (2, 4): two sentences, the second with <pad> behind it.
const Tensor sources{{3, 4, 4, 2}, {4, 2, 0, 0}};
const std::vector<std::vector<index_t>> sentences = {{3, 4, 4, 2}, {4, 2}};

}  // namespace

TEST_CASE("written: the tokens of greedy decoding up to <end>, and how likely they were") {
    bool some_end = false, some_go_on = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Transformer model = small_model(seed);
        const index_t longest = 6;
        const Written all = written(model, sources, longest);
        for (index_t i = 0; i < 2; ++i) {
            const Decoded one =
                decode(model, sentences[static_cast<std::size_t>(i)], {.max_tokens = longest});
            (one.ended ? some_end : some_go_on) = true;
            for (index_t n = 0; n < longest; ++n) {
                const bool is_written = n < static_cast<index_t>(one.tokens.size());
                const index_t token = is_written ? one.tokens[static_cast<std::size_t>(n)] : 0;
                INFO("seed " << seed << ", sentence " << i << ", token " << n);
                CHECK(all.tokens.at({i, n}) == static_cast<real>(token));
                const real p = is_written ? one.probabilities.at({n, token}) : 0;
                CHECK(all.certainty.at({i, n}) == Approx(p).epsilon(1e-4));
            }
        }
    }
    CHECK(some_end);
    CHECK(some_go_on);
}

TEST_CASE("written: a step that a hook changes changes what is written") {
    const Transformer model = small_model(0);
    const Tensor right = written(model, sources, 4).tokens;
    Trace trace;
    trace.set_hook([](const Frame&, const StepInfo& step, const Tensor& made) {
        return &step == &steps::decoding::token ? Tensor::full(made.shape(), 3) : made;
    });
    check_close(written(model, sources, 4).tokens, Tensor::full({2, 4}, 3), exact, "written");
    CHECK(right.values() != std::vector<real>(8, 3));
}
