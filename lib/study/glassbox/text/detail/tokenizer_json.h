#pragma once
#include <string>
#include <utility>
#include <vector>

#include <glassbox/text/vocabulary.h>

namespace glassbox {

// A tokenizer's JSON: {"tokenizer": kind, further fields, "unknown": id, "words": […], "counts": […]}.
// Values of fields are JSON.
std::string tokenizer_json(const char* kind, const Vocabulary& vocabulary,
                           const std::vector<std::pair<const char*, std::string>>& fields);

std::string json_bool(bool value);

}  // namespace glassbox
