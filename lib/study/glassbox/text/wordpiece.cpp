#include <glassbox/text/wordpiece.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <glassbox/io/file.h>
#include <glassbox/text/codes.h>
#include <glassbox/text/detail/lines.h>
#include <glassbox/text/detail/tokenizer_json.h>
#include <glassbox/text/unicode.h>

namespace glassbox {

using namespace detail;

namespace {

constexpr const char* unknown_piece = "[UNK]";
constexpr std::string_view continues = "##";

// The blocks of Chinese characters, as BERT lists them.
bool is_chinese(char32_t code) {
    constexpr std::pair<char32_t, char32_t> blocks[] = {
        {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
        {0x2B740, 0x2B81F}, {0x2B820, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F},
    };
    return std::any_of(std::begin(blocks), std::end(blocks),
                       [code](const auto& block) { return code >= block.first && code <= block.second; });
}

// Unicode's, and all of ASCII that is not a letter, digit, space or control character: $ and ^ too.
bool is_mark_of_its_own(char32_t code) {
    if (code >= 0x80) return is_punctuation(code);
    return code > ' ' && code < 0x7F && !is_letter(code) && !is_number(code);
}

bool is_removed(char32_t code) {
    constexpr char32_t replacement = 0xFFFD;
    const bool is_line_space = code == '\t' || code == '\n' || code == '\r';
    return code == replacement || (is_control(code) && !is_line_space);
}

// Without control characters; spaces of all kinds as one; Chinese characters apart.
std::string cleaned(std::string_view text) {
    check_utf8(text);
    std::string clean;
    for_each_code(text, [&](char32_t code, std::size_t at, std::size_t length) {
        if (is_removed(code)) return;
        if (is_space(code)) clean += ' ';
        else if (is_chinese(code)) (clean += ' ').append(text.substr(at, length)) += ' ';
        else clean += text.substr(at, length);
    });
    return clean;
}

std::string without_accents(std::string_view text) {
    const std::string apart = nfd(text);
    std::string bare;
    for_each_code(apart, [&](char32_t code, std::size_t at, std::size_t length) {
        if (!is_nonspacing_mark(code)) bare += apart.substr(at, length);
    });
    return bare;
}

// The longest piece of the vocabulary with which the rest of a word begins: its id and length in bytes.
std::pair<index_t, std::size_t> longest_piece(const Vocabulary& vocabulary, std::string_view word,
                                              std::size_t begin) {
    std::string piece(begin > 0 ? continues : "");
    const std::size_t before = piece.size();
    piece += word.substr(begin);
    while (piece.size() > before) {
        if (const auto id = vocabulary.find(piece)) return {*id, piece.size() - before};
        do piece.pop_back();  // a character, which may be several bytes
        while (piece.size() > before &&
               (static_cast<unsigned char>(word[begin + piece.size() - before]) & 0xC0) == 0x80);
    }
    return {-1, 0};
}

}  // namespace

std::string WordPieceTokenizer::normalized(std::string_view text) const {
    const std::string clean = cleaned(text);
    return lower_case_ ? lower_case(without_accents(clean)) : clean;
}

std::vector<std::string_view> WordPieceTokenizer::pre_tokens(std::string_view normalized) const {
    std::vector<std::string_view> words;
    std::size_t begin = 0;
    const auto end_word = [&](std::size_t end) {
        if (end > begin) words.push_back(normalized.substr(begin, end - begin));
    };
    for_each_code(normalized, [&](char32_t code, std::size_t at, std::size_t length) {
        const bool is_mark = is_mark_of_its_own(code);
        if (!is_mark && !is_space(code)) return;
        end_word(at);
        if (is_mark) words.push_back(normalized.substr(at, length));
        begin = at + length;
    });
    end_word(normalized.size());
    return words;
}

void WordPieceTokenizer::encode_pre_token(std::string_view piece, std::vector<index_t>& ids) const {
    constexpr std::size_t max_characters = 100;
    std::size_t characters = 0;
    for_each_code(piece, [&](char32_t, std::size_t, std::size_t) { ++characters; });
    const std::size_t before = ids.size();
    for (std::size_t at = 0; at < piece.size();) {
        const auto [id, length] = characters > max_characters ? std::pair(index_t{-1}, std::size_t{0})
                                                              : longest_piece(vocabulary_, piece, at);
        if (id < 0) {
            ids.resize(before);
            ids.push_back(vocabulary_.unknown());
            return;
        }
        ids.push_back(id);
        at += length;
    }
}

std::vector<std::string> WordPieceTokenizer::tokens(std::string_view text) const {
    const std::string normal = normalized(text);
    std::vector<std::string> all;
    for (const std::string_view word : pre_tokens(normal)) {
        std::vector<index_t> ids;
        encode_pre_token(word, ids);
        for (const index_t id : ids)
            all.push_back(id == vocabulary_.unknown() ? std::string(word) : vocabulary_.word(id));
    }
    return all;
}

std::string WordPieceTokenizer::decode(const std::vector<index_t>& ids) const {
    std::string text;
    bool joined = true;  // whether the next is written without a space
    for (const index_t id : ids) {
        const std::string& piece = vocabulary_.word(id);
        if (Vocabulary::is_special(id)) continue;
        const bool is_rest = piece.size() > continues.size() && piece.starts_with(continues);
        const bool closes =
            piece.size() == 1 && std::string_view(".,!?;:)]}%'").find(piece) != std::string::npos;
        if (!joined && !is_rest && !closes) text += ' ';
        text += is_rest ? piece.substr(continues.size()) : piece;
        joined = piece.size() == 1 && std::string_view("([{'").find(piece) != std::string::npos;
    }
    return text;
}

std::string WordPieceTokenizer::json() const {
    return tokenizer_json(kind, vocabulary_, {{"lower_case", lower_case_}, {"shift", shift_}});
}

std::shared_ptr<const WordPieceTokenizer> read_wordpiece(const std::filesystem::path& path, bool lower_case) {
    const std::string file = display_name(path);
    const Bytes bytes = read_file(path);
    std::vector<std::string> tokens;
    for_each_line(as_text(bytes), file, [&](const TextLine& line) { tokens.emplace_back(line.text); });
    FileVocabulary read = vocabulary_from_file(tokens, file);
    if (!read.vocabulary.find(unknown_piece)) fail<FileError>("{}: no token {}", file, unknown_piece);
    read.vocabulary.set_unknown(unknown_piece);
    return std::make_shared<WordPieceTokenizer>(std::move(read.vocabulary), lower_case, read.shift);
}

}  // namespace glassbox
