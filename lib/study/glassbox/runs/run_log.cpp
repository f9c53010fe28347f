#include <glassbox/runs/run_log.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include <glassbox/io/file.h>
#include <glassbox/io/json.h>

namespace glassbox {
namespace {

// ---- writing -------------------------------------------------------------------------------------------

JsonValue number(double value) { return {value, std::numeric_limits<real>::max_digits10}; }

// A field that is left out without a value.
template <class T>
void add_known(JsonObject& line, const char* key, const std::optional<T>& value) {
    if (!value) return;
    if constexpr (std::floating_point<T>) line.add(key, number(*value));
    else line.add(key, *value);
}

JsonObject line_of(const RunStart& e) {
    return {{{"event", "start"},
             {"schema", 1},
             {"task", e.task},
             {"convention", e.convention},
             {"seed", e.seed},
             {"config", JsonValue::raw(e.config)}},
            json_tight};
}

JsonObject line_of(const RunStep& e) {
    JsonObject line({{"event", "step"}, {"step", e.step}, {"epoch", e.epoch}, {"loss", number(e.loss)}},
                    json_tight);
    add_known(line, "accuracy", e.accuracy);
    line.add("learning_rate", number(e.learning_rate));
    line.add("gradient_norm", number(e.gradient_norm));
    line.add("sequences_per_second", number(e.sequences_per_second));
    return line.add("seconds", number(e.seconds));
}

JsonObject line_of(const RunValidation& e) {
    JsonObject line({{"event", "validation"}, {"step", e.step}, {"epoch", e.epoch}, {"loss", number(e.loss)}},
                    json_tight);
    add_known(line, "accuracy", e.accuracy);
    return line.add("seconds", number(e.seconds));
}

JsonObject line_of(const RunEnd& e) {
    JsonObject line({{"event", "end"}, {"step", e.step}, {"epoch", e.epoch}}, json_tight);
    add_known(line, "best_epoch", e.best_epoch);
    add_known(line, "best_accuracy", e.best_accuracy);
    add_known(line, "test_accuracy", e.test_accuracy);
    return line.add("seconds", number(e.seconds));
}

// ---- reading -------------------------------------------------------------------------------------------

using Json = nlohmann::ordered_json;  // the config keeps its order

// The values in a line by key. Unknown keys are ignored.
class Fields {
  public:
    Fields(const Json& json, const std::string& where) : json_(json), where_(where) {}

