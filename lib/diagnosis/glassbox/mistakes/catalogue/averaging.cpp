#include <glassbox/train/optimiser.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;

namespace {

Tensor so_far(const Frame& f) { return input(f, 0); }
Tensor difference(const Frame& f) { return input_of(f, input(f, 1), 0); }  // w − mean
Tensor w(const Frame& f) { return input_of(f, difference(f), 0); }
Tensor n(const Frame& f) { return input_of(f, input(f, 1), 1); }

}  // namespace

// mean ← mean + (w − mean) / n
std::vector<Mistake> averaging() {
    const WrongAt step("average", {&steps::averaging::mean});
    return {
        {step, "newest", "w", "Only the newest parameters are kept: nothing is averaged.",
         [](const Frame& f, const Tensor&) { return w(f); }},
        {step, "oldest", "mean", "The mean is left unchanged: the newest parameters do not count.",
         [](const Frame& f, const Tensor&) { return so_far(f); }},
        {step, "half", "(mean + w) / 2", "The newest parameters always get weight ½ instead of 1/n.",
         [](const Frame& f, const Tensor&) { return (so_far(f) + w(f)) / 2; }},
        {step, "sum", "mean + w", "The parameters are summed and not divided.",
         [](const Frame& f, const Tensor&) { return so_far(f) + w(f); }},
        {step, "all-divided", "(mean + w) / n",
         "The mean so far is divided too; it already stands for n − 1.",
         [](const Frame& f, const Tensor&) { return (so_far(f) + w(f)) / n(f); }},
        {step, "no-difference", "mean + w / n", "The mean so far is not subtracted from the new parameters.",
         [](const Frame& f, const Tensor&) { return so_far(f) + w(f) / n(f); }},
        {step, "one-ahead", "mean + (w − mean) / (n + 1)", "The count is one too high.",
         [](const Frame& f, const Tensor&) { return so_far(f) + difference(f) / (n(f) + 1); }},
        {step, "one-behind", "mean + (w − mean) / (n − 1)", "The count is one too low.",
         [](const Frame& f, const Tensor&) { return so_far(f) + difference(f) / (n(f) - 1); }},
        Mistake{step, "sign", "mean − (w − mean) / n", "The mean moves away from the new parameters.",
                [](const Frame& f, const Tensor&) { return so_far(f) - input(f, 1); }}
            .seen("https://github.com/ostris/ai-toolkit/issues/1034"),
        {step, "exponential", "0.9 mean + 0.1 w", "This is an exponential average: the oldest count less.",
         [](const Frame& f, const Tensor&) { return so_far(f) * 0.9 + w(f) * 0.1; }},
    };
}

}  // namespace glassbox::catalogue
