#include <algorithm>

#include <glassbox/mistakes/detail/explainers/explainer.h>

// The mistakes of the catalogue, by how many of them are made, and where (detail/search.h).
namespace glassbox::detail {

Candidates one_mistake(const Unexplained& step) { return {likeliest(step, step.search.single())}; }

// The search without the steps whose axes were accepted in another order.
Candidates mistaken_order(const Unexplained& step) {
    WrongStep wrong = step.work.wrong_step(step.submitted);
    bool any = false;
    for (const Submitted& each : step.work.submitted())
        if (each.step < step.submitted.step && each.fits && !each.reading.how.empty())
            any = wrong.given.erase(each.step->path) > 0 || any;
    if (!any) return {};
    return {likeliest(step, Search(wrong, step.options).single())};
}

Candidates broken_rule(const Unexplained& step) { return {step.search.shown()}; }

Candidates mistake_in_part(const Unexplained& step) { return {step.search.partial()}; }

// What no line of the catalogue is, by what it changes in a formula.
Candidates one_change(const Unexplained& step) { return {step.search.one_change()}; }
Candidates two_changes(const Unexplained& step) {
    return step.options.pairs ? Candidates{step.search.two_changes()} : Candidates{};
}

Candidates two_mistakes(const Unexplained& step) {
    if (!step.options.pairs) return {.are_all = step.search.is_complete()};
    if (step.options.before_pairs && !step.options.before_pairs()) return {.are_all = false};
    std::vector<Explanation> found = step.search.pairs();
    return {std::move(found), "", false, step.search.is_complete()};
}

// Only what the catalogue's choices cover is right.
Candidates free_choice(const Unexplained& step) { return {step.search.choices()}; }

}  // namespace glassbox::detail
