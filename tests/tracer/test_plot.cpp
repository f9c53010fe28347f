// tracer plot: curves from logs.
#include <nlohmann/json.hpp>

#include <glassbox/io/numpy.h>
#include <glassbox/runs/run_log.h>
#include <glassbox/train/schedule.h>

#include "command.h"
#include "support/catch.h"
#include "support/transcript.h"
#include "tracer/cli/text_width.h"
#include "tracer/figures/curves.h"
#include "tracer/figures/draw.h"

using namespace glassbox_test;
using glassbox::format_line;
using nlohmann::json;

namespace {

std::string step(glassbox::index_t at, double loss, double accuracy = 0.5) {
    return format_line(glassbox::RunStep{at, 1, loss, accuracy, 0.25, 1, 1000, 1});
}

std::string validation(glassbox::index_t at, double loss) {
    return format_line(glassbox::RunValidation{at, 1, loss, 0.5, 1});
}

const std::string start = format_line(glassbox::RunStart{"reverse", "uva-jax", 42, "{}"});

struct Runs {
    Folder folder;
    std::string add(const std::string& name, const std::string& log) {
        std::filesystem::create_directories(folder / ("runs/" + name));
        write(folder / ("runs/" + name + "/run.jsonl"), log);
        return folder / ("runs/" + name);
    }
};

// The lines of a text, without trailing spaces.
std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        lines.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

}  // namespace

TEST_CASE("plot: a run on the terminal, drawn exactly") {
    Runs runs;
    const std::string run =
        runs.add("a", start + step(0, 2) + step(50, 1) + validation(100, 2) + step(100, 0));
    const Ran ran = tracer_run({"plot", run, "--only", "loss"});
    CHECK(ran.err.empty());
    check_transcript("tracer/plot_of_a_run", ran.out);
    CHECK(has(ran.out, "\n 2.0 ┤⠤"));     // the first loss
    CHECK(has(ran.out, "⠑⠒⠢\n     └┬"));  // and the last, 0
}

TEST_CASE("plot: json has every point of the log") {
    Runs runs;
    const std::string run =
        runs.add("a", start + step(1, 2.5) + step(2, NAN) + validation(2, 1.5) + step(3, INFINITY));
    const Ran ran = tracer_run({"plot", run, "--only", "gradient-norm,loss", "--format", "json"});
    REQUIRE(ran.code == 0);
    const json data = json::parse(ran.out);
    CHECK(data["schema"] == 1);
    CHECK(data["command"] == "plot");
    REQUIRE(data["series"].size() == 3);
    const json expected = {{"run", "a"},
                           {"quantity", "loss"},
                           {"of", "training"},
                           {"steps", {1, 2, 3}},
                           {"values", {2.5, "NaN", "Infinity"}}};
    CHECK(data["series"][0] == expected);
    CHECK(data["series"][1]["quantity"] == "gradient-norm");
    CHECK(data["series"][2]["of"] == "validation");
    CHECK(data["series"][2]["steps"] == json({2}));
    CHECK(data["notes"].empty());
}

TEST_CASE("plot: ticks of an axis have equal numbers of lines between them") {
    Runs runs;
    for (const double most : {0.5, 1.0, 2.0, 2.6, 4.0, 30.0}) {
        const std::string run = runs.add(fmt::format("{}", most), start + step(0, most) + step(50, 0));
        std::vector<std::size_t> at;
        const std::vector<std::string> lines = lines_of(tracer_run({"plot", run, "--only", "loss"}).out);
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (has(lines[i], "┤")) at.push_back(i);
        CAPTURE(most, at);
        REQUIRE(at.size() >= 2);
        for (std::size_t i = 2; i < at.size(); ++i) CHECK(at[i] - at[i - 1] == at[1] - at[0]);
    }
}

TEST_CASE("plot: values that a chart cannot show are left out and reported") {
    Runs runs;
    const std::string run = runs.add("a", start + step(1, 2.5) + step(2, NAN) + step(3, INFINITY) +
                                              step(4, 0) + step(5, 1) + "{\"event\":\"st");
    const std::string linear = tracer_run({"plot", run}).out;
    CHECK(has(linear, "\n2 values of training loss left out (steps 2 to 3): NaN or infinite\n"));
    CHECK(has(linear, "\nline 7, the last one, is incomplete: the run was cut off while writing it\n"));
    CHECK_FALSE(has(linear, "logarithmic"));
    const std::string log = tracer_run({"plot", run, "--log"}).out;
    CHECK(
        has(log,
            "\n1 value of training loss left out (step 4): not above 0, where a logarithmic\n  axis ends\n"));
    const std::string svg = tracer_run({"plot", run, "--format", "svg"}).out;
    CHECK(has(svg, "NaN or infinite</text>"));
}

