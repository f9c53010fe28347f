// tracer loss, clip, adam, schedule and shift: the parts of training as commands.
#include <cmath>
#include <nlohmann/json.hpp>

#include <glassbox/io/numpy.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/schedule.h>

#include "command.h"
#include "support/catch.h"

using namespace glassbox_test;
using glassbox::Npz;
using glassbox::real;
using glassbox::Shape;
using glassbox::Tensor;

namespace {

std::string error(const std::string& line) {
    const Ran ran = tracer_run(words(line));
    CHECK(ran.code != 0);
    return ran.err;
}

// All steps of this command line.
std::map<std::string, Tensor> steps_of(const std::string& line) {
    const Folder folder;
    const Ran ran = tracer_run(words(line + " -o " + folder / "steps.npz"));
    INFO(line << ": " << ran.err);
    REQUIRE(ran.code == 0);
    const Npz npz(folder / "steps.npz");
    std::map<std::string, Tensor> steps;
    for (const std::string& name : npz.names()) steps[name] = npz.read(name);
    return steps;
}

double at(const Tensor& x, std::size_t i) { return static_cast<double>(x.values()[i]); }

// A submission with this mistake is named by its last array alone, on the probe of this command.
void check_named(const std::string& command, const std::string& mistake) {
    INFO(command << " " << mistake);
    const Folder folder;
    const std::string probe = folder / "probe.npz", wrong = folder / "wrong.npz", mine = folder / "mine.npy";
    const Ran made = tracer_run(words("probe " + command + " -o " + probe));
    REQUIRE(made.err == "");
    std::string line = made.out.substr(made.out.find("tracer check ") + 13);
    line = line.substr(0, line.find(" FILE\n"));
    const Ran shown = tracer_run(words(line + " --mistake " + mistake + " -o " + wrong));
    REQUIRE(shown.err == "");
    glassbox::write_npy(mine, Npz(wrong).read(Npz(wrong).names().back()));
    const Ran checked = tracer_run(words("check " + line + " " + mine));
    CHECK(checked.code == 1);
    INFO(checked.out << checked.err);
    CHECK(has(checked.out, mistake + ": "));
}

}  // namespace

TEST_CASE("loss: the loss of logits and labels from a file, by hand") {
    const Folder folder;
    glassbox::write_npz(folder / "in.npz", {{"logits", Tensor{{0, 0}, {std::log(real(3)), 0}, {5, 7}}},
                                            {"labels", Tensor{0, 1, -1}}});
    const auto steps = steps_of("loss --input " + folder / "in.npz");
    CHECK(std::abs(at(steps.at("losses"), 0) - std::log(2)) < 1e-6);
    CHECK(std::abs(at(steps.at("losses"), 1) - std::log(4)) < 1e-6);
    CHECK(at(steps.at("losses"), 2) == 0);
    CHECK(std::abs(at(steps.at("loss"), 0) - std::log(8) / 2) < 1e-6);
    const double expected[] = {-0.25, 0.25, 0.375, -0.375, 0, 0};
    for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(at(steps.at("dlogits"), i) - expected[i]) < 1e-6);
}

TEST_CASE("loss: --grad differentiates the loss, and its gradient of the logits is dlogits") {
    const Ran ran =
        tracer_run(words("loss --batch 2 --lengths 3,2 --label-smoothing 0.1 --grad --format json"));
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const nlohmann::json report = nlohmann::json::parse(ran.out);
    std::vector<double> dlogits, gradient;
    const std::function<void(const nlohmann::json&, std::vector<double>&)> flatten =
        [&](const nlohmann::json& from, std::vector<double>& to) {
            if (!from.is_array()) return to.push_back(from.get<double>());
            for (const nlohmann::json& each : from) flatten(each, to);
        };
    for (const nlohmann::json& step : report["steps"]) {
        if (step["name"] == "dlogits") flatten(step["values"], dlogits);
        if (step["name"] == "logits") flatten(step["gradient"], gradient);
    }
    REQUIRE(dlogits.size() == 24);
    REQUIRE(gradient.size() == 24);
    for (std::size_t i = 0; i < 24; ++i) CHECK(std::abs(dlogits[i] - gradient[i]) < 1e-6);
}

TEST_CASE("loss: --lengths turns the labels behind the end into -1, and needs one length for each sequence") {
    const Tensor labels = steps_of("loss --batch 2 --seq 3 --lengths 3,1").at("labels");
    for (const std::size_t i : {0, 1, 2, 3}) CHECK(at(labels, i) >= 0);
    for (const std::size_t i : {4, 5}) CHECK(at(labels, i) == -1);
    CHECK(has(error("loss --batch 2 --lengths 3"),
              "--lengths 3: expected a length for each sequence, 2, got 1"));
    CHECK(has(error("loss --lengths 9"), "--lengths 9: expected at most 3 positions, got 9"));
    CHECK(has(error("loss --label-smoothing 2"), "--label-smoothing: expected a number from 0 to 1, got 2"));
}

