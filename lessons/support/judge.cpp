// From the student's steps to the outcome: the library's computation is the answer key, its catalogue names
// the mistakes.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <glassbox/ops/views.h>
#include <glassbox/tensor/format.h>

#include "check.h"
#include "compare.h"

namespace lesson {

using glassbox::Diagnosis;
using glassbox::HandedIn;
using glassbox::HandedLayout;

namespace {

// One case of the work.
struct Judged {
    const CaseWork* work;
    glassbox::Computation computation;
    std::vector<HandedIn> handed;
    Diagnosis diagnosis;
    Outcome outcome;
};

// Axis 0 of one sequence counts its positions, that of a batch its sequences: an array program that takes the
// first axis makes two mistakes of the catalogue, each in its cases.
std::vector<glassbox::PlacedMistake> over_axis_0(std::vector<glassbox::PlacedMistake> mistakes) {
    for (glassbox::PlacedMistake& placed : mistakes)
        for (const char* over_rows : {"/over-sequence", "/over-queries"}) {
            const std::string& key = placed.mistake->key;
            if (key.ends_with(over_rows))
                placed.mistake = &glassbox::mistake(key.substr(0, key.rfind('/')) + "/over-batch");
        }
    return mistakes;
}

class Judge {
  public:
    Judge(const Lesson& lesson, const Check& check) : lesson_(lesson), check_(check) {}

    std::vector<Outcome> judge(const std::vector<CaseWork>& works) {
        std::vector<Outcome> outcomes;
        decimals_ = glassbox::decimals_of(numbers_of(works));
        cases_.reserve(works.size());
        for (const CaseWork& work : works) {
            Judged& judged = cases_.emplace_back(Judged{&work, {}, {}, {}, {.of = work.of, .absent = true}});
            if (!work.answer.absent) compare(judged, false);
            outcomes.push_back(judged.outcome);
        }
        if (const Outcome* failed = first_failed(outcomes); failed && !failed->absent) {
            const auto place = static_cast<std::size_t>(failed - outcomes.data());
            Judged& judged = cases_[place];
            judged.handed.clear();
            compare(judged, true);
            judged.outcome.hint = hint(judged);
            outcomes[place] = judged.outcome;
        }
        return outcomes;
    }

  private:
    // The mistakes are searched for in one case; the others confirm them.
    void compare(Judged& judged, bool explain) const {
        const Answer& answer = judged.work->answer;
        judged.computation = check_.computation(judged.work->golden);
        bool all_given = true;
        for (const std::string& name : lesson_.steps) {
            const auto step = answer.steps.find(name);
            all_given = all_given && step != answer.steps.end();
            if (step == answer.steps.end() || !step->second.value.defined()) continue;
            add(name, step->second, judged);
        }
        glassbox::DiagnosisOptions options;
        constexpr double patience = 2;  // seconds, for the search of each step
        options.effort = passes_in(judged.computation, patience);
        options.explained = explain ? 2 : 0;  // where the first has no known mistake, the next may have one
        options.unseen = !all_given;
        judged.diagnosis = diagnose(judged.computation, judged.handed, options);
        judged.outcome = {judged.work->of, {}, stopped(answer)};
        judged.outcome.diagnosis.unseen = judged.diagnosis.unseen;
        std::string wrong_before;
        bool has_no_size = answer.kind == Stop::no_size;
        for (const std::string& name : lesson_.steps) {
            judged.outcome.diagnosis.steps.push_back(step(name, judged, wrong_before, has_no_size));
            const StepDiagnosis& last = judged.outcome.diagnosis.steps.back();
            if (last.verdict == Verdict::missing) has_no_size = false;
            if (last.is_wrong()) wrong_before = name;
        }
    }

    static void add_numbers(const Answer& answer, std::vector<glassbox::real>& all) {
        for (const auto& [name, step] : answer.steps)
            if (step.value.defined())
                for (const glassbox::real x : step.value.values()) all.push_back(x);
    }

