#include <glassbox/tasks/reversal.h>

#include <algorithm>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

Digits drawn(const DigitsConfig& config, std::uint64_t seed) {
    NumpyGenerator generator(seed);
    return Digits("reversal", config, generator);
}

// labels_t = numbers_{T − 1 − t}
Tensor backwards(const Tensor& numbers) {
    const index_t length = numbers.rank() > 0 ? numbers.size(-1) : 0;
    std::vector<real> values = numbers.values();
    for (auto row = values.begin(); length > 0 && row != values.end(); row += length)
        std::reverse(row, row + length);
    return Tensor(numbers.shape(), values, numbers.device());
}

}  // namespace

ReversalData::ReversalData(const DigitsConfig& config, std::uint64_t seed) : digits_(drawn(config, seed)) {}

Examples ReversalData::at(const std::vector<index_t>& rows) const {
    const index_t length = digits_.config().length;
    Tensor numbers = Tensor::empty({static_cast<index_t>(rows.size()), length});
    real* number = numbers.writable().data;
    for (const index_t i : rows) {
        const Digits::Row digits = digits_.row(i);
        number = std::copy(digits, digits + length, number);
    }
    return {{{"x", digits_.one_hot(rows)}, {"labels", backwards(numbers)}}};
}

Tensor reversed_labels(const Tensor& numbers) {
    return named(steps::reversal::labels, backwards(named(steps::reversal::numbers, numbers)));
}

Tensor mirrored_attention(const Tensor& attention) {
    const index_t T = attention.size(-1);
    if (attention.rank() < 2 || attention.size(-2) != T)
        fail("mirrored_attention: expected as many queries as keys, got {}", attention.shape());
    Tensor there = Tensor::zeros({T, T});  // 1 at [t, T − 1 − t]
    for (index_t t = 0; t < T; ++t) there.writable().data[t * T + T - 1 - t] = 1;
    return named(steps::reversal::mirrored, mean(sum(attention * there.to(attention.device()), -1)));
}

}  // namespace glassbox
