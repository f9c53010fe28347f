#include <glassbox/train/detail/batch_cut.h>

#include <algorithm>
#include <bit>

#include <glassbox/distributed/detail/shares.h>

namespace glassbox {
namespace {

constexpr index_t positions_a_piece = 256;  // what a piece computes then fits into the second-level cache
constexpr index_t positions_at_once = index_t{1} << 16;  // on a device with a memory of its own
constexpr index_t most_lanes = 16;                       // each holds a whole gradient …
constexpr index_t most_gradients = 16'000'000;  // … and together they hold at most so many numbers, or 2

index_t power_of_two_below(index_t n) {
    return static_cast<index_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<index_t>(n, 1))));
}

// The longest sequence of the batch's arrays counts: one-hot x (n, T, d) and labels (n, T) both say T.
index_t positions(const Examples& batch) {
    index_t most = 1;
    for (const auto& [name, array] : batch.arrays)
        if (array.rank() > 1) most = std::max(most, array.size(1));
    return batch.size() * most;
}

}  // namespace

BatchCut cut_of(const Examples& batch, index_t parameters, Device device, index_t lanes) {
    const index_t n = std::max<index_t>(batch.size(), 1);
    if (device != Device::cpu) {
        lanes = std::clamp<index_t>(lanes, 1, n);
        const index_t least = (positions(batch) + positions_at_once - 1) / positions_at_once;
        const index_t each = std::max<index_t>((least + lanes - 1) / lanes, 1);  // pieces of a lane
        return {std::min(each * lanes, n), lanes};
    }
    const index_t wanted = power_of_two_below(positions(batch) / positions_a_piece);
    const index_t pieces = std::clamp<index_t>(std::max<index_t>(wanted, 2), 1, n);
    const index_t afford = power_of_two_below(most_gradients / std::max<index_t>(parameters, 1));
    return {pieces, std::min({pieces, most_lanes, std::max<index_t>(afford, 2)})};
}

Examples piece_of(const Examples& batch, index_t piece, index_t pieces) {
    const index_t n = batch.size();
    return batch.part(share_begin(piece, n, pieces), share_begin(piece + 1, n, pieces));
}

}  // namespace glassbox
