#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/characters.h>
#include <glassbox/text/detail/tokenizer_json.h>
#include <glassbox/text/detail/untrusted_json.h>
#include <glassbox/text/wordpiece.h>
#include <glassbox/text/words.h>

namespace glassbox {

using namespace detail;

namespace {

Vocabulary vocabulary_in(const UntrustedJson& json) {
    const std::vector<std::string> words = json.texts("words");
    const std::vector<index_t> counts = json.numbers("counts");
    if (counts.size() != words.size())
        json.refuse("counts: expected as many as words, {}, got {}", words.size(), counts.size());
    Vocabulary vocabulary;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto id = static_cast<index_t>(i);
        if (i < Vocabulary::first_word && words[i] != vocabulary.word(id))
            json.refuse("words[{}]: expected {}, got '{}'", i, vocabulary.word(id), printable(words[i]));
        if (counts[i] < 0) json.refuse("counts[{}]: expected at least 0, got {}", i, counts[i]);
        if (vocabulary.find(words[i]).value_or(id) != id)
            json.refuse("words[{}]: '{}' appears twice", i, printable(words[i]));
        vocabulary.add(words[i], counts[i]);
    }
    if (vocabulary.size() != static_cast<index_t>(words.size()))
        json.refuse("words: expected <pad>, <start>, <end> first, got {} words", words.size());
    const index_t unknown = json.number("unknown");
    if (unknown < -1 || unknown >= vocabulary.size())
        json.refuse("unknown: expected −1 to {}, got {}", vocabulary.size() - 1, unknown);
    if (unknown >= 0) vocabulary.set_unknown(words[static_cast<std::size_t>(unknown)]);
    return vocabulary;
}

// Words and characters: what they lack must have an id.
Vocabulary vocabulary_with_unknown(const UntrustedJson& json) {
    Vocabulary vocabulary = vocabulary_in(json);
    if (vocabulary.unknown() < 0) json.refuse("unknown: expected the id of <unk>, got −1");
    return vocabulary;
}

std::shared_ptr<const Tokenizer> words_in(const UntrustedJson& json) {
    Vocabulary vocabulary = vocabulary_with_unknown(json);
    std::vector<WordTokenizer::Joined> joined(static_cast<std::size_t>(vocabulary.size()));
    const auto place_of = [&](const std::string& key, const std::string& word) -> WordTokenizer::Joined& {
        const auto id = vocabulary.find(word);
        if (!id) json.refuse("{}: '{}' is not one of the words", key, printable(word));
        return joined[static_cast<std::size_t>(*id)];
    };
    for (const std::string& word : json.texts("joined_before")) place_of("joined_before", word).before = true;
    for (const std::string& word : json.texts("joined_after")) place_of("joined_after", word).after = true;
    return std::make_shared<WordTokenizer>(std::move(vocabulary), std::move(joined), json.flag("lower_case"));
}

std::shared_ptr<const Tokenizer> characters_in(const UntrustedJson& json) {
    return std::make_shared<CharacterTokenizer>(vocabulary_with_unknown(json), json.flag("lower_case"));
}

index_t shift_in(const UntrustedJson& json) {
    const index_t shift = json.number("shift");
    if (shift != 0 && shift != Vocabulary::first_word)
        json.refuse("shift: expected 0 or {}, got {}", Vocabulary::first_word, shift);
    return shift;
}

std::shared_ptr<const Tokenizer> byte_pairs_in(const UntrustedJson& json) {
    Vocabulary vocabulary = vocabulary_in(json);
    std::vector<BytePairTokenizer::Merge> merges;
    for (const std::vector<index_t>& merge : json.lists("merges")) {
        if (merge.size() != 3)
            json.refuse("merges[{}]: expected three ids, got {}", merges.size(), merge.size());
        merges.push_back({merge[0], merge[1], merge[2]});
    }
    const BytePairTokenizer::Config config{json.flag("nfc"), json.flag("lower_case"), shift_in(json)};
    try {
        return std::make_shared<BytePairTokenizer>(std::move(vocabulary), std::move(merges), config);
    } catch (const Error& error) {
        json.refuse("{}", error.what());
    }
}

std::shared_ptr<const Tokenizer> wordpiece_in(const UntrustedJson& json) {
    return std::make_shared<WordPieceTokenizer>(vocabulary_with_unknown(json), json.flag("lower_case"),
                                                shift_in(json));
}

}  // namespace

std::shared_ptr<const Tokenizer> tokenizer_from_json(std::string_view text, const std::string& name) {
    const UntrustedJson json(text, name);
    const std::string kind = json.text("tokenizer");
    if (kind == glassbox::name(TokenKind::words)) return words_in(json);
    if (kind == glassbox::name(TokenKind::characters)) return characters_in(json);
    if (kind == glassbox::name(TokenKind::bpe)) return byte_pairs_in(json);
    if (kind == WordPieceTokenizer::kind) return wordpiece_in(json);
    json.refuse("tokenizer: expected words, characters, bpe or wordpiece, got '{}'", printable(kind));
}

}  // namespace glassbox
