#pragma once
#include <vector>

#include <glassbox/train/examples.h>

namespace glassbox {

// The batches of a run, step after step: in each epoch all examples in another order, cut into batches; what
// is left over is dropped. Which batch a step has follows from the seed and the step alone.
class Batches {
  public:
    Batches(DataSet& data, index_t batch, std::uint64_t seed) : data_(data), batch_(batch), seed_(seed) {}

    index_t an_epoch() const { return data_.size() / batch_; }
    Examples of(index_t step);  // from 0
    // Makes the batch of a step ahead. What goes wrong here is of()'s matter, which tries again.
    void make_ready(index_t step);

  private:
    const std::vector<index_t>& order_of(index_t epoch);
    Examples made(index_t step);

    DataSet& data_;
    const index_t batch_;
    const std::uint64_t seed_;
    std::vector<index_t> order_;
    index_t order_epoch_ = -1;
    Examples ready_;
    index_t ready_step_ = -1;
};

// The rows 0 … n − 1 in an order that the seed and the epoch decide (Fisher–Yates, drawing from Threefry).
std::vector<index_t> shuffled(index_t n, std::uint64_t seed, index_t epoch);

}  // namespace glassbox
