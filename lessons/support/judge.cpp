// From the student's steps to the outcome: each step's verdict (cases.h), why the first is wrong (reasons.h),
// and its hint (hints.h).
#include <algorithm>
#include <set>

#include <glassbox/tensor/format.h>

#include "check.h"
#include "reasons.h"

namespace lesson {

namespace {

class Judge {
  public:
    Judge(const Lesson& lesson, const Check& check, const std::vector<CaseWork>& works)
        : lesson_(lesson), check_(check), cases_(lesson, check, works), reasons_(check, cases_) {}

    std::vector<Outcome> judge() {
        std::vector<Outcome> outcomes;
        for (const Judged& each : cases_.all()) outcomes.push_back(each.outcome);
        if (const Outcome* failed = first_failed(outcomes); failed && !failed->absent) {
            const auto place = static_cast<std::size_t>(failed - outcomes.data());
            Judged& judged = cases_.all()[place];
            reasons_.search(judged);
            judged.outcome.hint = hint(judged);
            outcomes[place] = judged.outcome;
        }
        return outcomes;
    }

  private:
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
        const Known known = reasons_.explained(name, judged);
        reasons_.let_follow(name, known, judged);
        const bool is_explained = !known.diagnosis.explanations.empty();
        // A wrong shape comes before what stops further on because of it.
        const bool has_shape = cases_.has_wrong_shape(name, judged);
        if (!is_explained && has_shape && !answer.stopped.empty()) return hint_of(lesson_, name + "/shape");
        const bool has_hint = !answer.stopped.empty() && lesson_.hints.count(name + "/stopped");
        if (!is_explained && (has_hint || stopped_in(*wrong, judged)))
            return stopped_hint(lesson_, name, ended);
        if (!is_explained && has_shape) return hint_of(lesson_, name + "/shape");
        if (!is_explained && reasons_.are_pre_norm()) return pre_norm_hint();
        return with_nan(with_others(told(name, known, judged), name, known), answer.steps.at(name).value);
    }

    static Hint pre_norm_hint() {
        return {"pre-norm",
                "The norms come before the sublayers, x + Sublayer(LayerNorm(x)): with that, all numbers "
                "after the blocks are right. This block is post-norm, LayerNorm(x + Sublayer(x)).",
                true};
    }

    Hint told(const std::string& name, const Known& known, const Judged& judged) const {
        Hint hint = mistake_hint(lesson_, name, known.diagnosis, judged.computation, paths(judged),
                                 judged.work->of.name + "/" + name);
        if (!known.where.empty())
            hint.text = fmt::format("Only in {} this gives the numbers: {}", known.where, hint.text);
        return hint;
    }

    // And what else is wrong further on, in any case: another mistake, or one about the order of things,
    // which may only be known by a later step.
    Hint with_others(Hint hint, const std::string& first, const Known& known) const {
        std::set<const glassbox::Mistake*> reported;
        // Whether it is none of those already reported, nor gives the same numbers as they do.
        const auto add = [&](const StepDiagnosis& step) {
            bool is_new = !step.explanations.empty();
            std::vector<const glassbox::Mistake*> all;
            for (const glassbox::Explanation& each : step.explanations) {
                std::vector<std::vector<glassbox::PlacedMistake>> alike = each.alike;
                alike.push_back(each.mistakes);
                for (const std::vector<glassbox::PlacedMistake>& mistakes : alike) {
                    is_new =
                        is_new && !std::all_of(mistakes.begin(), mistakes.end(), [&](const auto& placed) {
                            return reported.count(placed.mistake) > 0;
                        });
                    for (const glassbox::PlacedMistake& placed : mistakes) all.push_back(placed.mistake);
                }
            }
            reported.insert(all.begin(), all.end());
            return is_new;
        };
        const bool is_known = add(known.diagnosis);
        constexpr int max_others = 2;
        int others = 0;
        for (auto step = std::find(lesson_.steps.begin(), lesson_.steps.end(), first) + 1;
             step != lesson_.steps.end() && others < max_others; ++step) {
            const Judged* const where = wrong_at(*step);
            if (!where) continue;
            const Known next = reasons_.explained(*step, *where);
            if (next.diagnosis.explanations.empty() || !add(next.diagnosis)) continue;
            const Hint other = told(*step, next, *where);
            if (!is_known && others == 0) hint.name += " + " + other.name;
            hint.text += fmt::format(" And in {}: {}", *step, other.text);
            hint.mistakes.insert(hint.mistakes.end(), other.mistakes.begin(), other.mistakes.end());
            ++others;
        }
        return hint;
    }

    // The first case in which this step does not follow from those before it, if its numbers show it.
    const Judged* wrong_at(const std::string& name) const {
        for (const Judged& judged : cases_.all())
            if (cases_.is_wrong_at(name, judged) && !has_own_nan(name, *judged.work) &&
                !cases_.are_choices(name, judged))
                return &judged;
        return nullptr;
    }

    std::vector<std::string> paths(const Judged& judged) const {
        std::vector<std::string> all;
        for (const std::string& step : lesson_.steps)
            for (const std::string& path : check_.judged_paths(step, judged.work->golden))
                all.push_back(path);
        return all;
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

    static Hint with_nan(Hint hint, const Tensor& value) {
        const std::ptrdiff_t count = nan_in(value);
        if (count > 0 && hint.text.find("NaN") == std::string::npos)
            hint.text = fmt::format(
                "{} of {} numbers are NaN, which results from 0/0, ∞ − ∞ or the root of a negative number. "
                "{}",
                count, value.numel(), hint.text);
        return hint;
    }

    const Lesson& lesson_;
    const Check& check_;
    Cases cases_;
    Reasons reasons_;
};

}  // namespace

std::vector<Outcome> Check::judge(const Lesson& lesson, const std::vector<CaseWork>& works) const {
    return Judge(lesson, *this, works).judge();
}

}  // namespace lesson
