#include "subject/words.h"

#include <fmt/format.h>

#include <glassbox/io/text.h>
#include <glassbox/ops/ops.h>

#include "cli/number.h"

namespace glassbox::tracer {

namespace {

std::string word_of(const Vocabulary& vocabulary, index_t id) { return printable(vocabulary.word(id)); }

// "je suis | bonjour <pad>"
std::string quoted(const Tensor& tokens, const Vocabulary& vocabulary, bool have_names) {
    if (!have_names) return "numbers from the file";
    std::string text;
    const index_t length = tokens.size(-1);
    index_t at = 0;
    for (const double id : tokens.values()) {
        if (at > 0) text += at % length == 0 ? " | " : " ";
        text += word_of(vocabulary, static_cast<index_t>(id));
        ++at;
    }
    return text;
}

// "0 <pad>, 1 <start>, 2 <end>, 3 je"
std::string numbered(const Vocabulary& vocabulary) {
    const index_t max_listed = 16;
    std::string text;
    for (index_t id = 0; id < std::min(max_listed, vocabulary.size()); ++id)
        text += fmt::format("{}{} {}", id ? ", " : "", id, word_of(vocabulary, id));
    return text + (vocabulary.size() > max_listed ? ", …" : "");
}

}  // namespace

void add_words(std::vector<std::string>& header, const char* name, const Tensor& tokens,
               const Vocabulary& vocabulary, bool have_names, const char* ids) {
    header.push_back(fmt::format("{}: {}", name, quoted(tokens, vocabulary, have_names)));
    if (have_names) header.push_back(fmt::format("   {}: {}", ids, numbered(vocabulary)));
}

std::string most_likely(const Tensor& probabilities, const Subject& subject, const ModelInput& input) {
    const std::vector<std::string>& words = input.target_words.empty() ? input.words : input.target_words;
    if (!subject.answers && (words.empty() || !subject.classifies)) return "";
    Tensor first = probabilities;
    while (first.rank() > 2) first = select(first, 0, 0);
    const std::vector<index_t> best = argmax(first, -1);
    const bool is_one_answer = probabilities.rank() == 2;  // sentences × classes, without positions
    if (subject.classifies && is_one_answer)
        return fmt::format("most likely class: {} ({})", best[0], number(first.at({0, best[0]}), 2));
    std::string text;
    for (std::size_t t = 0; t < best.size() && t < words.size(); ++t) {
        if (subject.answers && best[t] >= subject.answers->size()) continue;
        const std::string answer =
            subject.answers ? word_of(*subject.answers, best[t]) : std::to_string(best[t]);
        const std::string begin = subject.answers ? "most likely " : "most likely class ";
        text +=
            fmt::format("{}{} {}: {} ({})", text.empty() ? begin : "; ", subject.classifies ? "at" : "after",
                        printable(words[t]), answer, number(first.at({static_cast<index_t>(t), best[t]}), 2));
    }
    return text.empty() ? "the most likely words have no names in the vocabulary" : text;
}

}  // namespace glassbox::tracer
