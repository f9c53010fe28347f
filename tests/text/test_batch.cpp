#include <glassbox/text/batch.h>

#include <algorithm>

#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("batch: shorter sentences are padded at the end, with their length") {
    const PaddedBatch batch = padded({{3, 4, 5}, {6}});
    check_close(batch.tokens, Tensor{{3, 4, 5}, {6, 0, 0}}, exact, "tokens");
    CHECK(batch.lengths == std::vector<index_t>{3, 1});
}

TEST_CASE("batch: sentences of like lengths stand together, each once, within both limits") {
    const std::vector<index_t> lengths = {5, 2, 9, 2, 5, 1, 30};
    const auto batches = batches_by_length(lengths, 3, 12);
    CHECK(batches == std::vector<std::vector<index_t>>{{5, 1, 3}, {0, 4}, {2}, {6}});
    check_error([] { batches_by_length({1}, 0, 5); },
                "batches: needs at least 1 sentence and 1 token, got 0 and 5");
    CHECK(batches_by_length({}, 1, 1).empty());
}
