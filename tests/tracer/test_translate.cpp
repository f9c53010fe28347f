// tracer train and predict with sentences: translate and text.
#include <nlohmann/json.hpp>
#include <regex>

#include <glassbox/io/safetensors.h>

#include "command.h"
#include "support/catch.h"
#include "support/compare.h"

using namespace glassbox_test;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// Barely trained: what is asked is whether everything is there, not whether it is right.
const Words tiny = {"--dmodel", "8",  "--heads", "2",  "--layers",     "1",  "--epochs", "2",
                    "--batch",  "16", "--test",  "10", "--validation", "10", "--warmup", "2"};
const Words tiny_translation = Words{"train", "translate", "--examples", "200"} + tiny;

struct Trained {
    Folder folder;
    std::string task;
    json result;

    explicit Trained(const Words& words) : task(words[1]) {
        const Ran ran = tracer_run(words + Words{"--folder", folder / "run", "--format", "json"});
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        result = json::parse(ran.out);
    }
    Ran predict(const Words& words) const {
        return tracer_run(Words{"predict", task, "--folder", folder / "run"} + words);
    }
    json answers(const Words& words) const {
        const Ran ran = predict(words + Words{"--format", "json"});
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        return json::parse(ran.out)["answers"];
    }
};

const Trained& translation() {
    static const Trained trained(tiny_translation);
    return trained;
}

const Trained& continuation() {
    static const Trained trained(Words{"train", "text", "--examples", "200", "--seq", "16"} + tiny);
    return trained;
}

}  // namespace

TEST_CASE("train translate: BLEU, chrF, exact matches and perplexity beside the baselines") {
    const json& result = translation().result;
    for (const char* way : {"model", "word_for_word", "copy"})
        for (const char* score : {"exact", "bleu", "chrf"}) {
            INFO(way << " " << score);
            CHECK(result[way][score].get<double>() >= 0);
        }
    CHECK(result["copy"]["exact"] == 0);
    CHECK(result["perplexity"].get<double>() > 1);
    CHECK(result["worst"].size() == 5);
    CHECK(result["shared_ngrams"]["2"].get<double>() > result["shared_ngrams"]["5"].get<double>());
}

TEST_CASE("train translate: a resumed run ends in the bits of an uninterrupted one") {
    const Folder folder;
    REQUIRE(tracer_run(tiny_translation + Words{"--save-every", "7", "--folder", folder / "whole"}).code ==
            0);
    std::filesystem::create_directory(folder / "half");
    std::filesystem::copy_file(folder / "whole/previous.safetensors", folder / "half/last.safetensors");
    const Ran ran = tracer_run({"train", "translate", "--resume", "--folder", folder / "half"});
    CAPTURE(ran.out, ran.err);
    REQUIRE(ran.code == 0);
    const auto tensors = [](const std::string& file) {
        std::vector<glassbox::real> all;
        for (const auto& [name, tensor] : glassbox::read_safetensors(file).tensors)
            for (const glassbox::real x : tensor.values()) all.push_back(x);
        return all;
    };
    CHECK((tensors(folder / "half/last.safetensors") == tensors(folder / "whole/last.safetensors")));
}

TEST_CASE(
    "train --average: the mean of one epoch is that epoch, of two another; more than there are is refused") {
    const auto validation_losses = [](const char* average) {  // of the last epoch, and of the mean
        const Ran ran = tracer_run(tiny_translation + Words{"--no-files", "--average", average});
        INFO(ran.out << ran.err);
        REQUIRE(ran.code == 0);
        std::smatch row, mean;
        REQUIRE(std::regex_search(ran.out, row, std::regex(R"(\n +2 +\d+ +[\d.]+ +[\d.]+ % +([\d.]+))")));
        REQUIRE(std::regex_search(ran.out, mean, std::regex(R"(the mean of .*: validation loss ([\d.]+))")));
        return std::pair(row[1].str(), mean[1].str());
    };
    const auto [last, alone] = validation_losses("1");
    CHECK(alone == last);
    const auto [same_last, of_two] = validation_losses("2");
    CHECK(same_last == last);
    CHECK(of_two != last);
    const Ran ran = tracer_run(tiny_translation + Words{"--no-files", "--average", "3"});
    CHECK(ran.code == 2);
    CHECK(has(ran.err, "--average: expected at most 2, got 3"));
}

TEST_CASE("train translate: a run whose pairs have changed is not resumed") {
    const Folder folder;
    const auto pairs = [&](const char* verb) {
        std::string text;
        for (int i = 0; i < 60; ++i)
            text += "il " + std::string(verb) + std::to_string(i) + "\the " + std::to_string(i) + "\n";
        write(folder / "pairs.tsv", text);
    };
    pairs("dort");
    const Words options =
        Words{"train", "translate", "--pairs", folder / "pairs.tsv", "--folder", folder / "run"};
    REQUIRE(tracer_run(options + tiny).code == 0);
    pairs("mange");
    const Ran ran = tracer_run({"train", "translate", "--resume", "--folder", folder / "run"});
    CHECK(ran.code != 0);
    CHECK(has(ran.err, "the data have changed"));
}

