// tracer predict: the answers of trained models, and why, from the files of tracer train.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/text/vocabulary.h>

#include "command.h"
#include "support/catch.h"
#include "support/compare.h"
#include "support/random.h"
#include "tasks/grammar/grammar.h"

using namespace glassbox_test;
using glassbox::index_t;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// A folder with a tiny trained model.
struct Trained {
    Folder folder;
    std::string task;
    json result;

    Trained(const std::string& of, const Words& options, bool as_json = true) : task(of) {
        Words words = Words{"train", task, "--folder", folder / "run"} + options;
        if (as_json) words = words + Words{"--format", "json"};
        const Ran ran = tracer_run(words);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        if (as_json) result = json::parse(ran.out);
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
    // The steps of a prediction, as written by the command.
    glassbox::Npz steps(const Words& words) const {
        const std::string file = folder / "steps.npz";
        REQUIRE(predict(words + Words{"-o", file}).code == 0);
        return glassbox::Npz(file);
    }
};

const Words tiny_reversal = {"--seq",        "4",  "--categories", "3",  "--examples", "2048",
                             "--validation", "64", "--test",       "64", "--epochs",   "8",
                             "--dmodel",     "16", "--batch",      "64", "--rate",     "0.01"};
// Barely trained.
const Words ignorant = {"--seq",  "4", "--categories", "3", "--examples", "64", "--validation", "8",
                        "--test", "8", "--epochs",     "1", "--dmodel",   "4",  "--batch",      "64"};

std::size_t largest(const std::vector<glassbox::real>& values, std::size_t begin, std::size_t count) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
    return static_cast<std::size_t>(std::max_element(first, first + static_cast<std::ptrdiff_t>(count)) -
                                    first);
}

}  // namespace

TEST_CASE("predict reverse: answers backwards, with the probabilities of its softmax step", "[exhaustive]") {
    const Trained run("reverse", tiny_reversal);
    const Ran text = run.predict({"2 0 1 1"});
    CHECK(text.code == 0);
    CHECK(has(text.out, "2 0 1 1  →  1 1 0 2   right"));
    const json answer = run.answers({"2 0 1 1"})[0];
    CHECK(answer["answer"] == json({1, 1, 0, 2}));
    CHECK(answer["right"] == true);
    CHECK(answer["convention"] == "uva-jax");
    const glassbox::Npz steps = run.steps({"2 0 1 1"});
    const glassbox::Tensor softmax = steps.read("softmax");
    for (index_t i = 0; i < 4; ++i)
        CHECK(answer["probabilities"][static_cast<std::size_t>(i)].get<double>() ==
              Approx(softmax.at({i, answer["answer"][static_cast<std::size_t>(i)].get<index_t>()})));
    // Figure 4 of the report: position i attends to position T − 1 − i.
    const std::vector<glassbox::real> attention = steps.read("encoder/0/self_attn/attention").values();
    for (std::size_t i = 0; i < 4; ++i) CHECK(largest(attention, 4 * i, 4) == 3 - i);
}

TEST_CASE("predict reverse: a short input is padded with zeros, and the text says so", "[exhaustive]") {
    const Trained run("reverse", tiny_reversal);
    const Ran ran = run.predict({"2 1"});
    CHECK(has(ran.out, "2 1  →  1 2   right"));
    CHECK(has(ran.out,
              "2 numbers, padded with 2 zeros as the model was trained on 4; the answer is in the last 2 "
              "places"));
    const json answers = run.answers({"2,1", "0\t2 1 "});
    REQUIRE(answers.size() == 2);
    CHECK(answers[0]["filler"] == 2);
    CHECK(answers[1]["input"] == json({0, 2, 1}));
    CHECK(run.answers({"2", "1"})[0]["input"] == json({2, 1}));  // words of one number each are one sequence
}

TEST_CASE("predict reverse: a wrong answer is marked as wrong") {
    const Trained run("reverse", ignorant);
    const Ran ran = run.predict({"2 2 0 1"});
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "wrong: expected 1 0 2 2"));
    CHECK(run.answers({"2 2 0 1"})[0]["right"] == false);
}

