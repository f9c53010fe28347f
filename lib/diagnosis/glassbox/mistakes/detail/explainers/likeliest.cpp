#include <algorithm>

#include <glassbox/mistakes/detail/evidence.h>
#include <glassbox/mistakes/detail/explainers/explainer.h>
#include <glassbox/mistakes/detail/no_work.h>

namespace glassbox::detail {

namespace {

using Explanations = std::vector<Explanation>;

// Not a mistake that would have made an earlier submitted step wrong that is right.
void keep_possible(const Unexplained& step, Explanations& found) {
    if (found.size() < 2) return;
    Explanations possible;
    for (const Explanation& each : found)
        if (std::all_of(step.work.submitted().begin(), step.work.submitted().end(),
                        [&](const Submitted& earlier) {
                            return earlier.step >= step.submitted.step || !earlier.fits ||
                                   step.work.reproduces(earlier.step->path, each.mistakes);
                        }))
            possible.push_back(each);
    if (!possible.empty()) found = possible;
}

// What explains an earlier step is also likelier here.
void keep_named(const Unexplained& step, Explanations& found) {
    Explanations again;
    for (const Explanation& each : found)
        if (each.mistakes.size() == 1 && step.named.count(each.mistakes.front().mistake) > 0)
            again.push_back(each);
    if (!again.empty()) found = again;
}

bool is_by_one_line(const Submitted& submitted, const Mistake& mistake) {
    return mistake.lines.size() == 1 ||
           (mistake.is_of_last_line && submitted.step->info &&
            mistake.lines.back().at.is(*submitted.step->info, submitted.step->operation));
}

// The submitted steps after this one that other lines of the mistake concern.
std::vector<const Submitted*> later_steps(const Unexplained& step, const Mistake& mistake) {
    std::vector<const Submitted*> steps;
    for (const Submitted& later : step.work.submitted()) {
        if (later.step <= step.submitted.step || !later.fits) continue;
        if (std::any_of(mistake.lines.begin() + 1, mistake.lines.end(), [&](const Mistake::Line& line) {
                return line.at.is(*later.step->info, later.step->operation);
            }))
            steps.push_back(&later);
    }
    return steps;
}

// A mistake of several lines also predicts later steps: if these were submitted, it must reproduce them, and
// is then the better explanation. Else a mistake of a single line is, and is named beside it. A step's own
// mistake is named rather than the same one of a helper.
void keep_consistent(const Unexplained& step, Explanations& found) {
    Explanations single_lines, of_helpers, with_later, undecided;
    for (Explanation& each : found) {
        const Mistake& mistake = *each.mistakes.front().mistake;
        if (is_by_one_line(step.submitted, mistake)) {
            (mistake.lines.front().at.steps.empty() ? of_helpers : single_lines).push_back(each);
            continue;
        }
        const std::vector<const Submitted*> later = later_steps(step, mistake);
        if (later.empty()) undecided.push_back(each);
        else if (std::all_of(later.begin(), later.end(), [&](const Submitted* other) {
                     return step.work.reproduces(other->step->path, each.mistakes);
                 }))
            with_later.push_back(each);
    }
    Explanations& simplest = single_lines.empty() ? of_helpers : single_lines;
    if (!with_later.empty()) found = with_later;
    else if (!simplest.empty()) found = simplest;
    else if (!undecided.empty()) found = undecided;
    if (with_later.empty() && !simplest.empty())
        for (const Explanation& each : undecided) found.front().alike.push_back(each.mistakes);
}

// All-zero or unchanged numbers are explained only by a mistake in this step: many earlier mistakes leave
// zeros or the input as it is. Not so if they also give another case.
void keep_of_the_step(const Unexplained& step, Explanations& found) {
    if (found.empty() || step.options.is_possible || !unchanged_input(step).is_known()) return;
    std::erase_if(found, [&](const Explanation& each) {
        return std::none_of(each.mistakes.begin(), each.mistakes.end(), [&](const PlacedMistake& mistake) {
            return is_made_in(mistake, *step.submitted.step);
        });
    });
}

}  // namespace

std::vector<Explanation> likeliest(const Unexplained& step, std::vector<Explanation> found) {
    keep_possible(step, found);
    keep_named(step, found);
    keep_consistent(step, found);
    keep_of_the_step(step, found);
    return found;
}

}  // namespace glassbox::detail
