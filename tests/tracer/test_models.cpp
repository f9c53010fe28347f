// The commands that show a model: common features, and each command's own.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>

#include "command.h"
#include "support/compare.h"
#include "support/random.h"
#include "tracer/subject/axis_words.h"

using namespace glassbox_test;
using glassbox::index_t;
using glassbox::Npz;
using glassbox::Shape;
using glassbox::Tensor;

namespace {

// Every command, with options that change its numbers from the defaults.
const std::vector<std::vector<std::string>>& models() {
    static const std::vector<std::vector<std::string>> all = {
        {"multihead", "--seq", "4", "--din", "5", "--dmodel", "6", "--heads", "3"},
        {"multihead", "--memory", "5", "--dmodel", "6", "--heads", "2", "--no-bias"},
        {"positional", "--seq", "5", "--dmodel", "6", "--learned"},
        {"encoder-block", "--seq", "4", "--dmodel", "6", "--heads", "3", "--dff", "5", "--norm", "pre"},
        {"encoder", "--layers", "3", "--dmodel", "6", "--heads", "2", "--dff", "7", "--final-norm"},
        {"predictor", "--din", "4", "--classes", "5", "--dmodel", "6", "--layers", "2", "--dff", "7"},
        {"predictor", "--pooling", "cls", "--batch", "2", "--seq", "4"},
        {"decoder-block", "--seq", "4", "--memory", "3", "--dmodel", "6", "--heads", "3", "--dff", "5"},
        {"decoder", "--layers", "3", "--dmodel", "6", "--dff", "7"},
        {"transformer", "--layers", "2", "--dmodel", "6", "--dff", "7"},
        {"transformer", "--kind", "decoder-only", "--text", "the cat sat", "--dmodel", "6"},
        {"time2vec", "--seq", "5", "--width", "4"},
        {"linear", "--seq", "4", "--din", "5", "--dout", "3"},
        {"layer-norm", "--seq", "4", "--dmodel", "6"},
        {"feed-forward", "--seq", "4", "--dmodel", "6", "--dff", "5"},
        {"embedding", "--text", "the cat sat", "--dmodel", "6", "--scaled"},
    };
    return all;
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
}

// Options that are not stored in files of weights or numbers, and must be repeated.
std::vector<std::string> beside_files(const std::vector<std::string>& command) {
    std::vector<std::string> kept{command[0]};
    for (std::size_t i = 1; i < command.size(); ++i)
        for (const char* option : {"--heads", "--norm", "--pooling", "--kind"})
            if (command[i] == option) kept = kept + std::vector<std::string>{command[i], command[i + 1]};
    for (const char* flag : {"--no-bias", "--learned", "--scaled"})
        if (std::find(command.begin(), command.end(), flag) != command.end()) kept.push_back(flag);
    return kept;
}

}  // namespace

TEST_CASE("attention: --text gives each head of each sentence its own rows") {
    const auto shape_of_Q = [](const std::vector<std::string>& more) {
        std::vector<std::string> line{"attention", "--dk", "2", "--format", "json", "--text"};
        line.insert(line.end(), more.begin(), more.end());
        const Ran ran = tracer_run(line);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        return nlohmann::json::parse(ran.out)["steps"][0]["shape"].get<std::vector<int>>();
    };
    CHECK(shape_of_Q({"the cat sat"}) == std::vector{3, 2});
    CHECK(shape_of_Q({"the cat sat|a dog"}) == std::vector{2, 3, 2});
    CHECK(shape_of_Q({"the cat sat", "--heads", "4"}) == std::vector{1, 4, 3, 2});
    CHECK(shape_of_Q({"the cat sat|a dog", "--heads", "4"}) == std::vector{2, 4, 3, 2});
}

TEST_CASE("models: text, JSON and NPZ show the same steps") {
    for (const std::vector<std::string>& model : models()) {
        INFO(joined(model));
        const Folder folder;
        const bool has_parts = model[0] != "multihead" && model[0] != "positional" && model[0] != "time2vec";
        const Ran text = tracer_run(
            model + (has_parts ? std::vector<std::string>{"--depth", "all"} : std::vector<std::string>{}));
        const Ran json = tracer_run(model + std::vector<std::string>{"--format", "json"});
        const Ran npz = tracer_run(model + std::vector<std::string>{"-o", folder / "steps.npz"});
        REQUIRE(text.code + json.code + npz.code == 0);
        const nlohmann::json steps = nlohmann::json::parse(json.out)["steps"];
        const Npz arrays(folder / "steps.npz");
        REQUIRE(steps.size() == arrays.names().size());
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const std::string name = steps[i]["name"];
            CHECK(name == arrays.names()[i]);
            CHECK(text.out.find("\n" + std::to_string(i + 1) + "  " + name) != std::string::npos);
        }
    }
}

