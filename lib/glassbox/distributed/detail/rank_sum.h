#pragma once
#include <vector>

#include <glassbox/distributed/detail/exchange.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The sum of all ranks' blocks, where each rank's are on a device of its own: in the ranks' order and each
// rank's own order, to the bit what one rank would add up.
//     1. Every rank sends share r of its blocks to rank r.   2. Rank r adds up the shares it got, in order.
//     3. Every rank sends its share of the sum to all.
// With one block a rank, each sends and receives (R − 1) / R of a block in 1 and as much in 3: what a ring
// moves, too. But a ring adds up each share in another order, beginning with another rank.
class RankSum {
  public:
    RankSum(Exchange& exchange, int rank, int ranks, index_t size, Device device);

    // Block b of `blocks` is with rank r when share_begin(r, …) ≤ b < share_begin(r + 1, …); `own` are
    // those of this rank. The sum is in total() afterwards.
    void operator()(const std::vector<Tensor>& own, index_t blocks);
    const Tensor& total() const { return total_; }  // (size)

  private:
    index_t begin_of(int rank) const { return rank * share_; }
    index_t count_of(int rank) const;  // of the numbers that rank adds up

    Exchange& exchange_;
    const int rank_, ranks_;
    const index_t size_, share_;
    Tensor all_;       // ranks · share numbers: the sum, and what is too much for equal shares
    Tensor total_;     // a view of it
    Tensor received_;  // (blocks of the others, share)
};

}  // namespace glassbox
