#include <glassbox/mistakes/diagnosis.h>

#include <algorithm>

#include <glassbox/mistakes/detail/evidence.h>
#include <glassbox/mistakes/detail/explainers/explainer.h>
#include <glassbox/mistakes/power.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace {

void add_accepted(StepDiagnosis& diagnosis, const std::string& what) {
    diagnosis.accepted += (diagnosis.accepted.empty() ? "" : ", ") + what;
}

// Each submitted step: right, right for what it was given, or wrong, and then why.
class Judge {
  public:
    Judge(const Work& work, const DiagnosisOptions& options) : work_(work), options_(options) {}

    Diagnosis diagnosis() {
        const StepValues following = work_.following();
        Diagnosis all;
        for (const RightPass::Step& step : work_.right().steps()) {
            StepDiagnosis& diagnosis = all.steps.emplace_back();
            diagnosis.path = step.path, diagnosis.info = step.info, diagnosis.is_input = step.is_input;
            if (const Submitted* submitted = work_.find(step.path))
                judge(*submitted, following, diagnosis, all);
        }
        if (!work_.submitted().empty() && !work_.has_work()) blame_result(all);
        if (options_.earned) set_earned(work_, all);
        if (options_.unseen && all.all_right() && work_.submitted().size() < work_.right().steps().size())
            all.unseen = unseen();
        return all;
    }

  private:
    void judge(const Submitted& submitted, const StepValues& following, StepDiagnosis& diagnosis,
               Diagnosis& all) {
        if (submitted.fits) compare_numbers(submitted, following, diagnosis);
        else {
            diagnosis.verdict = Verdict::wrong;
            diagnosis.difference =
                fmt::format("its shape is {}, expected {}", submitted.as_given->value.shape(),
                            submitted.step->made.shape());
        }
        if (diagnosis.verdict == Verdict::wrong && !diagnosis.is_too_coarse)
            explain(submitted, diagnosis, all);
    }

    // With what is right, then with what follows from the steps before it.
    void compare_numbers(const Submitted& submitted, const StepValues& following,
                         StepDiagnosis& diagnosis) const {
        const RightPass::Step& step = *submitted.step;
        const std::vector<double>& half_width = submitted.reading.half_width;
        const Tensor given = comparable(step, submitted.reading.value);
        const std::vector<double> tolerance = work_.right_tolerance(step, submitted.precision);
        const WithinTolerance found = compare(given, step.made, tolerance, half_width);
        diagnosis.accepted = submitted.reading.how;
        if (found.agrees) return accept(submitted, tolerance, diagnosis);
        diagnosis.verdict = Verdict::wrong;
        diagnosis.difference = shown_difference(as_counted(submitted, given), step.made, found);
        const auto allowed_at = [&](const std::vector<double>& computed, std::size_t i) {
            return computed[i] + (i < half_width.size() ? half_width[i] : 0);
        };
        diagnosis.tolerance = allowed_at(tolerance, found.first);
        const auto own = following.find(step.path);
        if (own == following.end() || own->second.shape() != given.shape() || !work_.has_earlier(submitted))
            return;
        const std::vector<double> allowed = work_.own_tolerance(submitted, own->second);
        const WithinTolerance from_own = compare(comparable(step, given), own->second, allowed, half_width);
        if (from_own.agrees) diagnosis.verdict = Verdict::inherited;
        else {
            diagnosis.difference = shown_difference(as_counted(submitted, given), own->second, from_own);
            diagnosis.tolerance = allowed_at(allowed, from_own.first);
        }
    }

    void accept(const Submitted& submitted, const std::vector<double>& tolerance,
                StepDiagnosis& diagnosis) const {
        if (const std::string as_near = hidden_by_rounding(work_, submitted, tolerance); !as_near.empty()) {
            diagnosis.verdict = Verdict::wrong, diagnosis.is_too_coarse = diagnosis.is_evident = true;
            diagnosis.difference = "is rounded too coarsely to judge";
            diagnosis.looks_like = fmt::format("With so few digits {} would pass too", as_near);
            return;
        }
        diagnosis.verdict = Verdict::right;
        if (submitted.precision.unit > library_precision().unit)
            add_accepted(diagnosis, submitted.precision.name);
        if (submitted.decimals > 0)
            add_accepted(diagnosis, fmt::format("rounded to {} decimals", submitted.decimals));
        if (has_one_decimal(submitted.step->made, tolerance, submitted.reading))
            add_accepted(diagnosis, "rounded to one decimal: two or more reveal more mistakes");
        for (const double each : tolerance) diagnosis.tolerance = std::max(diagnosis.tolerance, each);
    }