TEST_CASE("loss: what is wrong in a file is the file's error") {
    const Folder folder;
    glassbox::write_npz(folder / "in.npz", {{"logits", Tensor{{0, 0}}}, {"labels", Tensor{7}}});
    const Ran ran = tracer_run({"loss", "--input", folder / "in.npz"});
    CHECK(ran.code == 3);
    CHECK(has(ran.err, "in.npz: cross_entropy: "));
    CHECK(has(error("loss --classes 3 --input " + folder / "in.npz"),
              "--classes: sizes come from the --input"));
}

TEST_CASE("clip: a long gradient gets the length max_norm, a short one stays") {
    const auto length = [](const Tensor& g) {
        double squares = 0;
        for (const real each : g.values()) squares += static_cast<double>(each) * static_cast<double>(each);
        return std::sqrt(squares);
    };
    const auto clipped = steps_of("clip --rows 4 --max-norm 0.5");
    CHECK(std::abs(length(clipped.at("clipped")) - 0.5) < 1e-6);
    const auto kept = steps_of("clip --rows 4 --max-norm 100");
    CHECK(kept.at("clipped").values() == kept.at("gradient").values());
    CHECK(has(error("clip --max-norm 0"), "--max-norm: expected a number above 0, got 0"));
    CHECK(has(error("clip --weights w.npz"), "--weights"));
}

TEST_CASE("clip: the convention says what is added to the norm") {
    CHECK(has(tracer_run({"clip"}).out, "max_norm = 1, ε = 0"));
    CHECK(has(tracer_run(words("clip --convention uva-torch")).out, "max_norm = 5, ε = 1e-06"));
}

TEST_CASE("adam: w is what the optimiser makes of the same numbers") {
    using glassbox::OptimiserKind;
    for (const std::string kind : {"adam", "adamw", "sgd"}) {
        INFO(kind);
        const auto steps = steps_of("adam --rate 0.1 --weight-decay 0.3 --factor 0.5 --optimiser " + kind);
        glassbox::OptimiserConfig config{.kind = glassbox::parse<OptimiserKind>(kind), .weight_decay = 0.3};
        if (kind == "sgd") config.momentum = 0.9;
        const Shape flat{6};
        glassbox::Optimiser optimiser(config, 6);
        optimiser.m = Tensor(flat, steps.at("m_before").values());
        if (kind != "sgd") optimiser.v = Tensor(flat, steps.at("v_before").values());
        optimiser.set_steps_done(1);
        Tensor w(flat, steps.at("before").values());
        optimiser.step(w, Tensor(flat, steps.at("gradient").values()), 0.1, 0.5);
        for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(at(w, i) - at(steps.at("w"), i)) < 1e-6);
    }
}

TEST_CASE("adam: averages begin at 0, in the first update and where the file has none") {
    for (const real each : steps_of("adam --update 1").at("v_before").values()) CHECK(each == 0);
    const Folder folder;
    glassbox::write_npz(folder / "in.npz", {{"before", Tensor{1, 2}}, {"gradient", Tensor{3, -4}}});
    const auto steps = steps_of("adam --update 1 --rate 0.5 --input " + folder / "in.npz");
    CHECK(std::abs(at(steps.at("w"), 0) - 0.5) < 1e-6);  // ± η, whatever the gradient's size
    CHECK(std::abs(at(steps.at("w"), 1) - 2.5) < 1e-6);
    glassbox::write_npz(folder / "bad.npz", {{"before", Tensor{1, 2}}, {"gradient", Tensor{3}}});
    CHECK(has(error("adam --input " + folder / "bad.npz"),
              "bad.npz: before and gradient need the same shape: (2,), (1,)"));
}

TEST_CASE("adam: options of another optimiser are refused") {
    CHECK(has(error("adam --optimiser sgd --beta1 0.8"), "--beta1: requires adam or adamw, got sgd"));
    CHECK(has(error("adam --momentum 0.8"), "--momentum: requires --optimiser sgd, got adam"));
    CHECK(error("adam --momentum 0.8 --convention report").find("requires --optimiser sgd, got adamw") !=
          std::string::npos);
}

TEST_CASE("schedule: the rates are the trainer's") {
    for (const std::string kind : {"constant", "cosine", "cosine-printed", "inverse-sqrt"}) {
        INFO(kind);
        glassbox::ScheduleConfig config{.kind = glassbox::parse<glassbox::ScheduleKind>(kind), .rate = 0.1};
        std::string line = "schedule --rate 0.1 --at 0,3,7,20 --schedule " + kind;
        if (kind != "constant") line += " --warmup 5", config.warmup = 5;
        if (decays_to_zero(config.kind)) line += " --updates 20", config.steps = 20;
        const Tensor rates = steps_of(line).at("learning_rates");
        REQUIRE(rates.shape() == Shape{4});
        const glassbox::index_t done[] = {0, 3, 7, 20};
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(std::abs(at(rates, i) - learning_rate(config, done[i])) < 1e-8);
    }
}

