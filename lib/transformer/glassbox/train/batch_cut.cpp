#include <glassbox/train/examples.h>

#include <algorithm>
#include <bit>

#include <glassbox/distributed/detail/rank_sum.h>

namespace glassbox {
namespace {

constexpr index_t positions_per_piece = 256;  // the activations of a piece then fit into the L2 cache
constexpr index_t device_positions_per_piece = index_t{1} << 16;  // on devices other than the CPU
constexpr index_t max_lanes = 16;              // each has a gradient block for all parameters …
constexpr index_t max_gradients = 16'000'000;  // … and the limit on their numbers in total; at least 2 lanes

index_t power_of_two_below(index_t n) {
    return static_cast<index_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<index_t>(n, 1))));
}

// The second axis is taken for the sequence length T, as in one-hot x (n, T, d) and labels (n, T); the
// longest array counts.
index_t positions(const Examples& batch) {
    index_t longest = 1;
    for (const auto& [name, array] : batch.arrays)
        if (array.rank() > 1) longest = std::max(longest, array.size(1));
    return batch.size() * longest;
}

}  // namespace

BatchCut cut_of(const Examples& batch, index_t parameters, Device device, index_t lanes) {
    const index_t n = std::max<index_t>(batch.size(), 1);
    if (device != Device::cpu) {
        lanes = std::clamp<index_t>(lanes, 1, n);
        const index_t min_pieces =
            (positions(batch) + device_positions_per_piece - 1) / device_positions_per_piece;
        const index_t per_lane = std::max<index_t>((min_pieces + lanes - 1) / lanes, 1);
        return {std::min(per_lane * lanes, n), lanes};
    }
    const index_t wanted = power_of_two_below(positions(batch) / positions_per_piece);
    const index_t pieces = std::clamp<index_t>(std::max<index_t>(wanted, 2), 1, n);
    const index_t affordable = power_of_two_below(max_gradients / std::max<index_t>(parameters, 1));
    return {pieces, std::min({pieces, max_lanes, std::max<index_t>(affordable, 2)})};
}

Examples piece_of(const Examples& batch, index_t piece, index_t pieces) {
    const index_t n = batch.size();
    return batch.part(detail::share_begin(piece, n, pieces), detail::share_begin(piece + 1, n, pieces));
}

}  // namespace glassbox
