#include <glassbox/runs/run_log.h>

#include <cmath>

#include "io/io_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

const std::string start_line =
    R"({"event":"start","schema":1,"task":"reverse","convention":"uva-jax","seed":42,"config":{"z":1,"a":[2]}})"
    "\n";

std::string step_line(index_t step, const std::string& loss = "2.5") {
    return fmt::format(
        R"({{"event":"step","step":{},"epoch":1,"loss":{},"accuracy":0.5,"learning_rate":0.0009765625,)"
        R"("gradient_norm":0.25,"sequences_per_second":1000,"seconds":0.125}})"
        "\n",
        step, loss);
}

std::string validation_line(index_t step) {
    return fmt::format(
        R"({{"event":"validation","step":{},"epoch":1,"loss":2,"accuracy":0.75,"seconds":0.5}})"
        "\n",
        step);
}

std::string end_line(index_t step) {
    return fmt::format(
        R"({{"event":"end","step":{},"epoch":10,"best_epoch":3,"best_accuracy":1,"test_accuracy":1,"seconds":2}})"
        "\n",
        step);
}

std::string all_again(const RunHistory& history) {
    std::string text;
    for (const RunEvent& event : history.events) text += format_line(event);
    return text;
}

std::string error_of(const std::string& text) {
    return message_of<FileError>([&] { parse_run_log(text, "run.jsonl"); });
}

}  // namespace

TEST_CASE("run log: an event is one line, which gives the same event back") {
    CHECK(format_line(RunStart{"reverse", "uva-jax", 42, R"({"z":1,"a":[2]})"}) == start_line);
    CHECK(format_line(RunStep{3, 1, 2.5, 0.5, 0.0009765625, 0.25, 1000, 0.125}) == step_line(3));
    CHECK(format_line(RunValidation{3, 1, 2, 0.75, 0.5}) == validation_line(3));
    CHECK(format_line(RunEnd{3, 10, 3, 1.0, 1.0, 2}) == end_line(3));
    const std::string text = start_line + step_line(1) + validation_line(1) + step_line(2) + end_line(2);
    const RunHistory history = parse_run_log(text, "run.jsonl");
    CHECK(history.events.size() == 5);
    CHECK(history.truncated_line == 0);
    CHECK(all_again(history) == text);
}

TEST_CASE("run log: numbers are restored to the last bit of a real, NaN and infinity as such") {
    for (const real loss :
         {real(1) / 3, std::numeric_limits<real>::max(), std::numeric_limits<real>::denorm_min(),
          real(INFINITY), real(-INFINITY), real(-0.0)}) {
        RunValidation validation;
        validation.loss = static_cast<double>(loss);
        const RunHistory history = parse_run_log(format_line(validation), "run.jsonl");
        const real read = static_cast<real>(std::get<RunValidation>(history.events.at(0)).loss);
        CHECK((read == loss && std::signbit(read) == std::signbit(loss)));
    }
    const RunHistory history = parse_run_log(step_line(1, "\"NaN\""), "run.jsonl");
    CHECK(std::isnan(std::get<RunStep>(history.events.at(0)).loss));
    CHECK(all_again(history) == step_line(1, "\"NaN\""));
}

TEST_CASE("run log: fields that a task lacks are left out, and fields of later versions are ignored") {
    RunEnd end;
    CHECK(format_line(end) == "{\"event\":\"end\",\"step\":0,\"epoch\":0,\"seconds\":0}\n");
    const std::string more =
        R"({"event":"validation","step":1,"epoch":1,"loss":1,"seconds":0,"perplexity":[1,{"x":2}]})";
    const RunHistory history = parse_run_log(more, "run.jsonl");
    CHECK_FALSE(std::get<RunValidation>(history.events.at(0)).accuracy);
}

