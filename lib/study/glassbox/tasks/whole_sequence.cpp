#include <glassbox/tasks/whole_sequence.h>

#include <algorithm>
#include <array>

#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// How often each number occurs.
using Counts = std::array<index_t, 256>;

Counts counts_of(Digits::Row row, index_t length) {
    Counts counts{};
    for (index_t t = 0; t < length; ++t) ++counts[row[t]];
    return counts;
}

bool has_unique_maximum(const Counts& counts) {
    const index_t most = *std::max_element(counts.begin(), counts.end());
    return std::count(counts.begin(), counts.end(), most) == 1;
}

Digits drawn(Question question, const DigitsConfig& config, std::uint64_t seed) {
    NumpyGenerator generator(seed);
    if (question == Question::parity) return Digits("sequence", config, generator);
    return Digits("sequence", config, generator,
                  [&](Digits::Row row) { return has_unique_maximum(counts_of(row, config.length)); });
}

std::uint8_t answer(Question question, const Counts& counts) {
    if (question == Question::parity) return static_cast<std::uint8_t>(counts[0] % 2);
    return static_cast<std::uint8_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

}  // namespace

WholeSequenceData::WholeSequenceData(Question question, const DigitsConfig& config, std::uint64_t seed)
    : question_(question), digits_(drawn(question, config, seed)) {
    for (index_t i = 0; i < config.count; ++i)
        labels_.push_back(answer(question, counts_of(digits_.row(i), config.length)));
}

Examples WholeSequenceData::at(const std::vector<index_t>& rows) const {
    const Tensor x = digits_.one_hot(rows);  // first, as it checks the rows
    Tensor labels = Tensor::empty({static_cast<index_t>(rows.size())});
    std::transform(rows.begin(), rows.end(), labels.writable().data, [&](index_t row) { return label(row); });
    return {{{"x", x}, {"labels", labels}}};
}

}  // namespace glassbox
