// The built program, called from the command line: exit codes, standard output, standard error and files.
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include <glassbox/io/json.h>
#include <glassbox/io/numpy.h>

#include "command.h"
#include "support/compare.h"

using namespace glassbox_test;
using glassbox::index_t;
using glassbox::real;
using glassbox::Shape;
using glassbox::Tensor;
using nlohmann::json;

namespace {

json run_json(std::vector<std::string> arguments, const Surroundings& around = {}) {
    arguments.insert(arguments.begin(), "attention");
    arguments.insert(arguments.end(), {"--format", "json"});
    const Ran ran = tracer_run(arguments, around);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return json::parse(ran.out);
}

void flatten(const json& value, std::vector<real>& numbers) {
    if (value.is_array())
        for (const json& each : value) flatten(each, numbers);
    else numbers.push_back(value.get<real>());
}

Tensor step(const json& report, const std::string& name) {
    for (const json& each : report["steps"])
        if (each["name"] == name) {
            std::vector<real> numbers;
            flatten(each["values"], numbers);
            return Tensor(Shape(each["shape"].get<std::vector<index_t>>()), numbers);
        }
    FAIL("no step " << name);
    return {};
}

Tensor matrix(index_t rows, index_t columns, const std::vector<real>& values) {
    return Tensor(Shape{rows, columns}, values);
}

void write_npz(const std::string& file, const glassbox::NamedTensors& arrays) {
    glassbox::write_npz(file, arrays);
}

}  // namespace

TEST_CASE("command: by default the tutorial's own numbers follow from the seed") {
    for (const auto& arguments :
         {words(""), words("--seq 3 --dk 2"), words("--rng jax --seed 42 --convention uva-jax")}) {
        const json report = run_json(arguments);
        check_close(step(report, "Q"),
                    matrix(3, 2,
                           {real(-0.6613315), real(0.70056266), real(0.08239268), real(-1.7793142),
                            real(-0.04378588), real(1.0965251)}),
                    printed_8_digits, "Q");
        check_close(step(report, "K"),
                    matrix(3, 2,
                           {real(1.7257481), real(0.35568172), real(1.3034704), real(1.2873708),
                            real(1.6871481), real(-0.5714404)}),
                    printed_8_digits, "K");
        check_close(step(report, "V"),
                    matrix(3, 2,
                           {real(1.5129997), real(1.1050899), real(0.27949408), real(-0.46224892),
                            real(-1.1003422), real(-1.1437942)}),
                    printed_8_digits, "V");
        check_close(step(report, "values"),
                    matrix(3, 2,
                           {real(0.376226), real(-0.14656176), real(-0.42778552), real(-0.5989564),
                            real(0.4362476), real(-0.11678296)}),
                    printed_8_digits, "values");
        check_close(
            step(report, "attention"),
            matrix(3, 3,
                   {real(0.27963293), real(0.54049295), real(0.17987415), real(0.22194655), real(0.06706189),
                    real(0.71099156), real(0.27977085), real(0.58373076), real(0.13649833)}),
            printed_8_digits, "attention");
    }
}

TEST_CASE("command: --rng torch and --convention uva-torch draw the PyTorch notebook's numbers") {
    for (const auto& arguments : {words("--rng torch"), words("--convention uva-torch")}) {
        const json report = run_json(arguments);
        check_close(
            step(report, "Q"),
            matrix(3, 2, {real(.3367), real(.1288), real(.2345), real(.2303), real(-1.1229), real(-.1863)}),
            printed_4_digits, "Q");
        check_close(
            step(report, "K"),
            matrix(3, 2, {real(2.2082), real(-.6380), real(.4617), real(.2674), real(.5349), real(.8094)}),
            printed_4_digits, "K");
        check_close(
            step(report, "V"),
            matrix(3, 2, {real(1.1103), real(-1.6898), real(-.9890), real(.9580), real(1.3221), real(.8172)}),
            printed_4_digits, "V");
        check_close(
            step(report, "values"),
            matrix(3, 2, {real(.5698), real(-.1520), real(.5379), real(-.0265), real(.2246), real(.5556)}),
            printed_4_digits, "values");
        check_close(step(report, "attention"),
                    matrix(3, 3,
                           {real(.4028), real(.2886), real(.3086), real(.3538), real(.3069), real(.3393),
                            real(.1303), real(.4630), real(.4067)}),
                    printed_4_digits, "attention");
    }
}

