// The parts of a model by their own names show what the model shows, to the bit.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include <glassbox/decoding/sampling.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/ops/ops.h>
#include <glassbox/text/bleu.h>

#include "command.h"
#include "support/compare.h"
#include "support/random.h"

using namespace glassbox_test;
using glassbox::NamedTensors;
using glassbox::Npz;
using glassbox::Tensor;

namespace {

// The steps of an encoder block, and its weights.
struct Block {
    Folder folder;
    std::string steps = folder / "steps.npz", weights = folder / "weights.safetensors";

    Block() {
        const Ran ran = tracer_run({"encoder-block", "--seq", "4", "--dmodel", "6", "--heads", "3", "--dff",
                                    "5", "-o", steps, "--save-weights", weights});
        INFO(ran.err);
        REQUIRE(ran.code == 0);
    }

    // The command's result, from this step of the block and with parameters: their names, and whose they are.
    Tensor shown(const std::string& command, const std::string& input, const std::string& result,
                 const std::vector<std::pair<std::string, std::string>>& parameters) const {
        const std::string x = folder / "x.npz", w = folder / "w.safetensors", y = folder / "y.npz";
        glassbox::write_npz(x, {{"x", Npz(steps).read(input)}});
        const NamedTensors all = glassbox::read_safetensors(weights).tensors;
        NamedTensors some;
        for (const auto& [name, of] : parameters)
            for (const auto& [each, value] : all)
                if (each == of) some.emplace_back(name, value);
        REQUIRE(some.size() == parameters.size());
        glassbox::write_safetensors(w, some);
        const Ran ran = tracer_run({command, "--input", x, "--weights", w, "-o", y});
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        return Npz(y).read(result);
    }
    void check(const Tensor& found, const std::string& step) const {
        check_close(found, Npz(steps).read(step), exact, step);
    }
};

nlohmann::json steps_of(std::vector<std::string> line) {
    line.insert(line.end(), {"--format", "json"});
    const Ran ran = tracer_run(line);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return nlohmann::json::parse(ran.out)["steps"];
}

}  // namespace

TEST_CASE(
    "blocks: a layer norm, a linear layer and a feed-forward network give the steps of a block that has "
    "them") {
    const Block block;
    block.check(block.shown("layer-norm", "residual1", "output",
                            {{"weight", "norm1.weight"}, {"bias", "norm1.bias"}}),
                "norm1");
    block.check(block.shown("linear", "self_attn/concat", "output",
                            {{"weight", "self_attn.o_proj.weight"}, {"bias", "self_attn.o_proj.bias"}}),
                "self_attn/output");
    block.check(block.shown("feed-forward", "norm1", "output",
                            {{"linear_net.0.weight", "linear_net.0.weight"},
                             {"linear_net.0.bias", "linear_net.0.bias"},
                             {"linear_net.3.weight", "linear_net.3.weight"},
                             {"linear_net.3.bias", "linear_net.3.bias"}}),
                "mlp/output");
}

TEST_CASE("blocks: a softmax and its logarithm are those of the library, row by row") {
    const nlohmann::json p = steps_of({"softmax", "--seq", "3", "--classes", "5"}),
                         log_p = steps_of({"log-softmax", "--seq", "3", "--classes", "5"});
    REQUIRE((p.size() == 2 && log_p.size() == 2));
    CHECK(p[0]["values"] == log_p[0]["values"]);
    for (std::size_t i = 0; i < 3; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < 5; ++j) {
            const double each = p[1]["values"][i][j];
            sum += each;
            CHECK(std::log(each) == Approx(double(log_p[1]["values"][i][j])).epsilon(1e-5));
        }
        CHECK(sum == Approx(1).epsilon(1e-6));
    }
}

TEST_CASE("blocks: an embedding is a row for each word, and with --scaled times √d_model") {
    const Folder folder;
    const std::string weights = folder / "table.safetensors";
    REQUIRE(
        tracer_run({"embedding", "--text", "the cat the", "--dmodel", "4", "--save-weights", weights}).code ==
        0);
    const nlohmann::json steps =
        steps_of({"embedding", "--text", "the cat the", "--weights", weights, "--scaled"});
    REQUIRE(steps.size() == 3);
    CHECK(steps_of({"embedding", "--text", "the cat the", "--weights", weights}).back()["values"] ==
          steps[1]["values"]);
    const Tensor table = glassbox::read_safetensors(weights).tensors.at(0).second;
    CHECK(steps[0]["values"][0] == std::vector{1, 3, 4, 3});  // <start> the cat the
    for (std::size_t t = 0; t < 4; ++t)
        for (std::size_t c = 0; c < 4; ++c) {
            const glassbox::index_t id = steps[0]["values"][0][t];
            CHECK(double(steps[2]["values"][0][t][c]) ==
                  Approx(2 * double(table.at({id, static_cast<glassbox::index_t>(c)}))).epsilon(1e-6));
        }
}

