#include <glassbox/text/teacher_forcing.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/copying.h>
#include <glassbox/text/vocabulary.h>

#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("teacher forcing: at each position the words so far are the input, and the next is the label") {
    Trace trace;
    shifted({{1, 7, 8, 2}, {1, 9, 2, 0}});  // <start> … <end> [<pad>]
    check_close(trace["targets"], {{1, 7, 8}, {1, 9, 0}}, exact, "targets");
    check_close(trace["labels"], {{7, 8, 2}, {9, 2, -1}}, exact, "labels");
    check_error([] { shifted({1}); }, "teacher forcing: needs sentences of at least 2 tokens, got (1,)");
}

TEST_CASE("teacher forcing: the copying task's labels are such a shift, at every counted position") {
    CopyingConfig config;
    config.count = 20;
    const CopyingData data(config);
    for (index_t row = 0; row < config.count; ++row) {
        std::vector<real> sentence{Vocabulary::start};
        for (const index_t token : data.answer(row)) sentence.push_back(static_cast<real>(token));
        sentence.resize(static_cast<std::size_t>(data.width() + 1), Vocabulary::padding);
        const Shifted expected = shifted(Tensor({1, data.width() + 1}, sentence));
        const Examples examples = data.at({row});
        check_close(examples["labels"], expected.labels, exact, "labels");
        const std::vector<real> labels = expected.labels.values(), ours = examples["target"].values(),
                                theirs = expected.targets.values();
        for (std::size_t t = 0; t < labels.size(); ++t)
            if (labels[t] >= 0) CHECK(ours[t] == theirs[t]);
    }
}