TEST_CASE("command: other seeds, sizes and masks match real JAX and PyTorch in every step", "[exhaustive]") {
    const json reference = json::parse(content(GLASSBOX_GOLDEN "/tracer_attention.json"));
    const glassbox::Npz arrays(GLASSBOX_GOLDEN "/tracer_attention.npz");
    // Both sides compute in float here, with different orders of sums.
    const Tolerance float_rounding{1e-6, 1e-6};
    REQUIRE(reference["cases"].size() == 60);
    for (const json& entry : reference["cases"]) {
        const auto arguments = entry["arguments"].get<std::vector<std::string>>();
        INFO(entry["arguments"].dump());
        const json report = run_json(arguments);
        const std::vector<real> expected = arrays.read(entry["key"].get<std::string>()).values();
        std::size_t at = 0;
        REQUIRE(report["steps"].size() == entry["steps"].size());
        for (const json& name : entry["steps"]) {
            const Tensor found = step(report, name);
            const std::size_t count = static_cast<std::size_t>(found.numel());
            REQUIRE(at + count <= expected.size());
            const std::vector<real> part(expected.begin() + static_cast<std::ptrdiff_t>(at),
                                         expected.begin() + static_cast<std::ptrdiff_t>(at + count));
            check_close(found, Tensor(found.shape(), part), float_rounding,
                        entry["arguments"].dump() + " " + name.get<std::string>());
            at += count;
        }
        CHECK(at == expected.size());
    }
}

TEST_CASE("command: json follows schema 1") {
    const json report = run_json(words("--seed 7 --batch 2 --mask causal --grad"));
    CHECK(report["schema"] == 1);
    CHECK(report["command"] == "attention");
    CHECK(report["convention"] == "uva-jax");
    CHECK(report["rng"] == "jax");
    CHECK(report["seed"] == 7);
    CHECK(report["score"] == "scaled");
    CHECK(report["scalar"] == "sum(values)");
    CHECK(report["scalar_value"].is_number());
    std::vector<std::string> names;
    for (const json& each : report["steps"]) {
        names.push_back(each["name"]);
        for (const char* key : {"shape", "formula", "values", "gradient", "finite_difference"})
            CHECK(each.contains(key));
        std::vector<real> numbers;
        flatten(each["values"], numbers);
        std::size_t product = 1;
        for (const json& size : each["shape"]) product *= size.get<std::size_t>();
        CHECK(numbers.size() == product);
    }
    CHECK(names == words("Q K V logits scaled masked attention values"));
    CHECK(run_json(words("--Q 1 --K 1 --V 1"))["seed"].is_null());
}

TEST_CASE("command: NaN and infinity are strings in json, and reported in text") {
    const json report = run_json(words("--Q nan --K 1 --V 1"));
    CHECK(report["steps"][0]["values"] == json::parse("[[\"NaN\"]]"));
    const json blind = run_json(words("--convention paper --lengths 0 --only masked,values"));
    CHECK(blind["steps"][0]["values"][0][0] == "-Infinity");
    CHECK(blind["steps"][1]["values"][0][0] == "NaN");
    const std::string text = tracer_run(words("attention --Q nan --K 1 --V 1")).out;
    CHECK(text.find("! 1 NaN of 1 numbers, the first at [0,0]") != std::string::npos);
    CHECK(text.find("! no row sums to 1: all are NaN") != std::string::npos);
    CHECK(text.find("every row sums to 1") == std::string::npos);
}

TEST_CASE("command: every convention reports what a fully hidden row becomes") {
    for (const char* finite : {"uva-jax", "uva-torch", "report"}) {
        const json report = run_json({"--convention", finite, "--lengths", "0", "--only", "attention"});
        check_close(step(report, "attention"), Tensor::full({3, 3}, real(1.0 / 3)), rounding, finite);
    }
    const std::string paper = tracer_run(words("attention --convention paper --lengths 0")).out;
    CHECK(paper.find("3 rows see no key at all: softmax of -inf alone is 0/0") != std::string::npos);
}

