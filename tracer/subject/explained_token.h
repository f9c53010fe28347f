#pragma once
#include <cstdint>
#include <string>

#include <glassbox/text/tokenizer.h>

namespace tracer {

// Why a text is cut into the tokens that it is: the merges in order and why there is no further one, and each
// token's place in the vocabulary, or why it is <unk>. `occurrences`: of the text in the corpus.
std::string explained_token(const glassbox::Tokenizer& tokenizer, const std::string& text,
                            const std::string& occurrences);

}  // namespace tracer
