#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include <glassbox/mistakes/detail/changes.h>
#include <glassbox/mistakes/detail/search.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

// A step with the formula that it is computed by.
struct Search::ChangedStep {
    const StepInfo* info;
    Formula formula;

    // By how much its text grows: the simplest change is the likeliest, and a factor is where one should be.
    index_t growth(const Mistake& changed) const {
        constexpr index_t without_factor = 4;
        const std::vector<Part>& parts = formula.parts();
        const bool has_factor = std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
            const auto is_number = [&](int i) { return parts[static_cast<std::size_t>(i)].is_number(); };
            return (part.op == "mul" || part.op == "div") &&
                   std::any_of(part.of.begin(), part.of.end(), is_number);
        });
        return static_cast<index_t>(changed.formula.size()) - static_cast<index_t>(formula.text().size()) +
               (has_factor ? 0 : without_factor);
    }
    // What is tried: without words, of which only those that are found need any.
    Mistake tried(const std::vector<Change>& changes) const {
        std::vector<Edit> edits;
        for (const Change& each : changes) edits.push_back(each.edit);
        return {*info, "changed", "", "", [edits](const Frame& f, const Tensor& made) {
                    Formula here(f, made, false);
                    for (const Edit& edit : edits) here = here.changed(edit);
                    return here.value();
                }};
    }
    Mistake found(const std::vector<Change>& changes) const {
        Formula other = formula;
        std::string words;
        for (const Change& each : changes) {
            other = other.changed(each.edit);
            words += (words.empty() ? "" : "; ") + each.words;
        }
        const bool are_two = changes.size() > 1 && !changes.front().words.empty();
        Mistake made = tried(changes);
        made.formula = other.text();
        made.sentence =
            fmt::format("{}: {}.", are_two ? "Two things are changed" : "One thing is changed", words);
        return made;
    }
};

struct Search::Trial {
    const ChangedStep* step;
    std::vector<Change> changes;
};

// One for each declaration: a change is made wherever the step is.
std::vector<Search::ChangedStep> Search::steps_with_formulas() const {
    std::vector<ChangedStep> all;
    for (auto site = sites_.rbegin(); site != sites_.rend(); ++site) {
        const RightPass::Step& step = wrong_.right->steps()[*site];
        const auto is_there = [&](const ChangedStep& each) { return each.info == step.info; };
        if (!step.info || step.is_input || !step.operation || std::any_of(all.begin(), all.end(), is_there))
            continue;
        const Pass pass{&wrong_.given};
        pass.look_at(*wrong_.computation, step.path, [&](const Frame& frame, const Tensor& made) {
            all.push_back({step.info, Formula(frame, made)});
        });
    }
    return all;
}

// Tokens, masks and counts are soon the same by chance.
bool Search::has_fractions() const {
    const std::vector<real> numbers = wrong_.submitted.value.values();
    return std::any_of(numbers.begin(), numbers.end(),
                       [](real x) { return std::isfinite(x) && x != std::round(x); });
}

std::vector<Explanation> Search::explained_by(const std::vector<Trial>& trials, index_t max_tried) {
    std::deque<Mistake> mistakes;
    std::vector<Candidate> candidates;
    for (const Trial& each : trials)
        candidates.push_back({{&mistakes.emplace_back(each.step->tried(each.changes))}});
    const std::vector<Result> results = results_of(candidates, max_tried);
    effort_ -= std::min(max_tried, static_cast<index_t>(candidates.size()));
    std::optional<Mistake> best;
    index_t least = 0;
    double misfit = 0;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (results[i].misfit < 0) continue;
        const Mistake found = trials[i].step->found(trials[i].changes);
        const index_t growth = trials[i].step->growth(found);
        if (!best || growth < least) best = found, least = growth, misfit = results[i].misfit;
    }
    if (!best) return {};
    return {{{{&kept_mistake(*best)}}, misfit}};
}

constexpr index_t few = 8;  // numbers, for which one of so many would be right by chance

std::vector<Explanation> Search::one_change() {
    if (effort_ == 0 || readings_.empty() || !has_fractions()) return {};  // of another shape: that is told
    const std::vector<ChangedStep> steps = steps_with_formulas();
    const index_t kept = effort_ / 2;  // for pairs
    for (const auto& kind : {replaced_parts, added_functions, added_operands}) {
        if (kind != replaced_parts && wrong_.submitted.value.numel() < few) break;
        std::vector<Trial> trials;
        for (const ChangedStep& step : steps)
            for (const Change& each : kind(step.formula)) trials.push_back({&step, {each}});
        std::vector<Explanation> found = explained_by(trials, std::max<index_t>(0, effort_ - kept));
        if (!found.empty()) return found;
    }
    return {};
}

std::vector<Explanation> Search::two_changes() {
    if (effort_ == 0 || readings_.empty() || !has_fractions() || wrong_.submitted.value.numel() < few)
        return {};
    const std::vector<ChangedStep> steps = steps_with_formulas();
    for (const ChangedStep& step : steps) {
        std::vector<Trial> trials;
        const auto add = [&](const Change& a, const Change& b) {
            if (a.edit.at != b.edit.at && static_cast<index_t>(trials.size()) < effort_)
                trials.push_back({&step, {a, b}});
        };
        for (const auto& [gone, added] : moved_parts(step.formula)) add(gone, added);
        std::vector<Change> all = replaced_parts(step.formula);
        for (Change& each : added_functions(step.formula)) all.push_back(std::move(each));
        for (std::size_t b = 0; b < all.size(); ++b)
            for (std::size_t a = 0; a < b; ++a) add(all[a], all[b]);
        std::vector<Explanation> found = explained_by(trials, effort_);
        if (!found.empty()) return found;
    }
    return {};
}

}  // namespace glassbox::detail