TEST_CASE("command: masks from files of 2, 3 and 4 axes, of lengths, and both") {
    const Folder folder;
    const Tensor flat({{1, 0, 1}, {0, 1, 1}, {1, 1, 0}});
    glassbox::write_npy(folder / "2.npy", flat);
    const Tensor batch(Shape{2, 1, 3}, {1, 1, 0, 0, 1, 1});
    glassbox::write_npy(folder / "3.npy", batch);
    const Tensor heads(Shape{1, 3, 1, 3}, {1, 1, 1, 0, 1, 1, 1, 0, 1});
    write_npz(folder / "4.npz", {{"mask", heads}, {"other", flat}});
    const auto hidden = [&](const std::string& arguments) {
        const std::string report =
            tracer_run(words("attention --batch 2 --heads 3 --only masked " + arguments)).out;
        const std::size_t at = report.find("✓ ") + std::string("✓ ").size();
        return report.substr(at, report.find('\n', at) - at);
    };
    CHECK(hidden("--mask " + (folder / "2.npy")) == "18 of 54 scores hidden");
    CHECK(hidden("--mask " + (folder / "3.npy")) == "18 of 54 scores hidden");
    CHECK(hidden("--mask " + (folder / "4.npz")) == "12 of 54 scores hidden");
    CHECK(hidden("--mask causal --lengths 3,1") == "27 of 54 scores hidden");
    const json report =
        run_json({"--batch", "2", "--heads", "3", "--only", "masked", "--mask", folder / "3.npy"});
    CHECK(step(report, "masked").at({0, 2, 1, 2}) == real(-9e15));
    CHECK(step(report, "masked").at({1, 2, 1, 0}) == real(-9e15));
    CHECK(step(report, "masked").at({1, 2, 1, 2}) != real(-9e15));
}

TEST_CASE("command: arrays from a file, by name, from a pipe, and projected ones") {
    const Folder folder;
    write_npz(
        folder / "qkv.npz",
        {{"Q", matrix(1, 2, {1, 0})}, {"K", matrix(2, 2, {1, 0, 0, 1})}, {"V", matrix(2, 1, {10, 20})}});
    const json named = run_json({"--input", folder / "qkv.npz"});
    CHECK(step(named, "logits").values() == std::vector<real>{1, 0});
    CHECK(named["rng"].is_null());
    Surroundings pipe;
    pipe.in = content(folder / "qkv.npz");
    CHECK(run_json({"--input", "-"}, pipe)["steps"] == named["steps"]);
    write_npz(folder / "x.npz", {{"x", matrix(1, 2, {1, 2})},
                                 {"W_Q", matrix(2, 1, {1, 1})},
                                 {"W_K", matrix(2, 1, {2, 0})},
                                 {"W_V", matrix(2, 2, {0, 1, 1, 0})}});
    const json projected = run_json({"--input", folder / "x.npz"});
    CHECK(step(projected, "Q").values() == std::vector<real>{3});
    CHECK(step(projected, "K").values() == std::vector<real>{2});
    CHECK(step(projected, "values").values() == std::vector<real>{2, 1});
    CHECK(projected["steps"][0]["name"] == "x");
    CHECK(projected["steps"][4]["formula"] == "x W_Q");
}

TEST_CASE("command: round trips of its output, with every score, also from a sequence") {
    const Folder folder;
    write_npz(folder / "x.npz", {{"x", matrix(2, 2, {1, 2, 0, 1})},
                                 {"W_Q", matrix(2, 2, {1, 1, 0, 2})},
                                 {"W_K", matrix(2, 2, {2, 0, 1, 1})},
                                 {"W_V", matrix(2, 1, {0, 1})},
                                 {"W_q", matrix(2, 3, {1, 0, 2, 0, 1, 1})},
                                 {"W_k", matrix(2, 3, {0, 1, 2, 1, 0, 1})},
                                 {"v", Tensor({1, 2, 3})}});
    for (const std::string score : {"scaled", "unscaled", "additive"})
        for (const std::string& from : {std::string("--seq 4 --dk 3"), "--input " + (folder / "x.npz")}) {
            INFO(score << " " << from);
            const std::string again = "--input " + (folder / "written.npz") + " --score " + score;
            REQUIRE(tracer_run(
                        words("attention " + from + " --score " + score + " -o " + (folder / "written.npz")))
                        .code == 0);
            CHECK(run_json(words(again))["steps"] == run_json(words(from + " --score " + score))["steps"]);
        }
    const Ran explained = tracer_run(
        words("attention --input " + (folder / "x.npz") + " --score additive --explain key_part[1,0]"));
    CHECK(explained.out.find("·W_k[") != std::string::npos);
    CHECK(explained.out.find("·W_K[") != std::string::npos);
}

