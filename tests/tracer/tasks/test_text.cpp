// Texts that are continued: setups, reports and answers, of models whose numbers are known.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <glassbox/io/json.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/tokenizer.h>
#include <glassbox/text/unicode.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/temporary_folder.h"
#include "support/transcript.h"
#include "tasks/grammar/grammar.h"
#include "tasks/shared/decoding_options.h"
#include "tasks/shared/models.h"
#include "tracer/tasks/sentences.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("task text: the parts of a corpus, what is said about it, and its report") {
    // 4 · 20 characters and line ends; windows of 4
    std::string corpus;
    for (int i = 0; i < 20; ++i) corpus += std::string(1, static_cast<char>('a' + i * i % 7)) + "bé\n";
    const TextFile file("corpus.txt", corpus);
    const Settings s =
        settings("text", {{"corpus", file.path()}, {"seq", "3"}, {"test", "17"}, {"validation", "2"}});
    const TrainSetup setup = task("text").make(s);
    CHECK(setup.test->size() == 17);
    CHECK(setup.validation->size() == 2);
    CHECK(setup.training->size() == 6);  // of 80 − 52 − 7 = 21 tokens
    CHECK(setup.unit == "tokens");
    REQUIRE(setup.kept.size() == 1);
    const auto tokenizer = tokenizer_from_json(setup.kept.at("tokenizer"));
    const index_t V = tokenizer->vocabulary().size();
    CHECK(setup.header == Lines{"the text of " + file.path(),
                                fmt::format("21 tokens to learn from, of {} characters, in windows of 3", V),
                                "decoder of 1 block, d_model = 8, h = 2, d_ff = 16, post-norm"});
    const Ids all = tokenizer->encode(corpus);
    REQUIRE(all.size() == 80);
    const Ids training(all.begin(), all.begin() + 21), test(all.end() - 52, all.end());
    CHECK(setup.training->at({0})["tokens"].values() == std::vector<real>(all.begin(), all.begin() + 3));
    CHECK(setup.validation->at({0})["tokens"].values() ==
          std::vector<real>(all.begin() + 21, all.begin() + 24));
    CHECK(setup.test->at({0})["tokens"].values() == std::vector<real>(test.begin(), test.begin() + 3));

    const std::vector<double> logits = some_logits(V, 5), surprise = surprises(logits);
    for (const auto& entry : setup.learner->parameters().entries()) {
        if (entry.name == "generator.weight") *entry.tensor = Tensor::zeros(entry.tensor->shape());
        for (std::size_t i = 0; entry.name == "generator.bias" && i < logits.size(); ++i)
            entry.tensor->writable().data[i] = static_cast<real>(logits[i]);
    }
    double of_model = 0, of_pairs = 0, of_tokens = 0;  // each over the 51 tokens that follow another
    for (std::size_t i = 1; i < test.size(); ++i) {
        double pairs = 1, before = static_cast<double>(V), tokens = 1;
        for (std::size_t k = 1; k < training.size(); ++k) {
            before += training[k - 1] == test[i - 1];
            pairs += training[k - 1] == test[i - 1] && training[k] == test[i];
            tokens += training[k] == test[i];
        }
        of_model += surprise[static_cast<std::size_t>(test[i])] / 51;
        of_pairs -= std::log(pairs / before) / 51;
        of_tokens -= std::log(tokens / (20 + static_cast<double>(V))) / 51;
    }
    const double a_character = 52.0 / 52 / std::log(2.0);  // every character is a token, the line's end too
    const TestReport report = setup.tested();
    check_transcript("tracer/text_report", fmt::format("{}\n", fmt::join(report.lines, "\n")));
    REQUIRE(report.fields.size() == 3);
    const auto check_field = [&](std::size_t field, const std::string& name, double of_token) {
        CHECK(report.fields[field].first == name);
        const auto shown = nlohmann::json::parse(report.fields[field].second);
        CHECK(shown["perplexity"].get<double>() == Approx(std::exp(of_token)).epsilon(1e-5));
        CHECK(shown["bits_per_character"].get<double>() == Approx(of_token * a_character).epsilon(1e-5));
    };
    check_field(0, "model", of_model);
    check_field(1, "bigrams", of_pairs);
    check_field(2, "unigrams", of_tokens);
}

