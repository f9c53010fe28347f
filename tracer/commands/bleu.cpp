#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <glassbox/tensor/format.h>
#include <glassbox/text/bleu.h>

#include "commands/shared/model_command.h"
#include "subject/error_source.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::bleu;

struct BleuFlags {
    std::string translation = "the cat sat on a mat", reference = "the cat sat on the red mat";
};

// Each word by its number, in the order in which they are met.
Tensor numbered(const std::string& text, std::map<std::string, index_t>& known) {
    std::vector<real> numbers;
    for (const std::string& word : words_13a(text))
        numbers.push_back(
            static_cast<real>(known.emplace(word, static_cast<index_t>(known.size()) + 1).first->second));
    return Tensor({static_cast<index_t>(numbers.size())}, numbers);
}

void check_words(const Tensor& words, const std::string& what) {
    if (words.rank() != 1 || words.numel() < static_cast<index_t>(Bleu::orders))
        fail<UsageError>("{}: expected at least {} words, got {}", what, Bleu::orders,
                         words.rank() == 1 ? std::to_string(words.numel()) : words.shape().str());
}

std::string words_of(const std::string& name, const std::string& text, const Tensor& numbers) {
    std::string line = name + ":";
    const std::vector<std::string> words = words_13a(text);
    const std::vector<real> all = numbers.values();
    for (std::size_t i = 0; i < words.size(); ++i)
        line += fmt::format("{} {} = {}", i ? "," : "", all[i], words[i]);
    return line;
}

Subject make(const ModelBuilder& m, const BleuFlags& flags) {
    Subject subject;
    subject.title = "BLEU of a translation";
    subject.header = {
        fmt::format("bleu = {},  precisions = {}", step::bleu.formula, step::precisions.formula)};
    if (m.input.file) {
        m.input.read();
    } else {
        std::map<std::string, index_t> known;
        m.input.set("translation", numbered(flags.translation, known));
        m.input.set("reference", numbered(flags.reference, known));
        m.input.origin = "words of --translation and --reference", m.input.rng = "";
        subject.header.push_back(words_of("translation", flags.translation, m.input["translation"]));
        subject.header.push_back(words_of("reference", flags.reference, m.input["reference"]));
    }
    for (const char* name : {"translation", "reference"})
        check_words(m.input[name], m.settings.input.empty()
                                       ? fmt::format("--{}", name)
                                       : fmt::format("{}: {}", m.settings.input.string(), name));
    subject.result = step::bleu.name;
    subject.forward = [&input = m.input] { (void)bleu_by_steps(input["translation"], input["reference"]); };
    return subject;
}

void declare_own(Options& o, BleuFlags& flags) {
    o.advise("--text", "the words are those of --translation and --reference");
    o.value("--translation", flags.translation, {.help = "What was written", .value_name = "WORDS"});
    o.value("--reference", flags.reference, {.help = "What was expected", .value_name = "WORDS"});
}

void check_own(const ModelSettings& s, const Options& o) {
    if (s.grad) fail<UsageError>("--grad: words are counted, and have no gradient");
    for (const char* flag : {"--translation", "--reference"})
        if (!s.input.empty() && o.given(flag))
            fail<UsageError>("{}: words come from the --input file: leave it out", flag);
}

ModelCommand model() {
    const auto flags = std::make_shared<BleuFlags>();
    ModelCommand command;
    command.order = 108;
    command.name = "bleu";
    command.summary = "BLEU: how much of a translation its reference has, up to four words in a row.";
    command.examples = {
        {"tracer bleu", "Six words against seven: the shares of 1 to 4 words in a row, and the penalty."},
        {"tracer bleu --translation 'the the the the' --reference 'the cat is on the mat'",
         "A word counts as often as the reference has it."},
        {"tracer bleu --mistake matches/not-clipped", "As often as it was written, instead."}};
    command.options = {.input_help = "translation and reference by name, words as numbers",
                       .own_choices = [flags](Options& o) { declare_own(o, *flags); },
                       .without = {"--rng", "--seed", "--weights", "--save-weights", "--products",
                                   "--backend", "--compare", "--convention", "--diff", "--scalar"}};
    command.inputs = {"translation", "reference"};
    command.check = check_own;
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command bleu() { return command_of(model); }

}  // namespace glassbox::tracer::commands