TEST_CASE("models: written weights are read back, with sizes, and give the same numbers", "[exhaustive]") {
    for (const char* convention : {"uva-jax", "report", "paper"})
        for (const std::vector<std::string>& each : models()) {
            std::vector<std::string> model = each + std::vector<std::string>{"--convention", convention};
            const auto d_ff = std::find(model.begin(), model.end(), "--dff");
            const bool fixes_it = convention == std::string("report");  // 2·d_model, and d_model is 6
            if (d_ff != model.end() && fixes_it) *(d_ff + 1) = "12";
            if (each[0] == "transformer" && convention == std::string("report")) continue;  // has no decoder
            INFO(joined(model));
            const Folder folder;
            const std::string weights = folder / "w.safetensors", first = folder / "a.npz",
                              again = folder / "b.npz";
            const Ran wrote =
                tracer_run(model + std::vector<std::string>{"--save-weights", weights, "-o", first});
            REQUIRE(wrote.err == "");
            glassbox::NamedTensors inputs;
            const Npz steps(first);
            for (const char* name : {"x", "memory", "time"})
                for (const char* scope : {"", "self_attn/", "cross_attn/", "encoder/0/self_attn/",
                                          "decoder/0/self_attn/", "decoder/0/cross_attn/"})
                    if (steps.contains(scope + std::string(name)) &&
                        std::none_of(inputs.begin(), inputs.end(),
                                     [&](const auto& in) { return in.first == name; }))
                        inputs.emplace_back(name, steps.read(scope + std::string(name)));
            for (const char* name : {"source", "target"})
                if (steps.contains(name + std::string("/tokens")))
                    inputs.emplace_back(name, steps.read(name + std::string("/tokens")));
            if (steps.contains("tokens")) inputs.emplace_back("source", steps.read("tokens"));
            const bool norm_first = std::find(model.begin(), model.end(), "pre") != model.end();
            if (norm_first) continue;  // there the block's input is not a step
            glassbox::write_npz(folder / "in.npz", inputs);
            const Ran read =
                tracer_run(beside_files(each) + std::vector<std::string>{"--convention", convention,
                                                                         "--weights", weights, "--input",
                                                                         folder / "in.npz", "-o", again});
            REQUIRE(read.err == "");
            const Npz mine(again);
            REQUIRE(mine.names() == steps.names());
            for (const std::string& name : steps.names())
                check_close(mine.read(name), steps.read(name), exact.with_nan(), name);
        }
}

TEST_CASE("models: gradients of every step and parameter agree with finite differences", "[exhaustive]") {
    for (const std::vector<std::string>& model : models()) {
        INFO(joined(model));
        const Ran ran = tracer_run(model + std::vector<std::string>{"--grad"});
        CHECK(ran.code == 0);
        CHECK(ran.out.find("agree within") != std::string::npos);
        CHECK(ran.out.find("differ by") == std::string::npos);
    }
}

TEST_CASE("models: a parameter's gradient has the parameter's name in the convention's files") {
    const std::vector<std::pair<std::string, std::string>> expected = {{"uva-jax", "linear_net.0.weight"},
                                                                       {"report", "mlp.0.weight"},
                                                                       {"paper", "self_attn.in_proj_weight"}};
    for (const auto& [convention, name] : expected) {
        const Folder folder;
        const std::string weights = folder / "w.safetensors", gradients = folder / "g.npz";
        REQUIRE(tracer_run({"encoder-block", "--convention", convention, "--save-weights", weights}).code ==
                0);
        REQUIRE(tracer_run({"encoder-block", "--convention", convention, "--grad", "-o", gradients}).code ==
                0);
        const Npz npz(gradients);
        CHECK(npz.contains("grad/weights/" + name));
        for (const auto& [in_file, value] : glassbox::read_safetensors(weights).tensors)
            CHECK(npz.read("grad/weights/" + in_file).shape() == value.shape());
    }
}

TEST_CASE("models: mismatched weights are refused with everything that is wrong; damaged files too") {
    const Folder folder;
    const std::string weights = folder / "w.safetensors";
    REQUIRE(tracer_run({"encoder-block", "--dmodel", "6", "--heads", "2", "--save-weights", weights}).code ==
            0);
    const Ran other = tracer_run({"decoder-block", "--weights", weights});
    CHECK(other.code == 3);
    CHECK(other.err.find("missing: cross_attn.qkv_proj.weight (18, 6)") != std::string::npos);
    const Ran narrow = tracer_run({"encoder-block", "--dmodel", "4", "--heads", "2", "--weights", weights});
    CHECK(narrow.code == 3);
    CHECK(narrow.err.find("norm1.weight (6,) instead of (4,)") != std::string::npos);
    const Ran named = tracer_run({"encoder-block", "--convention", "paper", "--weights", weights});
    CHECK(named.code == 3);
    CHECK(named.err.find("missing: self_attn.in_proj_weight") != std::string::npos);
    write(weights, content(weights).substr(0, 100));
    CHECK(tracer_run({"encoder-block", "--weights", weights}).code == 3);
    CHECK(tracer_run({"encoder-block", "--weights", folder / "none.safetensors"}).code == 4);
}

TEST_CASE("models: a mismatched input file is the file's error") {
    const Folder folder;
    glassbox::write_npz(folder / "x.npz", {{"x", Tensor::zeros({3, 5})}, {"y", Tensor::zeros({2})}});
    const Ran missing = tracer_run({"decoder-block", "--input", folder / "x.npz"});
    CHECK(missing.code == 3);
    CHECK(missing.err.find("no array memory; it holds x, y") != std::string::npos);
    const Ran heads = tracer_run({"multihead", "--input", folder / "x.npz", "--dmodel", "6", "--heads", "4"});
    CHECK(heads.code == 2);
    CHECK(heads.err ==
          "error: --heads 4: does not divide --dmodel 6: every head has d_model / h of the columns; type "
          "--heads 3 or 6, or --dmodel 4 or 8\n");
    glassbox::write_npz(folder / "one.npz", {{"x", Tensor{1, 2}}});
    for (const char* command : {"multihead", "encoder-block", "positional", "predictor", "time2vec"}) {
        const Ran one = tracer_run({command, "--input", folder / "one.npz"});
        INFO(command << ": " << one.err);
        CHECK(one.code == 3);
        CHECK(one.err.find("one.npz: ") != std::string::npos);
        CHECK(one.err.find(", got (2,)") != std::string::npos);
    }
    glassbox::write_npz(folder / "t.npz", {{"source", Tensor{0, 9}}, {"target", Tensor{-1}}});
    const Ran tokens = tracer_run({"transformer", "--input", folder / "t.npz"});
    CHECK(tokens.code == 3);
    CHECK(tokens.err.find("ids are whole numbers from 0 to 2, got -1") != std::string::npos);
}

