#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Lets a map of strings be searched by a view, without a copy.
struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// Words and their numbers: padding, start and end first, then the words in the order in which they were added
// (fourth document, "vocabulary creation"). It may have a word for those that it does not know, <unk>.
class Vocabulary {
  public:
    static constexpr index_t padding = 0, start = 1, end = 2;
    static constexpr index_t first_word = 3;  // the specials are before it
    static constexpr const char* unknown_word = "<unk>";

    Vocabulary();  // <pad>, <start>, <end>
    explicit Vocabulary(const std::vector<std::vector<std::string>>& sentences);

    // Returns the word's number; it may be there already. `count` is added to how often it occurred.
    index_t add(std::string_view word, std::int64_t count = 1);
    // From now on words that it lacks have this word's number. Adds it where it is not there.
    void set_unknown(std::string_view word = unknown_word);
    void count_unknown(std::int64_t count) { counts_[static_cast<std::size_t>(unknown_)] += count; }

    // <unk>'s number for a word that is not there; without <unk> throws Error.
    index_t operator[](std::string_view word) const;
    std::optional<index_t> find(std::string_view word) const;
    index_t unknown() const { return unknown_; }  // −1: it has no <unk>

    const std::string& word(index_t id) const;  // throws Error for an unknown number, as does count()
    std::int64_t count(index_t id) const;       // how often it occurred in the corpus; 0 for the specials
    index_t size() const { return static_cast<index_t>(words_.size()); }
    static bool is_special(index_t id) { return id >= 0 && id < first_word; }

  private:
    std::size_t position_of(index_t id) const;

    std::vector<std::string> words_;
    std::vector<std::int64_t> counts_;
    std::unordered_map<std::string, index_t, StringHash, std::equal_to<>> ids_;
    index_t unknown_ = -1;
};

// Splits at white space. Throws Error when the text is not UTF-8.
std::vector<std::string> split_words(std::string_view text);

}  // namespace glassbox
