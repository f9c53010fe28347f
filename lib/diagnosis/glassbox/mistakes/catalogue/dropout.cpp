#include <glassbox/blocks/blocks.h>
#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::dropout;

namespace {

Tensor x(const Frame& f) { return f["x"]; }
Tensor kept(const Frame& f) { return f["kept"]; }
// 1 − p, by which the kept numbers were divided.
Tensor stays(const Frame& f) { return input(f, 1); }

}  // namespace

// x ∘ kept / (1 − p)
std::vector<Mistake> dropout() {
    const WrongAt at{"dropout", {&step::output}};
    return {
        Mistake{at, "not-scaled", "x ∘ kept",
                "What stays is not scaled up: the output is smaller than x on average.",
                [](const Frame& f, const Tensor&) { return x(f) * kept(f); }},
        {at, "divided-by-p", "x ∘ kept / p",
         "Divided by the probability of being dropped instead of that of staying.",
         [](const Frame& f, const Tensor&) { return x(f) * kept(f) / (1 - stays(f)); }},
        {at, "multiplied", "x ∘ kept (1 − p)",
         "Multiplied by 1 − p: that belongs to evaluation, where nothing was scaled up in training.",
         [](const Frame& f, const Tensor&) { return x(f) * kept(f) * stays(f); }},
        {at, "inverted", "x ∘ (1 − kept) / (1 − p)", "What should stay is dropped, and the rest stays.",
         [](const Frame& f, const Tensor&) { return x(f) * (1 - kept(f)) / stays(f); }},
        {at, "left-out", "x", "Nothing is dropped: this is evaluation.",
         [](const Frame& f, const Tensor&) { return x(f); }},
        {at, "dropped-not", "x / (1 − p)", "Everything is scaled up, and nothing is dropped.",
         [](const Frame& f, const Tensor&) { return x(f) / stays(f); }},
        {at, "in-evaluation", "x (1 − p)", "This is the old form's evaluation: nothing is dropped.",
         [](const Frame& f, const Tensor&) { return x(f) * stays(f); }},
        {at, "by-share", "x ∘ kept / mean kept",
         "Divided by the share that happened to stay, not by its probability 1 − p.",
         [](const Frame& f, const Tensor&) { return x(f) * kept(f) / mean(kept(f)); }},
        {at, "root", "x ∘ kept / √(1 − p)", "Divided by the root: the variance is kept, not the mean.",
         [](const Frame& f, const Tensor&) { return x(f) * kept(f) / sqrt(stays(f)); }},
        {at, "one-more", "x ∘ kept (1 + p)", "1 + p is not 1 / (1 − p).",
         [](const Frame& f, const Tensor&) { return x(f) * kept(f) * (2 - stays(f)); }},
        {at, "mask", "kept / (1 − p)", "This is the scaled mask: x is missing.",
         [](const Frame& f, const Tensor&) { return kept(f) / stays(f); }},
        {at, "first-row", "x ∘ kept[0] / (1 − p)", "All rows drop the same places, those of the first.",
         [](const Frame& f, const Tensor&) {
             const Tensor first = first_for_all(kept(f), -2);
             return first.defined() ? x(f) * first / stays(f) : not_here;
         }},
    };
}

}  // namespace glassbox::catalogue