TEST_CASE("predict: a prediction in full, in every way that models are shown") {
    const Trained run("reverse", ignorant);
    const Words input = {"2 2 0 1"};
    CHECK(has(run.predict(input + Words{"--steps"}).out, "encoder/0/self_attn/attention"));
    CHECK_FALSE(has(run.predict(input + Words{"--depth", "1"}).out, "encoder/0/self_attn/attention"));
    CHECK(has(run.predict(input + Words{"--explain", "softmax[0,1]"}).out, "softmax[0,1]"));
    CHECK(has(run.predict(input + Words{"--grad", "--only", "logits"}).out, "output_net"));
    CHECK(has(run.predict(input + Words{"--map"}).out, "Attention"));
    CHECK(run.predict(input + Words{"--map", run.folder / "map.svg"}).code == 0);
    CHECK(has(content(run.folder / "map.svg"), "<svg"));
    const json steps = json::parse(run.predict(input + Words{"--steps", "--format", "json"}).out);
    CHECK(steps["command"] == "predict");
    CHECK(steps["steps"].back()["name"] == "softmax");
}

TEST_CASE(
    "predict --trained: the reversal that comes with tracer is right on what it never saw, and is not called "
    "untrained") {
    glassbox_test::Random random(7);
    Words questions;
    for (int i = 0; i < 200; ++i) {
        std::string numbers;
        for (int k = 0; k < 16; ++k) numbers += (k ? " " : "") + std::to_string(random.whole(0, 9));
        questions.push_back(numbers);
    }
    const Ran ran = tracer_run(Words{"predict", "reverse", "--trained", "--format", "json"} + questions);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    for (const json& answer : json::parse(ran.out)["answers"]) CHECK(answer["right"] == true);

    const Words asked{"predict", "reverse", "2 5 3 7 1", "--trained"};
    CHECK(has(tracer_run(asked).out, "2 5 3 7 1  →  1 7 3 5 2   right"));
    CHECK(has(tracer_run(asked).out, " · the trained model of tracer\n"));
    CHECK_FALSE(has(tracer_run(asked + Words{"--map"}).out, "means nothing"));
    const std::string map = tracer_run(asked + Words{"--map"}).out;
    CHECK(has(map, "\n 0 → ∅ │"));
    CHECK(has(
        map,
        "\n11 → 1 │      ░░██░░                    │\n12 → 7 │    ░░██░░                      │\n13 → 3 │"));
    CHECK(has(map, "        2₀  3₂  1₄  ∅₆  ∅₈  ∅₁₀ ∅₁₂ ∅₁₄\n          5₁  7₃  ∅₅  ∅₇  ∅₉  ∅₁₁ ∅₁₃ ∅₁₅\n"));
    CHECK(has(map, "down: the number it writes, across: the number it reads"));
    CHECK(has(tracer_run({"predict", "copy", "1", "--trained"}).err,
              "--trained: no model of copy comes with tracer; there is reverse, translate: tracer train copy "
              "trains one"));
    CHECK(tracer_run(asked + Words{"--folder", "x"}).code == 2);
}

