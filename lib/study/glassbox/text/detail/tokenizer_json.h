#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/io/json.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox::detail {

// Bytes as the characters that represent them in GPT-2's files, and back. A character that represents no byte
// is left as it is.
std::string byte_characters(std::string_view bytes);
std::string bytes_of_characters(std::string_view characters);

struct FileVocabulary {
    Vocabulary vocabulary;
    index_t shift = 0;  // see Tokenizer::shift
};

// The tokens of a file, in the order of their ids there. Throws FileError if one is empty or occurs twice.
FileVocabulary vocabulary_from_file(const std::vector<std::string>& tokens, const std::string& file);

// A tokenizer's JSON: {"tokenizer": kind, further fields, "unknown": id, "words": […], "counts": […]}.
std::string tokenizer_json(const char* kind, const Vocabulary& vocabulary,
                           std::initializer_list<JsonObject::Field> fields);

}  // namespace glassbox::detail