TEST_CASE("command: every score runs with --grad, --explain and --only, and every precision prints") {
    for (const std::string score : {"scaled", "unscaled", "additive"})
        for (const std::string more : {"", "--grad", "--explain values[2,1]", "--only attention,values",
                                       "--heads 2 --mask causal", "--keys 5 --dv 3"}) {
            INFO(score << " " << more);
            const Ran ran = tracer_run(words("attention --score " + score + " " + more));
            CHECK(ran.code == 0);
            CHECK(ran.err.empty());
            CHECK(ran.out.size() > 100);
        }
    for (int precision = 0; precision <= 17; ++precision)
        CHECK(tracer_run({"attention", "--precision", std::to_string(precision)}).code == 0);
    CHECK(tracer_run(words("attention --precision 2 --only attention")).out.find("[[0.28 0.54 0.18]") !=
          std::string::npos);
}

TEST_CASE("command: npz has an array for each step, gradients under grad/, by ending or by --format") {
    const Folder folder;
    REQUIRE(tracer_run({"attention", "--grad", "-o", folder / "a.npz"}).code == 0);
    const glassbox::Npz npz(folder / "a.npz");
    CHECK(npz.names() == words("Q K V logits scaled attention values grad/Q grad/K grad/V grad/logits "
                               "grad/scaled grad/attention grad/values"));
    CHECK(npz.read("grad/attention").shape() == Shape{3, 3});
    const Ran piped = tracer_run(words("attention --grad --format npz"));
    CHECK(piped.out == content(folder / "a.npz"));
    REQUIRE(tracer_run({"attention", "-o", folder / "a.json"}).code == 0);
    CHECK(json::parse(content(folder / "a.json"))["schema"] == 1);
    REQUIRE(tracer_run({"attention", "-o", folder / "a.txt"}).code == 0);
    CHECK(content(folder / "a.txt") == tracer_run({"attention"}).out);
    CHECK(tracer_run({"attention", "-o", "-"}).out == tracer_run({"attention"}).out);
}

TEST_CASE("command: --color overrides NO_COLOR, that FORCE_COLOR, and files have no colours by default") {
    const auto colored = [](const std::string& arguments, std::vector<std::string> set) {
        Surroundings around;
        around.set = std::move(set);
        return tracer_run(words("attention " + arguments), around).out.find('\x1b') != std::string::npos;
    };
    CHECK_FALSE(colored("", {}));
    CHECK(colored("--color always", {"NO_COLOR=1"}));
    CHECK(colored("", {"FORCE_COLOR=1"}));
    CHECK_FALSE(colored("", {"FORCE_COLOR=1", "NO_COLOR=1"}));
    CHECK(colored("", {"FORCE_COLOR=1", "NO_COLOR="}));
    CHECK_FALSE(colored("--color never", {"FORCE_COLOR=1"}));
    CHECK(colored("-o -", {"FORCE_COLOR=1"}));
    const Folder folder;
    for (const std::string command : {"attention", "scaling --max-dk 2 --seq 2"}) {
        INFO(command);
        for (const auto& [when, expected] : {std::pair{"always", true}, {"auto", false}, {"never", false}}) {
            REQUIRE(tracer_run(words(command + " --color " + when + " -o " + (folder / "out"))).code == 0);
            CHECK((content(folder / "out").find('\x1b') != std::string::npos) == expected);
        }
        Surroundings forced;
        forced.set = {"FORCE_COLOR=1"};
        CHECK(tracer_run(words(command + " -o -"), forced).out.find('\x1b') != std::string::npos);
    }
}

TEST_CASE("command: a full disk and a read-only folder give exit code 4 and the reason") {
    Surroundings full;
    full.out = "/dev/full";
    const Ran ran = tracer_run({"attention"}, full);
    CHECK(ran.code == 4);
    CHECK(ran.err == "error: standard output: cannot write: No space left on device\n");
    CHECK(tracer_run({"--help"}, full).code == 4);
    CHECK(tracer_run({"attention", "-o", "/dev/full"}).code == 4);
    const Folder folder;
    const Ran missing = tracer_run({"attention", "-o", folder / "no/such/x.txt"});
    CHECK(missing.code == 4);
    CHECK(missing.err.find("cannot create a file in ") != std::string::npos);
}

TEST_CASE("command: the exit code is right when standard error cannot be written") {
    Surroundings shell;
    shell.program = "bash";
    for (const char* redirection : {"2>/dev/full", "2>&-"}) {
        INFO(redirection);
        const std::string line = std::string("'") + GLASSBOX_TRACER + "' banana " + redirection;
        CHECK(run_program({"-c", line}, shell).code == 2);
    }
}

