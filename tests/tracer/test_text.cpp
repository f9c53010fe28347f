// tracer text: from a sentence to tokens, ids, batch and shift.
#include <nlohmann/json.hpp>

#include <glassbox/io/numpy.h>

#include "command.h"

using namespace glassbox_test;
using nlohmann::json;

namespace {

json step(const json& report, const std::string& name) {
    for (const json& each : report["steps"])
        if (each["name"] == name) return each;
    FAIL("no step " << name);
    return {};
}

json report_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "text");
    arguments.insert(arguments.end(), {"--format", "json"});
    const Ran ran = tracer_run(arguments);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return json::parse(ran.out);
}

}  // namespace

TEST_CASE("text: ids and the shift are whole numbers, each with its token") {
    const json report = report_of({"Je suis étudiant.", "--target", "I am a student."});
    CHECK(step(report, "characters")["values"].size() == 17);
    CHECK(step(report, "tokens")["words"] == json({"Je", "suis", "étudiant", "."}));
    CHECK(step(report, "tokens")["values"] == json({2, 4, 9, 1}));
    CHECK(step(report, "ids")["values"] == json({4, 5, 6, 7}));
    CHECK(step(report, "inputs")["values"] == json({{4, 5, 6, 7, 2}}));
    CHECK(step(report, "targets")["words"] == json({"<start>", "I", "am", "a", "student", "."}));
    CHECK(step(report, "labels")["words"] == json({"I", "am", "a", "student", ".", "<end>"}));
    const Ran text = tracer_run({"text", "Je suis étudiant.", "--only", "ids"});
    CHECK(text.out.find("   Je  suis  étudiant  .\n    4     5         6  7\n") != std::string::npos);
}

TEST_CASE("text: a shorter sentence is padded, masked, and its labels ignored") {
    const json report = report_of({"Je suis là", "Oui"});
    CHECK(step(report, "inputs")["values"] == json({{4, 5, 6, 2}, {7, 2, 0, 0}}));
    CHECK(step(report, "mask")["values"] == json({{1, 1, 1, 1}, {1, 1, 0, 0}}));
    CHECK(step(report, "labels")["values"][1] == json({7, 2, -1, -1}));
    CHECK(step(report, "sentence/1/tokens")["words"] == json({"Oui"}));
}

TEST_CASE("text: a corpus of pairs gives the vocabularies, the translation and what was ignored") {
    const Folder folder;
    write(folder / "pairs.tsv", "Oui.\tYes.\tCC-BY\nNon.\tNo.\tCC-BY\n");
    const json report = report_of({"Oui.", "--corpus", folder / "pairs.tsv"});
    CHECK(step(report, "labels")["words"] == json({"Yes", ".", "<end>"}));
    CHECK(step(report, "vocabulary")["words"] ==
          json({"<pad>", "<start>", "<end>", "<unk>", ".", "Oui", "Non"}));
    CHECK(step(report, "vocabulary")["values"] == json({0, 0, 0, 0, 2, 1, 1}));
    const Ran ran = tracer_run({"text", "Oui.", "--corpus", folder / "pairs.tsv"});
    CHECK(ran.out.find("2 pairs; columns after the second ignored, 1") != std::string::npos);
    const Ran rare =
        tracer_run({"text", "--explain", "Oui", "--corpus", folder / "pairs.tsv", "--min-count", "2"});
    CHECK(rare.out ==
          "Oui: not in the vocabulary of 5 tokens, so it is <unk>, id 3: it occurs 1 time in the corpus, "
          "and --min-count or --vocabulary leaves it out\n");
}

TEST_CASE("text: a line above a corpus of pairs is asked about, and no reason to read it as one text") {
    const Folder folder;
    write(folder / "pairs.tsv", "# my pairs\nOui.\tYes.\nNon.\tNo.\n");
    const Ran ran = tracer_run({"text", "Oui.", "--corpus", folder / "pairs.tsv"});
    CHECK(ran.code == 3);
    CHECK(ran.err.find("expected two columns separated by a tab, got one: '# my pairs'") !=
          std::string::npos);
    write(folder / "text.txt", "Oui.\nNon.\nSi.\tPeut.\n");
    CHECK(tracer_run({"text", "Oui.", "--corpus", folder / "text.txt"}).out.find("3 lines") !=
          std::string::npos);
}

