// Sentences that are translated: setups, reports and answers, of models whose numbers are known.
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <glassbox/decoding/decoding.h>
#include <glassbox/io/json.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tasks/word_for_word.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/bleu.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/temporary_folder.h"
#include "support/transcript.h"
#include "tasks/grammar/grammar.h"
#include "tasks/shared/models.h"
#include "tasks/shared/translation_corpus.h"
#include "tasks/shared/translation_report.h"
#include "tracer/tasks/sentences.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// 12 pairs, one of which has 5 words on the left.
const char* const pairs_text =
    "Un chat dort\tA cat sleeps\tCC\n\nUn chien dort\tA dog sleeps\nle chat mange\tthe cat eats\n"
    "le chien mange\tthe dog eats\nun oiseau dort\ta bird sleeps\nun oiseau mange du pain\ta bird eats\n"
    "le chat\tthe cat\nle chien\tthe dog\nun chat\ta cat\nun chien\ta dog\nle pain\tthe bread\ndors\tsleep\n";

}  // namespace

TEST_CASE("task translate: parts of the pairs, what is said about them, and what is left out") {
    const TextFile file("pairs.tsv", pairs_text);
    const auto made = [&](const Settings::Texts& more) {
        Settings::Texts all{{"pairs", file.path()}, {"test", "2"}, {"validation", "3"}};
        for (const auto& [key, text] : more) all[key] = text;
        return task("translate").make(settings("translate", all));
    };
    const TrainSetup whole = made({{"seq", "5"}});
    CHECK(whole.training->size() == 7);
    CHECK(whole.validation->size() == 3);
    CHECK(whole.test->size() == 2);
    CHECK(whole.unit == "tokens");
    const auto source = tokenizer_from_json(whole.kept.at("source-tokenizer")),
               target = tokenizer_from_json(whole.kept.at("target-tokenizer"));
    CHECK(whole.header == Lines{fmt::format("12 pairs of {}, whose further columns are ignored", file.path()),
                                fmt::format("7 pairs to learn from; {} words to be read and {} to be written",
                                            source->vocabulary().size(), target->vocabulary().size()),
                                "encoder and decoder of 1 block, d_model = 8, h = 2, d_ff = 16, post-norm"});
    // --seq 4: the sentence of five words is left out, in whichever part it is.
    const TrainSetup less = made({{"seq", "4"}});
    CHECK(less.training->size() + less.validation->size() + less.test->size() == 11);
    CHECK(less.header.at(2) == "1 pair with more than 4 tokens (--seq) is left out");
    CHECK(made({{"seq", "5"}, {"lower", "both"}}).header[1] != whole.header[1]);
    const TextFile long_ones("long.tsv", "a b\tx y\nc d\tz y\ne f\tx z\n");
    check_error<UsageError>(
        [&] {
            (void)made({{"seq", "1"}, {"pairs", long_ones.path()}, {"test", "1"}, {"validation", "1"}});
        },
        "--seq: no sentence has at most 1 token");
    const auto idle = [](const Settings::Texts& more) {
        return task("translate").table(settings("translate", more)).without_effect();
    };
    CHECK(idle({}).size() == 2);  // the input's dropout, and SGD's momentum
    CHECK(idle({{"pairs", "x.tsv"}}).size() == 3);
    CHECK(idle({{"pairs", "x.tsv"}}).count("examples") == 1);
}

