#include "tasks/grammar/grammar.h"

#include <unordered_set>

#include <glassbox/random/generators.h>

#include "tasks/grammar/clause.h"

namespace glassbox {

SentencePairs grammar_pairs(index_t count, std::uint64_t seed) {
    NumpyGenerator generator(seed);
    SentencePairs pairs;
    std::unordered_set<std::string> seen;
    while (pairs.size() < count) {
        const grammar::Sentence drawn = grammar::draw_sentence(generator);
        std::string source = grammar::french(drawn);
        if (!seen.insert(source).second) continue;
        pairs.source.push_back(std::move(source));
        pairs.target.push_back(grammar::english(drawn));
    }
    return pairs;
}

}  // namespace glassbox