TEST_CASE("models: tokens from a file need no weights: the largest gives the vocabulary size") {
    const Folder folder;
    glassbox::write_npz(folder / "t.npz", {{"source", Tensor{{3, 9}}}, {"target", Tensor{{1, 6}}}});
    const Ran ran = tracer_run({"transformer", "--input", folder / "t.npz", "-o", folder / "steps.npz"});
    REQUIRE(ran.err == "");
    CHECK(Npz(folder / "steps.npz").read("logits").shape() == Shape{1, 2, 7});
}

TEST_CASE("models: the sentences of steps are true for this model") {
    const auto says = [](const std::vector<std::string>& arguments, const std::string& text) {
        const Ran ran = tracer_run(arguments);
        INFO(joined(arguments) << "should say " << text << " and says\n" << ran.out << ran.err);
        CHECK(ran.out.find(text) != std::string::npos);
    };
    says({"positional", "--learned"}, "encoding = table[0 … T − 1]");
    says({"multihead", "--memory", "3"}, "head_i = Attention(x W_Q,i, memory W_K,i, memory W_V,i)");
    says({"predictor", "--pooling", "max"}, "pooled = max over positions");
    says({"predictor", "--pooling", "cls"}, "pooled = row 0, [CLS]");
    says({"predictor", "--pooling", "mean", "--positions", "no"},
         "logits = OutputNet(mean(Encoder(InputNet(x))))");
    says({"decoder-block", "--dropout", "0.5"}, "residual3 = norm2 + dropout3");
    const std::vector<std::string> report = {"encoder-block", "--convention", "report"};
    says(report + std::vector<std::string>{"--dropout", "0.5"}, "residual2 = norm_dropout1 + mlp/output");
    says(report, "both sublayers share one γ and β");
    says(report + std::vector<std::string>{"--mask", "causal"}, "the mask has no effect in the encoder");
    says({"transformer", "--text", "a|b c", "--target", "d|e"}, "source: a <end> <pad> | b c <end>");
}

TEST_CASE("models: --scope, --depth and --only keep a deep trace readable") {
    const auto names = [](const std::vector<std::string>& options) {
        const Ran ran = tracer_run(std::vector<std::string>{"encoder", "--format", "json"} + options);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        std::vector<std::string> found;
        const nlohmann::json report = nlohmann::json::parse(ran.out);
        for (const auto& step : report["steps"]) found.push_back(step["name"]);
        return found;
    };
    using Names = std::vector<std::string>;
    CHECK(names({"--scope", "encoder/1/mlp"}) ==
          Names{"encoder/1/mlp/hidden", "encoder/1/mlp/relu", "encoder/1/mlp/output"});
    CHECK(names({"--depth", "3", "--scope", "encoder/0/"}) ==
          Names{"encoder/0/residual1", "encoder/0/norm1", "encoder/0/residual2", "encoder/0/norm2"});
    CHECK(names({"--only", "norm2,encoder/0/self_attn/Q"}) ==
          Names{"encoder/0/self_attn/Q", "encoder/0/norm2", "encoder/1/norm2"});
    CHECK(tracer_run({"encoder", "--scope", "encoder/2"})
              .err.find("error: --scope: no part 'encoder/2'; the parts are encoder, encoder/0") == 0);
    CHECK(tracer_run({"encoder", "--only", "norm4"}).err.find("did you mean 'norm1'?") != std::string::npos);
    CHECK(tracer_run({"encoder", "--depth", "1"}).err.find("error: --depth 1: no step remains") == 0);
}

TEST_CASE("models: a long trace shows its main steps, and how to see the others; data are complete") {
    const auto steps_of = [](const std::string& out) {
        std::vector<std::string> found;
        std::istringstream lines(out);
        for (std::string line; std::getline(lines, line);)
            if (!line.empty() && std::isdigit(line[0]) && line.find("  ") < 4)
                found.push_back(line.substr(line.find("  ") + 2,
                                            line.find(' ', line.find("  ") + 2) - line.find("  ") - 2));
        return found;
    };
    const Ran ran = tracer_run({"transformer"});
    CHECK(ran.code == 0);
    CHECK(steps_of(ran.out) == steps_of(tracer_run({"transformer", "--depth", "2"}).out));
    CHECK(
        ran.out.find("\n▸  source/positional   3 steps → (1, 4, 8)   --scope source/positional\n"
                     "▸  encoder/0          18 steps → (1, 4, 8)   --scope encoder/0\n\n25  target/tokens") !=
        std::string::npos);
    CHECK(ran.out.find("▸  decoder/0          34 steps → (1, 5, 8)   --scope decoder/0\n\n65  logits") !=
          std::string::npos);
    CHECK(steps_of(tracer_run({"transformer", "--scope", "decoder/0"}).out).size() == 34);
    CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') < 130);
    CHECK(
        ran.out.ends_with("\n8 of 66 steps: those with at most 2 parts in their path. --depth 3 shows 24, "
                          "--depth all shows every step, --scope PATH those inside a part.\n"));
    CHECK(steps_of(tracer_run({"transformer", "--depth", "all"}).out).size() == 66);
    CHECK(steps_of(tracer_run({"transformer", "--scope", "decoder"}).out).size() > 30);
    CHECK(steps_of(tracer_run({"encoder"}).out).size() == 36);  // not long
    CHECK(steps_of(tracer_run({"encoder", "--layers", "6"}).out).size() == 24);
    const Ran json = tracer_run({"transformer", "--format", "json"});
    CHECK(nlohmann::json::parse(json.out)["steps"].size() == 66);
    CHECK(tracer_run({"encoder", "--depth", "deep"}).err ==
          "error: --depth: expected a whole number or all, got 'deep'\n");
}

