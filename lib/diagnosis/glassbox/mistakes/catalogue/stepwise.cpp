#include <glassbox/series/linear_forecaster.h>

#include <glassbox/mistakes/catalogue/series_places.h>

namespace glassbox::catalogue {

using namespace wrong;

namespace {

// window = the last L of (x ‖ forecasts so far), of which step h takes rows h … h + L − 1.
Tensor values(const Frame& f) { return input(f, 0); }
index_t length(const Tensor& made) { return made.size(-2); }
index_t steps_before(const Frame& f, const Tensor& made) { return values(f).size(-2) - length(made); }
Tensor known(const Frame& f, const Tensor& made) { return slice(values(f), -2, 0, length(made)); }
// The tensor x itself, to which the forecasts were added one by one.
Tensor x(const Frame& f) {
    Tensor first = values(f);
    while (true) {
        const Operation* added = f.trace().operation_of(first);
        if (!added || added->op != std::string_view("concat")) return first;
        first = added->inputs[0];
    }
}
// The last L of (x ‖ these), with one for each earlier step.
Tensor followed_by(const Frame& f, const Tensor& made, const Tensor& these) {
    const index_t h = steps_before(f, made);
    return slice(concat({known(f, made), these}, -2), -2, h, h + length(made));
}

}  // namespace

// forecast[h] = model(the last L of x ‖ forecast[… h − 1])[0]
std::vector<Mistake> stepwise() {
    namespace step = steps::stepwise;
    const WrongAt window("stepwise_window", {&step::window}), next("stepwise_next", {&step::next}),
        all("stepwise", {&step::forecast});
    return {
        {window, "truth", "the last L of x ‖ truth[… h − 1]",
         "A leak: the true values are fed back instead of the forecast; they are not known at time t.",
         [](const Frame& f, const Tensor& made) {
             const Tensor truth = targets_behind(f, x(f));
             const index_t h = steps_before(f, made);
             return truth.defined() && h > 0 ? followed_by(f, made, slice(truth, -2, 0, h)) : not_here;
         }},
        {window, "not-fed", "x", "Nothing is fed back: the window stays the same, and so do all steps.",
         [](const Frame& f, const Tensor& made) { return known(f, made); }},
        {window, "last-value", "the last L of x ‖ x[t], h times",
         "The window moves on, but its newest value is always the last known one.",
         [](const Frame& f, const Tensor& made) {
             const index_t h = steps_before(f, made), L = length(made);
             if (h == 0) return not_here;
             const Tensor last = slice(values(f), -2, L - 1, L);
             return followed_by(f, made, broadcast_to(last, made.shape().with(-2, h)));
         }},
        {window, "not-moved", "x[… t − 1] ‖ forecast[h − 1]",
         "The forecast replaces the newest value instead of moving the window.",
         [](const Frame& f, const Tensor& made) {
             const index_t h = steps_before(f, made), L = length(made);
             if (h == 0) return not_here;
             return concat({slice(values(f), -2, 0, L - 1), slice(values(f), -2, L + h - 1, L + h)}, -2);
         }},
        {next, "each-row", "model(window)[h]",
         "The weights for step h meet a window that has already moved: they look too far ahead.",
         [](const Frame& f, const Tensor&) {
             const index_t h = block_of("/" + f.path()).value;
             return h < input(f, 0).size(-2) ? slice(input(f, 0), -2, h, h + 1) : not_here;
         }},
        {all, "direct", "model(x)",
         "All steps are forecast at once from the original window; none is fed back.",
         [](const Frame& f, const Tensor& made) {
             const Tensor direct = step_or_none(f, "step/0/forecast");
             return direct.defined() && direct.shape() == made.shape() ? direct : not_here;
         }},
    };
}

}  // namespace glassbox::catalogue