TEST_CASE("run log: a log cut anywhere, as by a kill, is read up to there, with a note") {
    const std::string text = start_line + step_line(1) + validation_line(1);
    for (std::size_t length = 0; length <= text.size(); ++length) {
        INFO("the first " << length << " bytes");
        const std::string cut = text.substr(0, length);
        const RunHistory history = parse_run_log(cut, "run.jsonl");
        const std::string again = all_again(history);
        const bool only_the_break_is_missing = again == cut + "\n";
        CHECK((only_the_break_is_missing || again == text.substr(0, again.size())));
        const std::size_t whole_lines = static_cast<std::size_t>(std::count(cut.begin(), cut.end(), '\n'));
        const bool is_cut = !cut.empty() && cut.back() != '\n' && !only_the_break_is_missing;
        CHECK(history.truncated_line == (is_cut ? whole_lines + 1 : 0));
    }
    const std::string zeros(100, '\0');  // as file systems leave after a power failure
    CHECK(parse_run_log(start_line + "{\"ev" + zeros, "run.jsonl").truncated_line == 2);
}

TEST_CASE("run log: damage not explained by a kill is refused with file and line") {
    CHECK(error_of(start_line + "{\"event\":\"st\n" + step_line(1)) ==
          "run.jsonl: line 2: expected a JSON object, got '{\"event\":\"st'");
    CHECK(error_of("hello") == "run.jsonl: line 1: expected a JSON object, got 'hello'");
    CHECK(error_of("[1]\n") == "run.jsonl: line 1: expected a JSON object, got '[1]'");
    CHECK(error_of("\x89PNG") == "run.jsonl: line 1: expected a JSON object, got '\\x89PNG'");
    CHECK(error_of("{}") == "run.jsonl: line 1: event: missing");
    CHECK(error_of("{\"event\":\"stop\"}") ==
          "run.jsonl: line 1: event: expected start, step, validation or end, got 'stop'");
    CHECK(error_of("{\"event\":3}") == "run.jsonl: line 1: event: expected a text, got 3");
    CHECK(error_of(start_line + step_line(1, "null")) ==
          "run.jsonl: line 2: loss: expected a number, got null");
    CHECK(error_of(step_line(1, "\"high\"")) == "run.jsonl: line 1: loss: expected a number, got \"high\"");
    CHECK(error_of(R"({"event":"validation","step":-1,"epoch":1,"loss":1,"seconds":0})") ==
          "run.jsonl: line 1: step: expected a whole number of 0 or more, got -1");
    CHECK(error_of(R"({"event":"validation","step":1.5,"epoch":1,"loss":1,"seconds":0})") ==
          "run.jsonl: line 1: step: expected a whole number of 0 or more, got 1.5");
    CHECK(error_of(start_line + step_line(1) + start_line) ==
          "run.jsonl: line 3: a second start: a file holds one run, so only its first line may be one");
    CHECK(error_of(step_line(7) + "\n" + step_line(6)) == "run.jsonl: line 3: step 6 comes after step 7");
    CHECK(error_of(R"({"event":"start","schema":2})") ==
          "run.jsonl: line 1: schema 2: this version reads schema 1");
}

TEST_CASE("run log: a resumed run drops later steps, the end and a damaged line, and nothing else") {
    const TemporaryFolder folder;
    const auto path = folder / "run.jsonl";
    const std::string odd =
        "{\"event\":\"validation\", \"step\":2,\"epoch\":1, \"loss\":1,\"seconds\":0,\"new\":1}\n";
    const auto continued = [&](const std::string& text, index_t step) {
        std::ofstream(path, std::ios::binary) << text;
        RunLog::continue_after(path, step).log.append(RunValidation{9, 1, 2, 0.75, 0.5});
        CHECK(folder.files() == 1);
        return text_of(path);
    };
    const std::string kept = start_line + step_line(1) + step_line(2) + odd;
    CHECK(continued(kept + step_line(3) + "{\"event\":\"ste", 2) == kept + validation_line(9));
    CHECK(continued(kept + end_line(2), 2) == kept + validation_line(9));
    CHECK(continued(kept.substr(0, kept.size() - 1), 2) == kept + validation_line(9));  // no last line break
    CHECK(continued(kept, 0) == start_line + validation_line(9));
    std::filesystem::remove(path);
    RunLog::continue_after(path, 5).log.append(RunValidation{9, 1, 2, 0.75, 0.5});
    CHECK(text_of(path) == validation_line(9));
    // An unreadable log is not touched.
    std::ofstream(path, std::ios::binary) << "my notes\n";
    CHECK(has(message_of<FileError>([&] { RunLog::continue_after(path, 5); }), "line 1"));
    CHECK(text_of(path) == "my notes\n");
}