    // One number, or a row of them, would not say how all were rounded.
    static Tensor numbers_of(const std::vector<CaseWork>& works) {
        std::vector<glassbox::real> all;
        for (const CaseWork& work : works) add_numbers(work.answer, all);
        return Tensor({static_cast<index_t>(all.size())}, all);
    }
    static glassbox::Precision precision_of_all(const Answer& answer) {
        std::vector<glassbox::real> all;
        add_numbers(answer, all);
        return precision_of(Tensor({static_cast<index_t>(all.size())}, all));
    }

    // By how much they may be rounded, if all of the work has so many decimals; else empty.
    std::vector<double> half_widths(const Tensor& value) const {
        if (decimals_ == 0) return {};
        return std::vector<double>(static_cast<std::size_t>(value.numel()), 0.5 * std::pow(10, -decimals_));
    }

    // Whether no two axes could be exchanged: in the step's own shape they are in its order then.
    static bool has_one_order(const glassbox::Shape& shape) {
        std::set<index_t> sizes;
        return std::all_of(shape.begin(), shape.end(),
                           [&](index_t size) { return size == 1 || sizes.insert(size).second; });
    }

    // Its rows, where these are the computation's steps; and one array may stand for several steps.
    void add(const std::string& name, const Answer::Step& step, Judged& judged) const {
        const Tensors& golden = judged.work->golden;
        const std::vector<std::string> rows = check_.rows_of(name, golden);
        const Tensor in_own = in_shape(step.value, golden.at(name).shape());
        const Tensor own = rows.empty() && !is_once(name, in_own, judged) ? step.value : in_own;
        const bool fits = own.shape() == golden.at(name).shape();
        const bool any_order = judged.work->answer.any_order && !(fits && has_one_order(own.shape()));
        const HandedLayout layout = any_order ? HandedLayout::any : HandedLayout::ordered;
        const Tensor value = fits ? check_.what_counts(name, own, golden) : own;
        const bool is_one = value.numel() == 1 && own.numel() == 1;
        if (rows.empty())
            for (const std::string& path : check_.paths_of(name, golden))
                judged.handed.push_back(
                    {path, value, is_one ? half_widths(value) : std::vector<double>{}, layout});
        else if (fits)
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const Tensor row = select(value, 0, static_cast<index_t>(i));
                judged.handed.push_back({rows[i], row, half_widths(row), HandedLayout::ordered,
                                         precision_of_all(judged.work->answer)});
            }
    }

    // Why it cannot be compared. Rows can only be told apart in the step's own shape.
    std::string problem_of(const std::string& name, const Judged& judged) const {
        const Answer::Step& step = judged.work->answer.steps.at(name);
        const Tensors& golden = judged.work->golden;
        if (!step.problem.empty()) return step.problem;  // it may have no value
        const glassbox::Shape &given = step.value.shape(), &needed = golden.at(name).shape();
        if (in_shape(step.value, needed).shape() == needed || check_.rows_of(name, golden).empty()) return "";
        return fmt::format("its shape is {}, {} is needed", given, needed);
    }
    bool has_wrong_shape(const std::string& name, const Judged& judged) const {
        return !problem_of(name, judged).empty() ||
               said_of(name, judged).difference.starts_with("its shape is ");
    }

    StepDiagnosis step(const std::string& name, const Judged& judged, const std::string& wrong_before,
                       bool has_no_size) const {
        const auto saying = [&](Verdict verdict, const std::string& difference) {
            return StepDiagnosis{.path = name, .verdict = verdict, .difference = difference};
        };
        const auto given = judged.work->answer.steps.find(name);
        if (given == judged.work->answer.steps.end()) return saying(Verdict::not_given, "not in the file");
        const Answer::Step& answer = given->second;
        if (answer.problem == not_there)
            return saying(Verdict::missing, has_no_size ? "has no size yet" : not_there);
        if (const std::string problem = problem_of(name, judged); !problem.empty())
            return saying(Verdict::wrong, problem);
        const StepDiagnosis& said = said_of(name, judged);
        const Tensor value = in_shape(answer.value, judged.work->golden.at(name).shape());
        if (said.verdict == Verdict::right)
            return {.path = name, .verdict = said.verdict, .accepted = said.accepted};
        if (said.verdict == Verdict::inherited)
            return saying(said.verdict,
                          fmt::format("{}: follows from {}", glassbox::name(said.verdict), wrong_before));
        const std::string difference = is_once(name, value, judged)
                                           ? lesson::difference(value, judged.work->golden.at(name))
                                           : with_row(name, judged, said);
        const char* space = difference.starts_with('[') ? "" : " ";
        return saying(Verdict::wrong,
                      fmt::format("{}/{}{}{}", judged.work->of.name, name, space, difference));
    }

