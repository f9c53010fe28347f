#pragma once
#include <memory>
#include <string>
#include <vector>

#include <glassbox/decoding/decoding.h>
#include <glassbox/text/corpus.h>
#include <glassbox/text/tokenizer.h>

#include "tasks/shared/translation_settings.h"

namespace glassbox {

// Texts of one language ⇄ ids.
struct Language {
    std::shared_ptr<const Tokenizer> tokenizer;
    bool lower = false;  // texts are read in lower case

    std::string read(const std::string& text) const;  // in lower case if asked
    std::vector<std::string> read(std::vector<std::string> texts) const;
    template <class Texts>  // one, or a list
    auto encode(const Texts& texts) const {
        return tokenizer->encode(read(texts));
    }
    index_t size() const { return tokenizer->vocabulary().size(); }
    index_t unknown() const { return tokenizer->vocabulary().unknown(); }  // −1: it has no <unk>
};

// The two languages of a run: learned from its training pairs, or from what its files kept of them.
struct Languages {
    Language source, target;

    static Languages learned(const SentencePairs& pairs, const TranslationSettings& settings);
    static Languages kept(const TranslationSettings& settings);  // throws FileError if they are damaged
    Settings::Texts to_keep() const;
};

// Encoder and decoder for these languages, tied as in --tie.
Transformer translation_model(const TranslationSettings& settings, const Languages& languages);

// The tokens that the encoder reads: with <end>.
std::vector<index_t> with_end(std::vector<index_t> sentence);

// The translations of encoded sentences, in batches of like lengths, on all threads of a CPU. <end> is left
// out.
std::vector<std::vector<index_t>> translated(const Transformer& model,
                                             const std::vector<std::vector<index_t>>& sentences,
                                             const DecodingConfig& config);

}  // namespace glassbox
