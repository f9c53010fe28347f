// The contract of backend.h: the bits of a row do not depend on how many rows there are, nor on the threads.
#include <glassbox/backend/parallel.h>
#include <glassbox/ops/ops.h>

#include <functional>

#include "support/catch.h"
#include "support/devices.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// Compares all rows at once with some at a time.
void check_rows(const char* what, Random& random, const Tensor& x,
                const std::function<Tensor(const Tensor&)>& f) {
    const Tensor all = f(x);
    for (const index_t count : {1, 2, 7, 64, 300}) {
        const index_t first = random.whole(0, x.size(0) - count);
        CAPTURE(what, count, first);
        for (const int threads : {1, 2, 3}) {
            const Threads limited(threads);
            REQUIRE(f(slice(x, 0, first, first + count)).values() ==
                    slice(all, 0, first, first + count).values());
        }
    }
}

}  // namespace

TEST_CASE("a row of a layer has the same bits among any number of rows, on any number of threads",
          "[exhaustive]") {
    struct Sizes {
        index_t rows, in, out;
    };
    for_seeds(1, [](Random& random) {
        for (const auto& [rows, in, out] :
             {Sizes{700, 48, 30}, Sizes{2100, 300, 520}, Sizes{1500, 1024, 1024}, Sizes{4200, 1500, 1500}}) {
            const Tensor x = random.normal({rows, in}), W = random.normal({out, in}),
                         b = random.normal({out}), W2 = random.normal({in, out}), b2 = random.normal({in});
            check_rows("linear", random, x, [&](const Tensor& some) { return linear(some, W, b); });
            check_rows("matmul", random, x, [&](const Tensor& some) { return matmul(some, W2); });
            check_rows("feed_forward", random, x, [&](const Tensor& some) {
                return fused_feed_forward(some, W, b, Activation::relu, W2, b2);
            });
        }
    });
}
