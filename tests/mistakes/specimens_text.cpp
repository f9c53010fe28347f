#include <glassbox/decoding/token_reader.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>
#include <glassbox/text/counted_pairs.h>

#include <algorithm>

#include "mistakes/specimens.h"

using namespace glassbox;

namespace specimens {

namespace {

// A row of letters' numbers for each word.
Tensor rows(const std::vector<std::string>& words) {
    std::size_t longest = 0;
    for (const std::string& word : words) longest = std::max(longest, word.size());
    std::vector<real> numbers;
    for (const std::string& word : words)
        for (std::size_t i = 0; i < longest; ++i)
            numbers.push_back(i < word.size() ? static_cast<real>(word[i]) : real(0));
    return Tensor({static_cast<index_t>(words.size()), static_cast<index_t>(longest)}, numbers);
}

struct Corpus {
    std::vector<std::string> words;
    std::vector<real> counts;
    index_t how_many;
    std::vector<std::string> text;
};

void add_pairs(std::vector<Specimen>& all, const Corpus& corpus) {
    const Tensor words = rows(corpus.words), text = rows(corpus.text),
                 counts({static_cast<index_t>(corpus.counts.size())}, corpus.counts);
    for (const char* result : {"letters", "ids", "pairs", "merges", "tokens"})
        all.push_back({"byte pairs",
                       {[=, how_many = corpus.how_many] {
                            (void)encode_counted_pairs(text, learn_counted_pairs(words, counts, how_many));
                        },
                        result}});
}

void add_reader(std::vector<Specimen>& all, Stream& s) {
    const auto linear = [&s](index_t in, index_t out) {
        return Linear{s.normal({out, in}) * 0.6, s.normal({out}) * 0.5};
    };
    for (const index_t d : {4, 6}) {
        TokenReader reader{TokenEmbedding(9, d), linear(d, d), linear(d, d), linear(d, d), linear(d, 9)};
        reader.embedding.weight = s.normal({9, d}) * 0.6;
        const Tensor tokens({5}, {1, 7, 4, 4, 8});
        for (const char* result : {"attention/values", "logits", "token"})
            all.push_back({"a decoder that reads tokens", {[=] { (void)reader(tokens); }, result}});
    }
}

}  // namespace

std::vector<Specimen> of_text() {
    const auto stream = make_stream(Rng::numpy, 6);
    std::vector<Specimen> all;
    add_pairs(all,
              {{"low", "lowest", "newer", "wider"}, {5, 2, 6, 3}, 7, {"lower", "newest", "show", "wide"}});
    add_pairs(
        all,
        {{"aaaa", "abab", "baab", "cabc", "aaacaa"}, {2, 3, 1, 2, 1}, 6, {"aaaaa", "cababc", "bdab", "b"}});
    add_pairs(all, {{"bc", "abc", "abd", "aaae"}, {9, 5, 4, 3}, 6, {"abcd", "aabc", "eaaa"}});
    add_reader(all, *stream);
    return all;
}

}  // namespace specimens
