#include <glassbox/mistakes/detail/evidence.h>

#include <algorithm>

#include <glassbox/mistakes/detail/no_work.h>
#include <glassbox/mistakes/detail/tolerance.h>

namespace glassbox::detail {

bool shows(const Computation& computation, const Evidence& evidence, const std::set<std::string>& steps) {
    const std::string& path = evidence.step->path;
    Pass pass;
    pass.given = evidence.given;
    pass.mistakes = evidence.mistakes;
    const Tensor made = pass.value_at(computation, path);
    if (!made.defined()) return false;
    const std::vector<double> tolerance = Tolerances::at(computation, pass, evidence.precision, path, made);
    pass.nudged = &steps;
    const Tensor other = pass.value_at(computation, path);
    if (!other.defined() || other.shape() != made.shape()) return true;
    return !compare(other, made, tolerance, evidence.half_width).agrees;
}

bool is_made_in(const PlacedMistake& placed, const RightPass::Step& step) {
    return is_within(step.path, placed.place) && step.info &&
           std::any_of(placed.mistake->lines.begin(), placed.mistake->lines.end(),
                       [&](const Mistake::Line& line) { return line.at.is(*step.info, step.operation); });
}

namespace {

std::set<std::string> given_before(const Work& work, const Submitted& submitted) {
    std::set<std::string> paths;
    for (const Submitted& each : work.submitted())
        if (each.step < submitted.step && each.fits && !each.step->is_input) paths.insert(each.step->path);
    return paths;
}

bool is_any_made_in(const std::vector<PlacedMistake>& mistakes, const RightPass::Step& step) {
    return std::any_of(mistakes.begin(), mistakes.end(),
                       [&](const PlacedMistake& each) { return is_made_in(each, step); });
}

// Only what is right, or explained by known mistakes so far, can show that others are right: copied numbers
// also fit each other. A wrong step earns its points if the mistakes are in other steps and its numbers show
// that only those went wrong. An unchanged input, or one number everywhere, shows nothing.
class Earning {
  public:
    Earning(const Work& work, Diagnosis& all) : work_(work), all_(all) {}

    void set() {
        for (StepDiagnosis& diagnosis : all_.steps) {
            const Submitted* submitted = work_.find(diagnosis.path);
            if (diagnosis.is_input) is_explained_ = is_explained_ && diagnosis.verdict != Verdict::wrong;
            if (submitted && !diagnosis.is_input) set_given(*submitted, diagnosis);
        }
        for (StepDiagnosis& diagnosis : all_.steps) {
            diagnosis.is_asked = asked_.count(diagnosis.path) > 0;
            if (diagnosis.verdict == Verdict::not_given && !diagnosis.is_input) set_not_given(diagnosis);
        }
    }

  private:
    void set_given(const Submitted& submitted, StepDiagnosis& diagnosis) {
        const Computation& computation = work_.computation();
        const std::set<std::string> before = work_.steps_before(diagnosis.path);
        asked_.insert(before.begin(), before.end()), asked_.insert(diagnosis.path);
        const bool is_work = is_own_work(work_, submitted), is_right = diagnosis.verdict == Verdict::right;
        Evidence each{submitted.step, submitted.precision, submitted.reading.half_width};
        if (!is_right) each.given = &work_.given();
        if (diagnosis.verdict == Verdict::wrong) {
            is_explained_ = is_explained_ && !diagnosis.explanations.empty();
            if (is_explained_) each.mistakes = diagnosis.explanations.front().mistakes;
            made_.insert(made_.end(), each.mistakes.begin(), each.mistakes.end());
            diagnosis.is_mistaken = !is_explained_ || is_any_made_in(each.mistakes, *submitted.step);
            diagnosis.earned = !diagnosis.is_mistaken && is_work && shows(computation, each, before);
        } else {
            diagnosis.earned = is_right || (is_explained_ && is_work &&
                                            shows(computation, each, given_before(work_, submitted)));
        }
        if (is_right && is_work) shown_.insert(before.begin(), before.end());
        is_result_right_ = is_result_right_ || (is_right && diagnosis.path == computation.result);
        if (is_right || (is_explained_ && is_work)) evidence_.push_back(std::move(each));
    }

    void set_not_given(StepDiagnosis& diagnosis) const {
        const RightPass::Step& step = *work_.right().find(diagnosis.path);
        diagnosis.is_mistaken = is_any_made_in(made_, step);
        diagnosis.earned = is_result_right_ ||
                           (!diagnosis.is_mistaken && (shown_.count(diagnosis.path) > 0 || is_shown(step)));
    }

    bool is_shown(const RightPass::Step& step) const {
        return std::any_of(evidence_.begin(), evidence_.end(), [&](const Evidence& each) {
            return each.step > &step && shows(work_.computation(), each, {step.path});
        });
    }

    const Work& work_;
    Diagnosis& all_;
    bool is_explained_ = true, is_result_right_ = false;
    std::vector<Evidence> evidence_;
    std::vector<PlacedMistake> made_;
    std::set<std::string> asked_, shown_;  // what leads to submitted steps, and to right ones
};

}  // namespace

void set_earned(const Work& work, Diagnosis& all) { Earning(work, all).set(); }

}  // namespace glassbox::detail
