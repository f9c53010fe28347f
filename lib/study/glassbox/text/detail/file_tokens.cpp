#include <glassbox/text/detail/tokenizer_json.h>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

FileVocabulary vocabulary_from_file(const std::vector<std::string>& tokens, const std::string& file) {
    FileVocabulary read;
    constexpr auto specials = static_cast<std::size_t>(Vocabulary::first_word);
    bool begins_with_specials = tokens.size() >= specials;
    for (std::size_t i = 0; begins_with_specials && i < specials; ++i)
        begins_with_specials = tokens[i] == read.vocabulary.word(static_cast<index_t>(i));
    read.shift = begins_with_specials ? 0 : Vocabulary::first_word;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].empty()) fail<FileError>("{}: token {} is empty", file, i);
        const index_t id = static_cast<index_t>(i) + read.shift;
        if (read.vocabulary.add(tokens[i], 0) != id)
            fail<FileError>("{}: token {}, '{}', appears twice, or is one that Glassbox puts first", file, i,
                            printable(tokens[i]));
    }
    return read;
}

}  // namespace glassbox::detail