TEST_CASE("command: what is said where standard error is closed does not get into a file that it writes") {
    const Folder folder;
    Surroundings shell;
    shell.program = "bash";
    // A log that is open for longer than it is patient.
    const std::string line =
        std::string("GLASSBOX_PATIENCE=0.001 '") + GLASSBOX_TRACER +
        "' train reverse --epochs 2 --examples 640 --batch 32 --no-files --log log.jsonl";
    CHECK(run_program({"-c", "cd '" + folder / "" + "' && " + line + " 2>&-"}, shell).code == 0);
    std::istringstream log(content(folder / "log.jsonl"));
    for (std::string each; std::getline(log, each);) CHECK(each.starts_with('{'));
}

TEST_CASE("command: a closed pipe ends it without a message") {
    Surroundings shell;
    shell.program = "bash";
    const std::string line =
        std::string("'") + GLASSBOX_TRACER + "' attention --seq 60 --dk 16 | true; echo ${PIPESTATUS[0]}";
    const Ran ran = run_program({"-c", line}, shell);
    CHECK(ran.out == "0\n");
    CHECK(ran.err.empty());
}

TEST_CASE("command: what was found wrong is wrong where nobody reads it, too") {
    const Folder folder;
    const std::string tracer = std::string("'") + GLASSBOX_TRACER + "' ";
    const std::string layer = "attention --seq 3 --dk 2 ", file = "'" + folder / "wrong.npz" + "'";
    Surroundings shell;
    shell.program = "bash";
    REQUIRE(run_program({"-c", tracer + layer + "--mistake scaled/no-root -o " + file}, shell).code == 0);
    const std::string line = tracer + "check " + layer + file;
    // A reader that has ended before anything is written.
    const Ran ran = run_program({"-c", "{ sleep 0.3; " + line + "; echo $? >&2; } | true"}, shell);
    CHECK(ran.err == "1\n");
}

TEST_CASE("command: help begins with examples, and each of them runs") {
    for (const auto& arguments : {words(""), words("--help"), words("-h"), words("help"),
                                  words("attention --help"), words("help attention")}) {
        const Ran ran = tracer_run(arguments);
        CHECK(ran.code == 0);
        CHECK(ran.err.empty());
        CHECK(ran.out.find("\n\nExamples:\n  tracer ") != std::string::npos);
    }
    const std::string help = tracer_run(words("attention --help")).out;
    std::istringstream lines(help);
    int run = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.find("  tracer ") != 0 || line.find("qkv.npz") != std::string::npos) continue;
        INFO(line);
        Surroundings shell;
        shell.program = "bash";
        const std::string program = std::string("'") + GLASSBOX_TRACER + "'";
        CHECK(run_program({"-c", program + line.substr(8)}, shell).code == 0);
        ++run;
    }
    CHECK(run == 8);
    CHECK(tracer_run({"--version"}).out.find("tracer ") == 0);
}

TEST_CASE("command: GLASSBOX_CPU chooses the instructions that --version --verbose names, or is refused") {
    Surroundings plain, wrong;
    plain.set = {"GLASSBOX_CPU=plain"};
    wrong.set = {"GLASSBOX_CPU=avx"};
    const std::string version = run_program({"--version", "--verbose"}, plain).out;
    CHECK(version.find("instructions  plain") != std::string::npos);
    CHECK(version.find("\nBLAS          ") != std::string::npos);
    const Ran refused = run_program({"attention", "--seq", "3", "--dk", "2"}, wrong);
    CHECK(refused.code == 2);
    CHECK(refused.err == "error: GLASSBOX_CPU: expected plain, neon, avx2 or avx512, got 'avx'\n");
    CHECK(run_program({"--version", "--verbos"}).err ==
          "error: tracer --version: no option --verbos; there is --verbose\n");
}

TEST_CASE("command: --step shows a step per line, --predict asks, and both end at q or the end of input") {
    Surroundings around;
    around.in = "\n\nq\n\n";
    const std::string two = tracer_run(words("attention --step"), around).out;
    CHECK(two.find("\n2  K  (3, 2)\n") != std::string::npos);
    CHECK(two.find("\n3  V") == std::string::npos);
    around.in = "3 3\n0\n-1.54\nfour\n\n";
    const std::string quiz = tracer_run(words("attention --predict"), around).out;
    CHECK(quiz.find("Q: which shape?") == std::string::npos);  // inputs are shown
    CHECK(quiz.find("logits = Q Kᵀ: which shape? Right.") != std::string::npos);
    const std::string again = "scaled = logits / √d_k: what is scaled[1,1]? ";
    CHECK(quiz.find(again + "Not quite. Try again: Right.") != std::string::npos);
    CHECK(quiz.find(
              "attention = softmax(scaled): which shape? Not quite. Try again: Not quite: it is (3, 3).") !=
          std::string::npos);
    CHECK(quiz.find("\n2 of 3 right, 1 on the second try.\n") != std::string::npos);
    around.in = "";
    CHECK(tracer_run(words("attention --step"), around).code == 0);
    CHECK(tracer_run(words("attention --predict"), around).out.find("\n0 of 0 right.\n") !=
          std::string::npos);
}