TEST_CASE("blocks: pooling leaves padding out") {
    const nlohmann::json steps =
        steps_of({"pooling", "--batch", "2", "--seq", "3", "--lengths", "3,2", "--dmodel", "2"});
    const nlohmann::json x = steps[0]["values"], y = steps.back()["values"];
    for (std::size_t c = 0; c < 2; ++c) {
        CHECK(double(y[0][c]) ==
              Approx((double(x[0][0][c]) + double(x[0][1][c]) + double(x[0][2][c])) / 3).epsilon(1e-5));
        CHECK(double(y[1][c]) == Approx((double(x[1][0][c]) + double(x[1][1][c])) / 2).epsilon(1e-5));
    }
    const std::string line =
        "--pooling: expected mean, max, cls or last, got 'none', which leaves the sequence as it is";
    CHECK(tracer_run({"pooling", "--pooling", "none"}).err.find(line) != std::string::npos);
}

TEST_CASE("blocks: a mask by itself has its parts, and cross-attention reads the other sequence") {
    const nlohmann::json mask =
        steps_of({"mask", "--batch", "2", "--seq", "3", "--mask", "causal", "--lengths", "3,2"});
    REQUIRE(mask.size() == 3);
    const auto visible = mask[2]["values"];
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                CHECK(int(visible[b][0][i][j]) == (j <= i && j < (b == 0 ? 3U : 2U) ? 1 : 0));
    const nlohmann::json cross =
        steps_of({"cross-attention", "--seq", "2", "--memory", "3", "--dmodel", "4"});
    const nlohmann::json same = steps_of({"multihead", "--seq", "2", "--memory", "3", "--dmodel", "4"});
    CHECK(cross == same);
}

TEST_CASE("blocks: a mask of one part is that part, and a softmax says what it computes") {
    const std::string mask = tracer_run({"mask"}).out;
    CHECK(mask.find("visible[0,0] = causal[0,0] = 1\n") != std::string::npos);
    CHECK(mask.find(" · no random numbers\n") != std::string::npos);
    CHECK(tracer_run({"mask", "--batch", "2", "--lengths", "4,2"}).out.find("= 1 · 1 = 1\n") !=
          std::string::npos);
    CHECK(tracer_run({"softmax"}).out.find("\nsoftmax(x)_j = exp(x_j) / Σ_k exp(x_k)\n") !=
          std::string::npos);
}

TEST_CASE("blocks: a worked line takes a row with more than one visible key, a position after the first") {
    const std::string causal = tracer_run({"attention", "--mask", "causal"}).out;
    CHECK(causal.find("   attention[1,0] = ") != std::string::npos);
    CHECK(causal.find("   values[1,0] = ") != std::string::npos);
    CHECK(tracer_run({"attention"}).out.find("   attention[0,0] = ") != std::string::npos);
    CHECK(tracer_run({"positional"}).out.find("   encoding[1,2] = sin(1 ") != std::string::npos);
}

TEST_CASE("blocks: --depth leaves the numbers of all steps, and a line for each part that it folds") {
    const std::string text = tracer_run({"encoder-block", "--depth", "1"}).out;
    CHECK(text.find("\n▸  self_attn ") != std::string::npos);
    CHECK(text.find("--scope self_attn\n") != std::string::npos);
    const std::string all = tracer_run({"encoder-block"}).out;
    const std::size_t begin = all.rfind('\n', all.find("  norm2 = ")) + 1;
    CHECK(text.find("\n" + all.substr(begin, all.find('\n', begin) - begin)) != std::string::npos);
}

TEST_CASE("blocks: a mask that hides nothing is all 1") {
    const nlohmann::json none = steps_of({"mask", "--seq", "2", "--mask", "none"});
    CHECK(none.back()["values"] == nlohmann::json::parse("[[1, 1], [1, 1]]"));
    CHECK(steps_of({"mask", "--seq", "2", "--mask", "none", "--batch", "1", "--lengths", "1"})
              .front()["name"] == "padding");
}

