#include "report/interactive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <termios.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <csignal>
#include <iostream>
#include <optional>

#include "cli/heartbeat.h"
#include "cli/number.h"
#include "cli/output.h"

namespace tracer {
namespace {

constexpr double near_enough = 0.01;  // absolute or relative: what can be done in the head or on paper

// The terminal as it was and as single keys need it; signal handlers look at these.
termios before, single_keys;

extern "C" void restore_and_end(int signal) {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

extern "C" void take_again(int) { ::tcsetattr(STDIN_FILENO, TCSANOW, &single_keys); }

// A terminal that hands over single keys; as it was when this goes, or when a signal ends the program.
class Keys {
  public:
    Keys() {
        if (!::isatty(STDIN_FILENO) || ::tcgetattr(STDIN_FILENO, &before) != 0) return;
        single_keys = before;
        single_keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, restore_and_end);
        ::signal(SIGCONT, take_again);  // after Ctrl-Z and fg
        is_terminal_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &single_keys) == 0;
    }
    ~Keys() {
        if (is_terminal_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before);
    }
    Keys(const Keys&) = delete;
    Keys& operator=(const Keys&) = delete;

    // False when the reader wants to stop: q, Ctrl-D, or the end of the input.
    bool next() const {
        if (!is_terminal_) {
            std::string line;
            return static_cast<bool>(std::getline(std::cin, line)) && line != "q";
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
    std::string line;
    if (!std::getline(std::cin, line) || line == "q") return std::nullopt;
    return line;
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

struct Question {
    std::string text, truth;
    std::vector<double> answer;
    bool exact;
};

// Shapes for what is read in, values for what is computed: shape and value in turn.
Question question_for(const Report::Step& step, std::size_t index) {
    const glassbox::Shape& shape = step.value.shape();
    const std::string what = step.formula.empty() ? step.path : step.path + " = " + step.formula;
    if (index % 2 == 0 || step.formula.empty() || step.value.numel() == 0) {
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
    return std::abs(given - truth) <= near_enough * std::max(1.0, std::abs(truth));
}

bool is_right(const Question& question, const std::string& answer) {
    const std::vector<double> given = numbers_in(answer);
    if (given.size() != question.answer.size()) return false;
    for (std::size_t i = 0; i < given.size(); ++i)
        if (!is_near(given[i], question.answer[i], question.exact)) return false;
    return true;
}

void predict_steps(const Report& report, const TextStyle& style) {
    int right = 0, asked = 0;
    for (std::size_t i = 0; i < report.steps.size(); ++i) {
        const Question question = question_for(report.steps[i], i);
        const auto answer = ask("\n" + question.text);
        if (!answer) break;
        const bool good = is_right(question, *answer);
        ++asked;
        right += good;
        write_out(good ? "Right.\n\n" : fmt::format("Not quite: it is {}.\n\n", question.truth));
        write_out(render_step(report, i, style));
    }
    write_out(fmt::format("\n{} of {} right.\n", right, asked));
}

}  // namespace

void step_through(const Report& report, const TextStyle& style, bool predict) {
    Heartbeat::be_silent();
    write_out(render_header(report, style));
    if (predict) {
        write_out("Say what comes next: a shape such as 3 2, or a value to two digits. q ends.\n");
        return predict_steps(report, style);
    }
    write_out("A key shows the next step; q ends.\n");
    const Keys keys;
    for (std::size_t i = 0; i < report.steps.size() && keys.next(); ++i)
        write_out("\n" + render_step(report, i, style));
}

}  // namespace tracer
