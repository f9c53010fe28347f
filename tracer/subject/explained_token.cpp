#include "subject/token_steps.h"

#include <fmt/format.h>

#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/wordpiece.h>

#include "cli/number.h"

namespace glassbox::tracer {

namespace {

std::string listed(const Tokenizer& tokenizer, const std::vector<index_t>& ids) {
    std::string text;
    for (const index_t id : ids) text += (text.empty() ? "" : " ") + tokenizer.shown(id);
    return text;
}

// "étudiant: id 6, 3 times in the corpus"
std::string place_text(const Tokenizer& tokenizer, const std::string& token, index_t id,
                       const std::string& occurrences) {
    const Vocabulary& vocabulary = tokenizer.vocabulary();
    if (id == vocabulary.unknown())
        return fmt::format("{}: not in the vocabulary of {} tokens, so it is {}, id {}{}\n", token,
                           vocabulary.size(), vocabulary.word(id), id, occurrences);
    const std::int64_t count = vocabulary.count(id);
    return fmt::format("{}: id {}{}\n", token, id,
                       count > 0 ? fmt::format(", {} in the corpus", counted(count, "time")) : "");
}

std::string merges_text(const BytePairTokenizer& tokenizer, std::string_view pre_token) {
    std::string text = fmt::format("bytes: {}\n", listed(tokenizer, tokenizer.bytes(pre_token)));
    for (const BytePairTokenizer::Step& step : tokenizer.steps(pre_token))
        text += fmt::format("merge {} of {}: {} + {} → {}    {}\n", step.rank + 1, tokenizer.merges().size(),
                            tokenizer.shown(step.merge.left), tokenizer.shown(step.merge.right),
                            tokenizer.shown(step.merge.joined), listed(tokenizer, step.tokens));
    std::vector<index_t> ids;
    tokenizer.encode_pre_token(pre_token, ids);
    return text + (ids.size() > 1 ? "no two of these neighbours are in the list of merges\n" : "");
}

}  // namespace

std::string explained_token(const Tokenizer& tokenizer, const std::string& text,
                            const std::string& occurrences) {
    const auto* byte_pairs = dynamic_cast<const BytePairTokenizer*>(&tokenizer);
    const std::string normal = tokenizer.normalized(text);
    std::string explanation;
    if (byte_pairs)
        for (const std::string_view pre_token : tokenizer.pre_tokens(normal))
            explanation += merges_text(*byte_pairs, pre_token);
    if (dynamic_cast<const WordPieceTokenizer*>(&tokenizer))
        explanation += "from the left the longest pre_tokens that the vocabulary has; ## continues a word\n";
    const std::vector<std::string> tokens = tokenizer.tokens(text);
    const std::vector<index_t> ids = tokenizer.encode(text);
    for (std::size_t i = 0; i < ids.size(); ++i)
        explanation += place_text(tokenizer, i < tokens.size() ? tokens[i] : tokenizer.shown(ids[i]), ids[i],
                                  tokens.size() == 1 ? occurrences : "");
    return explanation.empty() ? "no tokens: only white space\n" : explanation;
}

}  // namespace glassbox::tracer