TEST_CASE("blocks: every example of their help runs") {
    int count = 0;
    for (const char* command : {"softmax", "log-softmax", "linear", "layer-norm", "feed-forward", "embedding",
                                "mask", "cross-attention", "pooling", "dropout", "decode", "windows",
                                "scaler", "next-token", "perplexity", "training-step", "bleu", "bpe"}) {
        std::istringstream help(tracer_run({command, "--help"}).out);
        for (std::string line; std::getline(help, line);) {
            if (!line.starts_with("  tracer ")) continue;
            INFO(line);
            Surroundings shell;
            shell.program = "sh";
            const Ran ran = run_program({"-c", GLASSBOX_TRACER + line.substr(8)}, shell);
            CHECK(ran.err == "");
            CHECK(ran.code == 0);
            ++count;
        }
    }
    CHECK(count > 50);
}

TEST_CASE("blocks: dropout is what a model's first dropout does under the same seed") {
    const Folder folder;
    const std::string file = folder / "steps.npz";
    REQUIRE(
        tracer_run({"dropout", "--seq", "6", "--dmodel", "5", "--dropout", "0.3", "--seed", "9", "-o", file})
            .code == 0);
    const Tensor x = Npz(file).read("x");
    const glassbox::DropoutScope training(9);
    check_close(Npz(file).read("output"), glassbox::dropout(x, 0.3), rounding, "output");
}

TEST_CASE("blocks: perplexity is exp of the loss, and padding does not count") {
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--batch", "2", "--lengths", "3,1"}}) {
        std::vector<std::string> perplexity{"perplexity", "--classes", "5"}, loss{"loss", "--classes", "5"};
        perplexity.insert(perplexity.end(), more.begin(), more.end());
        loss.insert(loss.end(), more.begin(), more.end());
        const nlohmann::json steps = steps_of(perplexity), of_loss = steps_of(loss);
        REQUIRE(steps.size() == 7);
        for (std::size_t i = 0; i < 6; ++i) CHECK(steps[i] == of_loss[i]);
        CHECK(double(steps[6]["values"]) == Approx(std::exp(double(of_loss[5]["values"]))).epsilon(1e-6));
    }
}

TEST_CASE("blocks: a training step clears, averages, clips and descends") {
    const Folder folder;
    const std::string file = folder / "in.npz";
    glassbox::write_npz(file, {{"before", Tensor({2}, {1, 2})},
                               {"gradients", Tensor({2, 2}, {6, 0, 0, 8})},
                               {"left", Tensor({2}, {100, 100})}});
    const nlohmann::json steps =
        steps_of({"training-step", "--input", file, "--max-norm", "1", "--rate", "0.5"});
    const auto values = [&](const std::string& name) {
        for (const auto& step : steps)
            if (step["name"] == name) return step["values"].get<std::vector<double>>();
        return std::vector<double>();
    };
    CHECK(values("accumulated") == std::vector<double>{3, 4});  // of norm 5
    const std::vector<double> w = values("update/w");
    REQUIRE(w.size() == 2);
    CHECK(w[0] == Approx(1 - 0.5 * 0.6));
    CHECK(w[1] == Approx(2 - 0.5 * 0.8));
}

TEST_CASE("blocks: BLEU by steps is that of the library, for words by their numbers") {
    const char *written = "the cat sat on the mat today", *expected = "the cat sat on the red mat";
    const nlohmann::json steps = steps_of({"bleu", "--translation", written, "--reference", expected});
    CHECK(100 * double(steps.back()["values"]) ==
          Approx(glassbox::bleu({written}, {expected}).score).epsilon(1e-5));
    CHECK(tracer_run({"bleu", "--translation", "too short"}).err.find("expected at least 4 words") !=
          std::string::npos);
}

TEST_CASE("blocks: decoding a table writes what follows in it") {
    const Folder folder;
    const std::string file = folder / "table.npz";
    // After 0 comes 2, after 2 comes 1, and after 1 comes 2, or 0 if 2 is penalised.
    glassbox::write_npz(file, {{"table", Tensor({3, 3}, {0, 1, 2, 1.5, 0, 2, 1, 2, 0})}});
    const auto tokens = [&](const std::vector<std::string>& more) {
        std::vector<std::string> line{"decode", "--input", file, "--prompt", "2", "--tokens", "3"};
        line.insert(line.end(), more.begin(), more.end());
        std::vector<int> all;
        for (const auto& step : steps_of(line))
            if (std::string(step["name"]).ends_with("/token")) all.push_back(step["values"][0][0]);
        return all;
    };
    CHECK(tokens({}) == std::vector{1, 2, 1});
    CHECK(tokens({"--repetition-penalty", "2"}) == std::vector{1, 0, 2});
    CHECK(tokens({"--temperature", "0.01"}) == std::vector{1, 2, 1});
    CHECK(tokens({"--temperature", "5", "--top-k", "1"}) == std::vector{1, 2, 1});
    CHECK(tokens({"--temperature", "5", "--top-p", "0.01"}) == std::vector{1, 2, 1});
    CHECK(tracer_run({"decode", "--top-k", "3"}).err ==
          "error: --top-k: requires --temperature above 0, which draws\n");
    CHECK(tracer_run({"decode", "--prompt", "7"}).err ==
          "error: --prompt: expected tokens from 0 to 4, got 7\n");
}

