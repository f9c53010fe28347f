#pragma once
#include <vector>

#include <glassbox/distributed/detail/exchange.h>
#include <glassbox/tensor/real.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox::detail {

// The first index of share i when `count` items are divided into `shares` contiguous shares.
inline index_t share_begin(index_t i, index_t count, index_t shares) { return i * count / shares; }

// The sum of the blocks of all ranks, each rank having its own device. Blocks are added in rank order, then
// in each rank's own order: bitwise equal to the sum that a single rank would compute.
//     1. Every rank sends share r of its blocks to rank r.   2. Rank r adds the shares it received, in order.
//     3. Every rank sends its share of the sum to all.
// With one block per rank, each rank sends and receives (R − 1) / R of a block in step 1 and again in step 3,
// as much as a ring all-reduce. A ring, however, adds each share in a different order.
class RankSum {
  public:
    RankSum(Exchange& exchange, int rank, int ranks, index_t size, Device device);

    // `blocks` is the number of blocks on all ranks: rank r has the blocks b with share_begin(r, …) ≤ b <
    // share_begin(r + 1, …), and `own` are those of this rank. The sum is in total() afterwards.
    void operator()(const std::vector<Tensor>& own, index_t blocks);
    const Tensor& total() const { return total_; }  // (size)

  private:
    index_t begin_of(int rank) const { return rank * share_; }
    index_t count_of(int rank) const;  // how many numbers that rank adds

    Exchange& exchange_;
    const int rank_, ranks_;
    const index_t size_, share_;
    Tensor all_;       // (ranks · share): the sum, padded to equal shares
    Tensor total_;     // view of all_ without the padding
    Tensor received_;  // (number of blocks from other ranks, share)
};

}  // namespace glassbox::detail