    bool has(const char* key) const { return json_.contains(key); }
    std::string text(const char* key) const {
        const Json& value = at(key);
        if (!value.is_string()) refuse(key, "a text", value);
        return value.get<std::string>();
    }
    std::uint64_t integer(const char* key, std::uint64_t max) const {
        const Json& value = at(key);
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() > max)
            refuse(key, "a whole number of 0 or more", value);
        return value.get<std::uint64_t>();
    }
    index_t count(const char* key) const {
        return static_cast<index_t>(integer(key, std::numeric_limits<index_t>::max()));
    }
    double number(const char* key) const {
        const Json& value = at(key);
        if (value == "NaN") return NAN;
        if (value == "Infinity") return INFINITY;
        if (value == "-Infinity") return -INFINITY;
        if (!value.is_number()) refuse(key, "a number", value);
        return value.get<double>();
    }
    std::optional<double> number_if(const char* key) const {
        return has(key) ? std::optional(number(key)) : std::nullopt;
    }
    std::string object(const char* key) const {
        const Json& value = at(key);
        if (!value.is_object()) refuse(key, "an object", value);
        return value.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    template <class... Args>
    [[noreturn]] void fail_here(fmt::format_string<Args...> reason, Args&&... args) const {
        fail<FileError>("{}: {}", where_, fmt::format(reason, std::forward<Args>(args)...));
    }

  private:
    const Json& at(const char* key) const {
        if (!has(key)) fail_here("{}: missing", key);
        return json_[key];
    }
    [[noreturn]] void refuse(const char* key, const char* expected, const Json& got) const {
        const std::string shown = got.dump(-1, ' ', false, Json::error_handler_t::replace);
        fail_here("{}: expected {}, got {}", key, expected, printable(shown, 40));
    }

    const Json& json_;
    const std::string& where_;
};

RunEvent event_of(const Fields& f) {
    const std::string event = f.text("event");
    if (event == "start") {
        if (const std::uint64_t schema = f.integer("schema", UINT64_MAX); schema != 1)
            f.fail_here("schema {}: this version reads schema 1", schema);
        return RunStart{f.text("task"), f.text("convention"), f.integer("seed", UINT64_MAX),
                        f.object("config")};
    }
    if (event == "step")
        return RunStep{f.count("step"),
                       f.count("epoch"),
                       f.number("loss"),
                       f.number_if("accuracy"),
                       f.number("learning_rate"),
                       f.number("gradient_norm"),
                       f.number("sequences_per_second"),
                       f.number("seconds")};
    if (event == "validation")
        return RunValidation{f.count("step"), f.count("epoch"), f.number("loss"), f.number_if("accuracy"),
                             f.number("seconds")};
    if (event == "end")
        return RunEnd{f.count("step"),
                      f.count("epoch"),
                      f.has("best_epoch") ? std::optional(f.count("best_epoch")) : std::nullopt,
                      f.number_if("best_accuracy"),
                      f.number_if("test_accuracy"),
                      f.number("seconds")};
    f.fail_here("event: expected start, step, validation or end, got '{}'", printable(event, 40));
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// Whether this may be the truncated last line of a log. File systems may leave zeros after a power failure.
bool may_be_truncated(std::string_view line, std::string_view rest) {
    return (line[0] == '{' || line[0] == '\0') && is_blank(rest);
}

bool is_deep(std::string_view line) { return json_depth(line) > max_json_depth; }

// nlohmann::json takes a NUL for the end of the input, so lines with one are rejected here.
Json parsed(std::string_view line) {
    if (line.find('\0') != std::string_view::npos || is_deep(line)) return Json(Json::value_t::discarded);
    return Json::parse(line.begin(), line.end(), nullptr, false);
}

// Checks that a start comes only first, and that steps never decrease.
class EventOrder {
  public:
    void check(const RunEvent& event, const std::string& where) {
        if (std::holds_alternative<RunStart>(event) && !is_first_)
            fail<FileError>("{}: a second start: a file holds one run, so only its first line may be one",
                            where);
        if (step_of(event) < step_)
            fail<FileError>("{}: step {} comes after step {}", where, step_of(event), step_);
        is_first_ = false;
        step_ = step_of(event);
    }

  private:
    bool is_first_ = true;
    index_t step_ = 0;
};

// Calls visit(line, number, rest) for each line that is not blank, until it returns false.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!is_blank(line) && !visit(line, number, text)) return;
    }
}

RunEvent read_line(std::string_view line, const std::string& where) {
    if (is_deep(line)) fail<FileError>("{}: lists and objects more than {} deep", where, max_json_depth);
    const Json json = parsed(line);
    if (!json.is_object())
        fail<FileError>("{}: expected a JSON object, got '{}'", where, printable(line, 40));
    return event_of(Fields(json, where));
}

}  // namespace

index_t step_of(const RunEvent& event) {
    return std::visit(
        [](const auto& e) -> index_t {
            if constexpr (requires { e.step; }) return e.step;
            else return 0;
        },
        event);
}

std::string format_line(const RunEvent& event) {
    return std::visit([](const auto& e) { return line_of(e).text() + "\n"; }, event);
}

RunHistory parse_run_log(std::string_view text, const std::string& file) {
    RunHistory history;
    EventOrder order;
    for_each_line(text, [&](std::string_view line, std::size_t number, std::string_view rest) {
        if (may_be_truncated(line, rest) && !is_deep(line) && parsed(line).is_discarded()) {
            history.truncated_line = number;
            return false;
        }
        const std::string where = fmt::format("{}: line {}", file, number);
        history.events.push_back(read_line(line, where));
        order.check(history.events.back(), where);
        return true;
    });
    return history;
}