TEST_CASE("task text: bits a character are fewer than bits a token where a token has several characters") {
    const TextFile file("words.txt", "eins zwei drei\nvier eins zwei\ndrei vier eins\nzwei drei vier\n");
    const Settings s = settings(
        "text",
        {{"corpus", file.path()}, {"tokens", "words"}, {"seq", "2"}, {"test", "2"}, {"validation", "1"}});
    const TrainSetup setup = task("text").make(s);  // 12 words: 5 of the test, 3, and 4 to learn from
    CHECK(setup.training->size() == 1);
    const TestReport report = setup.tested();
    const auto tokenizer = tokenizer_from_json(setup.kept.at("tokenizer"));
    const std::string& line = report.lines.at(3);
    const double perplexity = std::stod(line.substr(33, 12)), bits = std::stod(line.substr(46));
    const double characters = static_cast<double>(std::string("vier eins zwei drei vier").size());
    CHECK(bits == Approx(std::log2(perplexity) * 5 / characters).margin(0.001));
}

TEST_CASE("task text: a text that leaves no window to learn from is refused, one that leaves one is not") {
    const auto made = [](int lines, const char* seq) {
        std::string corpus;
        for (int i = 0; i < lines; ++i) corpus += "ab\n";
        const TextFile file("short.txt", corpus);
        return task("text").make(
            settings("text", {{"corpus", file.path()}, {"seq", seq}, {"test", "2"}, {"validation", "1"}}));
    };
    // windows of 4: 9 + 5 tokens, and 5 to learn from
    CHECK_THROWS_WITH(made(6, "4"),
                      "--validation, --test: 1 and 2 windows of 4 tokens leave none to train "
                      "on: the text has 18 tokens");
    CHECK(made(7, "4").training->size() == 1);
    // windows of 5: 11 + 6, and 6: 23 would be enough; of 24 one is left over
    CHECK(made(8, "5").training->size() == 1);
    // windows of 1: 3 + 2, and 2
    CHECK_THROWS_WITH(made(2, "1"), Catch::Matchers::Contains("the text has 6 tokens"));
    // windows of 6: 13 + 7, and 7: exactly 27
    CHECK(made(9, "6").training->size() == 1);
}

TEST_CASE("task text: the English sentences of the grammar, one a line") {
    const TrainSetup setup = task("text").make(settings(
        "text", {{"examples", "30"}, {"seq", "5"}, {"test", "3"}, {"validation", "2"}, {"data-seed", "9"}}));
    std::string text;
    for (const std::string& line : grammar_pairs(30, 9).target) text += line + "\n";
    const auto tokenizer = tokenizer_from_json(setup.kept.at("tokenizer"));
    const Ids ids = tokenizer->encode(text);
    CHECK(setup.training->size() == (static_cast<index_t>(ids.size()) - 16 - 11 - 1) / 5);
    CHECK(setup.header[0] == "English sentences of a grammar; --corpus FILE reads another text");
    const auto idle = [](const Settings::Texts& more) {
        return task("text").table(settings("text", more)).without_effect();
    };
    CHECK(idle({}).size() == 2);  // the input's dropout, and SGD's momentum
    CHECK(idle({{"corpus", "x.txt"}}).size() == 4);
}

