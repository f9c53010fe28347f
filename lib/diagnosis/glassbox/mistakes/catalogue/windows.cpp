#include <glassbox/mistakes/catalogue/series_places.h>
#include <glassbox/ops/testing.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::windows;

namespace {

// x = series[rows] of t + (1 − L … 0), targets of t + (1 … H)
Tensor series(const Frame& f) { return input(f, 0); }
Tensor rows(const Frame& f) { return input(f, 1); }
// The rows `by` later; beyond an end of the series the outermost.
Tensor moved(const Frame& f, index_t by) {
    const auto last = static_cast<real>(series(f).size(0) - 1);
    std::vector<real> places = rows(f).values();
    for (real& each : places) each = std::clamp<real>(each + static_cast<real>(by), 0, last);
    return embedding(series(f), Tensor(rows(f).shape(), places, rows(f).device()));
}
// Known by the same rows, moved by any number of steps in this direction.
ShownBy moved_any(index_t direction) {
    return [direction](const Frame& f, const Tensor& made, const Tensor& given) {
        for (index_t by = 1; by <= made.size(-2); ++by)
            if (all_close(given, moved(f, direction * by))) return true;
        return false;
    };
}
// The steps ahead, if the windows are those of a part; else 0.
index_t horizon(const Frame& f) {
    const Operation* times = f.trace().operation_of(input_of(f, rows(f), 0));
    if (!times || times->op != std::string_view("times")) return 0;
    const Operation* parts = operation_behind(f, times->inputs[0]);
    return parts ? static_cast<index_t>((*parts)["horizon"]) : 0;
}
// From the series before it was scaled.
Tensor not_scaled(const Frame& f) {
    const Trace::Step* step = f.trace().step_of(series(f));
    if (!step || step->info != &steps::scaling::scaled) return not_here;
    return embedding(input_of(f, input_of(f, step->made, 0), 0), rows(f));
}

}  // namespace

// x = series[t − L + 1 … t],  targets = series[t + 1 … t + H]
std::vector<Mistake> windows() {
    const WrongAt x("window", {&step::x}), targets(step::targets);
    return {
        Mistake{x, "target-inside", "series[t − L + 2 … t + 1], or later",
                "A leak: the window contains targets; it should end with the last known value.",
                [](const Frame& f, const Tensor&) { return moved(f, 1); }}
            .seen("https://github.com/sktime/pytorch-forecasting/issues/182")
            .in_class("targets inside the window")
            .known_by(moved_any(1)),
        Mistake{
            x, "targets-inside", "series[t + H − L + 1 … t + H]", "A leak: the window contains all targets.",
            [](const Frame& f, const Tensor&) { return horizon(f) > 1 ? moved(f, horizon(f)) : not_here; }}
            .in_class("targets inside the window"),
        Mistake{x, "too-early", "series[t − L … t − 1], or earlier",
                "The window ends too early: the latest known value is missing.",
                [](const Frame& f, const Tensor&) { return moved(f, -1); }}
            .seen("https://github.com/cmf-team/importance-sampling-2022/issues/53")
            .known_by(moved_any(-1)),
        {x, "newest-first", "series[t … t − L + 1]", "The window is reversed; the oldest value comes first.",
         [](const Frame&, const Tensor& made) { return reversed(made, -2); }},
        Mistake{x, "one-value", "series[t], L times", "Every position of the window has the same value.",
                [](const Frame&, const Tensor& made) { return entry_for_all(made, -2, made.size(-2) - 1); }}
            .in_class("one value in every place"),
        Mistake{x, "oldest-value", "series[t − L + 1], L times",
                "Every position of the window has its oldest value.",
                [](const Frame&, const Tensor& made) { return first_for_all(made, -2); }}
            .in_class("one value in every place"),
        {x, "not-scaled", "of the series before it was scaled",
         "The windows are cut from the unscaled series; the model reads scaled values.",
         [](const Frame& f, const Tensor&) { return not_scaled(f); }},
        {x, "first-column", "the first column in every column", "All columns have the first one's values.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -1); }},
        Mistake{targets, "known-already", "series[t … t + H − 1], or earlier",
                "A leak: the targets start inside the window, so the model is asked for its input.",
                [](const Frame& f, const Tensor&) { return moved(f, -1); }}
            .known_by(moved_any(-1)),
        Mistake{targets, "too-late", "series[t + 2 … t + H + 1], or later",
                "The targets start too late: the value right after the window is left out.",
                [](const Frame& f, const Tensor&) { return moved(f, 1); }}
            .known_by(moved_any(1)),
        {targets, "newest-first", "series[t + H … t + 1]", "The targets are in reverse order.",
         [](const Frame&, const Tensor& made) { return reversed(made, -2); }},
        Mistake{targets, "one-value", "series[t + 1], H times", "All targets are the same value.",
                [](const Frame&, const Tensor& made) { return first_for_all(made, -2); }}
            .in_class("one target for all"),
        Mistake{targets, "last-of-horizon", "series[t + H], H times",
                "All targets are the last of the horizon.",
                [](const Frame&, const Tensor& made) { return entry_for_all(made, -2, made.size(-2) - 1); }}
            .in_class("one target for all"),
        {targets, "not-scaled", "of the series before it was scaled",
         "The targets are cut from the unscaled series; the windows are scaled.",
         [](const Frame& f, const Tensor&) { return not_scaled(f); }},
        {targets, "within-window", "series[t − H + 1 … t]",
         "A leak: the targets are the window's own last values.",
         [](const Frame& f, const Tensor& made) { return moved(f, -made.size(-2)); }},
        {targets, "changes", "series[t + 1 … t + H] − series[t]",
         "These are the changes since the last known value, not the values.",
         [](const Frame& f, const Tensor& made) { return made - slice(moved(f, -1), -2, 0, 1); }},
    };
}

}  // namespace glassbox::catalogue
