#include <glassbox/distributed/detail/rank_sum.h>

#include <algorithm>

#include <glassbox/distributed/communicator.h>
#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox::detail {
namespace {

// The share size: equal for all ranks, as an all-gather requires, and a multiple of the alignment.
index_t share_of(index_t size, int ranks) {
    constexpr index_t alignment = 16;
    const index_t min_share = (size + ranks - 1) / ranks;
    return (min_share + alignment - 1) / alignment * alignment;
}

Tensor part(const Tensor& block, index_t begin, index_t count) {
    return block.alias({count}, contiguous_strides({count}), begin);
}

}  // namespace

RankSum::RankSum(Exchange& exchange, int rank, int ranks, index_t size, Device device)
    : exchange_(exchange),
      rank_(rank),
      ranks_(ranks),
      size_(size),
      share_(share_of(size, ranks)),
      all_(Tensor::zeros({ranks * share_}, device)),
      total_(part(all_, 0, size)) {}

index_t RankSum::count_of(int rank) const { return std::clamp<index_t>(size_ - begin_of(rank), 0, share_); }

void RankSum::operator()(const std::vector<Tensor>& own, index_t blocks) {
    const index_t others = blocks - static_cast<index_t>(own.size()), count = count_of(rank_);
    if (!received_.defined() || received_.size(0) < others)
        received_ = Tensor::zeros({others, share_}, all_.device());
    std::vector<Exchange::Outgoing> outgoing;
    std::vector<Exchange::Incoming> incoming;
    std::vector<Tensor> shares;  // of all blocks, in order
    for (int r = 0; r < ranks_; ++r) {
        if (r == rank_) {
            for (const Tensor& block : own) shares.push_back(part(block, begin_of(r), count));
            continue;
        }
        for (const Tensor& block : own)
            if (count_of(r) > 0) outgoing.push_back({r, block.data() + begin_of(r), count_of(r)});
        const index_t theirs = share_begin(r + 1, blocks, ranks_) - share_begin(r, blocks, ranks_);
        for (index_t i = 0; i < theirs && count > 0; ++i) {
            shares.push_back(part(received_, static_cast<index_t>(incoming.size()) * share_, count));
            incoming.push_back({r, mutable_view(shares.back()).data, count});
        }
    }
    exchange_.exchange(outgoing, incoming);
    if (count > 0) {
        Tensor sum = part(all_, begin_of(rank_), count);
        add_in_order(shares, sum, false);
    }
    exchange_.gather(mutable_view(all_).data, share_);
    exchange_.wait();
}

}  // namespace glassbox::detail