TEST_CASE("run log: of a validation that is due the line is dropped, and of no other") {
    const TemporaryFolder folder;
    const auto path = folder / "run.jsonl";
    const std::string kept = start_line + step_line(1) + validation_line(1) + step_line(2);
    for (const bool is_due : {false, true}) {
        std::ofstream(path, std::ios::binary) << kept + validation_line(2) + step_line(3);
        RunLog::continue_after(path, 2, {}, is_due).log.append(RunValidation{9, 1, 2, 0.75, 0.5});
        CHECK(text_of(path) == kept + (is_due ? "" : validation_line(2)) + validation_line(9));
    }
}

TEST_CASE("run log: a run continues although its log is damaged; the lost lines are reported") {
    const TemporaryFolder folder;
    const auto path = folder / "run.jsonl";
    const std::string zeros(512, '\0');
    const RunStart start{"reverse", "uva-jax", 42, R"({"z":1,"a":[2]})"};
    const auto continued = [&](const std::string& text, index_t step) {
        std::ofstream(path, std::ios::binary) << text;
        return RunLog::continue_after(path, step, start).str();
    };
    const std::string whole = start_line + step_line(1) + step_line(10) + step_line(20);
    // After a power failure: the length was written, the bytes were not.
    CHECK(continued(whole + zeros, 20) == "line 5");
    CHECK(text_of(path) == whole);
    CHECK(parse_run_log(whole + zeros, "run.jsonl").truncated_line == 5);
    CHECK(continued(whole + "{\"event\":\"ste", 20) == "line 5");  // as after a kill
    CHECK(text_of(path) == whole);
    CHECK(continued(zeros, 20) == "line 1");
    CHECK(text_of(path) == start_line);
    // Any one bit: at most that line and its neighbour are lost, and the log can be read again.
    for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 5) {
        INFO("bit " << bit);
        std::string flipped = whole;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        continued(flipped, 20);
        const RunHistory history = read_run_log(path);
        CHECK(history.events.size() >= 2);
        CHECK(std::holds_alternative<RunStart>(history.events[0]));
    }
    const std::string broken = "{\"event\":\"st\n";
    CHECK(continued(start_line + broken + broken + step_line(10) + broken + step_line(20), 20) ==
          "lines 2 to 3, 5");
    CHECK(text_of(path) == start_line + step_line(10) + step_line(20));
    // A step out of order is damage, not all that follow it.
    CHECK(continued(start_line + step_line(1) + step_line(18) + step_line(10) + step_line(20), 20) ==
          "line 3");
    CHECK(text_of(path) == start_line + step_line(1) + step_line(10) + step_line(20));
}

TEST_CASE("run log: lines are in the file immediately; a full disk is an error that says so") {
    const TemporaryFolder folder;
    RunLog log(folder / "run.jsonl");
    log.append(RunValidation{3, 1, 2, 0.75, 0.5});
    CHECK(text_of(folder / "run.jsonl") == validation_line(3));
    check_error<IoError>([] { RunLog("/dev/full").append(RunEnd{}); },
                         "/dev/full: cannot write: No space left on device");
    check_error<IoError>([] { read_run_log("no.jsonl"); },
                         "no.jsonl: cannot open: No such file or directory");
}

TEST_CASE("run log: brackets without end are refused, and do not exhaust the stack") {
    const std::string nested = std::string(200000, '[') + std::string(200000, ']');
    const std::string reason = "run.jsonl: line 1: lists and objects more than 64 deep";
    CHECK(error_of(std::string(1000000, '[')) == reason);
    CHECK(error_of(
              R"({"event":"start","schema":1,"task":"reverse","convention":"paper","seed":1,"config":{"a":)" +
              nested + "}}\n") == reason);
    CHECK(error_of(R"({"event":"start","schema":1,"task":)" + nested + R"(,"convention":"paper","seed":1})" +
                   "\n") == reason);  // parsing itself would copy it
}