TEST_CASE("task translate: a corpus says what it consists of, and each part has its sentences") {
    const auto corpus = [](const Settings::Texts& more) {
        Settings::Texts all{{"test", "1"}, {"validation", "1"}};
        for (const auto& [key, text] : more) all[key] = text;
        return translation_corpus(read<TranslationSettings>(settings("translate", all)));
    };
    const TextFile plain("plain.tsv", "a\tx\nb\ty\nc\tz\n"), three("three.tsv", "a\tx\tw\nb\ty\nc\tz\n"),
        source("source.txt", "a\n\nb\nc\n"), target("target.txt", "x\nw\ny\nz\n");
    const TranslationCorpus least = corpus({{"pairs", plain.path()}});
    CHECK(least.notes == Lines{"3 pairs of " + plain.path()});
    CHECK(least.training.size() == 1);  // more than the other parts by one: just enough
    check_error<UsageError>(
        [&] {
            (void)corpus({{"pairs", plain.path()}, {"test", "2"}});
        },
        "--validation, --test: 1 and 2 sentences leave none to train on: " + plain.path() +
            " has 3 different ones");
    CHECK(corpus({{"pairs", three.path()}}).notes ==
          Lines{"3 pairs of " + three.path() + ", whose further columns are ignored"});
    const TranslationCorpus two = corpus({{"source", source.path()}, {"target", target.path()}});
    CHECK(two.notes ==
          Lines{"3 pairs of " + source.path() + " and " + target.path() + ", without 1 blank line"});
    const std::string all = "abcxyz";
    for (const SentencePairs* part : {&two.training, &two.validation, &two.test})
        CHECK(all.find(part->target[0]) == all.find(part->source[0]) + 3);

    const TranslationCorpus drawn =
        corpus({{"examples", "5"}, {"validation", "3"}, {"test", "2"}, {"data-seed", "4"}});
    const SentencePairs same = grammar_pairs(10, 4);
    const auto from = [&](const std::vector<std::string>& texts, std::ptrdiff_t begin, std::ptrdiff_t end) {
        return std::vector(texts.begin() + begin, texts.begin() + end);
    };
    CHECK(drawn.training.source == from(same.source, 0, 5));
    CHECK(drawn.training.target == from(same.target, 0, 5));
    CHECK(drawn.validation.source == from(same.source, 5, 8));
    CHECK(drawn.test.source == from(same.source, 8, 10));
    CHECK(drawn.test.target == from(same.target, 8, 10));
    CHECK(drawn.notes ==
          Lines{"French sentences of a grammar and their translations; --pairs FILE reads others"});
    CHECK(read<TranslationSettings>(settings("translate", {})).is_generated());
    for (const char* one : {"pairs", "source", "target"})
        CHECK_FALSE(read<TranslationSettings>(settings("translate", {{one, "x"}})).is_generated());
}

TEST_CASE(
    "task translate: languages are read in lower case where it is asked, and share what they are to share") {
    const SentencePairs pairs{{"Le Chat", "un Chien"}, {"The Cat", "a Dog"}};
    const auto learned = [&](const Settings::Texts& more) {
        return Languages::learned(pairs, read<TranslationSettings>(settings("translate", more)));
    };
    const auto known = [](const Language& language, const char* word) {
        return language.tokenizer->vocabulary().find(word).has_value();
    };
    for (const std::string lower : {"none", "source", "both"}) {
        INFO(lower);
        const Languages two = learned({{"lower", lower}});
        CHECK(known(two.source, "Le") == (lower == "none"));
        CHECK(known(two.source, "le") == (lower != "none"));
        CHECK(known(two.target, "The") == (lower != "both"));
        CHECK(known(two.target, "the") == (lower == "both"));
        CHECK(two.source.read("É") == (lower == "none" ? "É" : "é"));
        CHECK(two.target.read("É") == (lower == "both" ? "é" : "É"));
        CHECK_FALSE(known(two.source, "a"));
        const Settings s = settings("translate", {{"lower", lower}}, two.to_keep());
        const Languages kept = Languages::kept(read<TranslationSettings>(s));
        CHECK(kept.source.lower == two.source.lower);
        CHECK(kept.target.lower == two.target.lower);
        CHECK(kept.source.size() == two.source.size());
        CHECK(kept.target.encode(std::string("The Cat")) == two.target.encode(std::string("The Cat")));
    }
    const Languages shared = learned({{"vocabularies", "shared"}});
    CHECK(shared.source.tokenizer == shared.target.tokenizer);
    for (const char* word : {"le", "un", "The", "a"}) CHECK(known(shared.source, word));
    const auto model = [&](const Languages& languages, const Settings::Texts& more) {
        return translation_model(read<TranslationSettings>(settings("translate", more)), languages);
    };
    CHECK(model(shared, {{"vocabularies", "shared"}, {"tie", "all"}}).generator.weight.size(0) ==
          shared.source.size());
    check_error<UsageError>(
        [&] {
            (void)model(shared, {{"tie", "all"}});
        },
        "--tie: all requires --vocabularies shared; this run's are separate");
    CHECK_NOTHROW(model(shared, {{"vocabularies", "shared"}}));
}

