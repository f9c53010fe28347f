#include <glassbox/train/loss.h>

#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("accuracy: worked out by hand, step by step") {
    Trace trace;
    // Right, wrong, a tie that goes to the first class, and a row that does not count.
    const Tensor logits{{1, 3, 2}, {5, 0, 0}, {4, 4, 1}, {0, 0, 9}};
    check_close(accuracy(logits, Tensor{1, 2, 0, -1}), Tensor(real(2.0 / 3)), rounding, "accuracy");
    check_close(trace["answers"], Tensor{1, 0, 0, 2}, exact, "answers");
    check_close(trace["right"], Tensor{1, 0, 1, 0}, exact, "right");
}

TEST_CASE("accuracy: equals the count of the kernel, for any logits and labels") {
    for_seeds(20, [](Random& random) {
        const index_t rows = random.whole(1, 40), classes = random.whole(1, 6);
        std::vector<real> labels;
        for (index_t i = 0; i < rows; ++i) labels.push_back(static_cast<real>(random.whole(-1, classes - 1)));
        labels.front() = 0;  // one counts
        Tensor logits = random.normal({rows, classes});
        if (random.whole(0, 1)) logits.writable().data[random.whole(0, rows * classes - 1)] = NAN;
        const Tensor right(Shape{rows}, labels);
        const Tensor share = count_correct(logits, right) / sum(right > -0.5);
        check_close(accuracy(logits, right), share, exact, "accuracy");
    });
}

TEST_CASE("accuracy: labels of another shape are refused") {
    check_error(
        [] {
            accuracy(Tensor::zeros({2, 3}), Tensor::zeros({3}));
        },
        "accuracy: expected a label for each row of the logits (2, 3), got (3,)");
}