    // Whether the lesson has once what the computation has for every sequence: places are then the lesson's.
    bool is_once(const std::string& name, const Tensor& value, const Judged& judged) const {
        const Tensors& golden = judged.work->golden;
        return value.shape() == golden.at(name).shape() &&
               check_.what_counts(name, value, golden).numel() > value.numel();
    }

    // "[2] is 1, …" in row 1 of a step that has rows: "[1, 2] is 1, …".
    std::string with_row(const std::string& name, const Judged& judged, const StepDiagnosis& said) const {
        const std::vector<std::string> rows = check_.rows_of(name, judged.work->golden);
        const auto row = std::find(rows.begin(), rows.end(), said.path);
        if (row == rows.end()) return said.difference;
        const bool has_place = said.difference.starts_with('[');
        return fmt::format("[{}{}{}", row - rows.begin(), has_place ? ", " : "] ",
                           said.difference.substr(has_place ? 1 : 0));
    }

    // Of the first row that is wrong, if the step has rows; else of the first that an earlier step makes
    // wrong.
    const StepDiagnosis& said_of(const std::string& name, const Judged& judged) const {
        const StepDiagnosis* found = nullptr;
        for (const std::string& path : check_.judged_paths(name, judged.work->golden)) {
            const auto& steps = judged.diagnosis.steps;
            const StepDiagnosis& said = *std::find_if(steps.begin(), steps.end(),
                                                      [&](const StepDiagnosis& s) { return s.path == path; });
            if (said.verdict == Verdict::wrong) return said;
            if (!found || (said.verdict == Verdict::inherited && found->verdict == Verdict::right))
                found = &said;
        }
        return *found;
    }

    // With the last step that has a value.
    std::string stopped(const Answer& answer) const {
        if (answer.stopped.empty() || answer.stopped.starts_with(not_called)) return answer.stopped;
        std::string last;
        for (const std::string& name : lesson_.steps) {
            const auto step = answer.steps.find(name);
            if (step != answer.steps.end() && step->second.value.defined()) last = name;
        }
        return answer.stopped + (last.empty() ? " (no step had a value)"
                                              : fmt::format(" (the last step with a value: {})", last));
    }

    Hint hint(const Judged& judged) const {
        const StepDiagnosis* wrong = judged.outcome.first_wrong();
        const Answer& answer = judged.work->answer;
        const Ended ended = {answer.stopped, answer.kind};
        if (!wrong) return stopped_hint(lesson_, "", ended);
        const std::string& name = wrong->path;
        if (wrong->verdict == Verdict::missing) {
            return answer.stopped.empty() ? hint_of(lesson_, name + "/missing")
                                          : stopped_hint(lesson_, name, ended);
        }
        const Known known = explained(name, judged);
        const bool is_explained = !known.said.explanations.empty();
        // A wrong shape comes before what stops further on because of it.
        const bool has_shape = has_wrong_shape(name, judged);
        if (!is_explained && has_shape && !answer.stopped.empty()) return hint_of(lesson_, name + "/shape");
        const bool has_hint = !answer.stopped.empty() && lesson_.hints.count(name + "/stopped");
        if (!is_explained && (has_hint || stopped_in(*wrong, judged)))
            return stopped_hint(lesson_, name, ended);
        if (!is_explained && has_shape) return hint_of(lesson_, name + "/shape");
        return with_nan(with_next(told(name, known, judged), known.said, judged),
                        answer.steps.at(name).value);
    }