TEST_CASE("decoding: a repetition penalty divides scores above 0 and multiplies those below, each once") {
    const Tensor logits({2, 3}, {2, -1, 3, -4, 1, 0});
    check_close(glassbox::penalised(logits, {{0, 1, 0}, {0}}, 2), Tensor({2, 3}, {1, -2, 3, -8, 1, 0}), exact,
                "penalised");
    CHECK_THROWS_WITH(glassbox::penalised(logits, {{0}, {3, -1}}, 2),
                      "repetition penalty: tokens are 0 to 2, got 3 in row 1");
}

TEST_CASE("blocks: windows leave no target outside the training part; a scaler gives the series back") {
    const nlohmann::json steps =
        steps_of({"windows", "--seq", "9", "--window", "3", "--horizon", "2", "--training", "7"});
    CHECK(steps[1]["values"] == nlohmann::json::parse("[0, 0, 1, 1, 1, 0, 2, 0, 0]"));
    CHECK(steps[2]["shape"] == nlohmann::json::parse("[3, 3, 1]"));
    CHECK(tracer_run({"windows", "--seq", "4"}).err ==
          "error: --window, --horizon: a window needs 3 + 2 values, and 4 are for training\n");
    for (const char* kind : {"standard", "revin"}) {
        const nlohmann::json scaler = steps_of({"scaler", "--kind", kind, "--back"});
        for (std::size_t t = 0; t < 8; ++t)
            for (std::size_t c = 0; c < 2; ++c)
                CHECK(double(scaler.back()["values"][t][c]) ==
                      Approx(double(scaler[0]["values"][t][c])).margin(1e-5));
    }
}

TEST_CASE("blocks: byte pairs are learned from the corpus and applied in their order") {
    const nlohmann::json steps =
        steps_of({"bpe", "--corpus", "ab ab abc", "--apply", "abcab", "--merges", "2"});
    CHECK(steps.back()["values"] ==
          nlohmann::json::parse("[[8, 7, 0, 0, 0]]"));  // a b c are 4 5 6: ab 7, abc 8
}

TEST_CASE("blocks: what is wrong in one is named, and what is right is not") {
    const auto said = [](const std::string& command, const std::string& mistake) {
        const Folder folder;
        const std::string file = folder / "mine.npz", probe = folder / "probe.npz";
        const Ran probed = tracer_run({"probe", command, "-o", probe});
        REQUIRE(probed.code == 0);
        std::vector<std::string> line{command, "--input", probe, "-o", file};
        const bool has_weights = command != "softmax" && command != "pooling";
        if (has_weights) line.insert(line.end(), {"--weights", probe});
        if (command == "layer-norm") line.insert(line.end(), {"--epsilon", "0.05"});
        std::vector<std::string> check{"check", command, "--input", probe};
        if (has_weights) check.insert(check.end(), {"--weights", probe});
        if (command == "layer-norm") check.insert(check.end(), {"--epsilon", "0.05"});
        if (!mistake.empty()) line.insert(line.end(), {"--mistake", mistake});
        const Ran made = tracer_run(line);
        INFO(made.err);
        REQUIRE(made.code == 0);
        check.push_back(file);
        return tracer_run(check).out;
    };
    for (const char* command : {"softmax", "linear", "layer-norm", "feed-forward", "pooling"}) {
        CAPTURE(command);
        CHECK(said(command, "").find("All right.") != std::string::npos);
    }
    for (const auto& [command, mistake] : {std::pair("softmax", "softmax/wrong-axis"),
                                           {"softmax", "softmax/twice"},
                                           {"linear", "linear/no-bias"},
                                           {"linear", "linear/bias-subtracted"},
                                           {"layer-norm", "layer_norm/sample-variance"},
                                           {"layer-norm", "layer_norm/epsilon-outside"},
                                           {"feed-forward", "relu/not-applied"}}) {
        CAPTURE(command, mistake);
        CHECK(said(command, mistake).find(mistake) != std::string::npos);
    }
}
