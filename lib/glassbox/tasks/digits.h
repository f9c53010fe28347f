#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include <glassbox/random/detail/numpy.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// What a table of digits looks like: `count` sequences of `length` numbers from 0 to categories − 1.
struct DigitsConfig {
    index_t count = 50000, categories = 10, length = 16;
};

// Sequences of small numbers, a byte each.
class Digits {
  public:
    using Row = const std::uint8_t*;

    // The rows of numpy.random.Generator.integers(categories, size=(…, length)), or those of them that are
    // fit. `task` names the caller in errors; throws UsageError unless 2 ≤ categories ≤ 256, length ≥ 1 and
    // count ≥ 0.
    Digits(const char* task, const DigitsConfig& config, NumpyGenerator& generator,
           const std::function<bool(Row)>& fit = {});

    const DigitsConfig& config() const { return config_; }
    Row row(index_t i) const;  // throws Error when there is no such sequence

    Tensor one_hot(const std::vector<index_t>& rows) const;  // (rows, length, categories)

  private:
    const char* task_;
    DigitsConfig config_;
    std::vector<std::uint8_t> digits_;
};

}  // namespace glassbox