    // What is known of a step that is wrong.
    struct Known {
        StepDiagnosis said;
        std::string where;  // "example, sizes": the cases that confirm it; empty: all
    };

    // The mistakes that every case confirms: those of this case, or of another, where each may be told from
    // what is alike in this one. Else those of this case alone, such as one that is made only where shapes
    // fit.
    Known explained(const std::string& name, const Judged& judged) const {
        Known known{said_of(name, judged), ""};
        std::vector<glassbox::Explanation> confirmed = confirmed_of(known.said, name, judged);
        for (const Judged& other : cases_) {
            if (known.said.explanations.empty() || !confirmed.empty()) break;
            if (&other == &judged || other.outcome.absent || !is_wrong_at(name, other)) continue;
            Judged again{other.work, {}, {}, {}, {.of = other.work->of}};
            compare(again, true);
            confirmed = confirmed_of(said_of(name, again), name, other);
        }
        if (confirmed.empty()) return made_somewhere(known, name, judged);
        known.said.explanations = confirmed;
        return known;
    }

    std::vector<glassbox::Explanation> confirmed_of(const StepDiagnosis& said, const std::string& name,
                                                    const Judged& judged) const {
        std::vector<glassbox::Explanation> confirmed;
        for (const glassbox::Explanation& each : said.explanations)
            if (const auto found = confirmed_by_all(each, judged, name, said.path))
                confirmed.push_back(*found);
        return confirmed;
    }

    bool is_wrong_at(const std::string& name, const Judged& judged) const {
        const StepDiagnosis* wrong = judged.outcome.first_wrong();
        return wrong && wrong->path == name && wrong->verdict == Verdict::wrong &&
               problem_of(name, judged).empty();
    }

    // Those that explain most of the cases that are wrong there.
    Known made_somewhere(Known known, const std::string& name, const Judged& judged) const {
        std::vector<glassbox::Explanation> made;
        std::size_t most = 0;
        for (const glassbox::Explanation& each : known.said.explanations) {
            std::vector<std::string> where;
            for (const Judged& other : cases_)
                if (!other.outcome.absent && is_wrong_at(name, other) &&
                    explains(each, other, judged, name, known.said.path))
                    where.push_back(other.work->of.name);
            if (where.empty()) continue;
            const std::string cases = fmt::format("{}", fmt::join(where, ", "));
            if (where.size() > most) made.clear(), most = where.size(), known.where = cases;
            if (cases == known.where) made.push_back(each);
        }
        known.said.explanations = made;
        return known;
    }

    // A mistake gives the numbers of every case; where several are alike in one case, another may tell them
    // apart.
    std::optional<glassbox::Explanation> confirmed_by_all(glassbox::Explanation explanation,
                                                          const Judged& found, const std::string& name,
                                                          const std::string& at) const {
        explanation.alike.insert(explanation.alike.begin(), explanation.mistakes);
        std::erase_if(explanation.alike, [&](const std::vector<glassbox::PlacedMistake>& mistakes) {
            return !explains_all({mistakes, explanation.misfit}, found, name, at);
        });
        if (explanation.alike.empty()) return std::nullopt;
        explanation.mistakes = explanation.alike.front();
        return explanation;
    }

    Hint told(const std::string& name, const Known& known, const Judged& judged) const {
        Hint hint = mistake_hint(lesson_, name, known.said, judged.computation, paths(judged));
        if (!known.where.empty()) hint.text = fmt::format("In {}: {}", known.where, hint.text);
        return hint;
    }

    // A mistake about the order of things may only be known by a later step.
    Hint with_next(Hint hint, const StepDiagnosis& first, const Judged& judged) const {
        if (!first.explanations.empty()) return hint;
        bool is_behind = false;
        for (const StepDiagnosis& step : judged.outcome.diagnosis.steps) {
            const bool is_first = &step == judged.outcome.first_wrong();
            if (is_behind && step.verdict == Verdict::wrong && problem_of(step.path, judged).empty() &&
                !are_whole(judged.work->golden.at(step.path))) {
                const Known known = explained(step.path, judged);
                if (known.said.explanations.empty()) return hint;
                const Hint next = told(step.path, known, judged);
                return {hint.name + " + " + next.name,
                        fmt::format("{} And in {}: {}", hint.text, step.path, next.text), false,
                        next.mistakes};
            }
            is_behind = is_behind || is_first;
        }
        return hint;
    }

