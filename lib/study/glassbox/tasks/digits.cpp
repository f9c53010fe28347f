#include <glassbox/tasks/digits.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// Also refuses sizes that would need absurd amounts of memory.
void check(const char* task, const DigitsConfig& config) {
    constexpr index_t max_digits = index_t{1} << 32;
    if (config.categories < 2 || config.categories > 256)
        fail<UsageError>("{}: 2 to 256 categories, got {}", task, config.categories);
    if (config.length < 1 || config.length > 65536)
        fail<UsageError>("{}: sequences of 1 to 65536 numbers, got {}", task, config.length);
    if (config.count < 0 || config.count > max_digits / config.length)
        fail<UsageError>("{}: 0 to {} sequences of {} numbers, got {}", task, max_digits / config.length,
                         config.length, config.count);
}

}  // namespace

Digits::Digits(const char* task, const DigitsConfig& config, NumpyGenerator& generator,
               const std::function<bool(Row)>& accept)
    : task_(task), config_(config) {
    check(task, config);
    digits_.resize(static_cast<std::size_t>(config.count * config.length));
    std::vector<std::int64_t> sequence(static_cast<std::size_t>(config.length));
    for (std::uint8_t* row = digits_.data(); row != digits_.data() + digits_.size(); row += config.length)
        do {
            generator.integers(sequence, 0, config.categories);
            std::copy(sequence.begin(), sequence.end(), row);
        } while (accept && !accept(row));
}

Digits::Row Digits::row(index_t i) const {
    if (i < 0 || i >= config_.count) fail("{}: no sequence {}: there are {}", task_, i, config_.count);
    return digits_.data() + i * config_.length;
}

Tensor Digits::one_hot(const std::vector<index_t>& rows) const {
    Tensor x = Tensor::zeros({static_cast<index_t>(rows.size()), config_.length, config_.categories});
    real* position = x.writable().data;
    for (const index_t i : rows) {
        const Row digits = row(i);
        for (index_t t = 0; t < config_.length; ++t, position += config_.categories) position[digits[t]] = 1;
    }
    return x;
}

}  // namespace glassbox