TEST_CASE("plot: runs of one point, of equal losses, and of no accuracy") {
    Runs runs;
    const std::string one = runs.add("one", start + step(7, 2));
    CHECK(has(tracer_run({"plot", one}).out, "●"));
    const std::string flat = runs.add("flat", step(1, 2) + step(2, 2) + step(3, 2));
    CHECK(tracer_run({"plot", flat, "--log"}).code == 0);
    glassbox::RunValidation without;
    without.step = 3;
    without.loss = 1;
    const std::string bare = runs.add("bare", format_line(without));
    CHECK_FALSE(has(tracer_run({"plot", bare}).out, "Accuracy"));
    const Ran none = tracer_run({"plot", bare, "--only", "accuracy,learning-rate"});
    CHECK(none.code == 3);
    CHECK(none.err == "error: " + bare + ": no finite accuracy or learning-rate in it\n");
}

TEST_CASE("plot: a run without steps is reported, and is an error when it is the only one") {
    Runs runs;
    const std::string empty = runs.add("empty", ""), begun = runs.add("begun", start),
                      going = runs.add("going", step(1, 2));
    for (const std::string& run : {empty, begun}) {
        const Ran ran = tracer_run({"plot", run});
        CHECK(ran.code == 3);
        CHECK(ran.err == "error: " + run + ": no steps yet, nothing to draw\n");
        CHECK(ran.out.empty());
    }
    const Ran both = tracer_run({"plot", begun, going});
    CHECK(both.code == 0);
    CHECK(has(both.out, "\nbegun: no steps yet\n"));
}

TEST_CASE("plot: runs differ by dashes and marks without colour, by colour with it") {
    Runs runs;
    std::string warm = start, cold = start;
    for (int i = 1; i <= 100; ++i) {
        warm += step(i, 2.0 / i);
        cold += step(i, 2);
    }
    const std::string a = runs.add("warm", warm + validation(100, 1)),
                      b = runs.add("cold", cold + validation(100, 2));
    const Ran plain = tracer_run({"plot", a, b, "--only", "loss"});
    CHECK(lines_of(plain.out).at(0) == "⠤⠤⠤●⠤⠤⠤ warm   ⠤⠤⠤■⠠⠤⠤ cold");
    CHECK_FALSE(has(plain.out, "\x1b"));
    CHECK(has(plain.out, "⠄ ⠤⠤⠤ ⠠⠤⠤⠄"));  // the gaps of a constant curve
    const Ran colored = tracer_run({"plot", a, b, "--only", "loss", "--color", "always"});
    CHECK(has(colored.out, "\x1b[38;5;25m"));
    CHECK(has(colored.out, "\x1b[38;5;166m"));
    for (const std::string& line : lines_of(plain.out)) CHECK(glassbox::tracer::width_of(line) <= 80);
}

TEST_CASE("plot: runs are named by folder, by file, or by path where names clash") {
    const auto names = [](const std::vector<std::string>& files) {
        std::vector<glassbox::tracer::Curves> runs(files.size());
        glassbox::tracer::name_runs(runs, files);
        std::string all;
        for (const glassbox::tracer::Curves& run : runs) all += run.name + "|";
        return all;
    };
    CHECK(names({"runs/a/run.jsonl", "runs/b/run.jsonl"}) == "a|b|");
    CHECK(names({"runs/a", "runs/b/"}) == "a|b|");
    CHECK(names({"x/cold.jsonl", "run.jsonl"}) == "cold|run|");
    CHECK(names({"x/a.jsonl", "y/a.jsonl"}) == "x/a.jsonl|y/a.jsonl|");
    CHECK(names({"-"}) == "standard input|");
}

