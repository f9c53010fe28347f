#include "cli/nearest.h"

#include <algorithm>
#include <cctype>

namespace glassbox::tracer {
namespace {

// Lower case, without an option's leading dashes.
std::string normalised(std::string_view word) {
    std::string result;
    for (const char c : word.substr(std::min(word.find_first_not_of('-'), word.size())))
        result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

// Insertions, deletions, substitutions and swaps of neighbours between two words.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    std::string best;
    const std::string typed = normalised(word);
    if (typed.empty() || typed.size() > 256) return best;
    // A greater distance, or no letter in common, is not a typing error.
    std::size_t limit = std::min(std::max<std::size_t>(1, typed.size() / 3) + 1, typed.size());
    for (const std::string& candidate : candidates) {
        const std::string known = normalised(candidate);
        const bool is_prefix = typed.size() >= 3 && known.starts_with(typed);
        const std::size_t d = known == typed ? 0 : is_prefix ? 1 : distance(typed, known);
        if (d < limit) {
            limit = d;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const std::string best = nearest(word, candidates);
    return best.empty() ? "" : "; did you mean '" + best + "'?";
}

}  // namespace glassbox::tracer