TEST_CASE("text: byte pairs show their merges, and a saved tokenizer gives the same ids") {
    const Folder folder;
    const std::vector<std::string> bpe = {"--tokens", "bpe", "--vocabulary", "262"};
    std::vector<std::string> arguments = {"été été", "--save", folder / "t.json"};
    arguments.insert(arguments.end(), bpe.begin(), bpe.end());
    const json report = report_of(arguments), again = report_of({"été été", "--tokens", folder / "t.json"});
    CHECK(step(report, "merges")["shape"][1] == 3);
    CHECK(step(report, "tokens")["words"] == step(again, "tokens")["words"]);
    CHECK(step(report, "ids")["values"] == step(again, "ids")["values"]);
    int bytes = 0;
    const json lengths = step(report, "tokens")["values"];
    for (const json& length : lengths) bytes += length.get<int>();
    CHECK(bytes == 11);
    REQUIRE(tracer_run({"text", "été", "-o", folder / "t.npz"}).code == 0);
    CHECK(glassbox::Npz(folder / "t.npz").read("ids").numel() == 1);
}

TEST_CASE("text: what cannot be done is said, with the option") {
    const Folder folder;
    const auto refused = [](const std::vector<std::string>& arguments, int code, const std::string& message) {
        const Ran ran = tracer_run(arguments);
        INFO(ran.err);
        CHECK(ran.code == code);
        CHECK(ran.err.find(message) != std::string::npos);
        CHECK(ran.out.empty());
    };
    refused({"text"}, 2, "text: expected a sentence, such as 'Je suis étudiant.', got nothing");
    refused({"text", "a", "b", "--target", "c"}, 2,
            "--target: expected as many sentences as before it, 2, got 1");
    refused({"text", "a\xff"}, 2, "SENTENCE: expected UTF-8, got 'a\\xff'");
    refused({"text", "a", "--vocabulary", "3"}, 2, "vocabulary: expected 5 to 10000000 tokens, got 3");
    refused({"text", "a", "--corpus", folder / "none"}, 4, "none: cannot open");
    refused({"text", "a", "--tokens", folder / "none"}, 4, "none: cannot open");
    refused({"text", "a", "--tokens", "wrds"}, 2,
            "--tokens: expected words, characters, bpe or a file, got 'wrds'");
    refused({"text", "a", "--tokens", folder / "none", "--min-count", "2"}, 2,
            "--min-count: cannot be combined with --tokens");
    write(folder / "bad.tsv", "a\tb\nc\n");
    refused({"text", "a", "--corpus", folder / "bad.tsv"}, 3,
            "bad.tsv: line 2, at byte 4: expected two columns separated by a tab, got one");
    refused({"text", "a", "--explain", "a", "--format", "json"}, 2, "--explain: writes text, not json");
    refused({"text", "a", "--explain", "a", "--save", folder / "t.json"}, 2,
            "--save: cannot be combined with --explain");
}

TEST_CASE("text: brackets and a leading dash belong to the sentence") {
    const json brackets = report_of({"[CLS] x [SEP]"});
    CHECK(step(brackets, "tokens")["words"] == json({"[", "CLS", "]", "x", "[", "SEP", "]"}));
    CHECK(step(report_of({"[a, b]"}), "tokens")["words"] == json({"[", "a", ",", "b", "]"}));
    const Ran dash = tracer_run({"text", "--format", "json", "--", "- Bonjour"});
    REQUIRE(dash.code == 0);
    CHECK(step(json::parse(dash.out), "tokens")["words"] == json({"-", "Bonjour"}));
    const Ran without = tracer_run({"text", "- Bonjour"});
    CHECK(without.code == 2);
    CHECK(without.err.find("goes after --: -- '- Bonjour'") != std::string::npos);
}

TEST_CASE("text: who types --text, as for other commands, is told what to type") {
    const Ran ran = tracer_run({"text", "--text", "a b"});
    CHECK(ran.code == 2);
    CHECK(ran.err ==
          "error: tracer text: no option --text: expected the sentence itself: tracer text 'Je suis "
          "étudiant.'\n");
}
