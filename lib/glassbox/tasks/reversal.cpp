#include <glassbox/tasks/reversal.h>

#include <algorithm>

namespace glassbox {
namespace {

Digits drawn(const DigitsConfig& config, std::uint64_t seed) {
    NumpyGenerator generator(seed);
    return Digits("reversal", config, generator);
}

}  // namespace

ReversalData::ReversalData(const DigitsConfig& config, std::uint64_t seed) : digits_(drawn(config, seed)) {}

// label_t = x_{T − 1 − t}
Examples ReversalData::at(const std::vector<index_t>& rows) const {
    const index_t length = digits_.config().length;
    Tensor labels = Tensor::empty({static_cast<index_t>(rows.size()), length});
    real* label = labels.writable().data;
    for (const index_t i : rows) {
        const Digits::Row digits = digits_.row(i);
        label = std::reverse_copy(digits, digits + length, label);
    }
    return {{{"x", digits_.one_hot(rows)}, {"labels", labels}}};
}

}  // namespace glassbox
