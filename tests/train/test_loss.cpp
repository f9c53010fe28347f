#include <glassbox/train/loss.h>

#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("loss: of probabilities it is that of their logits, step by step") {
    for_seeds(10, [](Random& random) {
        const Tensor logits = random.normal({3, 4}), labels{2, -1, 0};
        Tensor losses, loss;
        {
            const Trace trace;
            loss = loss_and_gradient(logits, labels).loss;
            losses = trace["losses"];
        }
        const Trace trace;
        check_close(loss_of_probabilities(logits, softmax(logits), labels), loss, rounding, "loss");
        check_close(trace["losses"], losses, rounding, "losses");
    });
}

TEST_CASE("loss: a probability of 0 costs nothing unless it is the label's") {
    const Tensor logits{{1, 2, 3}}, probabilities{{0, 1, 0}};
    check_close(loss_of_probabilities(logits, probabilities, Tensor{1}), Tensor(real(0)), exact, "certain");
    CHECK(std::isinf(loss_of_probabilities(logits, probabilities, Tensor{2}).item()));
}

TEST_CASE("loss: a logit of −∞ costs nothing unless it is the label's, in its steps as without them") {
    const Tensor logits{{-INFINITY, 1, 2}, {0, 1, 2}}, labels{2, 1};
    const Trace trace;
    check_close(loss_and_gradient(logits, labels).loss, mean(cross_entropy(logits, labels)), rounding,
                "loss");
    CHECK(std::isfinite(trace["losses"].values()[0]));
    CHECK(std::isinf(loss_and_gradient(logits, Tensor{0, 1}).loss.item()));
}

TEST_CASE("loss: labels that are no class are refused with probabilities as without") {
    const Tensor logits{{1, 2, 3}};
    check_error([&] { loss_of_probabilities(logits, softmax(logits), Tensor{3}); },
                "cross_entropy: labels are whole numbers below 3, got 3 at (0,)");
}