TEST_CASE("plot: pictures by the ending of -o") {
    Runs runs;
    const std::string run = runs.add("a", start + step(1, 2) + step(2, 1) + validation(2, 1));
    REQUIRE(tracer_run({"plot", run, "-o", runs.folder / "a.svg"}).code == 0);
    const std::string svg = content(runs.folder / "a.svg");
    CHECK(has(svg, "<polyline points="));
    CHECK(has(svg, ">Loss</text>"));
    CHECK(has(svg, ">reverse, uva-jax, seed 42</text>"));
    REQUIRE(tracer_run({"plot", run, "-o", runs.folder / "a.json"}).code == 0);
    CHECK(json::parse(content(runs.folder / "a.json"))["command"] == "plot");
    REQUIRE(tracer_run({"plot", run, "-o", runs.folder / "a.txt"}).code == 0);
    CHECK(has(content(runs.folder / "a.txt"), "Loss"));
    CHECK(tracer_run({"plot", run, "-o", "/dev/full"}).code == 4);
    const std::string log = run + "/run.jsonl", before = content(log);
    CHECK(tracer_run({"plot", run, "-o", log}).err ==
          "error: -o: " + log + " is read, and would be overwritten\n");
    CHECK(content(log) == before);
}

TEST_CASE("plot: a log from a pipe") {
    Surroundings around;
    around.in = start + step(1, 2) + step(2, 1);
    const Ran ran = tracer_run({"plot", "-"}, around);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "Loss"));
}

TEST_CASE("plot: a schedule's points are the library's, every one") {
    const Ran ran =
        tracer_run({"plot", "--schedule", "cosine,cosine-printed,inverse-sqrt,constant", "--warmup", "10",
                    "--steps", "40", "--rate", "0.5", "--dmodel", "64", "--format", "json"});
    REQUIRE(ran.code == 0);
    const json data = json::parse(ran.out);
    REQUIRE(data["series"].size() == 4);
    for (const json& series : data["series"]) {
        glassbox::ScheduleConfig config;
        config.kind = glassbox::parse<glassbox::ScheduleKind>(series["run"].get<std::string>());
        config.rate = 0.5;
        config.warmup = 10;
        config.steps = 40;
        config.d_model = 64;
        REQUIRE(series["values"].size() == 41);
        for (glassbox::index_t done = 0; done <= 40; ++done) {
            const auto i = static_cast<std::size_t>(done);
            CHECK(series["steps"][i] == done);
            CHECK(series["values"][i].get<double>() ==
                  Approx(glassbox::learning_rate(config, done)).margin(1e-12));
        }
    }
}

TEST_CASE("plot: the tutorial's figure rises over 100 of 2000 steps and falls to 0") {
    const std::string text = tracer_run({"plot", "--schedule", "cosine-printed"}).out;
    CHECK(lines_of(text).at(0) == "cosine-printed: Schedule over 2000 steps, 100 of them warm-up");
    CHECK(has(text, "updates made before"));
    CHECK(has(text, "2000\n"));
}

TEST_CASE(
    "plot --play: a frame for each epoch, what all have is drawn once, and without motion the last one "
    "stands") {
    const Folder folder;
    const std::string run = folder / "run", file = folder / "run.svg";
    REQUIRE(tracer_run({"train", "reverse", "--seq", "5", "--epochs", "3", "--examples", "64", "--validation",
                        "8", "--test", "8", "--folder", run})
                .code == 0);
    REQUIRE(tracer_run({"plot", run, "--play", "-o", file}).code == 0);
    const std::string svg = content(file);
    const auto count = [&](const std::string& text) {
        std::size_t found = 0;
        for (std::size_t at = svg.find(text); at != svg.npos; at = svg.find(text, at + 1)) ++found;
        return found;
    };
    CHECK(count("<g class=\"frame") == 4);
    CHECK(count("<g class=\"frame last\"") == 1);
    CHECK(count(">tracer train reverse: before training, ") == 1);
    CHECK(count(">tracer train reverse: after 3 steps, epoch 3, ") == 1);
    CHECK(count(" of 5 right<") == 4);
    // A round begins with the last one, and the first follows after a second.
    CHECK(count("style=\"animation-delay:0s\"") == 1);
    CHECK(count("style=\"animation-delay:1s\"") == 1);
    CHECK(count(">the number it reads<") == 1);
    CHECK(count("height=\"3\"") == 5);  // how far it is: a bar, and its part in each frame
    CHECK(count("@media (prefers-reduced-motion:reduce)") == 1);
    // The answer of the last epoch, which is kept with its map.
    const glassbox::Npz kept(run + "/maps.npz");
    const std::vector<glassbox::real> answer = kept.read("3/answer").values(),
                                      expected = kept.read("3/expected").values();
    REQUIRE(answer.size() == expected.size());
    for (std::size_t i = 0; i < answer.size(); ++i)
        CHECK(count(fmt::format(">{}{:.0f}</text>", answer[i] == expected[i] ? "" : "✗ ", answer[i])) > 0);
    // Of a run that logged more steps: the curve, and on it how far each frame is.
    const Ran long_run =
        tracer_run({"plot", GLASSBOX_SOURCE "/docs/pictures/reversal", "--play", "--format", "svg"});
    REQUIRE(long_run.code == 0);
    CHECK(long_run.out.find(">right in each batch, %<") != std::string::npos);
    std::size_t dots = 0;
    for (std::size_t at = 0; (at = long_run.out.find("<circle ", at)) != std::string::npos; ++at) ++dots;
    CHECK(dots >= 20);

    const auto refused = [&](std::vector<std::string> more, const std::string& reason) {
        more.insert(more.begin(), {"plot", "--play"});
        const Ran ran = tracer_run(more);
        CHECK(ran.code != 0);
        CHECK(ran.err.find(reason) != std::string::npos);
    };
    refused({run}, "--play: only SVG and GIF move, got text: -o run.svg, or -o run.gif");
    refused({run, "-o", "x.png"}, "--play: only SVG and GIF move, got png");
    refused({run, run, "-o", file}, "--play: expected the folder of one run");
    std::filesystem::remove(run + "/maps.npz");
    refused({run, "-o", file}, "expected attention maps of at least two epochs, got 0");
}