namespace {

struct Judged {
    Languages languages;
    EncodedPairs test, training;
    Transformer model;
};

EncodedPairs encoded(const Languages& languages, const Lines& source, const Lines& target) {
    return {{source, target}, languages.source.encode(source), languages.target.encode(target)};
}

// A model that writes "cat" again and again, and 7 sentences.
Judged judged() {
    const SentencePairs learned{{"le chat dort", "le chien dort", "un chat"},
                                {"the cat sleeps", "the dog sleeps", "a cat"}};
    const Languages languages =
        Languages::learned(learned, read<TranslationSettings>(settings("translate", {})));
    Judged all{
        languages,
        encoded(languages, {"le chat", "le chien", "un chien dort", "chat chat", "cat", "un chat le", "dort"},
                {"the cat", "the dog", "a dog sleeps", "cat cat", "cat", "cat cat the", "sleeps"}),
        encoded(languages, learned.source, learned.target),
        translation_model(read<TranslationSettings>(settings("translate", {})), languages)};
    always(all.model.generator,
           some_logits(languages.target.size(), languages.target.tokenizer->vocabulary()["cat"]));
    return all;
}

}  // namespace

TEST_CASE("translation report: every field, worked out from what the model writes") {
    const Judged all = judged();
    const Lines written(7, "cat cat");
    const Lines &source = all.test.texts.source, &references = all.test.texts.target;
    const std::vector<double> surprise = surprises(
        some_logits(all.languages.target.size(), all.languages.target.tokenizer->vocabulary()["cat"]));
    double sum = 0, tokens = 0;
    for (const Ids& sentence : all.test.target) {
        for (const index_t id : sentence) sum += surprise[static_cast<std::size_t>(id)], ++tokens;
        sum += surprise[2], ++tokens;  // <end>
    }
    CHECK(perplexity(all.model, {all.test.source, all.test.target}) ==
          Approx(std::exp(sum / tokens)).epsilon(1e-5));

    const WordForWord by_word(all.training.source, all.training.target);
    Lines guesses;
    double right = 0;
    for (std::size_t i = 0; i < 7; ++i) {
        guesses.push_back(all.languages.target.tokenizer->decode(by_word(all.test.source[i])));
        right += guesses.back() == references[i];
    }
    CHECK(right > 0);
    const DecodingConfig config{.max_tokens = 2, .keep_probabilities = false};
    const TestReport report = translation_report(all.model, all.languages, all.test, &all.training, config);
    check_transcript("tracer/translation_report", fmt::format("{}\n", fmt::join(report.lines, "\n")));
    const auto shared = [&](std::size_t n) { return shared_ngrams(all.test.source, all.training.source, n); };
    CHECK(shared(2) == Approx(100 * 4.0 / 7));  // le chat, le chien, chien dort, un chat of 7
    std::vector<std::pair<double, std::size_t>> worst;
    for (std::size_t i = 0; i < 7; ++i)
        if (i != 3) worst.emplace_back(sentence_bleu("cat cat", references[i]).score, i);
    std::sort(worst.begin(), worst.end());
    worst.pop_back();  // five of six
    std::string json;
    for (const auto& [score, i] : worst)
        json += (json.empty() ? "" : ", ") +
                fmt::format(
                    "{{\"bleu\": {}, \"source\": \"{}\", \"written\": \"cat cat\", \"expected\": \"{}\"}}",
                    json_number(score), source[i], references[i]);
    const auto scores = [&](double exact_ones, const Lines& translations) {
        return fmt::format("{{\"exact\": {}, \"bleu\": {}, \"chrf\": {}}}", json_number(exact_ones / 7),
                           json_number(bleu(translations, references).score),
                           json_number(chrf(translations, references)));
    };
    REQUIRE(report.fields.size() == 6);
    CHECK(report.fields[0] == Fields::value_type{"model", scores(1, written)});
    CHECK(report.fields[1].first == "perplexity");
    CHECK(report.fields[2] == Fields::value_type{"word_for_word", scores(right, guesses)});
    CHECK(report.fields[3] == Fields::value_type{"copy", scores(1, source)});
    CHECK(report.fields[4].first == "shared_ngrams");
    CHECK(report.fields[4].second == fmt::format("{{\"2\": {}, \"3\": {}, \"4\": {}, \"5\": {}}}",
                                                 json_number(shared(2) / 100), json_number(shared(3) / 100),
                                                 json_number(shared(4) / 100), json_number(shared(5) / 100)));
    CHECK(report.fields[5] == Fields::value_type{"worst", "[" + json + "]"});

    // Without the training pairs there is neither the baseline that learns from them nor what they share.
    Lines fewer = report.lines;
    fewer.erase(fewer.begin() + 4);
    fewer.erase(fewer.begin() + 2);
    CHECK(translation_report(all.model, all.languages, all.test, nullptr, config).lines == fewer);
}

