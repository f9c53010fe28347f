#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include <glassbox/random/generators.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The size of a table of digits: `count` sequences of `length` numbers from 0 to categories − 1.
struct DigitsConfig {
    index_t count = 50000, categories = 10, length = 16;
};

// Sequences of small numbers, stored as bytes.
class Digits {
  public:
    using Row = const std::uint8_t*;

    // The rows of numpy.random.Generator.integers(categories, size=(…, length)), or only those that `accept`
    // returns true for. `task` is the name in error messages. Throws UsageError unless 2 ≤ categories ≤ 256,
    // length ≥ 1 and count ≥ 0.
    Digits(const char* task, const DigitsConfig& config, NumpyGenerator& generator,
           const std::function<bool(Row)>& accept = {});

    const DigitsConfig& config() const { return config_; }
    Row row(index_t i) const;  // throws Error for an index out of range

    Tensor one_hot(const std::vector<index_t>& rows) const;  // (rows, length, categories)

  private:
    const char* task_;
    DigitsConfig config_;
    std::vector<std::uint8_t> digits_;
};

}  // namespace glassbox
