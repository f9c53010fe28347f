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
    for (const real loss : {real(1) / 3, std::numeric_limits<real>::max(),
                            std::numeric_limits<real>::denorm_min(), real(INFINITY), real(-INFINITY)}) {
        RunValidation validation;
        validation.loss = static_cast<double>(loss);
        const RunHistory history = parse_run_log(format_line(validation), "run.jsonl");
        CHECK(static_cast<real>(std::get<RunValidation>(history.events.at(0)).loss) == loss);
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
          "run.jsonl: line 2: a JSON object expected, got '{\"event\":\"st'");
    CHECK(error_of("hello") == "run.jsonl: line 1: a JSON object expected, got 'hello'");
    CHECK(error_of("[1]\n") == "run.jsonl: line 1: a JSON object expected, got '[1]'");
    CHECK(error_of("\x89PNG") == "run.jsonl: line 1: a JSON object expected, got '\\x89PNG'");
    CHECK(error_of("{}") == "run.jsonl: line 1: event: missing");
    CHECK(error_of("{\"event\":\"stop\"}") ==
          "run.jsonl: line 1: event: start, step, validation or end expected, got 'stop'");
    CHECK(error_of("{\"event\":3}") == "run.jsonl: line 1: event: a text expected, got 3");
    CHECK(error_of(start_line + step_line(1, "null")) ==
          "run.jsonl: line 2: loss: a number expected, got null");
    CHECK(error_of(step_line(1, "\"high\"")) == "run.jsonl: line 1: loss: a number expected, got \"high\"");
    CHECK(error_of(R"({"event":"validation","step":-1,"epoch":1,"loss":1,"seconds":0})") ==
          "run.jsonl: line 1: step: a whole number, 0 or more, expected, got -1");
    CHECK(error_of(R"({"event":"validation","step":1.5,"epoch":1,"loss":1,"seconds":0})") ==
          "run.jsonl: line 1: step: a whole number, 0 or more, expected, got 1.5");
    CHECK(error_of(start_line + step_line(1) + start_line) ==
          "run.jsonl: line 3: a second start: only the first line may be one, as a file has one run");
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
    CHECK(contains(message_of<FileError>([&] { RunLog::continue_after(path, 5); }), "line 1"));
    CHECK(text_of(path) == "my notes\n");
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
    const std::string deep = std::string(200000, '[') + std::string(200000, ']');
    const std::string reason = "run.jsonl: line 1: lists and objects more than 64 deep";
    CHECK(error_of(std::string(1000000, '[')) == reason);
    CHECK(error_of(
              R"({"event":"start","schema":1,"task":"reverse","convention":"paper","seed":1,"config":{"a":)" +
              deep + "}}\n") == reason);
    CHECK(error_of(R"({"event":"start","schema":1,"task":)" + deep + R"(,"convention":"paper","seed":1})" +
                   "\n") == reason);  // parsing itself would copy it
}
