#pragma once
#include <glassbox/tasks/token_pairs.h>

#include "tasks/shared/translator.h"
#include "tasks/task.h"

namespace glassbox {

// Translations of the same sentences, compared with their references.
struct TranslationScore {
    double exact = 0;  // the share of sentences whose tokens are the reference's
    double bleu = 0, chrf = 0;
};
TranslationScore score_of(const Language& language, const std::vector<std::string>& translations,
                          const std::vector<std::string>& references);

// exp(mean of −ln P(token)) over the references' tokens, each given the right ones before it.
double perplexity(const Transformer& model, const TokenPairs& pairs);

// Texts and their ids.
struct EncodedPairs {
    SentencePairs texts;
    TokenPairs::Sentences source, target;
};

// "96 % of the tokens to be read are <unk>, …" for each side of which a fifth or more is; `of` names the
// sentences, and may be empty.
std::vector<std::string> unknown_notes(const Languages& languages, const EncodedPairs& pairs,
                                       const std::string& of);

// A model's output for sentences that it has not learned: a table with the model and two baselines, the
// sentence itself and, with `training`, its words one by one; then the worst translations.
TestReport translation_report(const Transformer& model, const Languages& languages, const EncodedPairs& test,
                              const EncodedPairs* training, const DecodingConfig& config);

}  // namespace glassbox