TEST_CASE("schedule: a factor is explained with its numbers put in") {
    const std::string warmup = tracer_run(words("schedule --at 25 --explain after/25/warmup")).out;
    CHECK(has(warmup, "= n / W\n"));
    CHECK(has(warmup, "= 25 / 50\n"));
    const std::string rising =
        tracer_run(words("schedule --schedule inverse-sqrt --warmup 4 --at 2 --explain after/2/rising")).out;
    CHECK(has(rising, "= 3 · 4^−1½\n"));
}

TEST_CASE("schedule: options without an effect are refused") {
    CHECK(has(error("schedule --dmodel 8"), "--dmodel: requires inverse-sqrt, got cosine"));
    CHECK(has(error("schedule --schedule constant --warmup 5"),
              "--warmup: requires a schedule with a warm-up"));
    CHECK(has(error("schedule --convention paper --updates 5"),
              "--updates: requires a schedule that ends with the run"));
    CHECK(has(error("schedule --schedule constant --least 0.1"), "--least: requires cosine"));
    CHECK(has(error("schedule --rate 0.1 --least 0.2"), "--least: expected at most the rate, 0.1, got 0.2"));
    CHECK(has(error("schedule --grad"), "--grad: a schedule counts updates"));
    CHECK(has(error("schedule --seed 3"), "--seed"));
    const Folder folder;
    glassbox::write_npz(folder / "in.npz", {{"n", Tensor{real(1.5)}}});
    CHECK(has(error("schedule --input " + folder / "in.npz"), "in.npz: n are whole numbers from 0"));
}

TEST_CASE("shift: words become inputs, targets and labels, one place apart") {
    const Ran ran = run_program({"shift", "--text", "a b|c", "--target", "x y|z", "--format", "json"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    std::map<std::string, std::string> values;
    const nlohmann::json report = nlohmann::json::parse(ran.out);
    for (const nlohmann::json& step : report["steps"]) values[step["name"]] = step["values"].dump();
    const auto is = [&](const char* name, const std::string& expected) {
        CHECK(nlohmann::json::parse(values[name]) == nlohmann::json::parse(expected));
    };
    is("inputs", "[[3, 4, 2], [5, 2, 0]]");
    is("sentence", "[[1, 3, 4, 2], [1, 5, 2, 0]]");
    is("targets", "[[1, 3, 4], [1, 5, 0]]");
    is("labels", "[[3, 4, 2], [5, 2, -1]]");
}

TEST_CASE("shift: token ids from a file, with or without <start> and <end>") {
    const Folder folder;
    glassbox::write_npz(folder / "plain.npz",
                        {{"source", Tensor{{3, 4}, {5, 0}}}, {"target", Tensor{{3, 4}, {5, 0}}}});
    glassbox::write_npz(folder / "framed.npz",
                        {{"source", Tensor{{3, 4, 2}, {5, 2, 0}}}, {"target", Tensor{{1, 3, 4}, {1, 5, 0}}}});
    CHECK(steps_of("shift --input " + folder / "plain.npz").at("labels").values() ==
          std::vector<real>{3, 4, 2, 5, 2, -1});
    CHECK(steps_of("shift --input " + folder / "framed.npz").at("labels").values() ==
          std::vector<real>{3, 4, 2, 5, 2, -1});
    glassbox::write_npz(folder / "bad.npz", {{"source", Tensor{{3, 4}}}, {"target", Tensor{{-1, 4}}}});
    CHECK(has(error("shift --input " + folder / "bad.npz"), "bad.npz: target: ids are whole numbers from 0"));
    glassbox::write_npz(folder / "two.npz", {{"source", Tensor{{3}, {4}}}, {"target", Tensor{{4}}}});
    CHECK(has(error("shift --input " + folder / "two.npz"),
              "two.npz: expected as many target sentences as sources, 2, got 1"));
    CHECK(has(error("shift --grad"), "--grad: tokens are whole numbers"));
}

TEST_CASE("check: mistakes of training are named by the last array alone", "[exhaustive]") {
    check_named("loss", "dlogits/not-divided");
    check_named("loss", "dlogits/all-counted");
    check_named("loss", "dlogits/padding");
    check_named("loss", "q/over-others");
    check_named("clip", "norm/no-root");
    check_named("clip", "factor/to-one");
    check_named("clip", "clipped/per-parameter");
    check_named("adam", "w/epsilon-inside");
    check_named("adam", "w/decay-without-rate");
    check_named("adam", "m_hat/no-power");
    check_named("adam --optimiser adam", "m/not-clipped");
    check_named("adam --optimiser sgd", "step/ascent");
    check_named("adam --optimiser sgd", "velocity/dampened");
    check_named("schedule", "cosine/all-steps");
    check_named("schedule", "warmup/from-one");
    check_named("schedule --schedule inverse-sqrt", "rising/share");
    check_named("shift", "labels/no-end");
    check_named("shift", "labels/not-shifted");
}
