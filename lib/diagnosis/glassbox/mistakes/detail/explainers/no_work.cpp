#include <glassbox/mistakes/detail/no_work.h>

#include <glassbox/mistakes/detail/explainers/explainer.h>

namespace glassbox::detail {

// After submitted steps many mistakes leave zeros: then the catalogue is tried first.
Candidates one_number(const Unexplained& step) {
    const bool is_known = step.work.has_earlier(step.submitted) || step.options.is_possible;
    return is_known ? Candidates{} : evident(constant_text(step.submitted));
}

Candidates unchanged_input(const Unexplained& step) {
    const std::string constant = constant_text(step.submitted);
    return evident(constant.empty() ? input_like(step.work, step.submitted) : constant);
}

}  // namespace glassbox::detail