    // The simplest reasons first.
    void explain(const Submitted& submitted, StepDiagnosis& diagnosis, Diagnosis& all) {
        Search search(work_.wrong_step(submitted), options_);
        const Unexplained step{work_, submitted, options_, named_, search};
        Candidates found = other_layout(step);
        const bool is_searched = options_.explained < 0 || explained_ < options_.explained;
        if (!found.is_known()) {
            ++explained_;
            if (!is_searched) found = free_choice(step);
            else
                for (Explainer* each :
                     {one_number, one_mistake, mistaken_order, broken_rule, unchanged_input, mistake_in_part,
                      exchanged_weights, one_change, two_mistakes, two_changes, other_step, looks}) {
                    found = each(step);
                    all.searched_all = all.searched_all && found.are_all;
                    if (found.is_known()) break;
                }
        }
        if (search.pairs_left() > all.left) all.tried = search.pairs_tried(), all.left = search.pairs_left();
        diagnosis.looks_like = found.looks_like, diagnosis.is_evident = found.is_evident;
        diagnosis.explanations = std::move(found.mistakes);
        std::erase_if(diagnosis.explanations,
                      [&](const Explanation& each) { return changes_right(each, all); });
        for (const Explanation& each : diagnosis.explanations)
            if (each.mistakes.size() == 1 && !each.mistakes.front().part)
                named_.insert(each.mistakes.front().mistake);
        accept_choice(diagnosis);
    }

    // Whether it would change an earlier submitted step that is right: where it is made leads to both.
    bool changes_right(const Explanation& explanation, const Diagnosis& all) const {
        const std::string& wrong = all.steps.back().path;
        return std::any_of(all.steps.begin(), all.steps.end(), [&](const StepDiagnosis& step) {
            return step.verdict == Verdict::right && !step.is_input &&
                   work_.share_site(wrong, step.path, explanation.mistakes) &&
                   !work_.reproduces(step.path, explanation.mistakes);
        });
    }

    // A free choice is not a mistake.
    static void accept_choice(StepDiagnosis& diagnosis) {
        const auto is_choice = [](const PlacedMistake& each) {
            return each.mistake->kind == MistakeKind::choice;
        };
        for (const Explanation& each : diagnosis.explanations) {
            if (!std::all_of(each.mistakes.begin(), each.mistakes.end(), is_choice)) continue;
            diagnosis.verdict = Verdict::right;
            add_accepted(diagnosis, each.mistakes.front().mistake->sentence);
            diagnosis.explanations.clear(), diagnosis.difference.clear();
            return;
        }
    }

    // Of inputs only.
    void blame_result(Diagnosis& all) const {
        if (!all.all_right()) return;
        std::vector<std::string> inputs;
        for (const Submitted& each : work_.submitted()) inputs.push_back(each.step->path);
        for (StepDiagnosis& step : all.steps) {
            if (step.path != work_.computation().result) continue;
            step.verdict = Verdict::wrong, step.is_evident = true;
            step.difference = "not submitted";
            step.looks_like =
                fmt::format("Only {} was submitted, {}, unchanged: no step was computed",
                            fmt::join(inputs, ", "), inputs.size() == 1 ? "an input" : "inputs");
        }
    }

    // The mistakes that leave every submitted step unchanged within rounding.
    std::vector<const Mistake*> unseen() const {
        std::vector<std::string> paths;
        std::vector<SubmittedStep> rounded;
        for (const Submitted& each : work_.submitted()) {
            paths.push_back(each.step->path);
            const bool is_coarse = each.precision.unit > library_precision().unit;
            if (is_coarse || !each.reading.half_width.empty())
                rounded.push_back({each.step->path, each.reading.value, each.reading.half_width,
                                   SubmittedLayout::any, each.precision});
        }
        std::vector<const Mistake*> hidden;
        for (const MistakePower& each : test_power(work_.computation(), paths, {}, rounded))
            if (!each.is_seen) hidden.push_back(each.mistake);
        return hidden;
    }

    const Work& work_;
    const DiagnosisOptions& options_;
    std::set<const Mistake*> named_;  // for the steps so far
    int explained_ = 0;               // wrong steps so far
};

}  // namespace

const StepDiagnosis* Diagnosis::first_wrong() const {
    const auto found =
        std::find_if(steps.begin(), steps.end(), [](const StepDiagnosis& step) { return step.is_wrong(); });
    return found == steps.end() ? nullptr : &*found;
}

Diagnosis diagnose(const Computation& computation, const std::vector<SubmittedStep>& submitted,
                   const DiagnosisOptions& options) {
    const Work work(computation, submitted);
    return Judge(work, options).diagnosis();
}

bool reproduces(const Computation& computation, const std::vector<SubmittedStep>& submitted,
                const std::string& path, const std::vector<PlacedMistake>& mistakes) {
    return Work(computation, submitted).reproduces(path, mistakes);
}

}  // namespace glassbox
