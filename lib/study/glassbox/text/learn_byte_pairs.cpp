#include <algorithm>
#include <unordered_map>

#include <glassbox/tensor/format.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/detail/pre_token_counts.h>
#include <glassbox/text/detail/tokenizer_json.h>

namespace glassbox {

using namespace detail;

namespace {

struct TokenPair {
    index_t left, right;
    auto operator<=>(const TokenPair&) const = default;
};

struct PairHash {
    std::size_t operator()(const TokenPair& pair) const {
        return std::hash<std::uint64_t>()(static_cast<std::uint64_t>(pair.left) * 0x9E3779B97F4A7C15u ^
                                          static_cast<std::uint64_t>(pair.right));
    }
};

// A distinct pre-token of the corpus as tokens.
struct PreToken {
    std::vector<index_t> tokens;
    std::int64_t count;
};

// Two neighbours that may be merged next, and the pre-tokens in which they may occur, in ascending order.
struct NextPair {
    TokenPair pair;
    std::int64_t count;
    std::vector<std::size_t> pre_tokens;

    // Which comes later: the rarer; of equally frequent ones that with the greater ids.
    bool operator<(const NextPair& other) const {
        return count != other.count ? count < other.count : pair > other.pair;
    }
};

// The state of the training: pre-tokens, how often each two neighbours occur, and a heap of those that may be
// merged next. A candidate's count may be out of date; it is corrected when it comes to the top. In a run
// such as aaa both pairs are counted although only one can be merged: Hugging Face's trainer does the same,
// and other counts would give other merges.
class Trainer {
  public:
    Trainer(const std::vector<PreTokenCount>& counts, Vocabulary& vocabulary) : vocabulary_(vocabulary) {
        for (int byte = 0; byte < 256; ++byte) {
            const std::string character = byte_characters(std::string(1, static_cast<char>(byte)));
            byte_ids_[static_cast<std::size_t>(byte)] = vocabulary_.find(character).value();
        }
        for (const auto& [text, count] : counts) add_pre_token(text, count);
        offer_found();
    }

    std::vector<BytePairTokenizer::Merge> merges(index_t max_tokens, std::int64_t min_count) {
        std::vector<BytePairTokenizer::Merge> done;
        while (vocabulary_.size() < max_tokens && !heap_.empty()) {
            NextPair top = take();
            const std::int64_t count = counts_.at(top.pair);
            if (top.count != count) {
                top.count = count;
                offer(std::move(top));
                continue;
            }
            if (count < std::max<std::int64_t>(min_count, 1)) break;
            const index_t joined =
                vocabulary_.add(vocabulary_.word(top.pair.left) + vocabulary_.word(top.pair.right), 0);
            done.push_back({top.pair.left, top.pair.right, joined});
            for (const std::size_t pre_token : top.pre_tokens) merge(pre_token, top.pair, joined);
            offer_found();
        }
        return done;
    }

    // How often each token occurs in the corpus after the merges.
    void count_tokens() const {
        for (const PreToken& pre_token : pre_tokens_)
            for (const index_t token : pre_token.tokens)
                vocabulary_.add(vocabulary_.word(token), pre_token.count);
    }

  private:
    void add_pre_token(const std::string& text, std::int64_t count) {
        PreToken pre_token{{}, count};
        for (const char byte : text) pre_token.tokens.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
        pre_tokens_.push_back(std::move(pre_token));
        const std::vector<index_t>& tokens = pre_tokens_.back().tokens;
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
            found({tokens[i], tokens[i + 1]}, pre_tokens_.size() - 1);
    }

    // Two neighbours in a pre-token, which were not there before.
    void found(const TokenPair& pair, std::size_t pre_token) {
        counts_[pair] += pre_tokens_[pre_token].count;
        std::vector<std::size_t>& places = found_[pair];
        if (places.empty() || places.back() != pre_token) places.push_back(pre_token);
    }

    void lost(const TokenPair& pair, std::size_t pre_token) { counts_[pair] -= pre_tokens_[pre_token].count; }

    void merge(std::size_t index, const TokenPair& pair, index_t joined) {
        std::vector<index_t>& tokens = pre_tokens_[index].tokens;
        std::size_t to = 0;
        for (std::size_t from = 0; from < tokens.size(); ++to) {
            if (from + 1 == tokens.size() || TokenPair{tokens[from], tokens[from + 1]} != pair) {
                tokens[to] = tokens[from++];
                continue;
            }
            from += 2;
            if (to > 0) {
                lost({tokens[to - 1], pair.left}, index);
                found({tokens[to - 1], joined}, index);
            }
            tokens[to] = joined;
            if (from < tokens.size()) {
                lost({pair.right, tokens[from]}, index);
                found({joined, tokens[from]}, index);
            }
        }
        tokens.resize(to);
    }

    void offer(NextPair candidate) {
        heap_.push_back(std::move(candidate));
        std::push_heap(heap_.begin(), heap_.end());
    }

    NextPair take() {
        std::pop_heap(heap_.begin(), heap_.end());
        NextPair top = std::move(heap_.back());
        heap_.pop_back();
        return top;
    }

    void offer_found() {
        for (auto& [pair, pre_tokens] : found_)
            if (const std::int64_t count = counts_.at(pair); count > 0)
                offer({pair, count, std::move(pre_tokens)});
        found_.clear();
    }

    Vocabulary& vocabulary_;
    std::array<index_t, 256> byte_ids_;
    std::vector<PreToken> pre_tokens_;
    std::unordered_map<TokenPair, std::int64_t, PairHash> counts_;
    std::unordered_map<TokenPair, std::vector<std::size_t>, PairHash> found_;  // since the last merge
    std::vector<NextPair> heap_;
};

// The specials, then the bytes' characters in the order of their code points.
Vocabulary vocabulary_of_bytes() {
    std::vector<std::string> characters;
    for (int byte = 0; byte < 256; ++byte)
        characters.push_back(byte_characters(std::string(1, static_cast<char>(byte))));
    std::sort(characters.begin(), characters.end());  // UTF-8 sorts as code points do
    Vocabulary vocabulary;
    for (const std::string& character : characters) vocabulary.add(character, 0);
    return vocabulary;
}

}  // namespace

std::shared_ptr<const BytePairTokenizer> learn_byte_pairs(const std::vector<std::string>& corpus,
                                                          const TokenizerConfig& config) {
    Vocabulary vocabulary = vocabulary_of_bytes();
    if (config.vocabulary < vocabulary.size())
        fail<UsageError>("vocabulary: needs at least {} tokens for bpe, one for each byte and {}, got {}",
                         vocabulary.size(), Vocabulary::first_word, config.vocabulary);
    Trainer trainer(count_pre_tokens(corpus, config.lower_case, gpt2_pre_tokens), vocabulary);
    std::vector<BytePairTokenizer::Merge> merges = trainer.merges(config.vocabulary, config.min_count);
    trainer.count_tokens();
    return std::make_shared<BytePairTokenizer>(
        std::move(vocabulary), std::move(merges),
        BytePairTokenizer::Config{.nfc = true, .lower_case = config.lower_case});
}

}  // namespace glassbox
