#include <glassbox/text/byte_pairs.h>

#include <queue>

#include <glassbox/io/json.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/codes.h>
#include <glassbox/text/detail/pre_token_counts.h>
#include <glassbox/text/detail/tokenizer_json.h>
#include <glassbox/text/unicode.h>

namespace glassbox {

using namespace detail;

namespace {

std::uint64_t pair_key(index_t left, index_t right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

// The tokens of a pre-token as a linked list, so that a merge costs the same in a word and in a line of 10
// MB.
struct Link {
    index_t id;
    std::ptrdiff_t before, after;  // −1: none
    bool is_there = true;
};

struct MergeCandidate {
    std::size_t rank;
    std::ptrdiff_t place;
    index_t left, right;

    // Of equal ranks the leftmost first.
    bool operator<(const MergeCandidate& other) const {
        return rank != other.rank ? rank > other.rank : place > other.place;
    }
};

std::vector<index_t> ids_of(const std::vector<Link>& links) {
    std::vector<index_t> ids;
    for (const Link& link : links)
        if (link.is_there) ids.push_back(link.id);
    return ids;
}

}  // namespace

BytePairTokenizer::BytePairTokenizer(Vocabulary vocabulary, std::vector<Merge> merges, const Config& config)
    : vocabulary_(std::move(vocabulary)), merges_(std::move(merges)), config_(config) {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string character = byte_characters(std::string(1, static_cast<char>(byte)));
        const auto id = vocabulary_.find(character);
        if (!id) fail("byte pairs: no token for byte {}, {}", byte, character);
        byte_ids_[static_cast<std::size_t>(byte)] = *id;
    }
    for (std::size_t rank = 0; rank < merges_.size(); ++rank) {
        const auto [left, right, joined] = merges_[rank];
        for (const index_t id : {left, right, joined}) (void)vocabulary_.word(id);
        ranks_[pair_key(left, right)] = {rank, joined};  // of a pair that is there twice, the last
    }
}

const BytePairTokenizer::Found* BytePairTokenizer::find(index_t left, index_t right) const {
    const auto found = ranks_.find(pair_key(left, right));
    return found == ranks_.end() ? nullptr : &found->second;
}

std::vector<index_t> BytePairTokenizer::bytes(std::string_view pre_token) const {
    std::vector<index_t> ids;
    for (const char byte : pre_token) ids.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
    return ids;
}

// Replaces two neighbours by one token, again and again: first those whose merge has the smallest rank.
template <class OnMerge>
void BytePairTokenizer::merge(std::string_view pre_token, std::vector<index_t>& ids, OnMerge on_merge) const {
    std::vector<Link> links;
    for (const index_t id : bytes(pre_token)) {
        const auto place = static_cast<std::ptrdiff_t>(links.size());
        links.push_back({id, place - 1, place + 1});
    }
    if (links.empty()) return;
    links.back().after = -1;
    const auto at = [&](std::ptrdiff_t place) -> Link& { return links[static_cast<std::size_t>(place)]; };
    std::priority_queue<MergeCandidate> queue;
    const auto offer = [&](std::ptrdiff_t place) {
        if (place < 0 || at(place).after < 0) return;
        const index_t left = at(place).id, right = at(at(place).after).id;
        if (const Found* found = find(left, right)) queue.push({found->rank, place, left, right});
    };
    for (std::size_t i = 0; i + 1 < links.size(); ++i) offer(static_cast<std::ptrdiff_t>(i));
    while (!queue.empty()) {
        const auto [rank, place, left, right] = queue.top();
        queue.pop();
        Link& first = at(place);
        if (!first.is_there || first.id != left || first.after < 0 || at(first.after).id != right) continue;
        const Link second = at(first.after);
        at(first.after).is_there = false;
        first.id = find(left, right)->joined;
        first.after = second.after;
        if (second.after >= 0) at(second.after).before = place;
        offer(first.before);
        offer(place);
        on_merge(rank, links);
    }
    for (const index_t id : ids_of(links)) ids.push_back(id);
}

void BytePairTokenizer::encode_pre_token(std::string_view pre_token, std::vector<index_t>& ids) const {
    merge(pre_token, ids, [](std::size_t, const std::vector<Link>&) {});
}

std::vector<BytePairTokenizer::Step> BytePairTokenizer::steps(std::string_view pre_token) const {
    std::vector<Step> done;
    std::vector<index_t> ids;
    merge(pre_token, ids, [&](std::size_t rank, const std::vector<Link>& links) {
        done.push_back({rank, merges_[rank], ids_of(links)});
    });
    return done;
}

std::string BytePairTokenizer::normalized(std::string_view text) const {
    check_utf8(text);
    std::string normal = config_.nfc ? nfc(text) : std::string(text);
    if (!config_.lower_case) return normal;
    return config_.nfc ? nfc(lower_case(normal)) : lower_case(normal);
}

std::vector<std::string_view> BytePairTokenizer::pre_tokens(std::string_view normalized) const {
    return gpt2_pre_tokens(normalized);
}

std::vector<std::string> BytePairTokenizer::tokens(std::string_view text) const {
    std::vector<std::string> all;
    for (const index_t id : encode(text)) all.push_back(shown(id));
    return all;
}

std::string BytePairTokenizer::bytes_of(index_t id) const {
    return bytes_of_characters(vocabulary_.word(id));
}

index_t BytePairTokenizer::length(index_t id) const { return static_cast<index_t>(bytes_of(id).size()); }

std::string BytePairTokenizer::shown(index_t id) const {
    if (Vocabulary::is_special(id)) return vocabulary_.word(id);
    std::string text;
    const std::string all = bytes_of(id);
    for (std::size_t i = 0; i < all.size();) {
        const std::size_t length = utf8_length(all, i);
        if (all[i] == ' ') text += "␣";
        else if (length == 0) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(all[i]));
        else text += all.substr(i, length);
        i += std::max<std::size_t>(length, 1);
    }
    return text;
}

std::string BytePairTokenizer::decode(const std::vector<index_t>& ids) const {
    std::string all, text;
    for (const index_t id : ids) {
        const std::string own = bytes_of(id);
        if (!Vocabulary::is_special(id)) all += own;
    }
    for (std::size_t i = 0; i < all.size();) {
        const std::size_t length = utf8_length(all, i);
        text += length == 0 ? "\uFFFD" : all.substr(i, length);
        i += std::max<std::size_t>(length, 1);
    }
    return text;
}

std::string BytePairTokenizer::json() const {
    const auto ids = [](const Merge& merge) { return JsonList{merge.left, merge.right, merge.joined}; };
    return tokenizer_json(name(TokenKind::bpe), vocabulary_,
                          {{"nfc", config_.nfc},
                           {"lower_case", config_.lower_case},
                           {"shift", config_.shift},
                           {"merges", JsonList(merges_, ids)}});
}

}  // namespace glassbox
