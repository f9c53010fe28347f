#include <glassbox/tasks/reversal.h>

#include <glassbox/io/numpy.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

std::vector<index_t> numbers(const ReversalData& data, index_t row) {
    const Digits::Row digits = data.digits().row(row);
    return {digits, digits + data.digits().config().length};
}

}  // namespace

TEST_CASE("reversal: the tutorial's first sequence follows from its seed") {
    const ReversalData data({10, 10, 16});
    CHECK(numbers(data, 0) == std::vector<index_t>{0, 7, 6, 4, 4, 8, 0, 6, 2, 0, 5, 9, 7, 7, 7, 7});
    check_close(data.at({0})["labels"], Tensor{{7, 7, 7, 7, 9, 5, 0, 2, 6, 0, 8, 4, 4, 6, 7, 0}}, exact,
                "labels");
}

TEST_CASE("reversal: numbers match NumPy for any categories, length and seed") {
    const Npz numpy(std::string(GLASSBOX_GOLDEN) + "/tasks.npz");
    const std::vector<std::pair<DigitsConfig, std::uint64_t>> cases = {
        {{50, 10, 16}, 42},
        {{50, 10, 16}, 43},
        {{50, 2, 5}, 0},
        {{50, 256, 3}, 1},
        {{50, 7, 33}, (std::uint64_t{1} << 32) + 7}};
    for (const auto& [config, seed] : cases) {
        const ReversalData data(config, seed);
        const Tensor rows =
            numpy.read(fmt::format("reversal/{}/{}/{}", config.categories, config.length, seed));
        for (index_t i = 0; i < rows.size(0); ++i)
            for (index_t t = 0; t < config.length; ++t) CHECK(data.digits().row(i)[t] == rows.at({i, t}));
    }
}

TEST_CASE("reversal: x is one-hot, labels are the reversed sequence, for any requested rows") {
    for_seeds(10, [](Random& random) {
        const DigitsConfig config{random.whole(1, 30), random.whole(2, 20), random.whole(1, 20)};
        const ReversalData data(config, static_cast<std::uint64_t>(random.whole(0, 1000)));
        std::vector<index_t> rows;
        for (int i = 0; i < 5; ++i) rows.push_back(random.whole(0, config.count - 1));
        const Examples examples = data.at(rows);
        REQUIRE(examples["x"].shape() == Shape{5, config.length, config.categories});
        REQUIRE(examples["labels"].shape() == Shape{5, config.length});
        for (index_t i = 0; i < 5; ++i)
            for (index_t t = 0; t < config.length; ++t) {
                const index_t digit =
                    numbers(data, rows[static_cast<std::size_t>(i)])[static_cast<std::size_t>(t)];
                CHECK(examples["labels"].at({i, config.length - 1 - t}) == static_cast<real>(digit));
                for (index_t c = 0; c < config.categories; ++c)
                    CHECK(examples["x"].at({i, t, c}) == (c == digit ? 1 : 0));
            }
    });
}

TEST_CASE("reversal: what is asked, and how much attention looks there, worked out by hand") {
    check_close(reversed_labels(Tensor{{1, 2, 3}, {4, 5, 6}}), Tensor{{3, 2, 1}, {6, 5, 4}}, exact, "labels");
    // Positions 0 and 1 give 0.75 and 0.5 to each other's place.
    check_close(mirrored_attention(Tensor{{0.25, 0.75}, {0.5, 0.5}}), Tensor(real(0.625)), exact, "mirrored");
    // The mean over a batch of 3, of which only the first looks there at all.
    const Tensor three(Shape{3, 2, 2}, {0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1});
    check_close(mirrored_attention(three), Tensor(real(1) / 3), rounding, "mirrored");
    check_close(reversed_labels(Tensor(real(5))), Tensor(real(5)), exact, "one number");
    CHECK(reversed_labels(Tensor(Shape{2, 0}, std::vector<real>())).numel() == 0);
    const std::string wrong = "mirrored_attention: expected as many queries as keys, got ";
    check_error([] { (void)mirrored_attention(Tensor{{1, 2, 3}, {4, 5, 6}}); }, wrong + "(2, 3)");
    check_error([] { (void)mirrored_attention(Tensor{1, 2}); }, wrong + "(2,)");
}

TEST_CASE("reversal: invalid sizes and rows are refused") {
    check_error<UsageError>([] { ReversalData({1, 257, 16}); }, "reversal: 2 to 256 categories, got 257");
    check_error<UsageError>([] { ReversalData({1, 1, 16}); }, "reversal: 2 to 256 categories, got 1");
    check_error<UsageError>(
        [] {
            ReversalData({1, 10, 0});
        },
        "reversal: sequences of 1 to 65536 numbers, got 0");
    check_error<UsageError>(
        [] {
            ReversalData({index_t{1} << 60, 10, 16});
        },
        "reversal: 0 to 268435456 sequences of 16 numbers, got 1152921504606846976");
    check_error<UsageError>(
        [] {
            ReversalData({1, 10, 65537});
        },
        "reversal: sequences of 1 to 65536 numbers, got 65537");
    check_error<UsageError>(
        [] {
            ReversalData({-1, 10, 65536});
        },
        "reversal: 0 to 65536 sequences of 65536 numbers, got -1");
    CHECK(ReversalData({1, 256, 65536}).size() == 1);  // the greatest that are possible, and the least
    CHECK(ReversalData({1, 2, 1}).size() == 1);
    const ReversalData data({3, 10, 4});
    CHECK(data.size() == 3);
    check_error([&] { data.at({3}); }, "reversal: no sequence 3: there are 3");
    check_error([&] { data.at({-1}); }, "reversal: no sequence -1: there are 3");
    CHECK(ReversalData({0, 10, 4}).at({})["x"].shape() == Shape{0, 4, 10});
}