TEST_CASE("models: --explain goes as deep as one or two screens, and says how to see more") {
    const auto lines = [](const std::vector<std::string>& more) {
        const Ran ran =
            tracer_run(std::vector<std::string>{"transformer", "--explain", "softmax[0,1,1]"} + more);
        CHECK(ran.code == 0);
        return std::pair{std::count(ran.out.begin(), ran.out.end(), '\n'), ran.out};
    };
    const auto [count, out] = lines({});
    CHECK(count < 70);
    CHECK(out.ends_with("\n2 operations deep. --depth 3 goes one deeper, --depth all down to the inputs.\n"));
    CHECK(lines({"--depth", "2"}).first == count - 2);
    CHECK(lines({"--depth", "all"}).first > 6000);
    CHECK(tracer_run({"attention", "--explain", "values[0,1]"}).out ==  // ends earlier
          tracer_run({"attention", "--explain", "values[0,1]", "--depth", "all"}).out);
}

TEST_CASE("models: --scalar and --explain accept the end of a path like --only") {
    const auto out = [](const std::vector<std::string>& words) { return tracer_run(words).out; };
    const auto error = [](const std::vector<std::string>& words) {
        const Ran ran = tracer_run(words);
        CHECK(ran.code == 2);
        return ran.err;
    };
    const std::vector<std::string> one = {"encoder", "--layers", "1", "--grad", "--only", "norm1"};
    CHECK(out(one + std::vector<std::string>{"--scalar", "sumsq(norm1)"}) ==
          out(one + std::vector<std::string>{"--scalar", "sumsq(encoder/0/norm1)"}));
    CHECK(out(one + std::vector<std::string>{"--scalar", "sum(sum)"}).empty());
    CHECK(out({"encoder", "--layers", "1", "--explain", "norm1[0,1]"}) ==
          out({"encoder", "--layers", "1", "--explain", "encoder/0/norm1[0,1]"}));
    CHECK(error({"encoder", "--grad", "--scalar", "sum(norm2)"}) ==
          "error: --scalar: several steps end in 'norm2': encoder/0/norm2, encoder/1/norm2\n");
    CHECK(error({"encoder", "--grad", "--scalar", "norm2[0,0]"}).find("encoder/1/norm2") !=
          std::string::npos);
    CHECK(error({"encoder", "--explain", "norm2[0,0]"}).find("error: --explain: several steps") == 0);
    CHECK(error({"encoder", "--grad", "--scalar", "sum(nrm2)"}).ends_with("; did you mean 'norm2'?\n"));
}

TEST_CASE("models: tokens are integers, in text and in JSON") {
    const Ran ran = tracer_run({"transformer", "--only", "source/tokens"});
    CHECK(ran.out.find("\n   [[3 4 5 2]]\n") != std::string::npos);
    const Ran json = tracer_run({"transformer", "--only", "source/tokens", "--format", "json"});
    CHECK(json.out.find("\"values\": [[3, 4, 5, 2]]") != std::string::npos);
    const Ran alone =
        tracer_run({"transformer", "--kind", "decoder-only", "--text", "a b", "--only", "tokens"});
    CHECK(alone.out.find("\n   [[1 3 4]]\n") != std::string::npos);
    CHECK(tracer_run({"predictor", "--text", "a b", "--only", "x"}).out.find("[0. 0. 0. 1. 0.]") !=
          std::string::npos);  // one-hot rows are not tokens
}

TEST_CASE("models: predictor --text shows the words, and the class of each") {
    const Ran ran = tracer_run({"predictor", "--text", "a b a c", "--only", "softmax"});
    CHECK(ran.out.find("\nwords: a b a c\n   token ids and classes: 0 <pad>, 1 <start>, 2 <end>, 3 a, 4 b, "
                       "5 c\n") != std::string::npos);
    CHECK(ran.out.find("\n   → most likely at a: a (0.46); at b: ") != std::string::npos);
    const Ran three = tracer_run({"predictor", "--text", "a b", "--classes", "3", "--only", "softmax"});
    CHECK(three.out.find("\n   → most likely class at a: ") != std::string::npos);
    const Ran pooled = tracer_run({"predictor", "--text", "a b|c", "--pooling", "mean", "--only", "softmax"});
    CHECK(pooled.out.find("\n   → most likely class: ") != std::string::npos);
    CHECK(tracer_run({"predictor", "--only", "softmax"}).out.find("most likely") == std::string::npos);
}

TEST_CASE("models: singular for one, and help names only existing options") {
    const auto header = [](const std::string& line) {
        const Ran ran = tracer_run(words(line));
        CHECK(ran.code == 0);
        return ran.out.substr(0, ran.out.find("\n1  "));
    };
    CHECK(header("encoder-block --heads 1").find(", h = 1 head, ") != std::string::npos);
    CHECK(header("encoder-block").find(", h = 2 heads, ") != std::string::npos);
    CHECK(header("multihead --heads 1").find(", h = 1 head of d_h = 4") != std::string::npos);
    CHECK(header("attention --batch 2 --heads 1").find("batch 2, 1 head\n") != std::string::npos);
    CHECK(header("decoder-block --memory 1").find("\nmemory: 1 position\n") != std::string::npos);
    CHECK(header("predictor --classes 1").find(", 1 class\n") != std::string::npos);
    CHECK(tracer_run({"transformer", "--help"}).out.find("--seq") == std::string::npos);
    CHECK(tracer_run({"encoder", "--help"}).out.find("Sentence instead of numbers") != std::string::npos);
}

