#include <glassbox/testing/step_matcher.h>

#include <ostream>
#include <utility>

#include <glassbox/testing/check.h>

namespace glassbox {

StepMatcher::StepMatcher(const Check& check, std::string path)
    : check_(&check), path_(std::move(path)), explanation_(std::make_shared<std::string>()) {}

bool StepMatcher::matches(const Numbers& mine) const {
    const Checked found = check_->step(path_, mine);
    *explanation_ = found.str();
    return static_cast<bool>(found);
}

bool StepMatcher::matches_and_says(const Numbers& mine, std::ostream* listener) const {
    const bool is_right = matches(mine);
    if (listener && !is_right) *listener << '\n' << explanation();
    return is_right;
}

std::string StepMatcher::explanation() const { return *explanation_; }

std::string StepMatcher::toString() const { return "is the step " + path_ + "\n" + explanation(); }

void StepMatcher::DescribeTo(std::ostream* out) const { *out << "is the step " << path_; }
void StepMatcher::DescribeNegationTo(std::ostream* out) const { *out << "is not the step " << path_; }

}  // namespace glassbox
