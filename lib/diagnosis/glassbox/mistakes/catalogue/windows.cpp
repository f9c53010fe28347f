#include <glassbox/series/windows.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {
namespace windows_cpp {

using namespace wrong;
namespace step = steps::windows;

namespace {

// The same number of rows of the series, `by` later.
Tensor moved(const Frame& f, index_t by) {
    const Operation& cut = f.operation();
    const Tensor& series = cut.inputs[0];
    const index_t T = series.size(0), n = f.operation().output.size(0);
    const index_t begin = static_cast<index_t>(cut["begin"]) + by;
    return begin < 0 || begin + n > T ? not_here : slice(series, 0, begin, begin + n);
}

}  // namespace
}  // namespace windows_cpp

// x = series[t − L + 1 … t],  targets = series[t + 1 … t + H]
std::vector<Mistake> windows() {
    using namespace windows_cpp;
    const WrongAt x("window", {&step::x}), targets(step::targets);
    return {
        Mistake{x, "target-inside", "series[t − L + 2 … t + 1]",
                "A leak: what is to be forecast stands in the window, which ends with the last known value.",
                [](const Frame& f, const Tensor&) { return moved(f, 1); }}
            .seen("https://github.com/sktime/pytorch-forecasting/issues/182"),
        Mistake{x, "too-early", "series[t − L … t − 1]",
                "The window ends too early: the latest known value is missing.",
                [](const Frame& f, const Tensor&) { return moved(f, -1); }}
            .seen("https://github.com/cmf-team/importance-sampling-2022/issues/53"),
        {x, "newest-first", "series[t … t − L + 1]",
         "The window runs backwards; the oldest value comes first.",
         [](const Frame&, const Tensor& made) { return reversed(made, 0); }},
        {x, "one-value", "series[t], L times", "Every place of the window has the same value.",
         [](const Frame&, const Tensor& made) { return entry_for_all(made, 0, made.size(0) - 1); }},
        {x, "oldest-value", "series[t − L + 1], L times", "Every place of the window has its oldest value.",
         [](const Frame&, const Tensor& made) { return entry_for_all(made, 0, 0); }},
        {x, "first-column", "the first column in every column", "All columns have the first one's values.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -1); }},
        {targets, "known-already", "series[t … t + H − 1]",
         "A leak: the targets begin within the window, so that the model is asked for what it was told.",
         [](const Frame& f, const Tensor&) { return moved(f, -1); }},
        {targets, "too-late", "series[t + 2 … t + H + 1]",
         "The targets begin too late: the value right behind the window is left out.",
         [](const Frame& f, const Tensor&) { return moved(f, 1); }},
        {targets, "newest-first", "series[t + H … t + 1]", "The targets run backwards.",
         [](const Frame&, const Tensor& made) { return reversed(made, 0); }},
        {targets, "one-value", "series[t + 1], H times", "All targets are the same value.",
         [](const Frame&, const Tensor& made) { return entry_for_all(made, 0, 0); }},
        {targets, "last-of-horizon", "series[t + H], H times", "All targets are the last of the horizon.",
         [](const Frame&, const Tensor& made) { return entry_for_all(made, 0, made.size(0) - 1); }},
        {targets, "within-window", "series[t − H + 1 … t]",
         "A leak: the targets are the window's own last values.",
         [](const Frame& f, const Tensor& made) { return moved(f, -made.size(0)); }},
        {targets, "changes", "series[t + 1 … t + H] − series[t]",
         "These are the changes since the last known value, not the values.",
         [](const Frame& f, const Tensor& made) {
             const auto next = static_cast<index_t>(f.operation()["begin"]);
             return made - slice(input(f, 0), 0, next - 1, next);
         }},
    };
}

}  // namespace glassbox::catalogue