TEST_CASE("command: --predict asks for a value only where it follows from what has been shown") {
    Surroundings around;
    around.in = std::string(100, '\n');
    const auto asked = [&](const std::string& line) { return tracer_run(words(line), around).out; };
    CHECK(asked("encoder-block --depth 1 --predict").find("what is") ==
          std::string::npos);  // γ, β are not shown
    const std::string block = asked("encoder-block --predict");
    CHECK(block.find(" what is self_attn/scaled[") != std::string::npos);
    CHECK(block.find(" what is self_attn/qkv[") == std::string::npos);
    CHECK(block.find(" what is mlp/hidden[") == std::string::npos);
    CHECK(asked("attention --predict --only attention,values").find("what is") == std::string::npos);
}

TEST_CASE("attention: --grad prints no -0 where a hidden weight cancels a gradient") {
    const Ran ran = tracer_run(words("attention --grad --mask causal"));
    CHECK(ran.code == 0);
    CHECK(ran.out.find("-0. ") == std::string::npos);
    CHECK(tracer_run(words("attention --grad --mask causal --format json")).out.find("-0,") ==
          std::string::npos);
}

TEST_CASE("attention: --grad gives exit code 1 when finite differences disagree, after showing everything") {
    // Scores so large that they are rounded to multiples of 2¹⁶: between them nothing changes.
    const std::vector<std::string> steep{"attention", "--grad",       "--Q", "1e6 0",
                                         "--K",       "1e6 0; 1e6 0", "--V", "1 2; 3 4"};
    const Ran ran = tracer_run(steep);
    CHECK(ran.code == 1);
    CHECK(ran.err.empty());
    CHECK(ran.out.find("differ by up to ") != std::string::npos);
    CHECK(ran.out.find("values = attention V") != std::string::npos);
    CHECK(tracer_run({"attention", "--grad"}).code == 0);
    CHECK(tracer_run({"attention", "--grad", "--Q", "nan 0", "--K", "1 0", "--V", "1 2"}).code == 0);
}

TEST_CASE("attention: has every option of multihead") {
    const auto flags = [](const std::string& command) {
        std::set<std::string> found;
        const std::string help = tracer_run({command, "--help"}).out;
        const std::regex at_the_start(R"(\n  (-[^ ]+(, -[^ ]+)*))"), flag("--?[A-Za-z-]+");
        for (std::sregex_iterator line(help.begin(), help.end(), at_the_start), end; line != end; ++line) {
            const std::string all = (*line)[1];
            for (std::sregex_iterator each(all.begin(), all.end(), flag); each != end; ++each)
                found.insert(each->str());
        }
        return found;
    };
    const std::set<std::string> own = flags("attention"), wanted = flags("multihead");
    CHECK(wanted.size() > 30);
    for (const std::string& each : wanted) CHECK(own.count(each) == 1);
}

TEST_CASE("attention: the header gives the sources of Q, K, V and the weights") {
    const Folder folder;
    const std::string file = folder / "w.safetensors";
    const auto out = [](const std::vector<std::string>& arguments) { return tracer_run(arguments).out; };
    const std::string made = out({"attention", "--din", "4", "--save-weights", file});
    CHECK(made.find("\nx, W_Q, W_K, W_V: standard normal numbers\n") != std::string::npos);
    const std::string loaded = out({"attention", "--din", "4", "--weights", file});
    CHECK(loaded.find("\nx: standard normal numbers\nW_Q, W_K, W_V: " + file + "\n") != std::string::npos);
    CHECK(loaded.substr(loaded.find("\n\n")) == made.substr(made.find("\n\n")));  // a round trip
    CHECK(out({"attention", "--text", "the cat"})
              .find("\nQ, K, V: standard normal numbers, each word with the same rows at every position\n") !=
          std::string::npos);
    CHECK(tracer_run({"attention", "--memory", "5", "--Q", "1", "--K", "1", "--V", "1"}).err ==
          "error: --memory: sizes and numbers come from --Q, --K and --V: leave it out\n");
}
