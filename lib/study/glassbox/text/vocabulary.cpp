#include <glassbox/text/vocabulary.h>

#include <algorithm>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/unicode.h>

namespace glassbox {

Vocabulary::Vocabulary() {
    for (const char* special : {"<pad>", "<start>", "<end>"}) add(special, 0);
}

Vocabulary::Vocabulary(const std::vector<std::vector<std::string>>& sentences) : Vocabulary() {
    for (const auto& sentence : sentences)
        for (const std::string& word : sentence) add(word);
}

index_t Vocabulary::add(std::string_view word, std::int64_t count) {
    if (const auto known = ids_.find(word); known != ids_.end()) {
        counts_[static_cast<std::size_t>(known->second)] += count;
        return known->second;
    }
    const index_t id = size();
    ids_.emplace(word, id);
    words_.emplace_back(word);
    counts_.push_back(count);
    return id;
}

void Vocabulary::set_unknown(std::string_view word) { unknown_ = add(word, 0); }

std::optional<index_t> Vocabulary::find(std::string_view word) const {
    const auto known = ids_.find(word);
    return known == ids_.end() ? std::nullopt : std::optional(known->second);
}

index_t Vocabulary::operator[](std::string_view word) const {
    if (const auto known = ids_.find(word); known != ids_.end()) return known->second;
    if (unknown_ < 0) fail("vocabulary: no word '{}' among {}", printable(word), words_.size());
    return unknown_;
}

std::size_t Vocabulary::position_of(index_t id) const {
    if (id < 0 || id >= size()) fail("vocabulary: no word number {}: there are {}", id, size());
    return static_cast<std::size_t>(id);
}

const std::string& Vocabulary::word(index_t id) const { return words_[position_of(id)]; }
std::int64_t Vocabulary::count(index_t id) const { return counts_[position_of(id)]; }

std::vector<std::string> split_words(std::string_view text) {
    check_utf8(text);
    std::vector<std::string> words;
    constexpr std::string_view white = " \t\r\n";
    for (std::size_t at = text.find_first_not_of(white); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(white, at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = text.find_first_not_of(white, end);
    }
    return words;
}

}  // namespace glassbox
