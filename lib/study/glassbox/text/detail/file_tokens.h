#pragma once
#include <string>
#include <vector>

#include <glassbox/text/vocabulary.h>

namespace glassbox {

struct FileVocabulary {
    Vocabulary vocabulary;
    index_t shift = 0;  // see Tokenizer::shift
};

// The tokens of a file, in the order of their ids there. Throws FileError where one is empty or there twice.
FileVocabulary vocabulary_from_file(const std::vector<std::string>& tokens, const std::string& file);

}  // namespace glassbox