TEST_CASE(
    "predict --trained: the translator that comes with tracer is right on nine of ten unseen sentences") {
    const glassbox::SentencePairs all =
        glassbox::grammar_pairs(131'500, 42);  // of its training: the last 1,000
    const Folder folder;
    std::string pairs;
    for (std::size_t i = all.source.size() - 200; i < all.source.size(); ++i)
        pairs += all.source[i] + "\t" + all.target[i] + "\n";
    write(folder / "unseen.tsv", pairs);
    const Ran ran = tracer_run(
        {"predict", "translate", "--trained", "--evaluate", folder / "unseen.tsv", "--format", "json"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const json answer = json::parse(ran.out)["answers"][0];
    INFO(answer.dump());
    CHECK(answer["model"]["exact"] > 0.9);
    // It reads French, of a grammar's words.
    const std::string foreign =
        tracer_run({"predict", "translate", "le chien voit the house", "--trained"}).out;
    CHECK(has(foreign, "French to English, of a small grammar"));
    CHECK(has(foreign,
              "it was trained on French sentences without the, house: this translation means nothing"));
    CHECK_FALSE(
        has(tracer_run({"predict", "translate", "je suis étudiant", "--trained"}).out, "means nothing"));
    CHECK(has(tracer_run({"predict", "translate", "je suis étudiant", "--trained"}).out,
              "je suis étudiant  →  I am a student\n"));
}

TEST_CASE("predict --trained: they were trained with the settings of tracer/train/trained/make") {
    const auto same = [](const std::string& task, Words settings) {
        INFO(task);
        const Folder folder;
        settings = Words{"train", task, "--folder", folder / "run"} + settings;
        for (const char* few : {"--examples", "--validation", "--test"})
            settings = settings + Words{few, std::string(few) == "--examples" ? "256" : "8"};
        REQUIRE(tracer_run(settings).code == 0);
        const std::string trained = GLASSBOX_SOURCE "/tracer/train/trained/" + task + ".safetensors";
        auto own = glassbox::read_safetensors(trained).metadata,
             made = glassbox::read_safetensors(folder / "run/best.safetensors").metadata;
        for (const char* other : {"epochs", "examples", "validation", "test", "vocabulary", "glassbox.crc32c",
                                  "source-tokenizer"})
            own.erase(other), made.erase(other);
        CHECK(own == made);
    };
    same("reverse", {"--epochs", "1"});
    const std::string make = content(GLASSBOX_SOURCE "/tracer/train/trained/make");
    const std::size_t begin = make.find("--tokens"), end = make.find("--epochs 16");
    REQUIRE(begin < end);
    Words settings{"--epochs", "1"};
    for (const std::string& word : glassbox::split_words(make.substr(begin, end - begin)))
        if (word != "\\") settings.push_back(word);
    *std::find(settings.begin(), settings.end(), "900") = "300";  // of few sentences
    same("translate", settings);
}

TEST_CASE("predict: invalid usage is refused with both values") {
    const Trained run("reverse", ignorant);
    const auto refused = [&](const Words& words, const std::string& reason) {
        const Ran ran = run.predict(words);
        INFO(ran.out << ran.err);
        CHECK(ran.code == 2);
        CHECK(has(ran.err, reason));
        CHECK(ran.out.empty());
    };
    refused({}, "expected numbers");
    refused({""}, "an input without numbers");
    refused({"1 2 3"}, "number 3: expected at most 2, got 3");
    refused({"1 -2"}, "number 2: expected at least 0, got -2");
    refused({"1 x"}, "number 2: expected a whole number, got 'x'");
    refused({"0 1 2 0 1"}, "at most 4 numbers");
    refused({"0 1", "1 2", "--map"}, "--map: shows one prediction, got 2 inputs");
    refused({"0 1", "--pooling", "cls"}, "--pooling: belongs to sequence, not to reverse");
    refused({"0 1", "--mistakes"}, "--mistakes: belongs to anomaly");
    refused({"0 1", "--map", "--explain", "logits[0,0]"}, "cannot be combined");
    refused({"0 1", "--weights", "x.safetensors"},
            "--folder: cannot be combined with --weights x.safetensors, which names the file");
    refused({"0 1", "--only", "nothing"}, "no step 'nothing'");
    const std::string best = run.folder / "run/best.safetensors", before = content(best);
    refused({"0 1", "-o", best}, "-o " + best + ": expected a name that ends in ");
    CHECK(content(best) == before);
    CHECK(tracer_run({"predict"}).code == 2);
    CHECK(has(tracer_run({"predict", "revers", "1"}).err, "reverse"));
}

TEST_CASE("predict: files that are missing, foreign or damaged") {
    const Trained run("reverse", ignorant);
    const auto predict = [](const std::string& task, const std::string& file) {
        return tracer_run({"predict", task, "--weights", file, "1"});
    };
    const Ran none = tracer_run({"predict", "reverse", "--folder", run.folder / "nowhere", "1"});
    CHECK(none.code == 4);
    CHECK(has(none.err, "not found; to create it: tracer train reverse --folder"));
    const std::string best = run.folder / "run/best.safetensors", other = run.folder / "other.safetensors";
    CHECK(predict("reverse", best).code == 0);
    CHECK(predict("reverse", run.folder / "none").code == 4);

    const Ran foreign = predict("copy", best);
    CHECK(foreign.code == 3);
    CHECK(has(foreign.err, "trained for task reverse, expected copy"));
    const Ran checkpoint = predict("reverse", run.folder / "run/last.safetensors");
    CHECK(checkpoint.code == 3);
    CHECK(has(checkpoint.err, "a checkpoint to resume from"));

    write(other, content(best).substr(0, 300));
    CHECK(predict("reverse", other).code == 3);
    const glassbox::Safetensors good = glassbox::read_safetensors(best);
    const auto with = [&](const std::string& key, const std::string& value) {
        auto metadata = good.metadata;
        metadata[key] = value;
        glassbox::write_safetensors(other, good.tensors, metadata);
        return predict("reverse", other);
    };
    glassbox::write_safetensors(other, good.tensors);
    CHECK(has(predict("reverse", other).err, "has no settings of its model"));
    CHECK(has(with("convention", "mine").err, "mine"));
    CHECK(has(with("dmodel", "many").err, "expected a whole number, got 'many'"));
    CHECK(has(with("heads", "3").err, "other.safetensors"));
    const Ran huge = with("layers", "9999");
    CHECK(huge.code == 3);
    CHECK(has(huge.err, "9999 layers, need more than"));
    const Ran wider = with("categories", "9");
    CHECK(wider.code == 3);
    CHECK(has(wider.err, "input_net"));
}

TEST_CASE("predict sequence: one answer per pooling, and what [CLS] attends to") {
    const Words small = {"--seq",  "4", "--categories", "3", "--examples", "256", "--validation", "8",
                         "--test", "8", "--epochs",     "1", "--dmodel",   "4",   "--batch",      "64"};
    const Trained run("sequence", small, false);
    const json answers = run.answers({"1 1 1 0"});
    REQUIRE(answers.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(answers[i]["pooling"] == Words{"mean", "max", "cls"}[i]);
        CHECK(answers[i]["expected"] == 1);
        double sum = 0, most = 0;
        for (const double p : answers[i]["probabilities"]) sum += p, most = std::max(most, p);
        CHECK(sum == Approx(1));
        CHECK(answers[i]["probabilities"][answers[i]["answer"].get<std::size_t>()] == most);
    }
    CHECK(run.answers({"1 1 0 0"})[0]["expected"].is_null());
    CHECK(has(run.predict({"1 1 0 0"}).out, "no single right answer: 0, 1 are equally frequent"));
    CHECK(has(run.predict({"1 1 0"}).out, "shorter than any sequence the model was trained on (4)"));
    const Ran several = run.predict({"1 1 0 2", "--map"});
    CHECK(several.code == 2);
    CHECK(has(several.err, "choose with --pooling mean, max or cls"));
    const Ran map = run.predict({"1 1 0 2", "--pooling", "cls", "--map"});
    CHECK(has(map.out, "What [CLS] attends to"));
    CHECK(run.answers({"1 1 0 2", "--pooling", "max"}).size() == 1);
    const std::string mean = run.folder / "run/mean/best.safetensors";
    const Ran other = tracer_run({"predict", "sequence", "--weights", mean, "--pooling", "cls", "1"});
    CHECK(other.code == 2);
    CHECK(has(other.err, "has pooling mean, got cls"));
}

TEST_CASE("predict sequence: a question of parity is answered in words") {
    const Trained run("sequence", Words{"--seq",        "4",     "--categories", "2",  "--examples", "64",
                                        "--validation", "8",     "--test",       "8",  "--epochs",   "1",
                                        "--dmodel",     "4",     "--batch",      "64", "--pooling",  "mean",
                                        "--question",   "parity"});
    CHECK(has(run.predict({"0 1 0 0"}).out, "even"));
    CHECK(run.answers({"0 1 0 0"})[0]["expected"] == 1);
    CHECK(run.answers({"0 1 1 0"})[0]["expected"] == 0);
}

namespace {

const Words tiny_anomaly = {"--examples", "40",      "--test", "10",       "--epochs", "1",     "--dmodel",
                            "16",         "--heads", "2",      "--layers", "2",        "--seq", "5"};

}  // namespace

TEST_CASE("predict anomaly: the elements of a set, all mistakes, and the permutation check", "[exhaustive]") {
    const Trained run("anomaly", tiny_anomaly);
    const json answer = run.answers({"--set", "7"})[0];
    REQUIRE(answer["classes"].size() == 5);
    CHECK(answer["expected"] == 4);
    CHECK(answer["classes"][4] != answer["classes"][0]);
    CHECK(answer["classes"][0] == answer["classes"][3]);
    CHECK(has(run.predict({"--set", "7"}).out, "test set 7 of 1000: 4 images of class"));

    const json all = run.answers({"--mistakes", "1000"})[0];
    CHECK(all["accuracy"].get<double>() == Approx(run.result["test_accuracy"].get<double>()));
    CHECK(all["mistakes"].size() == all["wrong"]);
    for (const json& mistake : all["mistakes"]) {
        CHECK(mistake["answer"] != mistake["expected"]);
        CHECK(mistake["probability"] >= mistake["probability_of_expected"]);
    }
    const json& first = all["mistakes"][0];
    const json same = run.answers({"--set", std::to_string(first["set"].get<int>())})[0];
    CHECK(same["answer"] == first["answer"]);
    CHECK(same["images"] == first["images"]);
    CHECK(has(run.predict({"--mistakes", "2"}).out, "the first 2; --mistakes "));

    const Ran permuted = run.predict({"--permute", "1"});
    CHECK(permuted.code == 0);
    CHECK(has(permuted.out, "largest difference"));
    CHECK(has(run.predict({"--map"}).out, "layer 1, head 0   "));
    CHECK(has(run.predict({"--only", "probabilities"}).out, "softmax(scores)"));

    const auto refused = [&](const Words& words, const std::string& reason) {
        const Ran ran = run.predict(words);
        CHECK(ran.code == 2);
        CHECK(has(ran.err, reason));
    };
    refused({"--set", "1000"}, "--set: expected at most 999, got 1000");
    refused({"--set", "x"}, "--set: expected a whole number, got 'x'");
    refused({"1 2 3"}, "takes no input, its sets are the run's test sets");
    refused({"--mistakes", "--set", "1"}, "--set: --mistakes asks all test sets");
    refused({"--permute", "1", "--map"}, "--permute: cannot be combined with --map");
}

TEST_CASE("predict anomaly: the permutation check fails, with exit code 1, on NaN", "[exhaustive]") {
    const Trained run("anomaly", tiny_anomaly);
    glassbox::Safetensors file = glassbox::read_safetensors(run.folder / "run/best.safetensors");
    for (auto& [name, tensor] : file.tensors)
        if (name == "input_net.1.weight") tensor = glassbox::Tensor::full(tensor.shape(), NAN);
    const std::string broken = run.folder / "broken.safetensors";
    glassbox::write_safetensors(broken, file.tensors, file.metadata);
    const Ran ran = tracer_run({"predict", "anomaly", "--weights", broken, "--permute", "1"});
    CHECK(ran.code == 1);
    CHECK(has(ran.out, "the order of the set matters"));
}

TEST_CASE("predict copy and sort: token by token, each the most likely of its row in the trace",
          "[exhaustive]") {
    for (const std::string task : {"copy", "sort"}) {
        INFO(task);
        const Trained run(task,
                          {"--seq",  "4",    "--categories", "3", "--examples", "512", "--validation", "16",
                           "--test", "16",   "--epochs",     "6", "--dmodel",   "16",  "--batch",      "32",
                           "--rate", "0.01", "--warmup",     "10"});
        const json answer = run.answers({"2 0 1"})[0];
        const std::size_t length = answer["written"].size();
        REQUIRE(length >= 2);
        const glassbox::Npz steps = run.steps({"2 0 1"});
        const glassbox::Tensor softmax = steps.read("softmax");  // (1, T, 6)
        REQUIRE(softmax.size(1) == static_cast<index_t>(length));
        for (std::size_t i = 0; i < length; ++i)  // causal: later tokens change nothing
            CHECK(answer["probabilities"][i].get<double>() ==
                  Approx(softmax.values()[6 * i + largest(softmax.values(), 6 * i, 6)]).margin(1e-5));
        CHECK(answer["right"] == (answer["written"] == (task == "copy" ? json({"2", "0", "1", "<end>"})
                                                                       : json({"0", "1", "2", "<end>"}))));
        CHECK(has(run.predict({"2 0 1"}).out, "next most likely"));
        const std::string map = run.predict({"2 0 1", "--map"}).out;
        CHECK(has(map, "What each written token attends to"));
        CHECK(has(map, "cross-attention"));
        CHECK(has(map, "\nself-attention is not drawn: "));
        CHECK(has(run.predict({"2 0 1", "--map", "--scope", "decoder/0/self_attn"}).out,
                  "masked self-attention"));
        CHECK(has(run.predict({"2 0 1", "--only", "softmax"}).out, "most likely after <start>"));
        CHECK(run.predict({"2 0 1 1 1"}).code == 2);
    }
}