    // Choices, which many a mistake makes by chance.
    static bool are_whole(const Tensor& numbers) {
        const std::vector<glassbox::real> all = numbers.values();
        return std::all_of(all.begin(), all.end(), [](auto x) { return x == std::round(x); });
    }

    std::vector<std::string> paths(const Judged& judged) const {
        std::vector<std::string> all;
        for (const std::string& step : lesson_.steps)
            for (const std::string& path : check_.judged_paths(step, judged.work->golden))
                all.push_back(path);
        return all;
    }

    // A mistake gives the numbers of every case.
    bool explains_all(const glassbox::Explanation& explanation, const Judged& found, const std::string& name,
                      const std::string& found_at) const {
        return std::all_of(cases_.begin(), cases_.end(), [&](const Judged& other) {
            return other.outcome.absent || explains(explanation, other, found, name, found_at);
        });
    }

    // And of every row where it was found in one. A case with NaN where that in which it was found has none
    // has something else wrong, too, and tells nothing.
    bool explains(const glassbox::Explanation& explanation, const Judged& other, const Judged& found,
                  const std::string& name, const std::string& found_at) const {
        if (&other != &found && !other.work->answer.stopped.empty()) return true;
        if (has_own_nan(name, *other.work) && !has_own_nan(name, *found.work)) return true;
        const std::vector<std::string> paths = check_.judged_paths(name, other.work->golden);
        return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
            const auto made_with = [&](const std::vector<glassbox::PlacedMistake>& mistakes) {
                return reproduces(other.computation, other.handed, path, mistakes);
            };
            return (&other == &found && path == found_at) || made_with(explanation.mistakes) ||
                   made_with(over_axis_0(explanation.mistakes));
        });
    }

    // Whether it stopped when this step was being made: no later one has a value.
    bool stopped_in(const StepDiagnosis& wrong, const Judged& judged) const {
        const Answer& answer = judged.work->answer;
        if (answer.stopped.empty() || answer.kind == Stop::no_size) return false;
        const auto at = std::find(lesson_.steps.begin(), lesson_.steps.end(), wrong.path);
        return std::all_of(at + 1, lesson_.steps.end(), [&](const std::string& later) {
            const auto step = answer.steps.find(later);
            return step == answer.steps.end() || !step->second.value.defined();
        });
    }

    static std::ptrdiff_t nan_in(const Tensor& value) {
        const std::vector<glassbox::real> values = value.values();
        return std::count_if(values.begin(), values.end(), [](auto x) { return std::isnan(x); });
    }
    static bool has_own_nan(const std::string& name, const CaseWork& work) {
        const auto step = work.answer.steps.find(name);
        return step != work.answer.steps.end() && step->second.value.defined() &&
               nan_in(step->second.value) > nan_in(work.golden.at(name));
    }

    static Hint with_nan(Hint hint, const Tensor& value) {
        const std::ptrdiff_t count = nan_in(value);
        if (count > 0 && hint.text.find("NaN") == std::string::npos)
            hint.text = fmt::format(
                "{} of {} numbers are NaN, which comes of 0/0, ∞ − ∞ or the root of a "
                "negative number. {}",
                count, value.numel(), hint.text);
        return hint;
    }

    const Lesson& lesson_;
    const Check& check_;
    std::vector<Judged> cases_;
    int decimals_ = 0;  // to which all numbers of the work were rounded; 0: they were not
};

}  // namespace

std::vector<Outcome> Check::judge(const Lesson& lesson, const std::vector<CaseWork>& works) const {
    return Judge(lesson, *this).judge(works);
}

}  // namespace lesson