TEST_CASE("answers of text: a beginning is continued with the likeliest tokens, as many as fit") {
    const auto tokenizer = learn_tokenizer({"the cat sleeps", "the dog sleeps", "a cat eats"}, {});
    const index_t V = tokenizer->vocabulary().size(), cat = tokenizer->vocabulary()["cat"];
    const auto ask = [&](const std::string& window, const PredictRequest& request) {
        const Settings s =
            settings("text", {{"seq", window}, {"tokens", "words"}}, {{"tokenizer", tokenizer->json()}});
        const Answerer answerer = task("text").answerer(s, request);
        always(answerer, some_logits(V, cat));
        return answerer.answers(request);
    };
    const double p = std::exp(-surprises(some_logits(V, cat))[static_cast<std::size_t>(cat)]);
    const auto answers = ask("8", asked({"the cat", "a bird the tree eats"}));
    REQUIRE(answers.size() == 2);
    const std::string first = text_of(answers[0], 3), second = text_of(answers[1], 3);
    CHECK(first.starts_with("the cat cat cat cat cat cat cat\n  step   written   probability"));
    CHECK(second.starts_with(
        "a <unk> the <unk> eats cat cat cat\n2 tokens of the beginning were not learned, and "
        "read as <unk>\n  step   written"));
    CHECK(first.find(fmt::format("     5   cat       {:>11.3f}   ", p)) != std::string::npos);
    CHECK(first.find("     6   ") == std::string::npos);
    CHECK(second.find("     2   cat") != std::string::npos);
    const Fields& fields = answers[1].fields;
    REQUIRE(fields.size() == 6);
    CHECK(fields[0] == Fields::value_type{"input", "\"a bird the tree eats\""});
    CHECK(fields[1] == Fields::value_type{"text", "\"a <unk> the <unk> eats cat cat cat\""});
    CHECK(fields[2] == Fields::value_type{"unknown", "2"});
    CHECK(answers[0].fields[2] == Fields::value_type{"unknown", "0"});
    CHECK(std::stod(fields[3].second) == Approx(3 * std::log(p)).epsilon(1e-5));

    const auto count = [&](const std::string& window, const PredictRequest& request) {
        const std::string text = text_of(ask(window, request).at(0));
        return std::count(text.begin(), text.end(), '\n') - 2;  // the text itself, and the heading
    };
    CHECK(count("80", asked({"the"})) == 60);
    CHECK(count("61", asked({"the"})) == 60);
    CHECK(count("60", asked({"the"})) == 59);
    CHECK(count("4", asked({"the cat sleeps"})) == 1);
    CHECK(count("8", asked({"the"}, {{"length", "7"}})) == 7);
    CHECK(count("80", asked({"the"}, {{"length", "1"}})) == 1);
    const std::string beams = text_of(ask("8", asked({"the"}, {{"beam", "2"}, {"length", "2"}})).at(0));
    CHECK(beams.find("   score   ln P   sequence\n") != std::string::npos);

    const auto refused = [&](const PredictRequest& request, const std::string& message) {
        check_error<UsageError>([&] { (void)ask("4", request); }, message);
    };
    refused(asked({"the"}, {{"length", "4"}}), "--length: expected at most 3, got 4");
    refused(asked({"the"}, {{"length", "0"}}), "--length: expected at least 1, got 0");
    refused(asked({"the cat the cat"}),
            "predict text: expected fewer than 4 tokens (--seq), as m was trained on, got 4");
    refused(asked({""}), "predict text: expected the beginning of a text, got ''");
    refused(asked({"a\xff"}), "predict text: not UTF-8: 'a\\xff'");
    const auto checked = task("text").check;
    CHECK_NOTHROW(checked(asked({"the"}, {{"length", "1"}})));
    check_error<UsageError>(
        [&] {
            checked(asked({"the"}, {{"length", "0"}}));
        },
        "--length: expected at least 1, got 0");
    check_error<UsageError>(
        [&] {
            checked(asked({"the"}, {{"beam", "0"}}));
        },
        "--beam: expected at least 1, got 0");
}

TEST_CASE("answers of text: the last pass in full, and every pass") {
    const auto tokenizer = learn_tokenizer({"the cat sleeps", "the dog sleeps"}, {});
    const index_t V = tokenizer->vocabulary().size(), cat = tokenizer->vocabulary()["cat"];
    const Settings s =
        settings("text", {{"seq", "5"}, {"tokens", "words"}}, {{"tokenizer", tokenizer->json()}});
    const PredictRequest request = asked({"the dog"}, {}, "--steps");
    const Answerer answerer = task("text").answerer(s, request);
    always(answerer, some_logits(V, cat));
    const Prediction last = answerer.in_full(request);
    CHECK(last.words == Lines{"the", "dog", "cat", "cat"});
    CHECK(last.notes == Lines{"tokens: the dog cat cat", "and now cat"});
    CHECK(last.arrays[0].second.shape() == Shape{1, 4});
    Lines choices;
    for (index_t id = 3; id < V; ++id) choices.push_back(tokenizer->vocabulary().word(id));
    CHECK(last.choices == choices);
    {
        Trace trace;
        last.run(last.arrays);
        CHECK(trace[last.result].shape() == Shape{1, 4, V});
    }
    PredictRequest every = request;
    every.options["every-pass"] = "";
    const Prediction passes = answerer.in_full(every);
    CHECK(passes.words == Lines{"the", "dog"});
    CHECK(passes.result == "step/2/logits");
    Trace trace;
    passes.run(passes.arrays);
    CHECK(trace.contains("step/2/logits"));
    CHECK_FALSE(trace.contains("step/3/logits"));
    PredictRequest two = request;
    two.inputs.push_back("the");
    check_error<UsageError>([&] { (void)answerer.in_full(two); },
                            "--steps: shows one prediction, got 2 texts");
}
