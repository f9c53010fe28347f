#include <glassbox/text/tokenizer.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/characters.h>
#include <glassbox/text/vocabulary.h>
#include <glassbox/text/words.h>

namespace glassbox {
namespace {

// The tokens of the pre-tokens that one thread has met.
class PreTokenCache {
  public:
    explicit PreTokenCache(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    void encode(std::string_view pre_token, std::vector<index_t>& ids) {
        constexpr std::size_t longest = 64, max_kept = std::size_t{1} << 18;
        if (pre_token.size() > longest) {
            tokenizer_.encode_pre_token(pre_token, ids);
            return;
        }
        const auto known = tokens_.find(pre_token);
        if (known != tokens_.end()) {
            ids.insert(ids.end(), known->second.begin(), known->second.end());
            return;
        }
        if (tokens_.size() == max_kept) tokens_.clear();
        std::vector<index_t> own;
        tokenizer_.encode_pre_token(pre_token, own);
        ids.insert(ids.end(), own.begin(), own.end());
        own.shrink_to_fit();
        tokens_.emplace(pre_token, std::move(own));
    }

  private:
    const Tokenizer& tokenizer_;
    std::unordered_map<std::string, std::vector<index_t>, StringHash, std::equal_to<>> tokens_;
};

// As many caches as threads, each used by one thread at a time.
class CachePool {
  public:
    explicit CachePool(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    std::unique_ptr<PreTokenCache> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<PreTokenCache>(tokenizer_);
        std::unique_ptr<PreTokenCache> cache = std::move(free_.back());
        free_.pop_back();
        return cache;
    }
    void give_back(std::unique_ptr<PreTokenCache> cache) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(cache));
    }

  private:
    const Tokenizer& tokenizer_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<PreTokenCache>> free_;
};

}  // namespace

std::vector<index_t> Tokenizer::encode(std::string_view text) const {
    const std::string normal = normalized(text);
    std::vector<index_t> ids;
    for (const std::string_view pre_token : pre_tokens(normal)) encode_pre_token(pre_token, ids);
    return ids;
}

std::vector<std::vector<index_t>> Tokenizer::encode(const std::vector<std::string>& lines) const {
    std::vector<std::vector<index_t>> all(lines.size());
    const auto count = static_cast<index_t>(lines.size());
    constexpr index_t grain = 1024;
    CachePool caches(*this);
    parallel_for(count, grain, [&](index_t begin, index_t end) {
        std::unique_ptr<PreTokenCache> cache = caches.take();
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const std::string normal = normalized(lines[i]);
            for (const std::string_view pre_token : pre_tokens(normal)) cache->encode(pre_token, all[i]);
        }
        caches.give_back(std::move(cache));
    });
    return all;
}

std::shared_ptr<const Tokenizer> learn_tokenizer(const std::vector<std::string>& corpus,
                                                 const TokenizerConfig& config) {
    constexpr index_t max_tokens = 10'000'000;
    if (config.vocabulary < Vocabulary::first_word + 2 || config.vocabulary > max_tokens)
        fail<UsageError>("vocabulary: expected {} to {} tokens, got {}", Vocabulary::first_word + 2,
                         max_tokens, config.vocabulary);
    if (config.min_count < 1) fail<UsageError>("min-count: expected at least 1, got {}", config.min_count);
    switch (config.kind) {
        case TokenKind::words:
            return learn_words(corpus, config);
        case TokenKind::characters:
            return learn_characters(corpus, config);
        case TokenKind::bpe:
            return learn_byte_pairs(corpus, config);
    }
    fail<UsageError>("tokens: unknown kind");
}

}  // namespace glassbox