TEST_CASE("plot: errors name the option") {
    const auto error = [](const std::vector<std::string>& arguments, int code) {
        std::vector<std::string> words{"plot"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        const Ran ran = tracer_run(words);
        CHECK(ran.code == code);
        CHECK(ran.out.empty());
        return ran.err;
    };
    CHECK(error({}, 2) == "error: tracer plot: expected a run.jsonl, or --schedule, got nothing\n");
    CHECK(
        error({"no.jsonl"}, 4) ==
        "error: no.jsonl: there is no such run: train one first, tracer train reverse, or name its folder\n");
    CHECK(error({"a", "--warmup", "3"}, 2) == "error: --warmup: requires --schedule; a run has its own\n");
    CHECK(error({"a", "--schedule", "cosine"}, 2) ==
          "error: --schedule: cannot be combined with runs, got 'a'\n");
    CHECK(error({"--schedule", "cosine", "--log"}, 2) == "error: --log: requires runs, not --schedule\n");
    CHECK(error({"a", "--only", "los"}, 2) ==
          "error: --only: expected loss, accuracy, learning-rate or gradient-norm, got 'los'; did you mean "
          "'loss'?\n");
    CHECK(has(
        error({"--schedule", "cosin"}, 2),
        "--schedule: expected constant, cosine, cosine-printed, inverse-sqrt, linear, wsd or one-cycle, got "
        "'cosin'; did you mean 'cosine'?"));
    CHECK(error({"--schedule", "cosine", "--rate", "x"}, 2) == "error: --rate: expected a number, got 'x'\n");
    CHECK(error({"--schedule", "cosine", "--steps", "0"}, 2) ==
          "error: --steps: expected at least 1, got 0\n");
    Runs runs;
    const std::string run = runs.add("a", start + "oops\n" + step(1, 2));
    CHECK(error({run}, 3) == "error: " + run + "/run.jsonl: line 2: expected a JSON object, got 'oops'\n");
}

TEST_CASE("plot: the examples of its help run") {
    Runs runs;
    for (const char* name : {"reverse", "warm", "cold"}) runs.add(name, start + step(1, 2) + step(2, 1));
    std::vector<std::string> train =
        words("train forecast --length 400 --epochs 1 --dmodel 8 --layers 1 --folder");
    train.push_back(runs.folder / "runs/forecast");
    REQUIRE(tracer_run(train).code == 0);
    glassbox::NamedTensors maps;
    for (const char* epoch : {"0", "1"})
        maps.emplace_back(std::string(epoch) + "/attention",
                          glassbox::Tensor::full({1, 2, 2}, glassbox::real(0.5)));
    glassbox::write_npz(runs.folder / "runs/reverse/maps.npz", maps);
    int count = 0;
    for (const std::string& line : lines_of(tracer_run({"plot", "--help"}).out)) {
        if (line.find("  tracer ") != 0) continue;
        INFO(line);
        Surroundings shell;
        shell.program = "bash";
        const std::string script =
            "cd '" + (runs.folder / "") + "' && '" + GLASSBOX_TRACER + "'" + line.substr(8);
        CHECK(run_program({"-c", script}, shell).code == 0);
        ++count;
    }
    CHECK(count == 8);
}
