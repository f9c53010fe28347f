// tracer train, predict and plot on time series.
#include <nlohmann/json.hpp>

#include "command.h"
#include "support/catch.h"

using namespace glassbox_test;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

// 120 days with a week's pattern; row 50 is not there, row 60 has no value.
std::string days(int first = 0, int count = 120) {
    std::string text = "date;sales\n";
    for (int t = first; t < first + count; ++t) {
        const int month = t / 28 + 1, day = t % 28 + 1;
        if (month > 12) break;
        char date[32];
        std::snprintf(date, sizeof date, "2024-%02d-%02d", month, day);
        if (t == 50) continue;
        text += std::string(date) + ";" + (t == 60 ? "" : std::to_string(10 + t % 7)) + "\n";
    }
    return text;
}

Words tiny(const std::string& more = "") {
    return words(
        "--window 14 --horizon 3 --dmodel 8 --heads 2 --layers 1 --time-width 4 --epochs 2 --batch 16 " +
        more);
}

struct Trained {
    Folder folder;
    json result;

    explicit Trained(const Words& options) {
        Words all{"train", "forecast", "--folder", folder / "run", "--format", "json"};
        all.insert(all.end(), options.begin(), options.end());
        const Ran ran = tracer_run(all);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        result = json::parse(ran.out);
    }
    Ran predict(const std::string& line) const {
        Words all{"predict", "forecast", "--folder", folder / "run"};
        for (const std::string& word : words(line)) all.push_back(word);
        return tracer_run(all);
    }
    json answer(const std::string& line) const {
        const Ran ran = predict(line + " --format json");
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        return json::parse(ran.out)["answers"][0];
    }
};

}  // namespace

TEST_CASE("forecast: the report has every forecast's errors, the noise and the periods, with both models") {
    for (const char* model : {"encoder", "encoder-decoder"}) {
        const Trained trained(tiny("--length 300 --periods 6,9 --model " + std::string(model)));
        const json& errors = trained.result["errors"];
        REQUIRE(errors.size() == 4);
        CHECK(errors[0]["forecast"] == model);
        CHECK(errors[1]["forecast"] == "last value");
        CHECK(errors[2]["forecast"] == "seasonal naive (m = 6)");
        for (const json& each : errors) CHECK(each["mae"].get<double>() <= each["rmse"].get<double>());
        CHECK(trained.result["noise"] == 0.5);
        CHECK(trained.result["periods"] == json({6, 9}));
        CHECK(trained.result["waves"].size() == 3);
        CHECK(trained.result["test_accuracy"].is_null());
    }
}

TEST_CASE("forecast: a file's values, asked for after its end, for a test window and for another file") {
    Folder files;
    write(files / "days.csv", days());
    const Trained trained([&] {
        Words options = tiny();
        options.insert(options.end(), {"--series", files / "days.csv"});
        return options;
    }());
    const json after = trained.answer("");
    CHECK(after["times"].size() == 3);
    CHECK_FALSE(after["columns"][0].contains("truth"));
    CHECK(after["columns"][0]["last value"].size() == 3);
    const json window = trained.answer("--at 2");
    CHECK(window["columns"][0]["truth"].size() == 3);
    write(files / "more.csv", days(20, 60));
    const json more = trained.answer("--series " + files / "more.csv");
    CHECK(more["columns"][0]["seasonal naive"].size() == 3);
    CHECK_FALSE(more["columns"][0].contains("linear"));
    CHECK(trained.predict("--at 1000").code == 2);
    CHECK(trained.predict("--at 1 --series x.csv").code == 2);
    CHECK(trained.predict("--series " + files / "none.csv").code == 4);
    write(files / "short.csv", "date;sales\n2024-01-01;1\n2024-01-02;2\n");
    CHECK(has(trained.predict("--series " + files / "short.csv").err, "2 values, and the model reads 14"));
    write(files / "weeks.csv", "date;sales\n2024-01-01;1\n2024-01-08;2\n2024-01-15;3\n");
    CHECK(has(trained.predict("--series " + files / "weeks.csv").err,
              "has a value every 7 days, and the model was trained on one every 1 day"));
    CHECK(trained.predict("--map").code == 0);
    CHECK(has(trained.predict("--steps --at 1").out, "output = flat W_outᵀ + b"));
    write(files / "days.csv", days(0, 119));
    CHECK(has(trained.predict("").err, "the series has changed since the training"));
}

TEST_CASE("forecast: its chart has the window, the truth, and each forecast from there on") {
    const Trained trained(tiny("--length 300 --periods 6 --amplitudes 2"));
    const Ran ran =
        tracer_run({"plot", trained.folder / "run", "--forecast", "--at", "0", "--format", "json"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const json chart = json::parse(ran.out)["charts"][0];
    CHECK(chart["places"].size() == 17);
    CHECK(chart["curves"].size() == 5);
    CHECK(chart["curves"][0]["name"] == "series");
    CHECK(chart["curves"][0]["values"][16].is_number());
    CHECK(chart["curves"][1]["values"][13].is_null());
    CHECK(chart["curves"][1]["values"][14].is_number());
    CHECK(has(tracer_run({"plot", trained.folder / "run", "--forecast"}).out, "seasonal naive"));
    const std::string svg = trained.folder / "f.svg";
    CHECK(tracer_run({"plot", trained.folder / "run", "--forecast", "-o", svg}).code == 0);
    CHECK(has(content(svg), "</svg>"));
    CHECK(has(tracer_run({"plot", trained.folder / "run", "--at", "1"}).err, "--at: requires --forecast"));
    CHECK(has(tracer_run({"plot", trained.folder / "run", "--forecast", "--log"}).err,
              "--forecast: cannot be combined with --log"));
}

TEST_CASE("forecast: a run that was interrupted and resumed ends with the same report") {
    const Trained whole(tiny("--length 300"));
    const Trained first(tiny("--length 300 --save-every 1"));
    const Ran again =
        tracer_run({"train", "forecast", "--folder", first.folder / "run", "--resume", "--format", "json"});
    CHECK(again.code == 0);
    CHECK(first.result["errors"] == whole.result["errors"]);
}

TEST_CASE("train: a default batch larger than somebody's data is made smaller, a given one is refused") {
    const Folder folder;
    write(folder / "days.csv", days(0, 80));
    const Words start{"train", "forecast", "--series", folder / "days.csv", "--no-files"};
    const auto ran = [&](const std::string& more) {
        Words all = start;
        for (const std::string& word :
             words("--window 14 --horizon 3 --dmodel 8 --heads 2 --layers 1 --epochs 1 " + more))
            all.push_back(word);
        return tracer_run(all);
    };
    const Ran smaller = ran("");
    INFO(smaller.err);
    CHECK(smaller.code == 0);
    CHECK(has(smaller.err, ", as the training set has only that many; the default is 64"));
    CHECK(ran("--batch 64").code == 2);
    CHECK(!has(ran("--batch 16").err, "the default is"));
}
