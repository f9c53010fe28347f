#include <glassbox/train/communicator.h>

namespace glassbox {

std::optional<RankDifference> first_difference(Communicator& ranks, const std::vector<double>& own) {
    const std::vector<double> all = ranks.gather(own);  // (ranks, numbers)
    for (std::size_t at = own.size(); at < all.size(); ++at) {
        const std::size_t which = at % own.size();
        if (all[at] != all[which]) return RankDifference{which, all[which], at / own.size(), all[at]};
    }
    return std::nullopt;
}

}  // namespace glassbox
