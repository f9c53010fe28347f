#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <glassbox/text/tokenizer.h>

#include "report/report.h"

namespace glassbox::tracer {

// Sentences, or pairs of sentences, and what cuts them into tokens.
struct TokenizedText {
    std::vector<std::string> sentences;
    std::vector<std::string> targets;  // empty: each sentence is its own target, as for a model that goes on
    std::shared_ptr<const Tokenizer> source, target;

    bool has_pairs() const { return !targets.empty(); }
    const Tokenizer& target_tokenizer() const { return has_pairs() ? *target : *source; }
};

// The fourth document's steps, from each sentence's characters to the padded batch and the shift of teacher
// forcing, each number with its token.
std::vector<Report::Step> token_steps(const TokenizedText& text);

// Why a text is cut into its tokens: the merges in order and why there is no further one, and each token's
// place in the vocabulary, or why it is <unk>. `occurrences`: of the text in the corpus.
std::string explained_token(const Tokenizer& tokenizer, const std::string& text,
                            const std::string& occurrences);

}  // namespace glassbox::tracer
