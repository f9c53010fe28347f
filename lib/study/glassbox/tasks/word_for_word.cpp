#include <glassbox/tasks/word_for_word.h>

#include <algorithm>
#include <cstdint>
#include <set>

namespace glassbox {

WordForWord::WordForWord(const Sentences& source, const Sentences& target, std::size_t max_pairs) {
    std::unordered_map<index_t, double> of_source, of_target;
    std::unordered_map<std::uint64_t, double> together;  // source id · 2³² + target id
    for (std::size_t i = 0; i < std::min(source.size(), max_pairs); ++i) {
        const std::set<index_t> read(source[i].begin(), source[i].end()),
            written(target[i].begin(), target[i].end());
        for (const index_t s : read) ++of_source[s];
        for (const index_t t : written) ++of_target[t];
        for (const index_t s : read)
            for (const index_t t : written)
                ++together[static_cast<std::uint64_t>(s) << 32 | static_cast<std::uint64_t>(t)];
    }
    std::unordered_map<index_t, double> best;
    for (const auto& [pair, n] : together) {
        const auto s = static_cast<index_t>(pair >> 32), t = static_cast<index_t>(pair & 0xffffffff);
        const double dice = 2 * n / (of_source[s] + of_target[t]);
        const auto found = best.find(s);
        const bool better = found == best.end() || dice > found->second ||
                            (dice == found->second && t < translations_[s]);  // whatever the map's order
        if (better) best[s] = dice, translations_[s] = t;
    }
}

std::vector<index_t> WordForWord::operator()(const std::vector<index_t>& sentence) const {
    std::vector<index_t> written;
    for (const index_t token : sentence)
        if (const auto found = translations_.find(token); found != translations_.end())
            written.push_back(found->second);
    return written;
}

}  // namespace glassbox
