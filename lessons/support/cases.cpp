// Each case of a work by itself: the library's computation is the answer key.
#include "cases.h"

#include <algorithm>
#include <cmath>

#include <glassbox/mistakes/right_pass.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "check.h"

namespace lesson {

using glassbox::Diagnosis;
using glassbox::index_t;
using glassbox::SubmittedLayout;
using glassbox::SubmittedStep;

namespace {

void add_numbers(const Answer& answer, std::vector<glassbox::real>& all) {
    for (const auto& [name, step] : answer.steps)
        if (step.value.defined())
            for (const glassbox::real x : step.value.values()) all.push_back(x);
}

// One number, or a row, would not show how all were rounded.
Tensor numbers_of(const std::vector<CaseWork>& works) {
    std::vector<glassbox::real> all;
    for (const CaseWork& work : works) add_numbers(work.answer, all);
    return Tensor({static_cast<index_t>(all.size())}, all);
}

glassbox::Precision precision_of_all(const Answer& answer) {
    std::vector<glassbox::real> all;
    add_numbers(answer, all);
    return precision_of(Tensor({static_cast<index_t>(all.size())}, all));
}

// Whether no two axes could be exchanged: in the step's own shape they are in its order then.
bool has_one_order(const glassbox::Shape& shape) {
    std::set<index_t> sizes;
    return shape.rank() > 1 && std::all_of(shape.begin(), shape.end(), [&](index_t size) {
               return size == 1 || sizes.insert(size).second;
           });
}

bool has_same_rank(const std::string& name, const Judged& a, const Judged& b) {
    return a.work->golden.at(name).rank() == b.work->golden.at(name).rank();
}

bool has_own_shape(const std::string& name, const Judged& judged) {
    const auto step = judged.work->answer.steps.find(name);
    return step != judged.work->answer.steps.end() && step->second.value.defined() &&
           step->second.value.shape() == judged.work->golden.at(name).shape();
}

bool shows_own_order(const std::string& name, const Judged& judged) {
    return has_own_shape(name, judged) && has_one_order(judged.work->golden.at(name).shape());
}

std::string accepted_at(const std::string& name, const Judged& judged) {
    for (const StepDiagnosis& step : judged.outcome.diagnosis.steps)
        if (step.path == name) return step.accepted;
    return "";
}

}  // namespace

Cases::Cases(const Lesson& lesson, const Check& check, const std::vector<CaseWork>& works)
    : lesson_(lesson), check_(check), decimals_(glassbox::decimals_of(numbers_of(works))) {
    cases_.reserve(works.size());
    for (const CaseWork& work : works) {
        Judged& judged = cases_.emplace_back(Judged{&work, {}, {}, {}, {.of = work.of, .absent = true}});
        if (!work.answer.absent) compare(judged, {.explained = 0});
    }
    for (Judged& judged : cases_)
        if (!judged.outcome.absent) read_in_order(judged);
}

void Cases::search(Judged& judged, const std::function<bool()>& before_pairs) const {
    glassbox::DiagnosisOptions options;
    options.explained = 6;  // one may be shown by a later step, and others be made there
    options.before_pairs = before_pairs;
    compare(judged, options);
    judged.is_searched = true;
}

void Cases::compare(Judged& judged, const glassbox::DiagnosisOptions& options) const {
    const Answer& answer = judged.work->answer;
    judged.submitted.clear();
    judged.computation = check_.computation(judged.work->golden);
    bool all_given = true;
    for (const std::string& name : lesson_.steps) {
        const auto step = answer.steps.find(name);
        all_given = all_given && step != answer.steps.end();
        if (step == answer.steps.end() || !step->second.value.defined()) continue;
        add(name, step->second, judged);
    }
    glassbox::DiagnosisOptions with_effort = options;
    constexpr double patience = 2;  // seconds, for the search of each step
    with_effort.effort = passes_in(judged.computation, patience);
    with_effort.unseen = !all_given;
    judged.diagnosis = diagnose(judged.computation, judged.submitted, with_effort);
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

// If the shape of another case shows that its axes are in their own order, they also are in this one.
void Cases::read_in_order(Judged& judged) const {
    bool any = false;
    for (const std::string& name : lesson_.steps) {
        const bool is_moved = has_own_shape(name, judged) &&
                              accepted_at(name, judged).find("axes in the order") != std::string::npos;
        if (is_moved && std::any_of(cases_.begin(), cases_.end(), [&](const Judged& other) {
                return has_same_rank(name, judged, other) && shows_own_order(name, other);
            }))
            any = judged.ordered.insert(name).second || any;
    }
    if (any) compare(judged, {.explained = 0});
}

std::vector<double> Cases::half_widths(const Tensor& value) const {
    if (decimals_ == 0) return {};
    return std::vector<double>(static_cast<std::size_t>(value.numel()), 0.5 * std::pow(10, -decimals_));
}

void Cases::add(const std::string& name, const Answer::Step& step, Judged& judged) const {
    const Tensors& golden = judged.work->golden;
    const std::vector<std::string> rows = check_.rows_of(name, golden);
    const Tensor in_own = in_shape(step.value, golden.at(name).shape());
    const Tensor own = rows.empty() && !is_once(name, in_own, judged) ? step.value : in_own;
    const bool fits = own.shape() == golden.at(name).shape();
    const bool any_order =
        judged.work->answer.any_order && !judged.ordered.count(name) && !(fits && has_one_order(own.shape()));
    const SubmittedLayout layout = any_order ? SubmittedLayout::any : SubmittedLayout::ordered;
    const Tensor value = fits ? check_.what_counts(name, own, golden) : own;
    const bool is_one = value.numel() == 1 && own.numel() == 1;
    if (rows.empty())
        for (const std::string& path : check_.paths_of(name, golden))
            judged.submitted.push_back(
                {path, value, is_one ? half_widths(value) : std::vector<double>{}, layout});
    else if (fits)
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Tensor row = select(value, 0, static_cast<index_t>(i));
            judged.submitted.push_back({rows[i], row, half_widths(row), SubmittedLayout::ordered,
                                        precision_of_all(judged.work->answer)});
        }
}

std::string Cases::problem_of(const std::string& name, const Judged& judged) const {
    const Answer::Step& step = judged.work->answer.steps.at(name);
    const Tensors& golden = judged.work->golden;
    if (!step.problem.empty()) return step.problem;  // it may have no value
    const glassbox::Shape &given = step.value.shape(), &needed = golden.at(name).shape();
    if (in_shape(step.value, needed).shape() == needed || check_.rows_of(name, golden).empty()) return "";
    return fmt::format("its shape is {}, expected {}", given, needed);
}

bool Cases::has_wrong_shape(const std::string& name, const Judged& judged) const {
    return !problem_of(name, judged).empty() ||
           diagnosis_of(name, judged).difference.starts_with("its shape is ");
}

StepDiagnosis Cases::step(const std::string& name, const Judged& judged, const std::string& wrong_before,
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
    const StepDiagnosis& diagnosis = diagnosis_of(name, judged);
    const Tensor value = in_shape(answer.value, judged.work->golden.at(name).shape());
    if (diagnosis.verdict == Verdict::right)
        return {.path = name, .verdict = diagnosis.verdict, .accepted = diagnosis.accepted};
    if (diagnosis.verdict == Verdict::inherited) return saying(diagnosis.verdict, follows_from(wrong_before));
    const std::string difference = is_once(name, value, judged)
                                       ? lesson::difference(value, judged.work->golden.at(name))
                                       : with_row(name, judged, diagnosis);
    const char* space = difference.starts_with('[') ? "" : " ";
    return saying(Verdict::wrong, fmt::format("{}/{}{}{}", judged.work->of.name, name, space, difference));
}

std::string follows_from(const std::string& step) {
    return fmt::format("{}: follows from {}", glassbox::name(Verdict::inherited), step);
}

bool Cases::is_once(const std::string& name, const Tensor& value, const Judged& judged) const {
    const Tensors& golden = judged.work->golden;
    return value.shape() == golden.at(name).shape() &&
           check_.what_counts(name, value, golden).numel() > value.numel();
}

std::string Cases::with_row(const std::string& name, const Judged& judged,
                            const StepDiagnosis& diagnosis) const {
    const std::vector<std::string> rows = check_.rows_of(name, judged.work->golden);
    const auto row = std::find(rows.begin(), rows.end(), diagnosis.path);
    if (row == rows.end()) return diagnosis.difference;
    const bool has_place = diagnosis.difference.starts_with('[');
    return fmt::format("[{}{}{}", row - rows.begin(), has_place ? ", " : "] ",
                       diagnosis.difference.substr(has_place ? 1 : 0));
}

const StepDiagnosis& Cases::diagnosis_of(const std::string& name, const Judged& judged) const {
    const StepDiagnosis* found = nullptr;
    for (const std::string& path : check_.judged_paths(name, judged.work->golden)) {
        const auto& steps = judged.diagnosis.steps;
        const StepDiagnosis& diagnosis =
            *std::find_if(steps.begin(), steps.end(), [&](const StepDiagnosis& s) { return s.path == path; });
        if (diagnosis.verdict == Verdict::wrong) return diagnosis;
        if (!found || (diagnosis.verdict == Verdict::inherited && found->verdict == Verdict::right))
            found = &diagnosis;
    }
    return *found;
}

std::string Cases::stopped(const Answer& answer) const {
    if (answer.stopped.empty() || answer.stopped.starts_with(not_called)) return answer.stopped;
    std::string last;
    for (const std::string& name : lesson_.steps) {
        const auto step = answer.steps.find(name);
        if (step != answer.steps.end() && step->second.value.defined()) last = name;
    }
    return answer.stopped +
           (last.empty() ? " (no step had a value)" : fmt::format(" (the last step with a value: {})", last));
}

bool Cases::is_wrong_at(const std::string& name, const Judged& judged) const {
    const auto& steps = judged.outcome.diagnosis.steps;
    return !judged.outcome.absent && std::any_of(steps.begin(), steps.end(), [&](const auto& step) {
        return step.path == name && step.verdict == Verdict::wrong && problem_of(name, judged).empty();
    });
}

bool Cases::are_choices(const std::string& name, const Judged& judged) const {
    if (!are_whole(judged.work->golden.at(name))) return false;
    const glassbox::RightPass right(judged.computation);
    const std::vector<std::string> paths = check_.judged_paths(name, judged.work->golden);
    const std::vector<std::size_t> before = right.leading_to(paths.front(), {});
    return std::any_of(before.begin(), before.end(),
                       [&](std::size_t at) { return !are_whole(right.steps()[at].made); });
}

bool are_whole(const Tensor& numbers) {
    const std::vector<glassbox::real> all = numbers.values();
    return std::all_of(all.begin(), all.end(), [](auto x) { return x == std::round(x); });
}

std::ptrdiff_t nan_in(const Tensor& value) {
    const std::vector<glassbox::real> values = value.values();
    return std::count_if(values.begin(), values.end(), [](auto x) { return std::isnan(x); });
}

bool has_own_nan(const std::string& name, const CaseWork& work) {
    const auto step = work.answer.steps.find(name);
    return step != work.answer.steps.end() && step->second.value.defined() &&
           nan_in(step->second.value) > nan_in(work.golden.at(name));
}

}  // namespace lesson
