#include <glassbox/mistakes/detail/no_work.h>

#include <glassbox/mistakes/detail/explainers/explainer.h>

namespace glassbox::detail {

// After submitted steps many mistakes leave zeros: then the catalogue is tried first.
Candidates one_number(const Unexplained& step) {
    return step.work.has_earlier(step.handed) ? Candidates{} : evident(constant_text(step.handed));
}

Candidates unchanged_input(const Unexplained& step) {
    const std::string constant = constant_text(step.handed);
    return evident(constant.empty() ? input_like(step.work, step.handed) : constant);
}

}  // namespace glassbox::detail
