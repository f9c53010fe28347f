#include "check.h"

#include <fmt/format.h>

#include <algorithm>

namespace lesson {
namespace {

class Page {
  public:
    Page(bool colors, const Lesson& lesson) : colors_(colors) {
        for (const std::string& step : lesson.steps) steps_width_ = std::max(steps_width_, step.size());
    }

    std::string green(const std::string& text) const { return colored(text, 32); }
    std::string red(const std::string& text) const { return colored(text, 31); }
    std::string bold(const std::string& text) const { return colored(text, 1); }

    std::string mark(Verdict verdict) const {
        switch (verdict) {
            case Verdict::right:
                return green("✓");
            case Verdict::wrong:
            case Verdict::missing:
                return red("✗");
            case Verdict::inherited:
            case Verdict::not_given:
                return "·";
        }
        return "";
    }

    // Every step on its own line.
    std::string in_detail(const Outcome& outcome) const {
        std::string text;
        for (const StepDiagnosis& step : outcome.diagnosis.steps)
            text += message_of(step).empty() ? fmt::format("    {} {}\n", mark(step.verdict), step.path)
                                             : line_of(step);
        if (!outcome.stopped.empty())
            text += fmt::format("    {} {:<{}} {}\n", red("!"), "stopped", steps_width_, outcome.stopped);
        return text;
    }

    std::string in_short(const Outcome& outcome) const {
        const StepDiagnosis* wrong = outcome.first_wrong();
        if (wrong && wrong->verdict == Verdict::missing) return "";
        if (wrong) return line_of(*wrong);
        std::string text = "   ";
        for (const StepDiagnosis& step : outcome.diagnosis.steps)
            text += fmt::format(" {} {} ", mark(step.verdict), step.path);
        return text.substr(0, text.size() - 1) + "\n";
    }

    std::string wrapped(const std::string& text, const std::string& opening) const {
        constexpr std::size_t width = 96;
        std::string result = bold(opening), line = std::string(opening.size(), ' ');
        const std::string indent = line;
        bool first = true;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(' ', at), text.size());
            const std::string word = text.substr(at, end - at);
            if (line.size() > indent.size() && line.size() + word.size() > width) {
                line.pop_back();
                result += (first ? line.substr(indent.size()) : line) + "\n";
                first = false;
                line = indent;
            }
            line += word + " ";
            at = end + 1;
        }
        if (!line.empty()) line.pop_back();
        return result + (first ? line.substr(indent.size()) : line) + "\n";
    }

  private:
    std::string line_of(const StepDiagnosis& step) const {
        return fmt::format("    {} {:<{}} {}\n", mark(step.verdict), step.path, steps_width_,
                           message_of(step));
    }
    std::string colored(const std::string& text, int code) const {
        return colors_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
    }
    bool colors_;
    std::size_t steps_width_ = 10;
};

bool has_all_steps(const Outcome& outcome) {
    return std::none_of(outcome.diagnosis.steps.begin(), outcome.diagnosis.steps.end(),
                        [](const StepDiagnosis& step) { return step.verdict == Verdict::not_given; });
}

std::string what_is_right(const std::vector<Outcome>& outcomes) {
    return std::all_of(outcomes.begin(), outcomes.end(), has_all_steps)
               ? "All right."
               : "What was submitted is right. Not all steps were submitted.";
}

// Mistakes that no case shows in the steps that were given.
std::string hidden_mistakes(const Page& page, const std::vector<Outcome>& outcomes) {
    std::vector<const glassbox::Mistake*> hidden = outcomes.front().diagnosis.unseen;
    for (const Outcome& outcome : outcomes)
        std::erase_if(hidden, [&](const glassbox::Mistake* mistake) {
            return std::find(outcome.diagnosis.unseen.begin(), outcome.diagnosis.unseen.end(), mistake) ==
                   outcome.diagnosis.unseen.end();
        });
    if (hidden.empty()) return "";
    constexpr std::size_t max_shown = 4;
    std::string text = fmt::format(
        "{} would not show in these steps:",
        hidden.size() == 1 ? "one known mistake" : fmt::format("{} known mistakes", hidden.size()));
    for (std::size_t i = 0; i < std::min(max_shown, hidden.size()); ++i) text += " " + hidden[i]->sentence;
    return page.wrapped(text + (hidden.size() > max_shown ? " …" : ""), "Note: ");
}

std::string what_next(const Outcome& outcome, const std::string& name) {
    for (const StepDiagnosis& step : outcome.diagnosis.steps)
        if (step.verdict == Verdict::not_given)
            return "put the steps that are not in the file into it: then the first wrong one can be named.";
    const StepDiagnosis* step = outcome.first_wrong();
    if (!step) return fmt::format("fix what stopped {}, then check again.", name);
    const char* act = step->verdict == Verdict::missing ? "write" : "fix";
    return fmt::format("{} {} in {}, then check again.", act, step->path, name);
}

}  // namespace

std::string show(const Lesson& lesson, const std::vector<Outcome>& outcomes, const std::string& name,
                 bool colors) {
    const Page page(colors, lesson);
    std::string text =
        page.bold(fmt::format("Lesson {}: {}", lesson.number, lesson.title)) + fmt::format(" · {}\n\n", name);
    const Outcome* const wrong = first_failed(outcomes);
    for (const Outcome& outcome : outcomes) {
        if (outcome.absent) {
            text += fmt::format("· {:<9} not in the file\n", outcome.of.name);
            continue;
        }
        if (&outcome != wrong && outcome.stopped.starts_with(not_called)) {
            text += fmt::format("· {:<9} {}\n", outcome.of.name, outcome.stopped);
            continue;
        }
        text += fmt::format("{} {:<9} {}\n", outcome.passed() ? page.green("✓") : page.red("✗"),
                            outcome.of.name, outcome.of.title);
        text += &outcome == wrong ? page.in_detail(outcome) : page.in_short(outcome);
    }
    if (!wrong) {
        text += "\n" + page.green(what_is_right(outcomes)) + "\n" + page.wrapped(lesson.passed, "Next: ");
        return text + hidden_mistakes(page, outcomes);
    }
    if (wrong->absent) {
        text += "\n" + page.green("What is in the file is right.") + "\n";
        return text + page.wrapped("compute the other cases too, from their inputs in golden.npz.", "Next: ");
    }
    text += "\n" + page.wrapped(wrong->hint.text, "Hint: ");
    for (const std::string& mistake : wrong->hint.mistakes) text += page.wrapped(mistake, "Name: ");
    return text + page.wrapped(what_next(*wrong, name), "Next: ");
}

}  // namespace lesson
