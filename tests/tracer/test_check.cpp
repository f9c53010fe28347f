// tracer check, mistakes, probe and power, and --mistake.
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/mistakes/mistake.h>
#include <glassbox/ops/ops.h>

#include "command.h"
#include "support/catch.h"
#include "tracer/subject/submitted_file.h"

using namespace glassbox_test;
using glassbox::Shape;
using glassbox::Tensor;

namespace {

const char* const attention = "attention --seq 4 --keys 6 --dk 3 --dv 5";

// The values of attention with this mistake ("" for none), as a file.
std::string submitted(const Folder& folder, const std::string& mistake, const std::string& step = "values") {
    const std::string file = folder / "wrong.npz", array = folder / "mine.npy";
    const std::string option = mistake.empty() ? "" : " --mistake " + mistake;
    REQUIRE(tracer_run(words(attention + option + " -o " + file)).code == 0);
    glassbox::write_npy(array, glassbox::Npz(file).read(step));
    return array;
}

Ran check(const std::string& arguments, const std::string& in = "") {
    return run_program(words("check " + arguments), {.in = in});
}

std::vector<glassbox::tracer::SubmittedArray> parsed(const std::string& text) {
    return glassbox::tracer::parse_written(text, "mine.txt");
}

std::string refusal(const std::string& text) {
    try {
        (void)parsed(text);
        return "";
    } catch (const glassbox::FileError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("check: the last array alone names the mistake, and the exit code is 1") {
    const Folder folder;
    const Ran ran = check(std::string(attention) + " " + submitted(folder, "attention/over-queries"));
    CHECK(ran.code == 1);
    CHECK(has(ran.out, "✗ values"));
    CHECK(has(ran.out, "attention/over-queries: "));
    CHECK(has(ran.out, "the columns sum to 1"));
    CHECK(has(ran.out, "tracer attention --seq 4 --dk 3 --dv 5 --keys 6 --mistake attention/over-queries"));
}

TEST_CASE("check: with all steps one is wrong, and those after it are right for what they were given") {
    const Folder folder;
    const std::string file = folder / "wrong.npz";
    REQUIRE(tracer_run(words(std::string(attention) + " --mistake scaled/not-divided -o " + file)).code == 0);
    const Ran ran = check(std::string(attention) + " " + file);
    CHECK(ran.code == 1);
    CHECK(has(ran.out, "✓ logits\n"));
    CHECK(has(ran.out, "✗ scaled"));
    CHECK(has(ran.out, "→ attention  follows from the steps before it\n"));
    CHECK(has(ran.out, "→ values     follows from the steps before it\n"));
}

TEST_CASE("check: two mistakes are tried together in as many passes as --effort says", "[exhaustive]") {
    const Folder folder;
    const std::string mine = std::string(attention) + " " + submitted(folder, "scaled/no-root,attention/log");
    const Ran all = check(mine);
    CHECK(has(all.out, "scaled/no-root: "));
    CHECK(has(all.out, "attention/log: "));
    const Ran none = check(mine + " --effort 0"), few = check(mine + " --effort 20");
    CHECK(none.code == 1);
    CHECK(has(none.out, "not every pair was tried (--effort "));
    CHECK(has(few.out, "; 5 of "));  // the others go to parts, and to changes of a formula
    CHECK(has(check(mine + " --effort 0 --format json").out, "\"searched_all\": false"));
    CHECK(has(check(mine + " --effort -1").err, "--effort"));
    const std::string one = std::string(attention) + " " + submitted(folder, "scaled/no-root");
    CHECK(has(check(one + " --effort 0").out, "scaled/no-root: "));
}

TEST_CASE("check: --seconds is the former --effort, and what it is now is said") {
    const Folder folder;
    const std::string mine = std::string(attention) + " " + submitted(folder, "scaled/no-root,attention/log");
    const Ran ran = check(mine + " --seconds 2");
    CHECK(has(ran.out, "--seconds 2 is --effort "));
    CHECK(has(ran.out, " now: passes are counted\n"));
    CHECK(has(check(mine + " --seconds 2 --effort 5").err, "--seconds: the former --effort"));
    CHECK(has(check(mine + " --seconds -1").err, "--seconds"));
}

TEST_CASE("check: right numbers pass, whatever file they come in") {
    const Folder folder;
    const std::string array = submitted(folder, "");
    const Tensor values = glassbox::read_npy(array);
    glassbox::write_npz(folder / "mine.npz", {{"values", values}});
    glassbox::write_safetensors(folder / "mine.safetensors", {{"values", values}});
    const Ran json = tracer_run(words(std::string(attention) + " --only values --format json"));
    write(folder / "mine.json", json.out);
    for (const char* file : {"mine.npy", "mine.npz", "mine.safetensors", "mine.json"}) {
        INFO(file);
        const Ran ran = check(std::string(attention) + " " + folder / file);
        CHECK(ran.code == 0);
        CHECK(has(ran.out, "✓ values"));
    }
    std::string printed = "tensor([";  // four digits, as PyTorch prints
    for (glassbox::index_t i = 0; i < 4; ++i) {
        printed += i ? ",\n        [" : "[";
        for (glassbox::index_t j = 0; j < 5; ++j)
            printed += (j ? ", " : "") + fmt::format("{:.4f}", values.at({i, j}));
        printed += "]";
    }
    CHECK(check(std::string(attention) + " -", printed + "], grad_fn=<MmBackward0>)\n").code == 0);
}

namespace {

const std::string alone = ": print the array alone, as print(x.tolist()) does";

}  // namespace

TEST_CASE("check: NaN and missing brackets, ragged rows and cut off numbers are told apart") {
    CHECK(refusal("[[1, 2], [3]]") == "mine.txt:1: rows differ in length: 2 and 1");
    CHECK(refusal("1 2\n3 4 5\n") == "mine.txt:3: rows differ in length: 2 and 3");
    CHECK(refusal("[[1, 2], [3, 4]") == "mine.txt:1: a bracket is not closed");
    CHECK(refusal("[1, ..., 3]") ==
          "mine.txt:1: the numbers are cut off by '...': print all of them, as "
          "numpy.set_printoptions(threshold=sys.maxsize) does");
    CHECK(refusal("[1, 2#]") == "mine.txt:1: expected numbers, got '#'" + alone);
    CHECK(refusal("hello") == "mine.txt:1: no numbers");
    CHECK(refusal("1 2 x") == "mine.txt:1: expected numbers, got 'x'" + alone);
    CHECK(refusal("[[1, two]]") == "mine.txt:1: expected numbers, got 'two'" + alone);
    CHECK(std::isnan(parsed("[1, NaN]").front().value.at({1})));
    CHECK(parsed("{\"a\": [\"-Infinity\"]}").front().value.at({0}) ==
          -std::numeric_limits<glassbox::real>::infinity());
}

TEST_CASE("check: numbers are read as NumPy, PyTorch, Julia, CSV and JSON write them") {
    const auto shape = [](const std::string& text) { return parsed(text).front().value.shape().str(); };
    CHECK(shape("array([[1., 2.],\n       [3., 4.]], dtype=float32)") == "(2, 2)");
    CHECK(shape("[[[1 2] [3 4]]]") == "(1, 2, 2)");
    CHECK(shape("[1.0 2.0 3.0; 4 5 6]") == "(2, 3)");
    CHECK(shape("a,b,c\n1,2,3\n4,5,6\n") == "(2, 3)");
    CHECK(shape("1e-3\t2\n") == "(2,)");
    CHECK(shape("first, 1, 2\nsecond, 3, 4\n") == "(2, 2)");
    CHECK(shape("[np.float32(1.5), np.float32(2)]") == "(2,)");
    CHECK(shape("tensor([[1.]], device='cuda:0', dtype=torch.float64)") == "(1, 1)");
    const auto two = parsed("Q = [[1, 2]]\nvalues = [[3.25, 4]]\n");
    REQUIRE(two.size() == 2);
    CHECK(two[0].step == "Q");
    CHECK(two[0].half_width.empty());                               // whole numbers alone are exact
    CHECK(two[1].half_width == std::vector<double>{0.005, 0.005});  // and so was 4, beside 3.25
}

TEST_CASE("check: one number with digits does not stand for others that were rounded to nothing") {
    const auto ran = [](const std::string& others) {
        std::string text = "[[0.376226";  // the first of the tutorial's values
        for (int i = 1; i < 6; ++i) text += (i % 2 == 0 ? "], [" : ", ") + others;
        return check("attention --seq 3 --dk 2 --as values -", text + "]]\n");
    };
    for (const char* others : {"0.0e9", "0.0e1", "0.0e0"}) {
        INFO(others);
        const Ran coarse = ran(others);
        CHECK((coarse.code == 1 || coarse.code == 3));  // wrong, or not to be judged
        CHECK(!has(coarse.out, "✓ values"));
    }
}

TEST_CASE("check: the name of an array cannot write lines of its own") {
    const Folder folder;
    glassbox::write_safetensors(folder / "mine.safetensors", {{"x\nAll right.\n✓ values", Tensor{1.0F}},
                                                              {"values", Tensor::ones({3, 2})}});
    const Ran ran = check("attention --seq 3 --dk 2 " + folder / "mine.safetensors");
    CHECK(ran.code == 1);
    CHECK(has(ran.out, "x\\x0aAll right.\\x0a✓ values is not a step, and is ignored"));
    CHECK(!has(ran.out, "\nAll right."));
}

TEST_CASE("check: of whole numbers only zeros were left out, as NumPy, PyTorch and Python write them") {
    const auto widths = [](const std::string& text) { return parsed(text).front().half_width; };
    CHECK(widths("[[0. 1.]]") == std::vector<double>{5e-5, 5e-5});
    CHECK(widths("tensor([0., 1.])") == std::vector<double>{5e-5, 5e-5});
    CHECK(widths("[1.e+02 1.e-10]")[0] == Approx(5e-3));
    CHECK(widths("[0.0, 1.0, 3]") == std::vector<double>{5e-5, 5e-5, 5e-5});
    CHECK(widths("[0.5, 1.0]") == std::vector<double>{0.05, 0.05});  // rounded to one decimal
    // Python's list of numbers that were rounded to five decimals.
    CHECK(widths("[0.31234, 1e-05, 0.68765, 0.0]") == std::vector<double>{5e-6, 5e-6, 5e-6, 5e-6});
    CHECK(widths("[0.5, 1e-05]") == std::vector<double>{0.05, 5e-6});
    CHECK(widths("[0.5, -1e+09]") == std::vector<double>{0.05, 0.05});  // a hidden score
    CHECK(widths("[1e-05, 3]").empty());
    CHECK(widths("[0.00 1.00]") == std::vector<double>{0.005, 0.005});  // to two
    const Ran largest =
        check("attention --seq 3 --dk 2 --as attention -", "[[0. 1. 0.]\n [0. 0. 1.]\n [0. 1. 0.]]\n");
    CHECK(largest.code == 1);
    CHECK(has(largest.out, "attention/largest-only"));
}

TEST_CASE("check: an array that is no step is said, with the nearest, and a single one is the result") {
    const Folder folder;
    const Tensor values = glassbox::read_npy(submitted(folder, ""));
    glassbox::write_npz(folder / "two.npz", {{"valuse", values}, {"values", values}});
    CHECK(has(check(std::string(attention) + " " + folder / "two.npz").out,
              "valuse is not a step, and is ignored; did you mean 'values'?"));
    glassbox::write_npz(folder / "one.npz", {{"out", values}});
    const Ran one = check(std::string(attention) + " " + folder / "one.npz");
    CHECK(one.code == 0);
    CHECK(has(one.out, "out is taken as values"));
    glassbox::write_npz(folder / "none.npz", {{"a", values}, {"b", values}});
    const Ran none = check(std::string(attention) + " " + folder / "none.npz");
    CHECK(none.code == 3);
    CHECK(has(none.err,
              "none of its arrays is a step; the steps are: Q, K, V, logits, scaled, attention, values"));
}

TEST_CASE("check: --as names the step of a single array") {
    const Folder folder;
    const std::string scaled = submitted(folder, "", "scaled");
    CHECK(check(std::string(attention) + " --as scaled " + scaled).code == 0);
    CHECK(check(std::string(attention) + " " + scaled).code == 1);
    CHECK(check(std::string(attention) + " --as scalde " + scaled).code == 2);
}

TEST_CASE("check: --also names what also gives the numbers for another input") {
    const Folder folder;
    const auto numbers = [&](const std::string& command, const std::string& file) {
        REQUIRE(tracer_run(words(command + " -o " + file)).code == 0);
        return glassbox::Npz(file);
    };
    const auto input = [&](const char* name, double size) {
        const Tensor gradient({2, 2}, {3, -1, 2, 0.5F});
        glassbox::write_npz(folder / name, {{"gradient", gradient * size}});
        return " --input " + folder / name;
    };
    const std::string clip = "clip --mistake factor/always";
    const std::string short_one = input("short.npz", 0.01), long_one = input("long.npz", 1);
    glassbox::write_npy(folder / "mine.npy", numbers(clip + short_one, folder / "a.npz").read("clipped"));
    const Tensor also = numbers(clip + long_one, folder / "b.npz").read("clipped");
    const std::string mine = "clip" + short_one + " " + folder / "mine.npy";
    CHECK(has(check(mine).out, "factor/short-ones: "));

    const std::string both = folder / "also.npz";
    glassbox::write_npz(
        both, {{"gradient", glassbox::Npz(folder / "long.npz").read("gradient")}, {"clipped", also}});
    const Ran ran = check(mine + " --also " + both);
    CHECK(has(ran.out, "factor/always: "));
    CHECK_FALSE(has(ran.out, "factor/short-ones: "));
    // Of several files each has to be given.
    const Tensor right = numbers("clip" + short_one, folder / "c.npz").read("clipped");
    const Tensor gradient = glassbox::Npz(folder / "short.npz").read("gradient");
    glassbox::write_npz(folder / "right.npz", {{"gradient", gradient}, {"clipped", right}});
    const std::string files = both + "," + (folder / "right.npz");
    CHECK_FALSE(has(check(mine + " --also " + files).out, "factor/always: "));

    const Ran without = check(mine + " --also " + folder / "long.npz");
    CHECK(without.code != 0);
    CHECK(has(without.err, "--also " + folder / "long.npz" + ": expected your numbers beside the inputs"));
}

TEST_CASE("check: --hide-expected prints no right number") {
    const Folder folder;
    const std::string file = submitted(folder, "attention/over-queries");
    const std::string right = fmt::format("{:.6g}", glassbox::read_npy(submitted(folder, "")).at({0, 0}));
    const std::string wrong_file = submitted(folder, "attention/over-queries");
    CHECK(has(check(std::string(attention) + " " + wrong_file).out, right));
    CHECK_FALSE(has(check(std::string(attention) + " --hide-expected " + wrong_file).out, right));
    CHECK_FALSE(
        has(check(std::string(attention) + " --hide-expected --format json " + wrong_file).out, right));
}

TEST_CASE("mistake option: the wrong pass with the expected numbers beside it, and its arithmetic") {
    const Ran shown = tracer_run(words("attention --seq 3 --dk 2 --mistake scaled/not-divided"));
    CHECK(shown.code == 0);
    CHECK(has(shown.out, "scaled = logits   instead of logits / √d_k"));
    CHECK(has(shown.out, "the expected numbers\n   [[-0.63082"));
    CHECK(has(shown.out, "What the mistake changes"));
    const Ran explained =
        tracer_run(words("attention --seq 3 --dk 2 --mistake scaled/no-root --explain scaled[0,1]"));
    CHECK(has(explained.out, "scaled[0,1] = logits[0,1] / 2\n"));
    const Ran json = tracer_run(words("attention --seq 3 --dk 2 --mistake scaled/no-root --format json"));
    CHECK(has(json.out, "\"right\": [["));
}

TEST_CASE("mistake option: the wrong line names a step that is there") {
    const auto shown = [](const std::string& line) { return tracer_run(words("attention " + line)).out; };
    CHECK(has(shown("--mistake attention/over-queries"), "softmax(scaledᵀ)ᵀ   instead of softmax(scaled)"));
    CHECK(has(shown("--mistake attention/over-queries --mask causal"),
              "softmax(maskedᵀ)ᵀ   instead of softmax(masked)"));
    CHECK(has(shown("--mistake attention/scaled-after"),
              "softmax(logits) / √d_k   instead of softmax(scaled)"));
    CHECK(has(tracer_run(words("mistakes attention/over-queries")).out,
              "attention = softmax(masked)\n   attention/over-queries: softmax(maskedᵀ)ᵀ\n"));
}

TEST_CASE("mistake option: what cannot be is refused") {
    const auto error = [](const std::string& line) { return tracer_run(words(line)).err; };
    CHECK(has(error("attention --mistake scaled/noroot"), "did you mean 'scaled/no-root'?"));
    CHECK(has(error("attention --mistake scaled/qqqqqq"),
              "there is scaled/not-divided, scaled/no-root, scaled/multiplied, "));
    CHECK(
        has(error("attention --mistake masked/ignored"),
            "--mistake: masked/ignored cannot be made here: no step of this computation has what it needs"));
    CHECK(
        has(error("attention --mistake scaled/no-root --grad"), "--mistake: cannot be combined with --grad"));
}

TEST_CASE("mistakes: lists a layer's, with the wrong line and a sentence") {
    const Ran all = tracer_run({"mistakes"});
    CHECK(has(all.out, "scaled/no-root: logits / d_k\n"));
    CHECK(has(tracer_run({"mistakes", "attention/over-queries"}).out, "1 mistake"));
    const Ran none = tracer_run({"mistakes", "scaled_dot_prodct"});
    CHECK(none.code == 2);
    CHECK(has(none.err, "did you mean 'scaled_dot_product'?"));
    const Ran json = tracer_run({"mistakes", "--format", "json"});
    CHECK(has(json.out, "\"name\": \"scaled/no-root\""));
}

TEST_CASE("mistakes: of a command's name, all that can be made in what it shows") {
    const std::string out = tracer_run(words("mistakes encoder-block")).out;
    for (const char* mistake :
         {"residual/left-out", "norm/normalised-first", "scaled/no-root", "layer_norm/"})
        CHECK(has(out, mistake));
    CHECK(!has(out, "clipped/"));
}

TEST_CASE("check: numbers that are right with another norm or activation than the one asked for are told so",
          "[exhaustive]") {
    const Folder folder;
    const std::string options = "encoder-block --seq 4 --dmodel 6";
    const auto told = [&](const std::string& made, const std::string& asked, const std::string& step) {
        const std::string file = folder / "steps.npz", mine = folder / "mine.npy";
        REQUIRE(tracer_run(words(options + made + " -o " + file)).code == 0);
        glassbox::write_npy(mine, glassbox::Npz(file).read(step));
        return check(options + asked + " " + mine);
    };
    CHECK(has(told(" --activation gelu", " --activation relu", "norm2").out,
              "All would be right with --activation gelu"));
    CHECK(has(told(" --activation gelu", "", "norm2").out, "All would be right with --activation gelu"));
    CHECK(has(told(" --norm pre", " --norm post", "residual2").out, "All would be right with --norm pre"));
    CHECK(has(told(" --norm pre", " --norm=post", "residual2").out, "All would be right with --norm pre"));
}

TEST_CASE("check: a block that normalises before it adds is named so with steps, too", "[exhaustive]") {
    const Folder folder;
    const std::string block = "encoder-block --seq 4 --dmodel 6", file = folder / "steps.npz";
    REQUIRE(tracer_run(words(block + " --mistake norm/normalised-first --only " +
                             "residual1,norm1,mlp/hidden,mlp/output,residual2,norm2 -o " + file))
                .code == 0);
    const std::string out = check(block + " " + file).out;
    CHECK(has(out, "norm/normalised-first"));
    CHECK(has(out, "✗ norm2"));
    CHECK(!has(out, "residual/left-out"));
    CHECK(!has(out, "input-added-again: "));
}

TEST_CASE("probe: another input of clip has a gradient that is short enough") {
    const Folder folder;
    REQUIRE(tracer_run(words("probe clip --other -o " + (folder / "short.npz"))).code == 0);
    REQUIRE(tracer_run(
                words("clip --max-norm 0.8 --input " + (folder / "short.npz") + " -o " + (folder / "s.npz")))
                .code == 0);
    CHECK(glassbox::Npz(folder / "s.npz").read("factor").item() == 1);
    CHECK(tracer_run(words("probe attention --other -o " + (folder / "a.npz"))).code == 2);
}

TEST_CASE("probe: every model's own numbers pass the check line that its probe prints", "[exhaustive]") {
    const Folder folder;
    for (const char* model :
         {"attention", "multihead", "positional", "encoder-block", "encoder", "predictor", "decoder-block",
          "decoder", "transformer", "time2vec", "loss", "clip", "adam", "schedule", "shift",
          // weights among the inputs, no input at all, and defaults of the probe that contradict what is
          // typed
          "attention --din 3", "attention --score additive", "attention --din 5 --score additive",
          "positional --shift 2", "positional --dot", "predictor --pooling cls",
          "encoder-block --convention report", "transformer --convention report"}) {
        INFO(model);
        const std::string probe = folder / "probe.npz", mine = folder / "mine.npz";
        const Ran made = tracer_run(words("probe " + std::string(model) + " -o " + probe));
        INFO(made.err);
        REQUIRE(made.code == 0);
        std::string line = made.out.substr(made.out.find("tracer check ") + 13);
        line = line.substr(0, line.find(" FILE\n"));
        REQUIRE(tracer_run(words(line + " --depth all --format npz -o " + mine)).code == 0);
        const Ran checked = check(line + " " + mine);
        INFO(checked.out << checked.err);
        CHECK(checked.code == 0);
    }
}

TEST_CASE("probe: another seed gives other numbers") {
    const Folder folder;
    for (const char* layer : {"multihead", "schedule", "shift"}) {
        INFO(layer);
        REQUIRE(tracer_run({"probe", layer, "--seed", "1", "-o", folder / "a.npz"}).code == 0);
        REQUIRE(tracer_run({"probe", layer, "--seed", "2", "-o", folder / "b.npz"}).code == 0);
        CHECK(content(folder / "a.npz") != content(folder / "b.npz"));
    }
    CHECK(has(tracer_run({"probe", "multihead"}).err, "probe: expected -o FILE.npz"));
}

TEST_CASE("power: a probe's file holds inputs and weights") {
    const Folder folder;
    const std::string file = folder / "probe.npz";
    REQUIRE(tracer_run({"probe", "multihead", "-o", file}).code == 0);
    const Ran ran = tracer_run({"power", "multihead", "--heads", "3", "--weights", file, file});
    CHECK(ran.err == "");
    CHECK(has(ran.out, "This test detects "));
}

TEST_CASE("a file that is read is not written over") {
    const Folder folder;
    const std::string file = folder / "mine.npz";
    const auto is_kept = [&](std::vector<std::string> words, const std::string& option) {
        const std::string before = content(file);
        words.insert(words.end(), {option, file});
        const Ran ran = tracer_run(words);
        INFO(ran.out << ran.err);
        CHECK(ran.code == 2);
        CHECK(ran.err == "error: " + option + ": " + file + " is read, and would be overwritten\n");
        CHECK(content(file) == before);
    };
    REQUIRE(tracer_run({"multihead", "--heads", "2", "-o", file}).code == 0);
    is_kept({"check", "multihead", "--heads", "2", file}, "-o");
    is_kept({"compare", folder / "other.npz", file}, "-o");
    is_kept({"multihead", "--heads", "2", "--input", file}, "-o");
    is_kept({"probe", "multihead", "--weights", file}, "-o");
    std::filesystem::create_symlink(file, folder / "link.npz");
    is_kept({"multihead", "--heads", "2", "--input", folder / "link.npz"}, "-o");
    CHECK(tracer_run({"check", "multihead", "--save-weights", "w.safetensors", file}).code == 2);
}

TEST_CASE("power: a wide tolerance sees fewer mistakes, and what would show them is said") {
    const auto seen = [](const std::string& more) {
        const Ran ran = tracer_run(words("power attention --seq 3 --dk 2" + more));
        INFO(ran.out << ran.err);
        REQUIRE(ran.code == 0);
        int count = 0, of = 0;
        REQUIRE(std::sscanf(ran.out.c_str(), "This test detects %d of %d mistakes.", &count, &of) == 2);
        CHECK(of > 20);
        return count;
    };
    CHECK(seen("") > seen(" --atol 0.3"));
    CHECK(seen(" --atol 0.3") > seen(" --atol 10"));
    CHECK(has(tracer_run(words("power attention --seq 3 --dk 2")).out, "would show with: "));
}

TEST_CASE("written: brackets that do not fit the numbers are refused, with file and line") {
    for (const char* text : {"[[1] 2 3]", "[1 2\n[3 4]]", "[[1, 2].5, 3]", "[[[1]], 2]"})
        CHECK(has(refusal(text), ": numbers outside brackets"));
    CHECK(refusal("\n[[[]], [1]]") == "mine.txt:2: the brackets do not fit the numbers in them");
    CHECK(parsed("[[1 2; 3 4]]").at(0).value.shape() == Shape{2, 2});
    CHECK(parsed("[[], []]").at(0).value.shape() == Shape{2, 0});
}

TEST_CASE("written: exponents of any size, and a long text of typeset minus signs") {
    const std::vector<glassbox::tracer::SubmittedArray> one =
        parsed("1.5e-2147483648 1.25e2147483647 1.5e-99999999999999999999");
    CHECK(one.at(0).value.values() ==
          std::vector<glassbox::real>{0, std::numeric_limits<glassbox::real>::infinity(), 0});
    const std::string tiny = "0." + std::string(400, '0') + "1";
    CHECK(parsed("1E-400 -1e400 " + tiny).at(0).value.values() ==
          std::vector<glassbox::real>{0, -std::numeric_limits<glassbox::real>::infinity(), 0});
    std::string minus;  // a million took a minute when each sign moved all that follows it
    for (int i = 0; i < 100'000; ++i) minus += "−1 ";
    const Tensor many = parsed(minus).at(0).value;
    CHECK(many.numel() == 100'000);
    CHECK(many.values().back() == -1);
}

TEST_CASE("check: an input is no work, by its step's name or as the result") {
    const Folder folder;
    const std::string layer = "attention --seq 3 --dk 2 ";
    REQUIRE(tracer_run(words(layer + "-o " + (folder / "all.npz"))).code == 0);
    const Tensor V = glassbox::Npz(folder / "all.npz").read("V");
    glassbox::write_npz(folder / "V.npz", {{"V", V}});
    glassbox::write_npy(folder / "V.npy", V);
    glassbox::write_npy(folder / "Q.npy", glassbox::Npz(folder / "all.npz").read("Q"));
    const Ran named = check(layer + (folder / "V.npz")), last = check(layer + (folder / "Q.npy"));
    CHECK(has(check(layer + (folder / "V.npy")).out, "values/left-out"));
    CHECK(named.code == 1);
    CHECK(has(named.out, "Only V was submitted, an input, unchanged: no step was computed."));
    CHECK(last.code == 1);
    CHECK(has(last.out, "These are the numbers of Q, an input, unchanged."));
}

TEST_CASE("check: --layout says how the result's axes may differ") {
    const Folder folder;
    const std::string layer = "attention --seq 3 --dk 2 ";
    REQUIRE(tracer_run(words(layer + "-o " + (folder / "all.npz"))).code == 0);
    const Tensor values = glassbox::Npz(folder / "all.npz").read("values");
    const auto code = [&](const Tensor& mine, const std::string& layout) {
        glassbox::write_npy(folder / "mine.npy", mine);
        return check(layer + (folder / "mine.npy") + " --layout " + layout).code;
    };
    const Tensor turned = glassbox::contiguous(glassbox::transpose(values)),
                 flat = glassbox::reshape(values, Shape{6});
    for (const char* layout : {"any", "ordered", "exact"}) CHECK(code(values, layout) == 0);
    CHECK(code(turned, "any") == 0);
    CHECK(code(turned, "ordered") == 1);
    CHECK(code(flat, "ordered") == 0);
    CHECK(code(flat, "exact") == 1);
    CHECK(code(values, "loose") == 2);
}

TEST_CASE(
    "check: of numbers of another shape the axes of the right one are named, and no mistake is denied") {
    const Folder folder;
    write(folder / "mine.txt", "1 2 3\n4 5 6\n");
    const Ran ran = tracer_run({"check", "multihead", folder / "mine.txt"});
    CHECK(
        ran.out.starts_with("✗ output  its shape is (2, 3), expected (3, 4)\n"
                            "   The axes of the expected shape: position, feature.\n–"));
}
