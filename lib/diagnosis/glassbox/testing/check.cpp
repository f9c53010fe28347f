#include <glassbox/testing/check.h>

#include <ostream>

#include <glassbox/mistakes/diagnosis_text.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace {

// The live checks of this thread, in order of creation.
const std::shared_ptr<std::vector<const Check*>>& living() {
    thread_local const auto all = std::make_shared<std::vector<const Check*>>();
    return all;
}

const Check& latest() {
    if (living()->empty())
        fail(
            "is_step: no check exists on this thread: create one first, const auto key = "
            "glassbox::check([&] {{ … }});");
    return *living()->back();
}

Computation computation_of(std::function<void()> forward) {
    Trace trace;
    forward();
    std::string result;
    for (const Trace::Step& step : trace.steps())
        if (step.info) result = step.path;
    if (result.empty())
        fail("check: the computation names no step: call a layer or a model of Glassbox in it");
    return {std::move(forward), std::move(result)};
}

}  // namespace

std::string Checked::str() const {
    return diagnosis_text(diagnosis_, {.expected = expected_, .others = false});
}

std::ostream& operator<<(std::ostream& out, const Checked& found) { return out << found.str(); }

Check::Check(std::function<void()> forward, const CheckOptions& options)
    : computation_(computation_of(std::move(forward))), options_(options), list_(living()) {
    list_->push_back(this);
}

Check::~Check() { std::erase(*list_, this); }

Checked Check::step(const std::string& path, const Numbers& mine) const { return steps({{path, mine}}); }

Checked Check::result(const Numbers& mine) const { return step(computation_.result, mine); }

Checked Check::steps(const std::vector<std::pair<std::string, Numbers>>& mine) const {
    std::vector<SubmittedStep> submitted;
    for (const auto& [path, numbers] : mine) submitted.push_back({path, numbers.tensor()});
    return {diagnose(computation_, submitted, {.effort = options_.effort, .unseen = false}),
            options_.expected};
}

StepMatcher Check::is_step(const std::string& path) const { return {*this, path}; }
StepMatcher Check::is_result() const { return {*this, computation_.result}; }

StepMatcher is_step(const std::string& path) { return latest().is_step(path); }
StepMatcher is_result() { return latest().is_result(); }

}  // namespace glassbox
