#include <glassbox/tasks/whole_sequence.h>

#include <algorithm>
#include <map>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

std::map<int, int> counted(const Digits& digits, index_t row) {
    std::map<int, int> counts;
    for (index_t t = 0; t < digits.config().length; ++t) ++counts[digits.row(row)[t]];
    return counts;
}

// The accuracy of the best rule that sees only the first `seen` numbers: the most frequent label for each
// view, learnt from the very sequences it is tested on, so that no rule does better. `view` is the
// information used from a prefix.
template <class View>
double best_accuracy(const WholeSequenceData& data, View view) {
    std::map<std::vector<int>, std::map<index_t, index_t>> labels;
    for (index_t i = 0; i < data.size(); ++i) ++labels[view(data.digits().row(i))][data.label(i)];
    index_t right = 0;
    for (const auto& [seen, counts] : labels)
        right += std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) {
                     return a.second < b.second;
                 })->second;
    return static_cast<double>(right) / static_cast<double>(data.size());
}

// The fraction of sequences whose most frequent number is also that of the prefix, a tie between k of them
// counting 1/k.
double prefix_accuracy(const WholeSequenceData& data, index_t seen) {
    double right = 0;
    for (index_t i = 0; i < data.size(); ++i) {
        std::vector<int> counts(static_cast<std::size_t>(data.digits().config().categories));
        for (index_t t = 0; t < seen; ++t) ++counts[data.digits().row(i)[t]];
        const int most = *std::max_element(counts.begin(), counts.end());
        if (counts[static_cast<std::size_t>(data.label(i))] == most)
            right += 1.0 / static_cast<double>(std::count(counts.begin(), counts.end(), most));
    }
    return right / static_cast<double>(data.size());
}

}  // namespace

TEST_CASE("whole sequence: the label is the strictly most frequent number") {
    for_seeds(10, [](Random& random) {
        const DigitsConfig config{50, random.whole(2, 12), random.whole(1, 20)};
        const WholeSequenceData data(Question::most_frequent, config,
                                     static_cast<std::uint64_t>(random.whole(0, 1000)));
        CHECK(data.classes() == config.categories);
        for (index_t i = 0; i < data.size(); ++i) {
            auto counts = counted(data.digits(), i);
            const int label = static_cast<int>(data.label(i));
            for (const auto& [digit, count] : counts) CHECK((digit == label || count < counts[label]));
        }
    });
}

TEST_CASE("whole sequence: sequences are those of reversal for the same seed, without the ties") {
    const DigitsConfig config{20, 10, 16};
    const WholeSequenceData data(Question::most_frequent, config, 42);
    const WholeSequenceData all(Question::parity, {200, 10, 16}, 42);
    index_t next = 0;
    for (index_t i = 0; i < all.size() && next < data.size(); ++i) {
        std::vector<int> counts;
        for (const auto& [digit, count] : counted(all.digits(), i)) counts.push_back(count);
        std::sort(counts.rbegin(), counts.rend());
        if (counts[0] == counts[1]) continue;
        CHECK(std::equal(all.digits().row(i), all.digits().row(i) + 16, data.digits().row(next)));
        ++next;
    }
    CHECK(next == data.size());
}

TEST_CASE("whole sequence: parity counts zeros") {
    const WholeSequenceData data(Question::parity, {300, 3, 7}, 5);
    CHECK(data.classes() == 2);
    for (index_t i = 0; i < data.size(); ++i) CHECK(data.label(i) == counted(data.digits(), i)[0] % 2);
}

TEST_CASE("whole sequence: no single number and no prefix determines the answer") {
    // most frequent of 16: a quarter from one number, half from eight, and 9 in 10 with one missing
    const WholeSequenceData frequent(Question::most_frequent, {20000, 10, 16}, 42);
    CHECK(prefix_accuracy(frequent, 1) == Approx(0.26).margin(0.015));
    CHECK(prefix_accuracy(frequent, 8) == Approx(0.51).margin(0.015));
    CHECK(prefix_accuracy(frequent, 12) == Approx(0.70).margin(0.015));
    CHECK(prefix_accuracy(frequent, 15) == Approx(0.90).margin(0.015));
    CHECK(prefix_accuracy(frequent, 16) == 1);
    CHECK(best_accuracy(frequent, [](Digits::Row row) { return std::vector<int>{row[0]}; }) < 0.28);

    // parity of 8 bits: nothing without all of them
    const WholeSequenceData parity(Question::parity, {20000, 2, 8}, 42);
    const auto first = [](Digits::Row row) { return std::vector<int>(row, row + 7); };
    const auto last = [](Digits::Row row) { return std::vector<int>(row + 1, row + 8); };
    const auto whole = [](Digits::Row row) { return std::vector<int>(row, row + 8); };
    CHECK(best_accuracy(parity, first) < 0.54);  // 0.5, plus chance over 128 prefixes
    CHECK(best_accuracy(parity, last) < 0.54);
    CHECK(best_accuracy(parity, whole) == 1);
}

TEST_CASE("whole sequence: examples are one-hot with one label each, and names are checked") {
    const WholeSequenceData data(Question::most_frequent, {30, 4, 6}, 1);
    const Examples examples = data.at({29, 3, 3});
    CHECK(examples["x"].shape() == Shape{3, 6, 4});
    CHECK(examples["labels"].shape() == Shape{3});
    CHECK(examples["labels"].at({0}) == static_cast<real>(data.label(29)));
    CHECK(examples["labels"].at({1}) == examples["labels"].at({2}));
    check_error([&] { data.at({30}); }, "sequence: no sequence 30: there are 30");
    CHECK(parse<Question>("parity") == Question::parity);
    CHECK(std::string(name(parse<Question>("most-frequent"))) == "most-frequent");
    check_error<UsageError>([] { return parse<Question>("sum"); },
                            "question: no question 'sum'; there are most-frequent, parity");
}
