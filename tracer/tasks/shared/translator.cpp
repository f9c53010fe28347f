#include "tasks/shared/translator.h"

#include <algorithm>

#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/batch.h>
#include <glassbox/text/unicode.h>

#include "tasks/shared/models.h"

namespace glassbox {

std::string Language::read(const std::string& text) const { return lower ? lower_case(nfc(text)) : text; }

std::vector<std::string> Language::read(std::vector<std::string> texts) const {
    if (lower)
        for (std::string& text : texts) text = read(text);
    return texts;
}

namespace {

bool is_lowered(const TranslationSettings& s, bool is_source) {
    return s.lower == LowerCase::both || (s.lower == LowerCase::source && is_source);
}

}  // namespace

Languages Languages::learned(const SentencePairs& pairs, const TranslationSettings& s) {
    const TokenizerConfig& config = s.tokens.tokenizer;
    Languages languages;
    languages.source.lower = is_lowered(s, true), languages.target.lower = is_lowered(s, false);
    std::vector<std::string> source = languages.source.read(pairs.source),
                             target = languages.target.read(pairs.target);
    if (s.vocabularies == Vocabularies::shared) {
        source.insert(source.end(), target.begin(), target.end());
        languages.source.tokenizer = languages.target.tokenizer = learn_tokenizer(source, config);
    } else {
        languages.source.tokenizer = learn_tokenizer(source, config);
        languages.target.tokenizer = learn_tokenizer(target, config);
    }
    return languages;
}

Languages Languages::kept(const TranslationSettings& s) {
    Languages languages;
    languages.source = {tokenizer_from_json(s.kept.text("source-tokenizer"), "source-tokenizer"),
                        is_lowered(s, true)};
    languages.target = {s.vocabularies == Vocabularies::shared
                            ? languages.source.tokenizer
                            : tokenizer_from_json(s.kept.text("target-tokenizer"), "target-tokenizer"),
                        is_lowered(s, false)};
    return languages;
}

Settings::Texts Languages::to_keep() const {
    Settings::Texts texts{{"source-tokenizer", source.tokenizer->json()}};
    if (target.tokenizer != source.tokenizer) texts["target-tokenizer"] = target.tokenizer->json();
    return texts;
}

Transformer translation_model(const TranslationSettings& s, const Languages& languages) {
    if (s.tokens.tied == TiedTables::all && s.vocabularies != Vocabularies::shared)
        fail<UsageError>("--tie: all requires --vocabularies shared; this run's are {}",
                         name(s.vocabularies));
    return transformer_of(s, languages.source.size(), languages.target.size(), s.tokens.tied);
}

std::vector<index_t> with_end(std::vector<index_t> sentence) {
    sentence.push_back(Vocabulary::end);
    return sentence;
}

std::vector<std::vector<index_t>> translated(const Transformer& model,
                                             const std::vector<std::vector<index_t>>& sentences,
                                             const DecodingConfig& config) {
    std::vector<index_t> lengths;
    for (const auto& sentence : sentences) lengths.push_back(static_cast<index_t>(sentence.size()) + 1);
    const std::vector<std::vector<index_t>> batches = batches_by_length(lengths, 64, 4096);
    std::vector<std::vector<index_t>> written(sentences.size());
    const auto translate = [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            const std::vector<index_t>& batch = batches[static_cast<std::size_t>(i)];
            std::vector<std::vector<index_t>> sources;
            for (const index_t row : batch)
                sources.push_back(with_end(sentences[static_cast<std::size_t>(row)]));
            std::vector<Decoded> decoded = decode(model, sources, config);
            for (std::size_t k = 0; k < batch.size(); ++k) {
                std::erase(decoded[k].tokens, index_t{Vocabulary::end});
                written[static_cast<std::size_t>(batch[k])] = std::move(decoded[k].tokens);
            }
        }
    };
    const auto count = static_cast<index_t>(batches.size());
    if (model.generator.weight.device() == Device::cpu) parallel_for(count, 1, translate);
    else translate(0, count);
    return written;
}

}  // namespace glassbox