TEST_CASE("translation report: nothing written is said to be nothing; where all is right there is no worst") {
    Judged all = judged();
    always(all.model.generator, some_logits(all.languages.target.size(), Vocabulary::end));
    const TestReport none =
        translation_report(all.model, all.languages, all.test, nullptr, {.max_tokens = 2});
    CHECK(none.lines.size() == 3 + 1 + 5 * 3);
    CHECK(none.lines.at(5) == "          (nothing)");
    always(all.model.generator,
           some_logits(all.languages.target.size(), all.languages.target.tokenizer->vocabulary()["cat"]));
    const EncodedPairs easy = encoded(all.languages, {"chat"}, {"cat"});
    const TestReport right = translation_report(all.model, all.languages, easy, nullptr, {.max_tokens = 1});
    CHECK(right.lines.size() == 3);
    CHECK(right.fields.back() == Fields::value_type{"worst", "[]"});
}

TEST_CASE("translation scores: exact by the tokens as they are read; no sentences are no division by 0") {
    Language language = judged().languages.target;
    const TranslationScore some =
        score_of(language, {"the  cat", "The cat", "a dog"}, {"the cat", "the cat", "a dog"});
    CHECK(some.exact == Approx(2.0 / 3));
    language.lower = true;
    const TranslationScore lower =
        score_of(language, {"the  cat", "The cat", "a dog"}, {"the cat", "THE cat", "a cat"});
    CHECK(lower.exact == Approx(2.0 / 3));
    CHECK(score_of(language, {}, {}).exact == 0);
}

TEST_CASE("translations: of sentences of any lengths, in their order, as each by itself") {
    const Transformer model = transformer_of(shared_settings(settings("translate", {})), 9, 9);
    std::vector<Ids> sentences;
    for (index_t i = 0; i < 70; ++i) {
        Ids& sentence = sentences.emplace_back();
        for (index_t k = 0; k < 1 + i * 7 % 5; ++k) sentence.push_back(3 + (i * 5 + k * k) % 6);
    }
    const DecodingConfig config{.max_tokens = 4};
    const std::vector<Ids> all = translated(model, sentences, config);
    REQUIRE(all.size() == 70);
    for (std::size_t i = 0; i < 70; ++i) {
        Ids source = sentences[i], expected;
        source.push_back(Vocabulary::end);
        for (const index_t id : decode(model, source, config).tokens)
            if (id != Vocabulary::end) expected.push_back(id);
        CHECK(all[i] == expected);
    }
    CHECK(with_end({5, 6}) == Ids{5, 6, 2});
}

