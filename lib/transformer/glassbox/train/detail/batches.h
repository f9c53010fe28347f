#pragma once
#include <vector>

#include <glassbox/train/examples.h>

namespace glassbox::detail {

// The batches of a run by step: in each epoch the examples are shuffled and divided into batches, and an
// incomplete last batch is dropped. The batch of a step depends only on the seed and the step.
class Batches {
  public:
    Batches(DataSet& data, index_t batch, std::uint64_t seed) : data_(data), batch_(batch), seed_(seed) {}

    index_t per_epoch() const { return data_.size() / batch_; }
    Examples of(index_t step);  // from 0
    // Loads the batch of a later step in advance. Errors are ignored here: of() loads it again and throws.
    void prefetch(index_t step);

  private:
    const std::vector<index_t>& order_of(index_t epoch);
    Examples load(index_t step);

    DataSet& data_;
    const index_t batch_;
    const std::uint64_t seed_;
    std::vector<index_t> order_;
    index_t order_epoch_ = -1;
    Examples prefetched_;
    index_t prefetched_step_ = -1;
};

// A permutation of 0 … n − 1 determined by the seed and the epoch (Fisher–Yates with Threefry).
std::vector<index_t> shuffled(index_t n, std::uint64_t seed, index_t epoch);

}  // namespace glassbox::detail