namespace {

constexpr const char* log_needed = "the log of a run (run.jsonl)";

}  // namespace

RunHistory read_run_log(const std::filesystem::path& path) {
    return parse_run_log(as_text(read_file(path, text_check(path, log_needed))), display_name(path));
}

namespace {

// A valid line of a log.
struct ValidLine {
    std::size_t number;
    std::string_view text;
    RunEvent event;
    bool is_start() const { return std::holds_alternative<RunStart>(event); }
};

// The valid lines of a log, and the numbers of the damaged ones.
struct Salvaged {
    std::vector<ValidLine> lines;
    std::vector<std::size_t> damaged;
};

Salvaged salvage(std::string_view text) {
    Salvaged found;
    for_each_line(text, [&](std::string_view line, std::size_t number, std::string_view) {
        try {
            found.lines.push_back({number, line, read_line(line, "")});
        } catch (const FileError&) {
            found.damaged.push_back(number);
        }
        return true;
    });
    return found;
}

// Steps never decrease. If they do, the line that does not fit its neighbours counts as damaged.
void drop_misplaced(Salvaged& found) {
    std::vector<ValidLine>& lines = found.lines;
    const auto step = [&](std::size_t i) { return step_of(lines[i].event); };
    for (std::size_t i = 0; i < lines.size();) {
        const bool second_start = i > 0 && lines[i].is_start();
        const bool too_late =
            i + 1 < lines.size() && step(i) > step(i + 1) && (i == 0 || step(i - 1) <= step(i + 1));
        const bool too_early = i > 0 && step(i) < step(i - 1);
        if (!second_start && !too_late && !too_early) {
            ++i;
            continue;
        }
        found.damaged.push_back(lines[i].number);
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::sort(found.damaged.begin(), found.damaged.end());
}

}  // namespace

ContinuedLog RunLog::continue_after(const std::filesystem::path& path, index_t step,
                                    const std::optional<RunStart>& start, bool validation_is_due) {
    std::error_code unknown;  // if set, reading the file reports the error
    if (!std::filesystem::exists(path, unknown) && !unknown) {
        ContinuedLog fresh{RunLog(path), {}};
        if (start) fresh.log.append(*start);
        return fresh;
    }
    const Bytes bytes = read_file(path);  // the run continues whatever is in it
    Salvaged found = salvage(as_text(bytes));
    if (found.lines.empty()) parse_run_log(as_text(bytes), display_name(path));  // throws with the reason
    std::erase_if(found.lines, [&](const ValidLine& line) {
        const bool is_made_again = validation_is_due && step_of(line.event) == step &&
                                   std::holds_alternative<RunValidation>(line.event);
        return step_of(line.event) > step || is_made_again || std::holds_alternative<RunEnd>(line.event);
    });
    drop_misplaced(found);
    std::string kept;
    if (start && (found.lines.empty() || !found.lines[0].is_start())) kept = format_line(*start);
    for (const ValidLine& line : found.lines) kept.append(line.text) += '\n';
    write_file_atomically(path, std::string_view(kept));
    return {RunLog(path, AppendFile::Existing::keep), std::move(found.damaged)};
}

std::string ContinuedLog::str() const {
    std::string text;
    for (std::size_t i = 0; i < damaged.size();) {
        std::size_t last = i;
        while (last + 1 < damaged.size() && damaged[last + 1] == damaged[last] + 1) ++last;
        text += (i ? ", " : "") + std::to_string(damaged[i]);
        if (last > i) text += " to " + std::to_string(damaged[last]);
        i = last + 1;
    }
    return text.empty() ? "" : (damaged.size() > 1 ? "lines " : "line ") + text;
}

}  // namespace glassbox