TEST_CASE("models: --diff stops at the first step that differs, and says why") {
    const Ran layout = tracer_run({"multihead", "--diff", "uva-jax,paper"});
    CHECK(layout.code == 0);
    CHECK(layout.out.find("2 steps agree. The first that differs: Q\n") != std::string::npos);
    CHECK(layout.out.find("rows of the qkv projection: [q‖k‖v] head by head in uva-jax") !=
          std::string::npos);
    const Ran mask = tracer_run({"encoder-block", "--diff", "uva-torch,report", "--mask", "causal"});
    CHECK(mask.out.find("the score of a hidden key: -9e+15 in uva-torch") >
          mask.out.find("All choices in which"));
    CHECK(mask.out.find("self_attn/masked is a step of uva-torch only") != std::string::npos);
    CHECK(mask.out.find("the report's block takes a mask and calls its attention without it") !=
          std::string::npos);
    const Ran none = tracer_run({"multihead", "--diff", "uva-torch,report"});
    CHECK(none.out.find("All 11 steps agree to 1e-") != std::string::npos);
    CHECK(tracer_run({"multihead", "--diff", "report"}).code == 2);
    CHECK(tracer_run({"multihead", "--diff", "report,uva-jax", "--convention", "paper"}).code == 2);
}

TEST_CASE("models: --diff shows a norm that is used twice, on weights drawn for it, by --seed") {
    const Ran ran = tracer_run({"encoder-block", "--diff", "uva-torch,report"});
    CHECK(ran.out.find("\nγ, β and all biases are drawn too, with --seed 42: the usual 1 and 0 would hide") !=
          std::string::npos);
    CHECK(ran.out.find("\n17 steps agree. The first that differs: norm2\n") != std::string::npos);
    CHECK(ran.out.find("\n   one LayerNorm for both sublayers: no in uva-torch, yes in report\n") !=
          std::string::npos);
    const Ran around = tracer_run({"encoder-block", "--diff", "report,uva-torch"});
    CHECK(around.out.find("The first that differs: norm2\n") != std::string::npos);
    CHECK(tracer_run({"encoder-block", "--diff", "uva-torch,report"}).out == ran.out);
    CHECK(tracer_run({"encoder-block", "--diff", "uva-torch,report", "--seed", "7"}).out != ran.out);
}

TEST_CASE("models: --diff A,A says that the two do not differ in any choice") {
    const Ran ran = tracer_run({"time2vec", "--diff", "paper,paper"});
    CHECK(ran.code == 0);
    CHECK(ran.out.find(" steps agree to 1e-") != std::string::npos);
    CHECK(ran.out.ends_with("\n\npaper and paper do not differ in any choice.\n"));
    CHECK(tracer_run({"multihead", "--diff", "uva-torch,report"})
              .out.ends_with("\n\nNone of the choices in which the two differ (docs/conventions.md) touches "
                             "these steps.\n"));
}

TEST_CASE("models: --diff takes one weight file for both, with either's names") {
    const Folder folder;
    const std::string file = folder / "w.safetensors";
    const auto save = [&](const std::string& convention) {
        REQUIRE(tracer_run({"encoder", "--layers", "3", "--dmodel", "6", "--dff", "12", "--convention",
                            convention, "--save-weights", file})
                    .code == 0);
    };
    const auto diff = [&](const std::string& two) {
        return tracer_run({"encoder", "--diff", two, "--weights", file});
    };
    for (const char* names : {"uva-jax", "report", "paper"}) {
        save(names);
        for (const char* two : {"uva-torch,report", "report,uva-torch", "report,paper", "paper,uva-jax"}) {
            const bool is_without_report = std::string(two).find("report") == std::string::npos;
            if (names == std::string("report") && is_without_report) continue;  // one norm for two
            const Ran ran = diff(two);
            INFO(names << ": " << two << "\n" << ran.out);
            CHECK(ran.err == "");
            CHECK(ran.out.find("\nweights: ") != std::string::npos);
        }
    }
    save(
        "uva-torch");  // γ and β of both norms are in the file: 1 and 0, so it does not matter whose they are
    CHECK(diff("uva-torch,report").out.find("steps agree to 1e-") != std::string::npos);
    save("report");  // has one norm: the other is reported
    CHECK(diff("uva-torch,report")
              .out.find("\nparameters of uva-torch that are not in the file, drawn with --seed 42: "
                        "layers.0.norm2.weight, layers.0.norm2.bias") != std::string::npos);
    REQUIRE(tracer_run({"multihead", "--save-weights", file}).code == 0);
    const Ran wrong = diff("uva-torch,report");
    CHECK(wrong.code == 3);
    CHECK(wrong.err.find("w.safetensors: has none of this model's names") != std::string::npos);
}