TEST_CASE("answers of translate: sentences, words that were not learned, and one that does not end") {
    const SentencePairs learned{{"le chat dort", "un chien"}, {"the cat sleeps", "a dog"}};
    const Languages languages =
        Languages::learned(learned, read<TranslationSettings>(settings("translate", {})));
    const Settings s = settings("translate", {{"seq", "3"}}, languages.to_keep());
    const index_t V = languages.target.size(), cat = languages.target.tokenizer->vocabulary()["cat"];
    const auto ask = [&](const PredictRequest& request, index_t favourite) {
        const Answerer answerer = task("translate").answerer(s, request);
        always(answerer, some_logits(V, favourite));
        return answerer.answers(request);
    };
    const auto written = ask(asked({"Le Chat", "âne âne dort"}), cat);
    REQUIRE(written.size() == 2);
    CHECK(text_of(written[0])
              .starts_with("Le Chat  →  cat cat cat cat\nstopped after 4 tokens without <end>\n"
                           "  step   written"));
    const Answer ended = ask(asked({"âne chat âne"}), Vocabulary::end).at(0);
    CHECK(text_of(ended).starts_with(
        "âne chat âne  →  \nnot among the words that the model learned, read as <unk>: "
        "âne\n  step   written"));
    const std::vector<double> surprise = surprises(some_logits(V, Vocabulary::end));
    REQUIRE(ended.fields.size() == 8);
    CHECK(ended.fields[0] == Fields::value_type{"input", "\"âne chat âne\""});
    CHECK(ended.fields[1] == Fields::value_type{"tokens", "[\"âne\", \"chat\", \"âne\"]"});
    CHECK(ended.fields[2] == Fields::value_type{"unknown", "[\"âne\"]"});
    CHECK(ended.fields[3] == Fields::value_type{"translation", "\"\""});
    CHECK(ended.fields[4] == Fields::value_type{"ended", "true"});
    CHECK(std::stod(ended.fields[5].second) == Approx(-surprise[2]).epsilon(1e-5));
    CHECK(written[0].fields[2] == Fields::value_type{"unknown", "[]"});
    CHECK(written[0].fields[4] == Fields::value_type{"ended", "false"});
    const std::string beams = text_of(ask(asked({"chat"}, {{"beam", "2"}}), cat).at(0));
    CHECK(beams.find("   score   ln P   sequence\n") != std::string::npos);
    CHECK(text_of(ask(asked({"chat"}), cat).at(0)).find("sequence") == std::string::npos);
    const auto refused = [&](const PredictRequest& request, const std::string& message) {
        check_error<UsageError>([&] { (void)ask(request, cat); }, message);
    };
    refused(asked({"le chat dort ici"}),
            "predict translate: expected at most 3 tokens (--seq), as m was trained on, got 4");
    refused(asked({" "}), "predict translate: expected a sentence with words, got ' '");
    refused(asked({"a\xff"}), "predict translate: not UTF-8: 'a\\xff'");

    const auto checked = [](const PredictRequest& request) { task("translate").check(request); };
    CHECK_NOTHROW(checked(asked({"chat"})));
    CHECK_NOTHROW(checked(asked({"chat"}, {}, "--map")));
    CHECK_NOTHROW(checked(asked({}, {{"evaluate", "f"}})));
    const auto unchecked = [&](const PredictRequest& request, const std::string& message) {
        check_error<UsageError>([&] { checked(request); }, message);
    };
    unchecked(asked({}),
              "predict translate: expected a sentence: tracer predict translate 'je suis étudiant'");
    unchecked(asked({"chat"}, {{"evaluate", "f"}}),
              "--evaluate: takes its sentences from the file, got also 'chat'");
    unchecked(asked({}, {{"evaluate", "f"}}, "--map"), "--evaluate: cannot be combined with --map");
    unchecked(asked({"chat"}, {{"beam", "0"}}), "--beam: expected at least 1, got 0");
}

