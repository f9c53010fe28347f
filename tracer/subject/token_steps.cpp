#include "subject/token_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/observe/trace.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/codes.h>
#include <glassbox/text/teacher_forcing.h>
#include <glassbox/text/text_steps.h>
#include <glassbox/text/unicode.h>

#include "cli/text_width.h"

namespace glassbox::tracer {

namespace steps = glassbox::steps;

namespace {

using Words = std::vector<std::string>;

Tensor as_tensor(const std::vector<index_t>& numbers) {
    return Tensor(Shape{static_cast<index_t>(numbers.size())},
                  std::vector<real>(numbers.begin(), numbers.end()));
}

Report::Step step_of(const StepInfo& info, Tensor value, Words words, const std::string& scope = "") {
    Report::Step step;
    step.path = scope + info.name;
    step.value = std::move(value);
    step.formula = info.formula;
    step.sentence = info.sentence;
    step.kind = Report::Kind::word;
    step.words = std::move(words);
    return step;
}

Report::Step characters_step(const std::string& normal, const std::string& scope) {
    std::vector<index_t> codes;
    Words words;
    for_each_code(normal, [&](char32_t code, std::size_t at, std::size_t length) {
        codes.push_back(static_cast<index_t>(code));
        words.push_back(code == ' '               ? "␣"
                        : glassbox::is_mark(code) ? "◌" + normal.substr(at, length)
                                                  : normal.substr(at, length));
    });
    return step_of(steps::text::characters, as_tensor(codes), words, scope);
}

// The bytes of each token. As they are shown, tokens may be longer: ␣ is a space, \xc3 a byte.
std::vector<index_t> token_lengths(const Tokenizer& tokenizer, const std::string& normal,
                                   const Words& tokens) {
    std::vector<index_t> lengths;
    const std::vector<std::string_view> pre_tokens = tokenizer.pre_tokens(normal);
    if (const auto* byte_pairs = dynamic_cast<const BytePairTokenizer*>(&tokenizer)) {
        for (const index_t id : tokenizer.encode(normal)) lengths.push_back(byte_pairs->length(id));
    } else if (pre_tokens.size() == tokens.size()) {
        for (const std::string_view token : pre_tokens) lengths.push_back(static_cast<index_t>(token.size()));
    } else {
        for (const std::string& token : tokens) lengths.push_back(static_cast<index_t>(token.size()));
    }
    return lengths;
}

Report::Step tokens_step(const Tokenizer& tokenizer, const std::string& normal, const std::string& scope) {
    const Words tokens = tokenizer.tokens(normal);
    return step_of(steps::text::tokens, as_tensor(token_lengths(tokenizer, normal, tokens)), tokens, scope);
}

// A row for each merge of each pre-token, in order: left, right, joined.
Report::Step merges_step(const BytePairTokenizer& tokenizer, const std::string& normal,
                         const std::string& scope) {
    std::vector<real> ids;
    Words words;
    for (const std::string_view pre_token : tokenizer.pre_tokens(normal))
        for (const BytePairTokenizer::Step& each : tokenizer.steps(pre_token))
            for (const index_t id : {each.merge.left, each.merge.right, each.merge.joined}) {
                ids.push_back(static_cast<real>(id));
                words.push_back(tokenizer.shown(id));
            }
    const auto count = static_cast<index_t>(ids.size() / 3);
    return step_of(steps::text::merges, Tensor(Shape{count, 3}, ids), words, scope);
}

Report::Step vocabulary_step(const Tokenizer& tokenizer, const std::string& scope) {
    std::vector<index_t> counts;
    Words words;
    for (index_t id = 0; id < tokenizer.vocabulary().size(); ++id) {
        counts.push_back(tokenizer.vocabulary().count(id));
        words.push_back(tokenizer.shown(id));
    }
    Report::Step step = step_of(steps::text::vocabulary, as_tensor(counts), words, scope);
    step.shows_positions = true;
    return step;
}

// The tokens behind ids; labels that the loss ignores are <pad>.
Words words_of(const Tensor& ids, const Tokenizer& tokenizer) {
    Words words;
    for (const real id : ids.values())
        words.push_back(tokenizer.shown(std::max<index_t>(static_cast<index_t>(id), Vocabulary::padding)));
    return words;
}

std::string centred(const std::string& text, int width) {
    const int spare = std::max(0, width - width_of(text));
    return std::string(static_cast<std::size_t>(spare / 2), ' ') + text +
           std::string(static_cast<std::size_t>(spare - spare / 2), ' ');
}

// The shift: which word of the first target predicts which label.
std::string drawn_shift(const Words& targets, const Words& labels, std::size_t length) {
    constexpr std::size_t max_shown = 12;
    std::string lines[3] = {"   reads     ", "             ", "   predicts  "};
    for (std::size_t t = 0; t < std::min(length, max_shown); ++t) {
        const int width = std::max(width_of(targets[t]), width_of(labels[t])) + 2;
        lines[0] += centred(targets[t], width);
        lines[1] += centred("↓", width);
        lines[2] += centred(labels[t], width);
    }
    std::string text;
    for (std::string& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    return text;
}

// 1 where a batch has a word, 0 where it is padded.
Tensor padding_mask(const PaddedBatch& batch) {
    std::vector<real> visible;
    for (const index_t length : batch.lengths)
        for (index_t j = 0; j < batch.tokens.size(1); ++j) visible.push_back(j < length ? real(1) : real(0));
    return Tensor(batch.tokens.shape(), visible);
}

void add_sentences(std::vector<Report::Step>& all, const TokenizedText& text,
                   const std::vector<std::vector<index_t>>& ids) {
    const bool one = text.sentences.size() == 1;
    const auto scope = [&](std::size_t i) { return one ? "" : fmt::format("sentence/{}/", i); };
    const auto* byte_pairs = dynamic_cast<const BytePairTokenizer*>(text.source.get());
    for (std::size_t i = 0; i < text.sentences.size(); ++i) {
        const std::string normal = text.source->normalized(text.sentences[i]);
        all.push_back(characters_step(normal, scope(i)));
        if (byte_pairs) all.push_back(merges_step(*byte_pairs, normal, scope(i)));
        all.push_back(tokens_step(*text.source, normal, scope(i)));
    }
    all.push_back(vocabulary_step(*text.source, ""));
    for (std::size_t i = 0; i < text.sentences.size(); ++i)
        all.push_back(
            step_of(steps::text::ids, as_tensor(ids[i]), text.source->tokens(text.sentences[i]), scope(i)));
}

}  // namespace

std::vector<Report::Step> token_steps(const TokenizedText& text) {
    std::vector<Report::Step> all;
    const auto source = text.source->encode(text.sentences);
    const auto target = text.has_pairs() ? text.target->encode(text.targets) : source;
    const Tokenizer& writer = text.target_tokenizer();
    add_sentences(all, text, source);
    const Trace trace;
    const TeacherForcing batch = glassbox::teacher_forcing(source, target);
    const Words inputs = words_of(batch.inputs.tokens, *text.source);
    all.push_back(step_of(steps::teacher_forcing::inputs, batch.inputs.tokens, inputs));
    all.push_back(step_of(steps::text::mask, padding_mask(batch.inputs), inputs));
    if (text.has_pairs()) all.push_back(vocabulary_step(*text.target, "target/"));
    for (const auto* info : {&steps::teacher_forcing::sentence, &steps::teacher_forcing::targets,
                             &steps::teacher_forcing::labels})
        all.push_back(step_of(*info, trace[info->name], words_of(trace[info->name], writer)));
    all.back().drawing = drawn_shift(all[all.size() - 2].words, all.back().words,
                                     static_cast<std::size_t>(batch.targets.lengths[0]));
    return all;
}

}  // namespace glassbox::tracer
