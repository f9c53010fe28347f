#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include <glassbox/mistakes/catalogue/places.h>

// The words for wrong lines that choose tokens.
namespace glassbox::wrong {

// One token for each row.
inline Tensor column(const std::vector<index_t>& tokens) {
    return Tensor({static_cast<index_t>(tokens.size()), 1}, std::vector<real>(tokens.begin(), tokens.end()));
}
// What tokens are chosen by: probabilities, or the scores themselves where there is no softmax.
inline Tensor likelihoods(const Frame& f) { return f.contains("next") ? f["next"] : f["logits"]; }
// The choice from each row of them.
inline Tensor chosen(const Tensor& next, index_t (*choose)(const std::vector<real>& row)) {
    const std::vector<real> all = next.values();
    std::vector<index_t> tokens;
    const auto width = static_cast<std::ptrdiff_t>(next.size(-1));
    for (auto row = all.begin(); row != all.end(); row += width)
        tokens.push_back(choose(std::vector<real>(row, row + width)));
    return column(tokens);
}
inline Mistake choice(const WrongAt& at, const char* name, const char* formula, const char* sentence,
                      index_t (*choose)(const std::vector<real>& row)) {
    return {at, name, formula, sentence,
            [choose](const Frame& f, const Tensor&) { return chosen(likelihoods(f), choose); }};
}

inline index_t place(std::vector<real>::const_iterator at, const std::vector<real>& row) {
    return static_cast<index_t>(at - row.begin());
}
inline index_t largest(const std::vector<real>& row) {
    return place(std::max_element(row.begin(), row.end()), row);
}
inline index_t smallest(const std::vector<real>& row) {
    return place(std::min_element(row.begin(), row.end()), row);
}
inline index_t second(const std::vector<real>& row) {
    std::vector<real> others = row;
    others[static_cast<std::size_t>(largest(row))] = -std::numeric_limits<real>::infinity();
    return largest(others);
}
inline index_t next_to_largest(const std::vector<real>& row) {
    return (largest(row) + 1) % static_cast<index_t>(row.size());
}

}  // namespace glassbox::wrong
