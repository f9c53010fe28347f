#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/codes.h>
#include <glassbox/text/counted_pairs.h>
#include <glassbox/text/unicode.h>
#include <glassbox/text/vocabulary.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::counted_pairs;

struct BpeFlags {
    std::string corpus = "low low low lower lower newest", apply = "lowest";
    index_t merges = 4;
};

// A row of code points for each word, 0 after them.
Tensor letters_of(const std::vector<std::string>& words) {
    std::vector<std::vector<index_t>> rows;
    std::size_t longest = 1;
    for (const std::string& word : words) {
        std::vector<index_t>& row = rows.emplace_back();
        for_each_code(word, [&](char32_t letter, std::size_t, std::size_t) {
            row.push_back(static_cast<index_t>(letter));
        });
        longest = std::max(longest, row.size());
    }
    return counted_pairs::rows_of(rows, static_cast<index_t>(longest));
}

// The distinct words, in the order in which they are met, and how often each is there.
void set_corpus(ModelInput& input, const std::string& corpus) {
    std::vector<std::string> distinct;
    std::vector<real> counts;
    for (const std::string& word : split_words(nfc(corpus))) {
        const auto found = std::find(distinct.begin(), distinct.end(), word);
        if (found == distinct.end()) distinct.push_back(word), counts.push_back(1);
        else counts[static_cast<std::size_t>(found - distinct.begin())] += 1;
    }
    if (distinct.empty()) fail<UsageError>("--corpus: expected words, got none");
    input.set("words", letters_of(distinct));
    input.set("counts", Tensor({static_cast<index_t>(counts.size())}, counts));
}

// "l + o → lo, lo + w → low": what is merged, in letters.
std::string merged_text(const ModelInput& input, index_t how_many) {
    const NoRecording silence;
    const CountedPairs learned = learn_counted_pairs(input["words"], input["counts"], how_many);
    std::map<index_t, std::string> known;
    index_t id = counted_pairs::first_letter;
    for (const real letter : learned.letters.values())
        append_utf8(known[id++], static_cast<char32_t>(letter));
    std::string text;
    for (const auto& [left, right, joined] : counted_pairs::merges_of(learned.merges)) {
        if (joined == 0) break;  // no pair is left
        known[joined] = known[left] + known[right];
        text +=
            fmt::format("{}{} + {} → {}", text.empty() ? "" : ", ", known[left], known[right], known[joined]);
    }
    return text;
}

Subject make(const ModelBuilder& m, const BpeFlags& flags) {
    if (m.input.file) m.input.read();
    else set_corpus(m.input, flags.corpus);
    if (!m.input.has("text")) m.input.set("text", letters_of(split_words(nfc(flags.apply))));
    if (m.settings.input.empty()) m.input.origin = "letters of --corpus and --apply by their code points";
    m.input.rng = "";
    Subject subject;
    subject.title = "Byte-pair encoding, merge by merge";
    subject.header = {fmt::format("merges = {}", step::merges.formula),
                      "of pairs as frequent as each other, the smaller id on the left, then on the right",
                      counted(flags.merges, "merge")};
    if (m.settings.input.empty())
        subject.header.push_back(fmt::format("corpus: {};  text: {}", flags.corpus, flags.apply));
    if (m.settings.input.empty()) subject.header.push_back(merged_text(m.input, flags.merges));
    subject.result = step::tokens.name;
    subject.forward = [how_many = flags.merges, &input = m.input] {
        (void)encode_counted_pairs(input["text"],
                                   learn_counted_pairs(input["words"], input["counts"], how_many));
    };
    return subject;
}

void declare_own(Options& o, BpeFlags& flags) {
    o.value("--corpus", flags.corpus, {.help = "The words to learn from", .value_name = "WORDS"});
    o.value("--apply", flags.apply, {.help = "The words to encode then", .value_name = "WORDS"});
    o.value("--merges", flags.merges, {.help = "Number of merges to learn", .max = 4096});
}

void check_own(const ModelSettings& s, const Options& o) {
    if (s.grad) fail<UsageError>("--grad: pairs are counted, and have no gradient");
    for (const char* flag : {"--corpus", "--apply"})
        if (!s.input.empty() && o.given(flag))
            fail<UsageError>("{}: words come from the --input file: leave it out", flag);
}

ModelCommand model() {
    const auto flags = std::make_shared<BpeFlags>();
    ModelCommand command;
    command.order = 109;
    command.name = "bpe";
    command.summary = "Byte-pair encoding: pairs counted, the most frequent merged, and a word encoded.";
    command.examples = {
        {"tracer bpe", "Four merges of a corpus of six words, and 'lowest' in its tokens."},
        {"tracer bpe --corpus 'aa ab aa' --apply 'aab' --merges 1", "One merge."},
        {"tracer bpe --only pairs,merges --mistake merges/not-counted-again", "All merges from one count."}};
    command.options = {
        .input_help = "words (W, L) and counts (W), letters as numbers, 0 after them; and text",
        .own_choices = [flags](Options& o) { declare_own(o, *flags); },
        .without = {"--rng", "--seed", "--weights", "--save-weights", "--products", "--backend", "--compare",
                    "--convention", "--diff", "--scalar"}};
    command.inputs = {"words", "counts", "text"};
    command.check = check_own;
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command bpe() { return command_of(model); }

}  // namespace glassbox::tracer::commands
