#include <glassbox/train/detail/batches.h>

#include <numeric>

#include <glassbox/random/threefry.h>

namespace glassbox::detail {

Examples Batches::of(index_t step) { return step == prefetched_step_ ? prefetched_ : load(step); }

Examples Batches::load(index_t step) {
    const auto begin = order_of(step / per_epoch()).begin() + step % per_epoch() * batch_;
    return data_.at({begin, begin + batch_});
}

void Batches::prefetch(index_t step) {
    prefetched_step_ = -1;
    try {
        prefetched_ = load(step);
        prefetched_step_ = step;
    } catch (const std::exception&) {
    }
}

const std::vector<index_t>& Batches::order_of(index_t epoch) {
    if (epoch != order_epoch_) {
        order_ = shuffled(data_.size(), seed_, epoch);
        data_.begin_epoch(epoch);
        data_.arrange(order_, batch_);
        order_epoch_ = epoch;
    }
    return order_;
}

// The upper 32 bits of draw · i are uniform on 0 … i − 1, up to a bias of at most i / 2³².
std::vector<index_t> shuffled(index_t n, std::uint64_t seed, index_t epoch) {
    std::vector<index_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), index_t{0});
    const TwoWords of_seed{static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(seed)};
    const TwoWords key = threefry(of_seed, {0x6f726472u, static_cast<std::uint32_t>(epoch)});  // "ordr"
    for (std::size_t i = order.size(); i > 1; --i) {
        const TwoWords draw = threefry(key, {static_cast<std::uint32_t>(i), 0});
        const std::size_t at = static_cast<std::size_t>((std::uint64_t{draw.first} * i) >> 32);
        std::swap(order[i - 1], order[at]);
    }
    return order;
}

}  // namespace glassbox::detail
