#include <glassbox/tasks/token_pairs.h>

#include <algorithm>
#include <utility>

#include <glassbox/tasks/classified.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/teacher_forcing.h>

namespace glassbox {

TokenPairs::TokenPairs(Sentences source, Sentences target, index_t unknown)
    : source_(std::move(source)), target_(std::move(target)) {
    if (source_.size() != target_.size())
        fail("translation: needs as many translations as sentences, got {} and {}", target_.size(),
             source_.size());
    for (const auto& sentence : target_)
        if (std::find(sentence.begin(), sentence.end(), unknown) != sentence.end()) unknown_ = unknown;
}

namespace {

Tensor as_tensor(const std::vector<index_t>& lengths) {
    return Tensor(Shape{static_cast<index_t>(lengths.size())},
                  std::vector<real>(lengths.begin(), lengths.end()));
}

}  // namespace

Examples TokenPairs::at(const std::vector<index_t>& rows) const {
    Sentences source, target;
    for (const index_t row : rows) {
        if (row < 0 || row >= size()) fail("translation: no pair {}: there are {}", row, size());
        source.push_back(source_[static_cast<std::size_t>(row)]);
        target.push_back(target_[static_cast<std::size_t>(row)]);
    }
    const TeacherForcing made = teacher_forcing(source, target);
    Examples examples{{{"source", made.inputs.tokens},
                       {"target", made.targets.tokens},
                       {"labels", made.labels},
                       {"source_lengths", as_tensor(made.inputs.lengths)},
                       {"target_lengths", as_tensor(made.targets.lengths)}}};
    if (unknown_ >= 0) examples.arrays.emplace_back("answers", answers_among(made.labels, unknown_));
    return examples;
}

void TokenPairs::arrange(std::vector<index_t>& rows, index_t batch) const {
    const auto size = static_cast<std::size_t>(batch);
    const std::size_t whole = rows.size() / size * size;  // the rest is dropped: of any length
    const auto lengths = [&](std::size_t drawn) {
        const auto row = static_cast<std::size_t>(rows[drawn]);
        return std::pair(target_[row].size(), source_[row].size());
    };
    std::vector<std::size_t> order(whole);  // positions in `rows`
    for (std::size_t i = 0; i < whole; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return lengths(a) < lengths(b); });
    std::vector<std::size_t> batches;  // where each begins in `order`
    for (std::size_t begin = 0; begin < whole; begin += size) batches.push_back(begin);
    std::sort(batches.begin(), batches.end(),
              [&](std::size_t a, std::size_t b) { return order[a] < order[b]; });
    std::vector<index_t> arranged;
    for (const std::size_t begin : batches)
        for (std::size_t i = begin; i < begin + size; ++i) arranged.push_back(rows[order[i]]);
    std::copy(arranged.begin(), arranged.end(), rows.begin());
}

}  // namespace glassbox