TEST_CASE(
    "models: maps and predictions of drawn weights say that they mean nothing yet; of a file's they do not") {
    const Folder folder;
    const std::string weights = folder / "w.safetensors", page = folder / "p.html";
    const std::string note = "untrained: the weights are random, so the pattern means nothing yet\n";
    const std::vector<std::string> model{"transformer", "--text", "a b"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), model.begin(), model.end());
        return tracer_run(more).out;
    };
    CHECK(with({"--map"}).find("\n" + note) != std::string::npos);
    const std::string predicted = with({"--only", "softmax", "--save-weights", weights});
    CHECK(predicted.find("\n   → most likely after <start>: ") != std::string::npos);
    CHECK(predicted.ends_with("\n     " + note));
    REQUIRE(with({"-o", page}).empty());
    CHECK(content(page).find("\"untrained\":\"untrained: ") != std::string::npos);
    REQUIRE(tracer_run({"layer-norm", "-o", page}).code == 0);
    CHECK(content(page).find("\"untrained\":\"x is random; γ = 1, β = 0, as before training\"") !=
          std::string::npos);

    CHECK(with({"--map", "--weights", weights}).find("untrained") == std::string::npos);
    const std::string again = with({"--only", "softmax", "--weights", weights});
    CHECK(again.find("→ most likely after <start>: ") != std::string::npos);
    CHECK(again.find("untrained") == std::string::npos);
    REQUIRE(with({"-o", page, "--weights", weights}).empty());
    CHECK(content(page).find("\"untrained\":") == std::string::npos);
    // Without weights the numbers themselves are drawn, or the user's own.
    CHECK(tracer_run({"attention", "--map"}).out.find("\nrandom numbers: the pattern means nothing\n") !=
          std::string::npos);
    const Ran own =
        tracer_run({"attention", "--Q", "1 0; 0 1", "--K", "1 0; 0 1", "--V", "1 0; 0 1", "--map"});
    CHECK(own.code == 0);
    CHECK(own.out.find("means nothing") == std::string::npos);
}

TEST_CASE("models: a scale of maps that ends before 1 is said, and how to end it there") {
    const auto maps = [](const std::string& scale) {
        return tracer_run({"multihead", "--text", "the cat sat on the mat", "--map", "--scale", scale}).out;
    };
    const std::string end = "scale: to the largest weight here; to 1: --scale shared\n";
    CHECK(tracer_run({"multihead", "--text", "the cat sat on the mat", "--map"}).out.find(end) !=
          std::string::npos);
    CHECK(maps("shared").find(end) == std::string::npos);
    CHECK(maps("each").find(end) == std::string::npos);
}

TEST_CASE("models: an encoding of positions is not said to be random, and what it is added to is") {
    CHECK(tracer_run({"positional", "--format", "svg"}).out.find(">x is random; the encoding is not<") !=
          std::string::npos);
    for (const char* of_encodings_alone : {"--dot", "--shift=1"})
        CHECK(tracer_run({"positional", of_encodings_alone, "--format", "svg"}).out.find("random: ") ==
              std::string::npos);
}

TEST_CASE("models: --map draws on the terminal and into files, and is checked before computing") {
    const Folder folder;
    const Ran drawn = tracer_run({"multihead", "--text", "je suis étudiant", "--map"});
    CHECK(drawn.code == 0);
    CHECK(drawn.out.find("étudiant₂ │") != std::string::npos);
    CHECK(drawn.out.find("head 0   ") != std::string::npos);
    const std::string file = folder / "maps.svg";  // PNG and PDF: test_figure_drawn.cpp
    REQUIRE(tracer_run({"transformer", "--map", file}).code == 0);
    CHECK(content(file).size() > 1000);
    REQUIRE(tracer_run({"positional", "--seq", "20", "--dmodel", "8", "--map", file}).code == 0);
    const auto has_position = [&](const std::string& position) {
        return content(file).find("<title>(" + position) != std::string::npos ||
               content(file).find(">" + position + "</text>") != std::string::npos;
    };
    CHECK_FALSE(has_position("40"));
    REQUIRE(tracer_run({"positional", "--map", file}).code == 0);  // as many as show a wave
    CHECK(has_position("40"));
    const Ran wrong = tracer_run({"encoder", "--map", "maps.gif"});
    CHECK(wrong.code == 2);
    CHECK(wrong.err ==
          "error: --map: expected a file whose name ends in .svg, .png or .pdf, got 'maps.gif'\n");
}

TEST_CASE("models: --summary counts parameters and multiply-adds; heads do not change the cost") {
    const auto total = [](const std::string& heads) {
        const Ran ran =
            tracer_run({"multihead", "--seq", "16", "--dmodel", "128", "--heads", heads, "--summary"});
        REQUIRE(ran.code == 0);
        std::string row;  // whatever the widths of its columns
        for (const char c : ran.out.substr(ran.out.rfind("total")))
            if (c != ' ') row += c;
        return row;
    };
    CHECK(total("4") == total("1"));
    // 4·128² + 4·128; 16·4·128² + 2·16²·128
    CHECK(total("4").find("66,048") != std::string::npos);
    CHECK(total("4").find("1,114,112") != std::string::npos);
}

TEST_CASE("models: a text becomes words, padding is hidden, and the output is a word") {
    const Folder folder;
    const Ran ran = tracer_run({"transformer", "--text", "je suis étudiant|bonjour", "--target",
                                "i am a|hello", "-o", folder / "steps.npz"});
    REQUIRE(ran.err == "");
    const Npz steps(folder / "steps.npz");
    check_close(steps.read("source/tokens"), Tensor{{3, 4, 5, 2}, {6, 2, 0, 0}}, exact, "source");
    check_close(steps.read("target/tokens"), Tensor{{1, 3, 4, 5}, {1, 6, 0, 0}}, exact, "target");
    const Tensor cross = steps.read("decoder/0/cross_attn/attention");
    CHECK(cross.at({1, 0, 0, 2}) == 0);
    CHECK(cross.at({1, 0, 0, 1}) != 0);
    const Ran words = tracer_run({"transformer", "--only", "softmax"});
    CHECK(words.out.find("→ most likely after <start>: ") != std::string::npos);
    CHECK(tracer_run({"transformer", "--text", "a|b", "--target", "c"}).err ==
          "error: --target: expected as many sentences as --text, 2, got 1\n");
    CHECK(tracer_run({"encoder", "--text", " "}).err == "error: --text: a sentence without words in ' '\n");
    CHECK(tracer_run({"encoder", "--text", "a", "--seq", "3"}).code == 2);
}

