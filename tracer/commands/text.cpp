#include <fmt/format.h>

#include <algorithm>

#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/corpus.h>
#include <glassbox/text/tokenizer.h>

#include "cli/command.h"
#include "cli/number.h"
#include "cli/output.h"
#include "report/text_report.h"
#include "subject/model_report.h"
#include "subject/show_settings.h"
#include "subject/token_steps.h"

// From a text to numbers: characters, tokens, ids, the padded batch and the shift of teacher forcing.
namespace glassbox::tracer::commands {
namespace {

struct TextFlags {
    std::vector<std::string> sentences;
    std::string targets, tokens = name(TokenKind::words);
    std::filesystem::path corpus, save;
    TokenizerConfig config;
    ShowSettings show;
};

void declare(Options& o, TextFlags& flags) {
    o.arguments("SENTENCE", flags.sentences, {.help = "A sentence; several are padded to one batch"});
    o.advise("--text", "expected the sentence itself: tracer text 'Je suis étudiant.'");
    o.value("--target", flags.targets,
            {.help = "Their translations, separated by |, for (inputs, targets), labels",
             .default_text = "as in --corpus, else the sentences themselves"});
    o.value(
        "--corpus", flags.corpus,
        {.help = "Learn the vocabulary from this file: sentences, or pairs in two columns with a tab between",
         .default_text = "the sentences themselves"});
    std::vector<std::string> kinds = glassbox::words<TokenKind>();
    o.value(
        "--tokens", flags.tokens,
        {.help = "What a token is: words, characters, bpe; or a file: vocab.json with merges.txt next to it "
                 "(GPT-2), vocab.txt (WordPiece), a tokenizer that --save wrote",
         .value_name = "KIND|FILE",
         .words = kinds,
         .endings = {".json", ".txt"}});
    o.value("--vocabulary", flags.config.vocabulary,
            {.help = "Maximum number of tokens, including <pad>, <start> and <end>", .max = 10'000'000});
    o.value("--min-count", flags.config.min_count,
            {.help = "Leave out words that occur less often; for bpe, pairs"});
    o.flag("--lower", flags.config.lower_case, "Lower case");
    o.value("--explain", flags.show.explain,
            {.help = "Show why a text is cut into these tokens, or why it is <unk>", .value_name = "TEXT"});
    o.value(
        "--only", flags.show.only,
        {.help = "Show only these steps, by path or end of a path: ids,labels", .value_name = "NAME,NAME"});
    o.value("--save", flags.save,
            {.help = "Write the tokenizer, as JSON, for --tokens", .endings = {".json"}, .writes = true});
    declare_color(o, flags.show.color);
    o.value("--format", flags.show.format,
            {.help = "Output format", .default_text = "by the extension of -o, else text"});
    o.value("-o,--output", flags.show.output, {.help = "Write to this file instead of standard output"});
}

// ---- corpus and tokenizers -------------------------------------------------------------------------------

struct Corpus {
    SentencePairs pairs;
    bool has_pairs = false;
    std::string description;  // "pairs.tsv: 120 pairs"
};

// In the first line, or in most: anything above the pairs, such as a comment, is refused by the reader of
// pairs.
bool has_tabs(const std::vector<std::string>& lines) {
    const auto is_text = [](const std::string& line) { return !line.empty(); };
    const auto has_tab = [](const std::string& line) { return line.find('\t') != std::string::npos; };
    const auto first = std::find_if(lines.begin(), lines.end(), is_text);
    return first != lines.end() &&
           (has_tab(*first) || 2 * std::count_if(lines.begin(), lines.end(), has_tab) >
                                   std::count_if(lines.begin(), lines.end(), is_text));
}

Corpus corpus_of(const TextFlags& flags) {
    Corpus corpus;
    if (flags.corpus.empty()) {
        corpus.pairs.source = flags.sentences;
        if (flags.sentences.empty()) corpus.pairs.source = {flags.show.explain};
        return corpus;
    }
    const std::string file = display_name(flags.corpus);
    std::vector<std::string> lines = read_lines(flags.corpus);
    corpus.has_pairs = has_tabs(lines);
    if (corpus.has_pairs) corpus.pairs = read_pairs(flags.corpus);
    else corpus.pairs.source = std::move(lines);
    const index_t further = corpus.pairs.further_columns;
    corpus.description =
        fmt::format("{}: {}{}", file, counted(corpus.pairs.size(), corpus.has_pairs ? "pair" : "line"),
                    further ? fmt::format("; columns after the second ignored, {}", further) : "");
    return corpus;
}

std::optional<TokenKind> kind_of(const std::string& tokens) {
    for (const auto& word : EnumWords<TokenKind>::all)
        if (tokens == word.text) return word.value;
    return std::nullopt;
}

std::shared_ptr<const Tokenizer> tokenizer_for(const TextFlags& flags,
                                               const std::vector<std::string>& lines) {
    TokenizerConfig config = flags.config;
    const auto kind = kind_of(flags.tokens);
    if (!kind) return read_tokenizer(flags.tokens, config.lower_case);
    config.kind = *kind;
    return learn_tokenizer(lines, config);
}

// Of --target; else the corpus's own translations, if it has every sentence; else none.
std::vector<std::string> targets_of(const TextFlags& flags, const SentencePairs& pairs) {
    if (!flags.targets.empty()) {
        std::vector<std::string> targets = split_at(flags.targets, '|');
        if (targets.size() != flags.sentences.size())
            fail<UsageError>("--target: expected as many sentences as before it, {}, got {}",
                             flags.sentences.size(), targets.size());
        return targets;
    }
    std::vector<std::string> targets;
    for (const std::string& sentence : flags.sentences) {
        const auto found = std::find(pairs.source.begin(), pairs.source.end(), sentence);
        const auto place = static_cast<std::size_t>(found - pairs.source.begin());
        if (place >= pairs.target.size()) return {};
        targets.push_back(pairs.target[place]);
    }
    return targets;
}

TokenizedText tokenized(const TextFlags& flags, const Corpus& corpus) {
    TokenizedText text;
    text.sentences = flags.sentences;
    text.targets = targets_of(flags, corpus.pairs);
    text.source = tokenizer_for(flags, corpus.pairs.source);
    if (!text.targets.empty())
        text.target = tokenizer_for(flags, corpus.has_pairs ? corpus.pairs.target : text.targets);
    return text;
}

// ---- output ----------------------------------------------------------------------------------------------

Report report_of(const TextFlags& flags, const Corpus& corpus, const TokenizedText& text) {
    Report report;
    report.command = "text";
    report.title = fmt::format("From text to numbers · tokens: {}", printable(flags.tokens));
    if (!corpus.description.empty()) report.header.push_back(corpus.description);
    report.header.insert(report.header.end(), corpus.pairs.notes.begin(), corpus.pairs.notes.end());
    const std::string learned = flags.corpus.empty() ? ", learned from the sentences themselves" : "";
    report.header.push_back(fmt::format("vocabulary of {} tokens{}", text.source->vocabulary().size(),
                                        kind_of(flags.tokens) ? learned : ", from the file"));
    if (const index_t shift = text.source->shift(); shift > 0)
        report.header.push_back(
            fmt::format("ids are {} greater than in the file: <pad>, <start> and <end> come first", shift));
    if (!text.has_pairs())
        report.header.push_back(
            "no --target: each sentence is its own target, as for a model that continues a text");
    report.steps = token_steps(text);
    filter_steps(report, flags.show);
    return report;
}

std::string occurrences_of(const std::string& token, const Tokenizer& tokenizer,
                           const std::vector<std::string>& lines) {
    std::int64_t count = 0;
    const std::vector<std::string> wanted = tokenizer.tokens(token);
    for (const std::string& line : lines)
        for (const std::string& each : tokenizer.tokens(line))
            count += wanted.size() == 1 && each == wanted[0];
    return count == 0
               ? ": it does not occur in the corpus"
               : fmt::format(": it occurs {} in the corpus, and --min-count or --vocabulary leaves it out",
                             counted(count, "time"));
}

void explain(const TextFlags& flags, const Corpus& corpus) {
    if (!flags.show.renderer().is_text())
        fail<UsageError>("--explain: writes text, not {}", flags.show.renderer().name);
    const auto tokenizer = tokenizer_for(flags, corpus.pairs.source);
    deliver(explained_token(*tokenizer, flags.show.explain,
                            occurrences_of(flags.show.explain, *tokenizer, corpus.pairs.source)),
            flags.show.output.string());
}

void check_sentences(const TextFlags& flags) {
    const auto check = [](const char* name, const std::string& text) {
        if (!is_utf8(text)) fail<UsageError>("{}: expected UTF-8, got '{}'", name, printable(text));
    };
    for (const std::string& sentence : flags.sentences) check("SENTENCE", sentence);
    check("--target", flags.targets);
    check("--explain", flags.show.explain);
}

// Options that a tokenizer from a file has no use for, and a kind that is misspelt.
void check_tokens(const TextFlags& flags, const Options& options) {
    if (kind_of(flags.tokens)) return;
    for (const char* option : {"--vocabulary", "--min-count"})
        if (options.given(option))
            fail<UsageError>("{}: cannot be combined with --tokens {}, a file that has its own vocabulary",
                             option, printable(flags.tokens));
    const std::filesystem::path file = flags.tokens;
    std::error_code ignored;
    if (!file.has_extension() && !file.has_parent_path() && !std::filesystem::exists(file, ignored))
        fail<UsageError>("--tokens: expected {} or a file, got '{}'",
                         fmt::join(glassbox::words<TokenKind>(), ", "), printable(flags.tokens));
}

void run(const TextFlags& flags, const Options& options) {
    if (!flags.save.empty() && !flags.show.explain.empty())
        fail<UsageError>("--save: cannot be combined with --explain");
    if (flags.sentences.empty() && flags.show.explain.empty())
        fail<UsageError>("text: expected a sentence, such as 'Je suis étudiant.', got nothing");
    check_sentences(flags);
    check_tokens(flags, options);
    const Renderer& renderer = flags.show.renderer();
    const Corpus corpus = corpus_of(flags);
    if (!flags.show.explain.empty()) return explain(flags, corpus);
    const TokenizedText text = tokenized(flags, corpus);
    const Report report = report_of(flags, corpus, text);
    if (!flags.save.empty()) write_file_atomically(flags.save, text.source->json());
    (renderer.is_binary ? deliver_bytes : deliver)(renderer.render(report, flags.show.style()),
                                                   flags.show.output.string());
}

}  // namespace

Command text() {
    return command_with<TextFlags>(
        {.order = 85,
         .name = "text",
         .summary = "From a text to numbers: tokens, ids, the padded batch, the shift of teacher forcing.",
         .examples = {{"tracer text 'Je suis étudiant.' --target 'I am a student.'", "Every step."},
                      {"tracer text 'Je suis étudiant.' 'Oui.'", "Two sentences: the shorter one is padded."},
                      {"tracer text 'Je suis étudiant.' --tokens bpe --vocabulary 265",
                       "Subwords, with the merges in order."},
                      {"tracer text --explain étudiant --tokens bpe --corpus README.md --vocabulary 400",
                       "Why these tokens?"},
                      {"tracer text 'Je suis étudiant.' --format json", "The same for a program."}}},
        declare, run);
}

}  // namespace glassbox::tracer::commands
