#include "report/text_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <iostream>
#include <optional>

#include <glassbox/tensor/format.h>

#include "cli/heartbeat.h"
#include "cli/number.h"
#include "cli/output.h"

namespace glassbox::tracer {
namespace {

constexpr double mental_tolerance = 0.01;  // absolute or relative: enough for mental arithmetic

// The terminal's original mode and the one for single keys; global for the signal handlers.
termios original_mode, single_key_mode;

// Then the signal ends or stops the program as usual.
extern "C" void restore_mode(int signal) {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &original_mode);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

extern "C" void set_mode_again(int) {  // after Ctrl-Z and fg
    ::signal(SIGTSTP, restore_mode);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &single_key_mode);
}

// A line of standard input, which may be a device without end; none where it has ended.
std::optional<std::string> next_line() {
    constexpr std::size_t max_length = 4096;  // as much as a terminal gives
    std::string line;
    for (char c; std::cin.get(c) && c != '\n'; line += c)
        if (line.size() == max_length)
            fail<FileError>(
                "standard input: a line of more than {} characters, expected a few numbers or an empty line",
                max_length);
    return line.empty() && !std::cin ? std::nullopt : std::optional(line);
}

// Reads single keys from the terminal; restores its mode on destruction or when a signal ends or stops the
// program.
class KeyReader {
  public:
    KeyReader() {
        if (!::isatty(STDIN_FILENO) || ::tcgetattr(STDIN_FILENO, &original_mode) != 0) return;
        single_key_mode = original_mode;
        single_key_mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) ::signal(signal, restore_mode);
        ::signal(SIGCONT, set_mode_again);
        is_terminal_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &single_key_mode) == 0;
    }
    ~KeyReader() {
        if (!is_terminal_) return;
        ::signal(SIGCONT, SIG_DFL);
        ::tcsetattr(STDIN_FILENO, TCSANOW, &original_mode);
    }
    KeyReader(const KeyReader&) = delete;
    KeyReader& operator=(const KeyReader&) = delete;

    // False at q, Ctrl-D or the end of the input.
    bool next() const {
        if (!is_terminal_) {
            const std::optional<std::string> line = next_line();
            return line && *line != "q";
        }
        char key = 0;
        if (::read(STDIN_FILENO, &key, 1) != 1) return false;
        return key != 'q' && key != 4;
    }

  private:
    bool is_terminal_ = false;
};

std::optional<std::string> ask(const std::string& question) {
    write_out(question);
    const std::optional<std::string> line = next_line();
    return line == "q" ? std::nullopt : line;
}

std::vector<double> numbers_in(const std::string& text) {
    std::vector<double> result;
    const char *at = text.data(), *end = at + text.size();
    while (at < end) {
        double value;
        const auto [after, error] = std::from_chars(at, end, value);
        if (error == std::errc{}) result.push_back(value);
        at = error == std::errc{} ? after : at + 1;
    }
    return result;
}

struct QuizQuestion {
    std::string text, truth;
    std::vector<double> answer;
    bool exact;
};

// Whether everything the step is computed from has been shown.
bool is_computable(const Report& report, std::size_t index) {
    const Report::Step& step = report.steps[index];
    if (!step.needs || step.value.numel() == 0) return false;
    const auto here = report.steps.begin() + static_cast<std::ptrdiff_t>(index);
    return std::all_of(step.needs->begin(), step.needs->end(), [&](const std::string& path) {
        return std::any_of(report.steps.begin(), here,
                           [&](const Report::Step& shown) { return shown.path == path; });
    });
}

// Asks for shape and value alternately; for a value only where it can be computed from what was shown.
QuizQuestion question_for(const Report& report, std::size_t index, int asked) {
    const Report::Step& step = report.steps[index];
    const Shape& shape = step.value.shape();
    const std::string what = step.path + " = " + step.formula;
    if (asked % 2 == 0 || !is_computable(report, index)) {
        std::vector<double> sizes(shape.begin(), shape.end());
        return {fmt::format("{}: which shape? ", what), shape.str(), sizes, true};
    }
    std::vector<index_t> at;
    for (int axis = 0; axis < shape.rank(); ++axis) at.push_back(static_cast<index_t>(index) % shape[axis]);
    const real value = step.value.at(at);
    return {fmt::format("{}: what is {}[{}]? ", what, step.path, fmt::join(at, ",")),
            number(value),
            {static_cast<double>(value)},
            false};
}

bool is_near(double given, double truth, bool exact) {
    if (std::isnan(truth)) return std::isnan(given);
    if (exact || std::isinf(truth)) return given == truth;
    return std::abs(given - truth) <= mental_tolerance * std::max(1.0, std::abs(truth));
}

bool is_right(const QuizQuestion& question, const std::string& answer) {
    const std::vector<double> given = numbers_in(answer);
    if (given.size() != question.answer.size()) return false;
    for (std::size_t i = 0; i < given.size(); ++i)
        if (!is_near(given[i], question.answer[i], question.exact)) return false;
    return true;
}

// Two attempts; nullopt when the user quits.
enum class Attempts { first_try, second_try, wrong };
std::optional<Attempts> ask_twice(const QuizQuestion& question) {
    const auto first = ask("\n" + question.text);
    if (!first) return std::nullopt;
    if (is_right(question, *first)) return Attempts::first_try;
    const auto second = ask("Not quite. Try again: ");
    if (!second) return std::nullopt;
    return is_right(question, *second) ? Attempts::second_try : Attempts::wrong;
}

// Inputs are shown; computed steps are asked about first.
void predict_steps(const Report& report, const TextStyle& style) {
    int right = 0, asked = 0, second = 0;
    for (std::size_t i = 0; i < report.steps.size(); ++i) {
        if (report.steps[i].formula.empty()) {
            write_out("\n" + render_step(report, i, style));
            continue;
        }
        const QuizQuestion question = question_for(report, i, asked);
        const auto outcome = ask_twice(question);
        if (!outcome) break;
        ++asked;
        right += *outcome != Attempts::wrong;
        second += *outcome == Attempts::second_try;
        write_out(*outcome == Attempts::wrong ? fmt::format("Not quite: it is {}.\n\n", question.truth)
                                              : "Right.\n\n");
        write_out(render_step(report, i, style));
    }
    write_out(fmt::format("\n{} of {} right{}.\n", right, asked,
                          second ? fmt::format(", {} on the second try", second) : ""));
}

}  // namespace

void step_through(const Report& report, const TextStyle& style, bool predict) {
    Heartbeat::disable();
    write_out(render_header(report, style));
    if (predict) {
        write_out(
            "Predict each step: a shape such as 3 2, or a value to two digits. You have two tries; q "
            "quits.\n");
        return predict_steps(report, style);
    }
    write_out("Press a key for the next step, q to quit.\n");
    const KeyReader keys;
    for (std::size_t i = 0; i < report.steps.size() && keys.next(); ++i)
        write_out("\n" + render_step(report, i, style));
}

}  // namespace glassbox::tracer