TEST_CASE("models: a masked step explains a hidden score, and every command supports a window") {
    const Ran causal = tracer_run({"multihead", "--mask", "causal", "--only", "masked"});
    CHECK(causal.out.find("masked[0,0,1] = ") != std::string::npos);
    const Folder folder;
    for (const char* command : {"attention", "multihead"}) {
        REQUIRE(tracer_run({command, "--mask", "window:0", "-o", folder / "w.npz"}).code == 0);
        const Tensor attention = Npz(folder / "w.npz").read("attention");
        for (const auto& row : {0, 1, 2})
            CHECK((attention.rank() == 2 ? attention.at({row, row}) : attention.at({1, row, row})) == 1);
    }
}

TEST_CASE("models: padding of the other sequence is hidden, for memory and target") {
    const Folder folder;
    const std::vector<std::string> sizes{"--batch", "2", "--memory", "4", "-o", folder / "steps.npz"};
    for (const char* command : {"decoder-block", "decoder"}) {
        const Ran ran = tracer_run(std::vector<std::string>{command, "--memory-lengths", "4,2"} + sizes);
        REQUIRE(ran.err == "");
        const Npz steps(folder / "steps.npz");
        const std::string scope = command == std::string("decoder") ? "decoder/1/cross_attn/" : "cross_attn/";
        CHECK(steps.read(scope + "attention").at({1, 0, 0, 2}) == 0);
        CHECK(steps.read(scope + "attention").at({0, 0, 0, 2}) != 0);
    }
    glassbox::write_npz(folder / "t.npz",
                        {{"source", Tensor{{3, 4}, {5, 2}}}, {"target", Tensor{{1, 3}, {1, 0}}}});
    const Ran ran = tracer_run(
        {"transformer", "--input", folder / "t.npz", "--target-lengths", "2,1", "-o", folder / "steps.npz"});
    REQUIRE(ran.err == "");
    CHECK(Npz(folder / "steps.npz").read("decoder/0/self_attn/attention").at({1, 0, 1, 1}) == 0);
    CHECK(tracer_run({"decoder-block", "--memory-lengths", "x"}).err ==
          "error: --memory-lengths: expected a whole number, got 'x'\n");
}

TEST_CASE("models: the padding of --text hides nothing of --memory, which has no words") {
    const Folder folder;
    const Ran ran =
        tracer_run({"multihead", "--text", "a b c|d", "--memory", "5", "-o", folder / "steps.npz"});
    REQUIRE(ran.err == "");
    const Tensor attention = Npz(folder / "steps.npz").read("attention");
    for (const glassbox::real weight : attention.values()) CHECK(weight > 0);
    CHECK(tracer_run({"multihead", "--text", "a b c|d", "--memory", "2"}).code == 0);

    glassbox::tracer::ModelInput input;
    input.words = {"the", "cat", "sat"};
    const auto words = [&](const char* path) {
        return std::pair(glassbox::tracer::query_words(path, input),
                         glassbox::tracer::key_words(path, input));
    };
    CHECK(words("attention") == std::pair(input.words, input.words));
    input.set("memory", Tensor::zeros({3, 2}));
    CHECK(words("attention") == std::pair(input.words, std::vector<std::string>()));
}

TEST_CASE("models: too long a memory is refused by its own name, and by its scores with the queries",
          "[exhaustive]") {
    const Ran ran = tracer_run({"multihead", "--memory", "100000000000"});
    CHECK(ran.code == 2);
    CHECK(ran.err.starts_with("error: --memory: "));
    CHECK(tracer_run({"multihead", "--seq", "1", "--memory", "200000", "--dmodel", "2", "--only", "output"})
              .code == 0);
    CHECK(tracer_run({"positional", "--dot", "--seq", "10000000", "--dmodel", "2"})
              .err.starts_with("error: --seq: "));
}

TEST_CASE("models: cross-attention's parameters are counted where they are used") {
    const Ran ran = tracer_run({"multihead", "--memory", "4", "--dmodel", "4", "--heads", "2", "--summary"});
    REQUIRE(ran.code == 0);
    std::map<std::string, std::string> counted;  // the step's name: its parameters
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name, first, second, parameters;
        words >> name >> first >> second >> parameters;
        counted[name] = parameters;
    }
    CHECK(counted["q"] == "20");
    CHECK(counted["kv"] == "40");
}