TEST_CASE("run log: of lines out of order the one is dropped that does not fit its neighbours") {
    struct Case {
        std::vector<index_t> steps, kept;
        std::string damaged;
    };
    const Case cases[] = {
        {{7}, {7}, ""},
        {{1, 10, 20}, {1, 10, 20}, ""},
        {{10, 10, 10}, {10, 10, 10}, ""},
        {{18, 10, 20}, {10, 20}, "line 1"},
        {{20, 10}, {10}, "line 1"},
        {{10, 18, 10, 20}, {10, 10, 20}, "line 2"},
        {{5, 20, 10}, {5, 10}, "line 2"},
        {{10, 18, 5, 20}, {10, 18, 20}, "line 3"},
        {{9, 20, 1}, {9, 20}, "line 3"},
        {{30, 20, 10}, {10}, "lines 1 to 2"},
        {{1, 9, 2, 9, 3, 4}, {1, 2, 3, 4}, "lines 2, 4"},
    };
    const auto text = [](const std::vector<index_t>& steps) {
        std::string lines;
        for (const index_t step : steps) lines += step_line(step);
        return lines;
    };
    const TemporaryFolder folder;
    const auto path = folder / "run.jsonl";
    for (const Case& each : cases) {
        INFO(text(each.steps));
        std::ofstream(path, std::ios::binary) << text(each.steps);
        CHECK(RunLog::continue_after(path, 30).str() == each.damaged);
        CHECK(text_of(path) == text(each.kept));
    }
    // A second start, wherever it is.
    for (const std::string before : {"", "one line", "two lines"}) {
        INFO(before);
        const std::string first =
            start_line + (before.empty() ? "" : step_line(1)) + (before == "two lines" ? step_line(1) : "");
        std::ofstream(path, std::ios::binary) << first + start_line;
        RunLog::continue_after(path, 30);
        const RunHistory history = read_run_log(path);
        CHECK(std::holds_alternative<RunStart>(history.events.at(0)));
    }
    std::ofstream(path, std::ios::binary) << start_line + start_line + step_line(1);
    CHECK(RunLog::continue_after(path, 30).str() == "line 2");
    CHECK(text_of(path) == start_line + step_line(1));
}

TEST_CASE("run log: a start is put before the lines of a resumed run that have none, and before no others") {
    const TemporaryFolder folder;
    const auto path = folder / "run.jsonl";
    const RunStart start{"reverse", "uva-jax", 42, R"({"z":1,"a":[2]})"};
    const RunStart other{"mine", "paper", 1, "{}"};
    const auto continued = [&](const std::string& text, const std::optional<RunStart>& given) {
        std::ofstream(path, std::ios::binary) << text;
        RunLog::continue_after(path, 5, given);
        return text_of(path);
    };
    CHECK(continued(step_line(5), start) == start_line + step_line(5));
    CHECK(continued(step_line(6), start) == start_line);  // nothing is left of the lines
    CHECK(continued(step_line(6), {}).empty());
    CHECK(continued(step_line(5), {}) == step_line(5));
    CHECK(continued(start_line + step_line(5), other) == start_line + step_line(5));
    std::filesystem::remove(path);
    ContinuedLog fresh = RunLog::continue_after(path, 5, start);
    CHECK(fresh.str().empty());
    fresh.log.append(RunValidation{9, 1, 2, 0.75, 0.5});
    CHECK(text_of(path) == start_line + validation_line(9));
}

TEST_CASE("run log: damaged lines are listed as numbers and ranges") {
    const TemporaryFolder folder;
    const std::pair<std::vector<std::size_t>, std::string> cases[] = {
        {{}, ""},
        {{7}, "line 7"},
        {{7, 8}, "lines 7 to 8"},
        {{7, 9}, "lines 7, 9"},
        {{1, 3, 4}, "lines 1, 3 to 4"},
        {{1, 2, 3, 5, 7, 8}, "lines 1 to 3, 5, 7 to 8"}};
    for (const auto& [damaged, text] : cases)
        CHECK(ContinuedLog{RunLog(folder / "run.jsonl"), damaged}.str() == text);
}

TEST_CASE("run log: the step of an event; a start has none") {
    CHECK(step_of(RunStart{}) == 0);
    CHECK(step_of(RunStep{3}) == 3);
    CHECK(step_of(RunValidation{4}) == 4);
    CHECK(step_of(RunEnd{5}) == 5);
}

