#include <glassbox/models/forecaster.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::forecaster;

namespace {

// An output (…, H c), or step by step (…, h, c), with its steps from the last to the first.
Tensor steps_exchanged(const Frame& f, const Tensor& made) {
    const Tensor x = step_or_none(f, "x");  // (…, L, c)
    if (!x.defined() || made.rank() == x.rank()) return reversed(made, -2);
    const index_t c = x.size(-1);
    const Shape batch = made.shape().leading(made.rank() - 1);
    const Tensor by_step = reshape(made, batch.with_appended(made.size(-1) / c).with_appended(c));
    const Tensor turned = reversed(by_step, -2);
    return turned.defined() ? reshape(turned, made.shape()) : not_here;
}

}  // namespace

// τ, and from what a forecast is read
std::vector<Mistake> forecaster() {
    return {
        {step::tau, "not-shifted", "time", "Time is counted from the start of the series, which recedes.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        Mistake{step::tau, "from-first", "time − time[t − L + 1]",
                "Time is counted from the window's first value instead of its last.",
                [](const Frame& f, const Tensor&) { return input(f, 0) - slice(input(f, 0), -1, 0, 1); }}
            .in_class("times from the first on"),
        {step::tau, "ahead", "time[t] − time", "The wrong sign: the window lies in the past.",
         [](const Frame&, const Tensor& made) { return -made; }},
        {step::tau, "share", "(time − time[t]) / L", "Time is divided by the window's length.",
         [](const Frame&, const Tensor& made) { return made / size(made, -1); }},
        {step::flat, "by-features", "feature by feature",
         "The numbers are ordered feature by feature instead of position by position.",
         [](const Frame& f, const Tensor& made) {
             return reshape(contiguous(transpose(input(f, 0))), made.shape());
         }},
        {step::flat, "mean-everywhere", "the mean of all positions at each",
         "Every position has the mean of all; each should keep its own numbers.",
         [](const Frame& f, const Tensor& made) {
             const Tensor& h = input(f, 0);
             return reshape(contiguous(broadcast_to(mean(h, -2, true), h.shape())), made.shape());
         }},
        Mistake{WrongAt("last_position", {&step::last}), "first-place", "the first position",
                "The forecast is read from the oldest position instead of the last.",
                [](const Frame& f, const Tensor&) { return select(input(f, 0), -2, 0); }}
            .in_class("the oldest place last"),
        {WrongAt("last_position", {&step::last}), "mean", "the mean of all positions",
         "The forecast is read from the mean of all positions instead of the last.",
         [](const Frame& f, const Tensor&) { return mean(input(f, 0), -2); }},
        Mistake{WrongAt("last_position", {&step::last}), "not-encoded",
                "the last position before the encoder",
                "The head gets the encoder's input: no position has seen another.",
                [](const Frame& f, const Tensor&) {
                    const Tensor h = step_or_none(f, "input_net");
                    return h.defined() ? select(h, -2, h.size(-2) - 1) : not_here;
                }}
            .in_class("the only block left out"),
        {step::output, "steps-exchanged", "the last step ahead first",
         "The steps ahead are in reverse order.", steps_exchanged},
    };
}

}  // namespace glassbox::catalogue