TEST_CASE("train translate: a step in full, with the batch's tokens") {
    const Ran ran = tracer_run(tiny_translation + Words{"--step", "1"});
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "source_lengths (16,)"));
}

TEST_CASE("train translate: every kind of tokens and vocabulary", "[exhaustive]") {
    for (const Words& options :
         {Words{"--tokens", "characters", "--seq", "80"}, Words{"--tokens", "bpe", "--vocabulary", "400"},
          Words{"--vocabularies", "shared", "--tie", "all"}, Words{"--tie", "target"},
          Words{"--min-count", "3", "--lower", "both"}}) {
        const Folder folder;
        const Ran ran = tracer_run(tiny_translation + options + Words{"--folder", folder / "run"});
        CAPTURE(options, ran.err);
        REQUIRE(ran.code == 0);
        const Ran asked =
            tracer_run({"predict", "translate", "Je suis étudiant.", "--folder", folder / "run"});
        CHECK(asked.code == 0);
        CHECK(has(asked.out, "Je suis étudiant.  →  "));
    }
    const Ran ran = tracer_run(tiny_translation + Words{"--tie", "all", "--no-files"});
    CHECK(ran.code == 2);
    CHECK(has(ran.err, "--tie: all requires --vocabularies shared; this run's are separate"));
}

TEST_CASE("train translate: files of other sizes and forms") {
    const Folder folder;
    const auto run = [&](const std::string& text) {
        write(folder / "pairs.tsv", text);
        return tracer_run(Words{"train", "translate", "--no-files", "--pairs", folder / "pairs.tsv"} + tiny);
    };
    std::string good;
    for (int i = 0; i < 80; ++i)
        good += "\xc3\xa9t\xc3\xa9 " + std::to_string(i) + "\tsummer " + std::to_string(i) + "\tCC-BY\r\n";
    const Ran ran = run("\xef\xbb\xbf" + good);
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "80 pairs of"));
    CHECK(has(ran.out, "further columns are ignored"));
    CHECK(run("").code == 3);
    CHECK(run("one column\n").code == 3);
    CHECK(run("bad \xff\tbytes\n").code == 3);
    const Ran one = run("un chat\ta cat\n");
    CHECK(one.code == 2);
    CHECK(has(one.err, "leave none to train on"));
    std::string lines =
        good + std::string(100'000, 'a') + "\t" + std::string(100'000, 'b') + "\n" + std::string(5000, 'c');
    for (int i = 0; i < 50; ++i) lines += " x";
    lines += "\tlong\n";
    const Ran longer = run(lines);
    CHECK(longer.code == 0);
    CHECK(has(longer.out, " with more than 40 tokens (--seq) "));
}

TEST_CASE("predict translate: token by token, greedily, by beam search and drawn") {
    const json greedy = translation().answers({"je suis étudiant"})[0];
    CHECK(greedy["tokens"] == json({"je", "suis", "étudiant"}));
    CHECK(greedy["written"].size() == greedy["probabilities"].size());
    const json uncached = translation().answers({"je suis étudiant", "--no-cache"})[0];
    CHECK(uncached["written"] == greedy["written"]);
    const json cased = translation().answers({"Je SUIS étudiant"})[0];
    CHECK(cased["written"] == greedy["written"]);  // texts to be translated are read in lower case
    const json beam = translation().answers({"je suis étudiant", "--beam", "3", "--length-penalty", "1"})[0];
    CHECK(beam["beams"].size() >= 2);
    for (std::size_t i = 1; i < beam["beams"].size(); ++i)
        CHECK(beam["beams"][i - 1]["score"].get<double>() >= beam["beams"][i]["score"].get<double>());
    const Words draw = {"je suis étudiant", "--temperature", "2", "--top-k", "50", "--top-p", "0.99"};
    const json drawn = translation().answers(draw + Words{"--sample-seed", "1"})[0];
    CHECK(drawn["written"] == translation().answers(draw + Words{"--sample-seed", "1"})[0]["written"]);
    CHECK(drawn["written"] != translation().answers(draw + Words{"--sample-seed", "2"})[0]["written"]);
    CHECK(translation().answers({"il dort", "elle dort", "je dors"}).size() == 3);
}