TEST_CASE("answers of translate: a file of pairs, without those that are too long on either side") {
    const SentencePairs learned{{"le chat dort", "un chien"}, {"the cat sleeps", "a dog"}};
    const Languages languages =
        Languages::learned(learned, read<TranslationSettings>(settings("translate", {})));
    const Settings s = settings("translate", {{"seq", "3"}}, languages.to_keep());
    const auto ask = [&](const TextFile& file) {
        const PredictRequest request = asked({}, {{"evaluate", file.path()}});
        return task("translate").answerer(s, request).answers(request).at(0);
    };
    const TextFile some("some.tsv", "le chat\tthe cat\nun chien dort\ta dog\nchat\tthe cat sleeps now\n"),
        fit("fit.tsv", "le chat dort\tthe cat sleeps\nun chien\ta dog\n"),
        none("none.tsv", "le chat dort ici\tcat\nchat\tthe cat sleeps here\n");
    const Answer answer = ask(some), whole = ask(fit);
    CHECK(text_of(answer).starts_with(
        fmt::format("2 pairs of {}\n1 pair with more than 3 tokens is left out\n                    exact",
                    some.path())));
    CHECK(text_of(whole).starts_with(fmt::format("2 pairs of {}\n                    exact", fit.path())));
    CHECK(answer.fields[0] == Fields::value_type{"pairs", "2"});
    CHECK(answer.fields[1] == Fields::value_type{"left_out", "1"});
    CHECK(answer.fields[2].first == "model");
    CHECK(answer.fields.back().second.find("un chien dort") != std::string::npos);
    check_error<UsageError>([&] { (void)ask(none); },
                            fmt::format("--evaluate: {} has no pair with at most 3 tokens", none.path()));
}

TEST_CASE("answers of translate: the last pass in full, and every pass") {
    const SentencePairs learned{{"le chat dort", "un chien"}, {"the cat sleeps", "a dog"}};
    const Languages languages =
        Languages::learned(learned, read<TranslationSettings>(settings("translate", {})));
    const Settings s = settings("translate", {{"seq", "3"}}, languages.to_keep());
    const index_t V = languages.target.size(), cat = languages.target.tokenizer->vocabulary()["cat"];
    PredictRequest request = asked({"Un chat"}, {}, "--steps");
    const Answerer answerer = task("translate").answerer(s, request);
    always(answerer, some_logits(V, cat));
    const Prediction last = answerer.in_full(request);
    CHECK(last.words == Lines{"un", "chat", "<end>"});
    CHECK(last.target_words == Lines{"<start>", "cat", "cat", "cat"});
    CHECK(last.written == Lines{"cat", "cat", "cat", "cat"});
    CHECK(last.notes == Lines{"source: un chat <end>", "written so far: <start> cat cat cat, and now cat"});
    CHECK((last.map == Prediction::Map::cross));
    Lines choices;
    for (index_t id = 3; id < V; ++id) choices.push_back(languages.target.tokenizer->vocabulary().word(id));
    CHECK(last.choices == choices);
    {
        Trace trace;
        last.run(last.arrays);
        CHECK(trace[last.result].shape() == Shape{1, 4, V});
    }
    request.options["every-pass"] = "";
    const Prediction every = answerer.in_full(request);
    CHECK(every.result == "step/3/logits");
    CHECK(every.arrays.size() == 1);
    CHECK(every.target_words.empty());
    Trace trace;
    every.run(every.arrays);
    CHECK(trace.contains("step/3/logits"));
    PredictRequest two = asked({"chat", "chien"}, {}, "--map");
    check_error<UsageError>([&] { (void)answerer.in_full(two); },
                            "--map: shows one prediction, got 2 sentences");
}
