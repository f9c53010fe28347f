#pragma once
#include <set>
#include <string>
#include <vector>

#include <glassbox/mistakes/detail/work.h>

// Why a step is wrong. Each explainer is a file that knows one kind of reason; diagnosis.cpp asks them in the
// order of this page, and the first that knows ends it.
namespace glassbox::detail {

// A step that is wrong, and what is known so far.
struct Unexplained {
    const Work& work;
    const Submitted& submitted;
    const DiagnosisOptions& options;
    const std::set<const Mistake*>& named;  // for the steps before it
    Search& search;
};

struct Candidates {
    std::vector<Explanation> mistakes{};  // that give its numbers
    std::string looks_like{};             // if none does
    bool is_evident = false;              // looks_like is enough
    bool are_all = true;                  // false: the effort was spent before all of its kind were tried

    bool is_known() const { return !mistakes.empty() || !looks_like.empty(); }
};
inline Candidates evident(const std::string& what) { return {{}, what, !what.empty()}; }

using Explainer = Candidates(const Unexplained&);
Explainer other_layout;       // right, in an order of axes that this submission may not have
Explainer one_number;         // the same number everywhere, before any work
Explainer one_mistake;        // of the catalogue: everywhere, then in one scope or place
Explainer mistaken_order;     // the order of axes that was accepted for an earlier step is the mistake
Explainer broken_rule;        // a mistake with many ways to make it, known by what the numbers are
Explainer unchanged_input;    // an input, or one number everywhere: no work
Explainer mistake_in_part;    // of the catalogue, in one head, row or batch entry
Explainer exchanged_weights;  // right weights in the wrong place
Explainer one_change;         // of a part of a step's formula
Explainer two_mistakes;       // of the catalogue, together
Explainer two_changes;        // of one step's formula
Explainer other_step;         // the numbers of another step, in the place of these
Explainer looks;              // how the numbers differ

Explainer free_choice;  // no mistake at all: what may be chosen freely

// Of single mistakes that give a step's numbers, the likeliest (likeliest.cpp).
std::vector<Explanation> likeliest(const Unexplained& step, std::vector<Explanation> found);

}  // namespace glassbox::detail