TEST_CASE("models: mistakes name the option, the rule and both values") {
    const auto error = [](const std::vector<std::string>& arguments) {
        const Ran ran = tracer_run(arguments);
        CHECK(ran.code == 2);
        return ran.err;
    };
    CHECK(error({"multihead", "--heads", "0"}) == "error: --heads: expected at least 1, got 0\n");
    CHECK(error({"multihead", "--heads", "3"}) ==
          "error: --heads 3: does not divide --dmodel 4: every head has d_model / h of the columns; type "
          "--heads 2 or 4, or --dmodel 3 or 6\n");
    CHECK(error({"multihead", "--seq", "9999999999"}) ==
          "error: --seq: expected at most 16777216, got 9999999999\n");
    CHECK(error({"encoder", "--seq", "1000000"}).find("error: --seq: 8e+12 numbers need ") == 0);
    CHECK(error({"multihead", "--lengths", "9"}) == "error: --lengths 9: length 9 exceeds the 3 keys\n");
    CHECK(error({"multihead", "--mask", "window:-1"}) ==
          "error: --mask window: expected at least 0, got -1\n");
    CHECK(error({"encoder-block", "--dropout", "1"}) ==
          "error: --dropout: expected a number at least 0 and less than 1, got '1'\n");
    CHECK(error({"positional", "--seq", "17", "--convention", "report"}) ==
          "error: positional_encoding: 17 positions, and this convention's encoding ends at max_len = 16\n");
    CHECK(error({"positional", "--shift", "1", "--dmodel", "3"}) ==
          "error: --shift: pairs of sine and cosine need an even --dmodel, got 3\n");
    CHECK(
        error({"multihead", "--mask", "casual"}) ==
        "error: --mask: expected none, causal, window:N, or an .npy or .npz file, got 'casual'; did you mean "
        "'causal'?\n");
    CHECK(error({"multihead", "--lengths", "1,2"}) == "error: --lengths 1,2: 2 lengths for one sequence\n");
    CHECK(error({"multihead", "--heads", "4", "--lengths", "1,2"}) ==
          "error: --lengths 1,2: 2 lengths for one sequence\n");
    CHECK(error({"decoder", "--memory-lengths", "1,2"}) ==
          "error: --memory-lengths 1,2: 2 lengths for one sequence\n");
    CHECK(error({"decoder", "--memory-lengths", "9"}) ==
          "error: --memory-lengths 9: length 9 exceeds the 4 keys\n");
    CHECK(error({"transformer", "--kind", "decoder-only", "--text", "a b", "--target-lengths", "9"}) ==
          "error: --target-lengths: a decoder-only model has no target; --lengths is its text's\n");
    CHECK(error({"transformer", "--target-lengths", "9"}) ==
          "error: --target-lengths 9: length 9 exceeds the 5 keys\n");
    CHECK(error({"positional", "--learned", "--dot"}) ==
          "error: --learned: cannot be combined with --dot, which applies to sines and cosines\n");
    CHECK(error({"transformer", "--kind", "decoder-only", "--target", "a"}) ==
          "error: --target: a decoder-only model has no target, only --text\n");
    CHECK(error({"encoder", "--summary", "--depth", "2"}) ==
          "error: --depth: cannot be combined with --summary\n");
    CHECK(error({"encoder", "--map", "m.svg", "-o", "x"}) ==
          "error: -o: cannot be combined with --map m.svg, which names the file\n");
    CHECK(error({"encoder", "--map", "m.svg", "-o", "x.svg"}) ==
          "error: -o: cannot be combined with --map m.svg, which names the file\n");
    CHECK(error({"multihead", "--diff", "uva-jax,paper", "--save-weights", "w.safetensors"}) ==
          "error: --save-weights: cannot be combined with --diff, which has two models\n");
    CHECK(error({"encoder", "--map", "--grad"}) == "error: --grad: cannot be combined with --map\n");
    CHECK(error({"time2vec", "--backend", "cuda"}).find("error: device cuda: ") == 0);
}

TEST_CASE(
    "positional: M moves the encoding by the requested distance; dot products are symmetric and decay up to "
    "half the shortest wavelength") {
    const Folder folder;
    REQUIRE(tracer_run({"positional", "--shift", "3", "--seq", "9", "--dmodel", "8", "-o", folder / "s.npz"})
                .code == 0);
    const Npz steps(folder / "s.npz");
    check_close(steps.read("rotated"), steps.read("later"), rounding, "M PE(t)");
    CHECK(steps.read("M").shape() == Shape{4, 2, 2});
    REQUIRE(
        tracer_run({"positional", "--dot", "--seq", "6", "--dmodel", "32", "-o", folder / "d.npz"}).code ==
        0);
    const Tensor dots = Npz(folder / "d.npz").read("dots");
    for (index_t i = 0; i < 6; ++i)
        for (index_t j = 0; j + 1 <= i; ++j) {
            CHECK(std::abs(dots.at({i, j}) - dots.at({j, i})) < 1e-5);
            if (i - j <= 3)  // up to half the shortest wave's length, 2π
                CHECK(dots.at({i, j}) < dots.at({i, j + 1}));
        }
}

TEST_CASE("models: --map says which attention a map shows, and on which scale") {
    const auto has = [](const Ran& ran, const std::string& part) {
        INFO(ran.err << ran.out);
        CHECK(ran.out.find(part) != std::string::npos);
    };
    const Ran decoder = tracer_run({"decoder", "--map"});
    has(decoder, "Decoder: attention\n");
    has(decoder, "\nmasked self-attention, layer 0\n");
    has(decoder, "\ncross-attention, layer 0\n");
    has(tracer_run({"decoder-block", "--map"}), "\nmasked self-attention\n");
    has(tracer_run({"transformer", "--map"}), "\nencoder self-attention\n");
    has(tracer_run({"encoder", "--map"}), "Encoder\n\n");
    CHECK(tracer_run({"multihead", "--map"}).out.find("Relative to") == std::string::npos);
    has(tracer_run({"multihead", "--map", "--scale", "each"}), "Relative to each map's largest weight");
    const Ran shared = tracer_run({"multihead", "--map", "--scale", "shared"});
    CHECK(shared.code == 0);
    CHECK(shared.out.find("Relative to") == std::string::npos);
    CHECK(tracer_run({"multihead", "--scale", "shared"}).err ==
          "error: --scale: requires colours, and this output has none: add --map or --color always\n");
    CHECK(tracer_run({"multihead", "--map", "--scale", "al"}).code == 2);
    const Ran second = tracer_run({"encoder", "--layers", "11", "--map", "--scope", "encoder/1"});
    has(second, "\nlayer 1\n");
    CHECK(second.out.find("layer 0") == std::string::npos);
    CHECK(second.out.find("layer 10") == std::string::npos);
    CHECK(tracer_run({"encoder", "--map", "--scope", "enc"}).code == 2);
}