TEST_CASE("run log: whole numbers are taken up to their limit, and refused beyond it") {
    const auto validation = [](const std::string& step) {
        return R"({"event":"validation","step":)" + step + R"(,"epoch":0,"loss":1,"seconds":0})" + "\n";
    };
    CHECK(step_of(parse_run_log(validation("9223372036854775807"), "").events.at(0)) == 9223372036854775807);
    CHECK(step_of(parse_run_log(validation("0"), "").events.at(0)) == 0);
    const std::string refused = "run.jsonl: line 1: step: expected a whole number of 0 or more, got ";
    for (const std::string step : {"9223372036854775808", "\"1\"", "null", "true", "[1,{\"x\":\"é\"}]"})
        CHECK(error_of(validation(step)) == refused + step);
    const std::string start =
        R"({"event":"start","schema":1,"task":"é","convention":"paper","seed":18446744073709551615,)"
        R"("config":{"ä":"ö","list":[1,2]}})"
        "\n";
    const RunHistory history = parse_run_log(start, "run.jsonl");
    CHECK(std::get<RunStart>(history.events.at(0)).seed == UINT64_MAX);
    CHECK(all_again(history) == start);
    for (const std::string schema : {"0", "2", "18446744073709551615"})
        CHECK(error_of(R"({"event":"start","schema":)" + schema + "}") ==
              "run.jsonl: line 1: schema " + schema + ": this version reads schema 1");
    CHECK(error_of(R"({"event":"start","schema":1,"task":"a","convention":"b","seed":1,"config":[1]})") ==
          "run.jsonl: line 1: config: expected an object, got [1]");
}

TEST_CASE("run log: a message quotes 40 bytes of what it refuses, and marks what it leaves out") {
    const std::string x40(40, 'x'), x38(38, 'x');
    const std::string expected = "run.jsonl: line 1: expected a JSON object, got '";
    CHECK(error_of(x40) == expected + x40 + "'");
    CHECK(error_of(x40 + "y") == expected + x40 + "…'");
    const std::string events = "run.jsonl: line 1: event: expected start, step, validation or end, got '";
    CHECK(error_of("{\"event\":\"" + x40 + "\"}") == events + x40 + "'");
    CHECK(error_of("{\"event\":\"" + x40 + "y\"}") == events + x40 + "…'");
    const std::string number = "run.jsonl: line 1: loss: expected a number, got \"";
    CHECK(error_of(step_line(1, "\"" + x38 + "\"")) == number + x38 + "\"");
    CHECK(error_of(step_line(1, "\"" + x38 + "y\"")) == number + x38 + "y…");
}

TEST_CASE("run log: blank lines and Windows line ends are no damage; a cut line may be followed by blanks") {
    CHECK(all_again(parse_run_log("\n \t\r\n" + start_line + "\n" + step_line(1) + "\r\n", "")) ==
          start_line + step_line(1));
    std::string windows = start_line + step_line(1);
    for (std::size_t at = 0; (at = windows.find('\n', at)) != std::string::npos; at += 2)
        windows.insert(at, 1, '\r');
    CHECK(all_again(parse_run_log(windows, "")) == start_line + step_line(1));
    CHECK(parse_run_log(start_line + "{\"ev\n \t\r", "").truncated_line == 2);
    CHECK(error_of(start_line + "{\"ev\nx").starts_with("run.jsonl: line 2: expected a JSON object"));
    CHECK(error_of(start_line + "[\"ev").starts_with("run.jsonl: line 2: expected a JSON object"));
    CHECK(parse_run_log("", "").events.empty());
}

TEST_CASE("run log: lists 64 deep are read, 65 are refused") {
    const auto nested = [](std::size_t depth) {  // the line's own braces are one
        return R"({"event":"validation","step":1,"epoch":1,"loss":1,"seconds":0,"more":)" +
               std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}\n";
    };
    CHECK(parse_run_log(nested(64), "").events.size() == 1);
    CHECK(error_of(nested(65)) == "run.jsonl: line 1: lists and objects more than 64 deep");
    CHECK(error_of(start_line + nested(65) + step_line(1)) ==
          "run.jsonl: line 2: lists and objects more than 64 deep");
}
