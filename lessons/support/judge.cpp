// From the student's steps to the outcome: the library's computation is the answer key, its catalogue names
// the mistakes.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <glassbox/mistakes/detail/right_pass.h>
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
    bool is_searched = false;         // for the mistakes of its wrong steps
    std::set<std::string> ordered{};  // steps whose axes are in their own order
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
        for (std::size_t i = 0; i < cases_.size(); ++i)
            if (!works[i].answer.absent && read_in_order(cases_[i])) outcomes[i] = cases_[i].outcome;
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
    // Where the shape of another case shows that its axes are in their own order, they are in this one, too.
    bool read_in_order(Judged& judged) const {
        bool any = false;
        for (const std::string& name : lesson_.steps) {
            const bool is_moved = has_own_shape(name, judged) &&
                                  accepted_at(name, judged).find("axes in the order") != std::string::npos;
            if (is_moved && std::any_of(cases_.begin(), cases_.end(), [&](const Judged& other) {
                    return has_same_rank(name, judged, other) && shows_own_order(name, other);
                }))
                any = judged.ordered.insert(name).second || any;
        }
        if (!any) return false;
        judged.handed.clear();
        compare(judged, false);
        return true;
    }
    static bool has_same_rank(const std::string& name, const Judged& a, const Judged& b) {
        return a.work->golden.at(name).rank() == b.work->golden.at(name).rank();
    }
    static bool has_own_shape(const std::string& name, const Judged& judged) {
        const auto step = judged.work->answer.steps.find(name);
        return step != judged.work->answer.steps.end() && step->second.value.defined() &&
               step->second.value.shape() == judged.work->golden.at(name).shape();
    }
    static bool shows_own_order(const std::string& name, const Judged& judged) {
        return has_own_shape(name, judged) && has_one_order(judged.work->golden.at(name).shape());
    }
    static std::string accepted_at(const std::string& name, const Judged& judged) {
        for (const StepDiagnosis& step : judged.outcome.diagnosis.steps)
            if (step.path == name) return step.accepted;
        return "";
    }

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
        judged.is_searched = explain;
        options.explained = explain ? 6 : 0;  // one may be known by a later step, and others be made there
        options.unseen = !all_given;
        options.before_pairs = [this] { return !are_pre_norm(); };  // simpler than two mistakes
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
        return shape.rank() > 1 && std::all_of(shape.begin(), shape.end(), [&](index_t size) {
                   return size == 1 || sizes.insert(size).second;
               });
    }

    // Its rows, where these are the computation's steps; and one array may stand for several steps.
    void add(const std::string& name, const Answer::Step& step, Judged& judged) const {
        const Tensors& golden = judged.work->golden;
        const std::vector<std::string> rows = check_.rows_of(name, golden);
        const Tensor in_own = in_shape(step.value, golden.at(name).shape());
        const Tensor own = rows.empty() && !is_once(name, in_own, judged) ? step.value : in_own;
        const bool fits = own.shape() == golden.at(name).shape();
        const bool any_order = judged.work->answer.any_order && !judged.ordered.count(name) &&
                               !(fits && has_one_order(own.shape()));
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
        if (said.verdict == Verdict::inherited) return saying(said.verdict, follows_from(wrong_before));
        const std::string difference = is_once(name, value, judged)
                                           ? lesson::difference(value, judged.work->golden.at(name))
                                           : with_row(name, judged, said);
        const char* space = difference.starts_with('[') ? "" : " ";
        return saying(Verdict::wrong,
                      fmt::format("{}/{}{}{}", judged.work->of.name, name, space, difference));
    }

    static std::string follows_from(const std::string& step) {
        return fmt::format("{}: follows from {}", glassbox::name(Verdict::inherited), step);
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

    Hint hint(Judged& judged) const {
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
        let_follow(name, known, judged);
        const bool is_explained = !known.said.explanations.empty();
        // A wrong shape comes before what stops further on because of it.
        const bool has_shape = has_wrong_shape(name, judged);
        if (!is_explained && has_shape && !answer.stopped.empty()) return hint_of(lesson_, name + "/shape");
        const bool has_hint = !answer.stopped.empty() && lesson_.hints.count(name + "/stopped");
        if (!is_explained && (has_hint || stopped_in(*wrong, judged)))
            return stopped_hint(lesson_, name, ended);
        if (!is_explained && has_shape) return hint_of(lesson_, name + "/shape");
        if (!is_explained && are_pre_norm()) return pre_norm_hint();
        return with_nan(with_others(told(name, known, judged), name, known), answer.steps.at(name).value);
    }

    // Whether what comes out of the blocks is right in every case with the norms before the sublayers.
    bool are_pre_norm() const {
        return std::all_of(cases_.begin(), cases_.end(), [&](const Judged& judged) {
            return judged.outcome.absent || is_pre_norm(judged);
        });
    }
    bool is_pre_norm(const Judged& judged) const {
        Tensors golden = judged.work->golden;
        golden[pre_norm_setting] = Tensor::ones({1});
        const glassbox::Computation pre_norm = check_.computation(golden);
        const glassbox::RightPass right(pre_norm);
        std::vector<HandedIn> handed;
        for (HandedIn each : judged.handed) {
            const bool is_result = each.step == judged.computation.result;
            if (is_result) each.step = pre_norm.result;
            else if (is_of_block(each.step)) continue;
            const glassbox::RightPass::Step* step = right.find(each.step);
            if (step && !are_whole(step->made)) handed.push_back(each);
        }
        const Diagnosis found = diagnose(pre_norm, handed, {.explained = 0, .unseen = false});
        return !handed.empty() && found.all_right();
    }
    // Its norms and sums have other numbers then.
    static bool is_of_block(const std::string& path) {
        return glassbox::is_within(path, "norm1") || glassbox::is_within(path, "norm2") ||
               glassbox::is_within(path, "norm3") || path.find("residual") != path.npos ||
               path.find("_attn/") != path.npos || path.find("mlp/") != path.npos;
    }
    static Hint pre_norm_hint() {
        return {
            "pre-norm",
            "The norms come before the sublayers, x + Sublayer(LayerNorm(x)): with that all numbers behind "
            "the blocks are right. This block is post-norm, LayerNorm(x + Sublayer(x)).",
            true};
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
        std::optional<Judged> searched;
        if (!judged.is_searched) {
            searched.emplace(again(judged));
            known.said = said_of(name, *searched);
        }
        std::vector<glassbox::Explanation> confirmed = confirmed_of(known.said, name, judged);
        for (const Judged& other : cases_) {
            if (known.said.explanations.empty() || !confirmed.empty()) break;
            if (&other == &judged || !is_wrong_at(name, other)) continue;
            confirmed = confirmed_of(said_of(name, again(other)), name, other);
        }
        // A few whole numbers are those of many a mistake by chance.
        if (confirmed.empty() && !are_choices(name, judged)) return made_somewhere(known, name, judged);
        known.said.explanations = confirmed;
        return known;
    }

    // With the mistakes of its wrong steps.
    Judged again(const Judged& judged) const {
        Judged searched{judged.work, {}, {}, {}, {.of = judged.work->of}};
        compare(searched, true);
        return searched;
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
        const auto& steps = judged.outcome.diagnosis.steps;
        return !judged.outcome.absent && std::any_of(steps.begin(), steps.end(), [&](const auto& step) {
            return step.path == name && step.verdict == Verdict::wrong && problem_of(name, judged).empty();
        });
    }

    // What a model writes by itself follows from no step that was handed in: it is judged by the mistake.
    void let_follow(const std::string& first, const Known& known, Judged& judged) const {
        if (known.said.explanations.empty()) return;
        for (StepDiagnosis& step : judged.outcome.diagnosis.steps)
            if (step.path != first && step.verdict == Verdict::wrong && are_choices(step.path, judged) &&
                explains({known.said.explanations.front().mistakes, 0}, judged, judged, step.path, ""))
                step = {.path = step.path, .verdict = Verdict::inherited, .difference = follows_from(first)};
    }

    // Those that explain most of the cases that are wrong there.
    Known made_somewhere(Known known, const std::string& name, const Judged& judged) const {
        std::vector<glassbox::Explanation> made;
        std::size_t most = 0;
        for (const glassbox::Explanation& each : known.said.explanations) {
            std::vector<std::string> where;
            for (const Judged& other : cases_)
                if (is_wrong_at(name, other) && explains(each, other, judged, name, known.said.path))
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
        Hint hint = mistake_hint(lesson_, name, known.said, judged.computation, paths(judged),
                                 judged.work->of.name + "/" + name);
        if (!known.where.empty()) hint.text = fmt::format("In {}: {}", known.where, hint.text);
        return hint;
    }

    // And what else is wrong further on, in any case: another mistake, or one about the order of things,
    // which may only be known by a later step.
    Hint with_others(Hint hint, const std::string& first, const Known& known) const {
        std::set<const glassbox::Mistake*> said;
        const auto add = [&](const StepDiagnosis& step) {
            bool is_new = false;
            for (const glassbox::Explanation& each : step.explanations)
                for (const glassbox::PlacedMistake& placed : each.mistakes)
                    is_new = said.insert(placed.mistake).second || is_new;
            return is_new;
        };
        const bool is_known = add(known.said);
        constexpr int most = 2;
        int others = 0;
        for (auto step = std::find(lesson_.steps.begin(), lesson_.steps.end(), first) + 1;
             step != lesson_.steps.end() && others < most; ++step) {
            const Judged* const where = wrong_at(*step);
            if (!where) continue;
            const Known next = explained(*step, *where);
            if (next.said.explanations.empty() || !add(next.said)) continue;
            const Hint other = told(*step, next, *where);
            if (!is_known && others == 0) hint.name += " + " + other.name;
            hint.text += fmt::format(" And in {}: {}", *step, other.text);
            hint.mistakes.insert(hint.mistakes.end(), other.mistakes.begin(), other.mistakes.end());
            ++others;
        }
        return hint;
    }
    // The first case in which this step does not follow from those before it, if its numbers tell anything.
    const Judged* wrong_at(const std::string& name) const {
        for (const Judged& judged : cases_)
            if (is_wrong_at(name, judged) && !has_own_nan(name, *judged.work) && !are_choices(name, judged))
                return &judged;
        return nullptr;
    }

    // Whether they are chosen by scores, such as written tokens: many a mistake makes the same by chance.
    bool are_choices(const std::string& name, const Judged& judged) const {
        if (!are_whole(judged.work->golden.at(name))) return false;
        const glassbox::RightPass right(judged.computation);
        const std::vector<std::string> paths = check_.judged_paths(name, judged.work->golden);
        const std::vector<std::size_t> before = right.leading_to(paths.front(), {});
        return std::any_of(before.begin(), before.end(),
                           [&](std::size_t at) { return !are_whole(right.steps()[at].made); });
    }
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