TEST_CASE("predict translate: what it does not know or cannot translate is said") {
    const json unknown = translation().answers({"Le xyzzy dort \xcc\x81"})[0];
    CHECK(unknown["unknown"][0] == "xyzzy");
    CHECK(translation().answers({"\xcc\x81"})[0]["unknown"].size() == 1);  // an accent alone
    const auto refused = [&](const Words& words, int code, const std::string& message) {
        const Ran ran = translation().predict(words);
        CAPTURE(ran.out);
        CHECK(ran.code == code);
        CHECK(has(ran.err, message));
    };
    refused({""}, 2, "expected a sentence with words, got ''");
    refused({"  \t "}, 2, "expected a sentence with words");
    refused({}, 2, "expected a sentence: tracer predict translate 'je suis étudiant'");
    refused({"\xff"}, 2, "not UTF-8: '\\xff'");
    std::string many;
    for (int i = 0; i < 5000; ++i) many += "le ";
    refused({many}, 2, "at most 40 tokens (--seq)");
    refused({many}, 2, "got 5000");
    std::string accents = "e";
    for (int i = 0; i < 2000; ++i) accents += "\xcc\x81";
    refused({accents}, 2, "combining marks");
    refused({"il dort", "--beam", "2", "--temperature", "1"}, 2,
            "--beam: cannot be combined with --temperature");
    refused({"il dort", "--top-k", "2"}, 2, "--top-k: requires a --temperature above 0");
    refused({"il dort", "--length-penalty", "1"}, 2, "--length-penalty: requires --beam of at least 2");
    refused({"il dort", "--top-p", "0", "--temperature", "1"}, 2,
            "--top-p: expected above 0 and at most 1, got 0");
    refused({"il dort", "elle dort", "--map"}, 2, "--map: shows one prediction, got 2 sentences");
}

TEST_CASE("predict translate: in full, with words along the axes", "[exhaustive]") {
    for (const Words& way : {Words{"--map"}, Words{"--steps"}, Words{"--explain", "softmax[0,0,5]"}}) {
        const Ran ran = translation().predict(Words{"je suis étudiant"} + way);
        CAPTURE(way, ran.err);
        CHECK(ran.code == 0);
    }
    CHECK(has(translation().predict({"je suis étudiant", "--map"}).out, "étudiant"));
    const Ran all = translation().predict({"je suis étudiant", "--every-pass", "--only", "K_cache"});
    CAPTURE(all.err);
    CHECK(all.code == 0);
    CHECK(has(all.out, "step/1/decoder/0/self_attn/K_cache"));
    const Ran alone = translation().predict({"je suis étudiant", "--every-pass"});
    CHECK(alone.code == 2);
    CHECK(has(alone.err, "--every-pass: requires --steps"));
}

TEST_CASE("predict translate --evaluate: the scores of a file of pairs") {
    const Folder folder;
    write(folder / "pairs.tsv", "Je suis étudiant.\tI am a student.\nIl dort\tHe sleeps\n");
    const json result = translation().answers({"--evaluate", folder / "pairs.tsv"})[0];
    CHECK(result["pairs"] == 2);
    CHECK(result["model"]["bleu"].get<double>() >= 0);
    CHECK(result["perplexity"].get<double>() > 1);
    const Ran both = translation().predict({"il dort", "--evaluate", folder / "pairs.tsv"});
    CHECK(both.code == 2);
    CHECK(has(both.err, "--evaluate: takes its sentences from the file, got also 'il dort'"));
}

TEST_CASE("train text: bits per character beside counts, and predict text goes on") {
    const json& result = continuation().result;
    CHECK(result["bigrams"]["perplexity"].get<double>() < result["unigrams"]["perplexity"].get<double>());
    CHECK(result["model"]["bits_per_character"].get<double>() > 0);
    const json answer = continuation().answers({"The", "--length", "5"})[0];
    CHECK(answer["written"].size() == 5);
    CHECK(answer["text"].get<std::string>().rfind("The", 0) == 0);
    CHECK(continuation().answers({"The", "--length", "5", "--no-cache"})[0]["written"] == answer["written"]);
    CHECK(continuation().predict({"once", "--map"}).code == 0);
    for (const auto& [question, message] :
         {std::pair<const char*, const char*>{"", "expected the beginning of a text"},
          {"\xff", "not UTF-8"},
          {"a text of more than sixteen", "fewer than 16 tokens (--seq)"}}) {
        const Ran ran = continuation().predict({question});
        CHECK(ran.code == 2);
        CHECK(has(ran.err, message));
    }
}

TEST_CASE("train text: a corpus of one's own, and one that is too short") {
    const Folder folder;
    std::string text;
    for (int i = 0; i < 300; ++i) text += "once upon a time there was a line " + std::to_string(i) + "\n";
    write(folder / "corpus.txt", text);
    const Words options =
        Words{"train", "text", "--seq", "16", "--corpus", folder / "corpus.txt", "--no-files"} + tiny;
    for (const char* kind : {"characters", "bpe", "words"}) {
        const Ran ran = tracer_run(options + Words{"--tokens", kind, "--vocabulary", "300"});
        CAPTURE(kind, ran.err);
        CHECK(ran.code == 0);
    }
    write(folder / "corpus.txt", "short\n");
    const Ran ran = tracer_run(options);
    CHECK(ran.code == 2);
    CHECK(has(ran.err, "leave none to train on: the text has 6 tokens"));
}
