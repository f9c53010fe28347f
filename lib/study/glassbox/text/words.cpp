#include <glassbox/text/words.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include <glassbox/io/json.h>
#include <glassbox/text/codes.h>
#include <glassbox/text/detail/pre_token_counts.h>
#include <glassbox/text/detail/tokenizer_json.h>
#include <glassbox/text/unicode.h>

namespace glassbox {

using namespace detail;

namespace {

struct Code {
    char32_t code = 0;
    std::size_t length = 0;  // 0: the text has ended
};

Code code_at(std::string_view text, std::size_t position) {
    if (position >= text.size()) return {};
    const auto first = static_cast<unsigned char>(text[position]);
    if (first < 0x80) return {first, 1};
    return {utf8_code(text, position), utf8_length(text, position)};
}

// Joiners occur inside words of Persian and of Indian scripts.
bool is_joiner(char32_t code) { return code == 0x200C || code == 0x200D; }
bool is_word_code(char32_t code) { return is_letter(code) || is_number(code) || is_mark(code); }
bool is_apostrophe(char32_t code) { return code == '\'' || code == 0x2019; }
bool is_hyphen(char32_t code) { return code == '-' || code == 0x2010 || code == 0x2011; }

// A letter that can be elided before a vowel, without its apostrophe.
bool is_elided(std::string_view word) {
    constexpr std::array<std::string_view, 13> elided = {"l", "d",  "j",     "m",      "t",      "s",     "c",
                                                         "n", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"};
    constexpr std::size_t longest = 6;
    if (word.size() > longest) return false;
    const std::string lower = lower_case(word);
    return std::find(elided.begin(), elided.end(), lower) != elided.end();
}

// The end of the word that begins at `begin`.
std::size_t word_end(std::string_view text, std::size_t begin) {
    char32_t before = 0;
    for (std::size_t at = begin;;) {
        const Code here = code_at(text, at);
        if (here.length == 0) return at;
        if (is_word_code(here.code) || is_joiner(here.code)) {
            before = here.code;
            at += here.length;
            continue;
        }
        const char32_t next = code_at(text, at + here.length).code;
        const bool in_number = is_number(before) && is_number(next) &&
                               (here.code == '.' || here.code == ',' || here.code == ':');
        const bool hyphenated = is_hyphen(here.code) && is_word_code(next);
        const bool apostrophe = is_apostrophe(here.code) && !is_number(before) && is_letter(next);
        if (apostrophe && is_elided(text.substr(begin, at - begin))) return at + here.length;
        if (!in_number && !hyphenated && !apostrophe) return at;
        before = here.code;
        at += here.length;
    }
}

// A run without white space: its words and marks.
void split_run(std::string_view run, std::vector<std::string_view>& tokens) {
    for (std::size_t at = 0; at < run.size();) {
        const Code here = code_at(run, at);
        std::size_t end = at + here.length;
        if (is_word_code(here.code)) end = word_end(run, at);
        else if (here.code >= 0x80) end = at + first_grapheme(run.substr(at)).size();
        tokens.push_back(run.substr(at, end - at));
        at = end;
    }
}

std::vector<std::string_view> runs(std::string_view text) {
    std::vector<std::string_view> found;
    std::size_t begin = std::string_view::npos;
    for_each_code(text, [&](char32_t code, std::size_t at, std::size_t) {
        if (!is_space(code)) {
            if (begin == std::string_view::npos) begin = at;
        } else if (begin != std::string_view::npos) {
            found.push_back(text.substr(begin, at - begin));
            begin = std::string_view::npos;
        }
    });
    if (begin != std::string_view::npos) found.push_back(text.substr(begin));
    return found;
}

std::vector<std::string_view> tokens_of_run(std::string_view run) {
    std::vector<std::string_view> tokens;
    split_run(run, tokens);
    return tokens;
}

}  // namespace

std::vector<std::string_view> words_and_marks(std::string_view normalized) {
    check_utf8(normalized);
    std::vector<std::string_view> tokens;
    for (const std::string_view run : runs(normalized)) split_run(run, tokens);
    return tokens;
}

bool is_word(std::string_view token) { return !token.empty() && is_word_code(first_code(token)); }

bool is_elision(std::string_view token) {
    for (const std::string_view apostrophe : {"'", "’"})
        if (token.ends_with(apostrophe)) return is_elided(token.substr(0, token.size() - apostrophe.size()));
    return false;
}

WordTokenizer::WordTokenizer(Vocabulary vocabulary, std::vector<Joined> joined, bool lower_case)
    : vocabulary_(std::move(vocabulary)), joined_(std::move(joined)), lower_case_(lower_case) {
    joined_.resize(static_cast<std::size_t>(vocabulary_.size()));
}

std::string WordTokenizer::normalized(std::string_view text) const { return normal_text(text, lower_case_); }

std::vector<std::string_view> WordTokenizer::pre_tokens(std::string_view normalized) const {
    return runs(normalized);
}

void WordTokenizer::encode_pre_token(std::string_view pre_token, std::vector<index_t>& ids) const {
    for (const std::string_view word : tokens_of_run(pre_token)) ids.push_back(vocabulary_[word]);
}

std::vector<std::string> WordTokenizer::tokens(std::string_view text) const {
    const std::string normal = normalized(text);
    const std::vector<std::string_view> found = words_and_marks(normal);
    return {found.begin(), found.end()};
}

std::string WordTokenizer::decode(const std::vector<index_t>& ids) const {
    std::string text;
    bool quoted = false, joined = true;  // whether a " is open; whether the next is written without a space
    for (const index_t id : ids) {
        const std::string& word = vocabulary_.word(id);
        if (Vocabulary::is_special(id)) continue;
        Joined own = joined_[static_cast<std::size_t>(id)];
        if (word == "\"") {
            own = {quoted, !quoted};
            quoted = !quoted;
        }
        if (!joined && !own.before) text += ' ';
        text += word;
        joined = own.after || is_elision(word);
    }
    return text;
}

std::string WordTokenizer::json() const {
    std::vector<std::string> before, after;
    for (index_t id = 0; id < vocabulary_.size(); ++id) {
        const Joined joined = joined_[static_cast<std::size_t>(id)];
        if (joined.before) before.push_back(vocabulary_.word(id));
        if (joined.after) after.push_back(vocabulary_.word(id));
    }
    return tokenizer_json(name(TokenKind::words), vocabulary_,
                          {{"lower_case", lower_case_}, {"joined_before", before}, {"joined_after", after}});
}

namespace {

// How often a punctuation mark occurred, and how often without a space before and after.
struct MarkCounts {
    std::int64_t all = 0, before = 0, after = 0;
};

}  // namespace

std::shared_ptr<const WordTokenizer> learn_words(const std::vector<std::string>& corpus,
                                                 const TokenizerConfig& config) {
    std::vector<PreTokenCount> words;
    std::unordered_map<std::string_view, std::size_t> places;
    std::unordered_map<std::string, MarkCounts> marks;
    const std::vector<PreTokenCount> counted = count_pre_tokens(corpus, config.lower_case, runs);
    for (const auto& [run, count] : counted) {
        const std::vector<std::string_view> tokens = tokens_of_run(run);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto [place, is_new] = places.emplace(tokens[i], words.size());
            if (is_new) words.push_back({std::string(tokens[i]), 0});
            words[place->second].count += count;
            if (is_word(tokens[i])) continue;
            MarkCounts& mark = marks[std::string(tokens[i])];
            mark.all += count;
            if (i > 0) mark.before += count;
            if (i + 1 < tokens.size()) mark.after += count;
        }
    }
    Vocabulary vocabulary = learned_words(std::move(words), config);
    std::vector<WordTokenizer::Joined> joined(static_cast<std::size_t>(vocabulary.size()));
    for (const auto& [mark, seen] : marks)
        if (const auto id = vocabulary.find(mark))
            joined[static_cast<std::size_t>(*id)] = {2 * seen.before > seen.all, 2 * seen.after > seen.all};
    return std::make_shared<WordTokenizer>(std::move(vocabulary), std::move(joined), config.lower_case);
}

}  // namespace glassbox
