#include <glassbox/layers/series_input.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::window_norm;

namespace {

// The window x (…, L, c) of a level: the last value is a slice of it, the mean Σ x / L.
Tensor last_of(const Frame& f) { return input(f, 0); }
Tensor averaged(const Frame& f) { return input_of(f, input(f, 0), 0); }

Tensor row(const Tensor& x, index_t i) { return slice(x, -2, i, i + 1); }

// The variance and ε under the root of spread; the differences from the mean.
Tensor variance(const Frame& f) { return input_of(f, input(f, 0), 0); }
Tensor epsilon(const Frame& f) { return input_of(f, input(f, 0), 1); }
Tensor differences(const Frame& f) {
    const Tensor sum_of_squares = input_of(f, variance(f), 0), squares = input_of(f, sum_of_squares, 0);
    return input_of(f, squares, 0);
}

// The mean over the positions and the series of a window.
Tensor over_series(const Tensor& x) { return mean(mean(x, -2, true), -1, true); }

std::vector<Mistake> of_level() {
    const WrongAt last{"level", {&step::last}}, mean{"mean_level", {&step::mean}};
    return {
        {last, "oldest", "x[0]", "The window's first value is subtracted instead of the last.",
         [](const Frame& f, const Tensor&) { return row(last_of(f), 0); }},
        {last, "before-last", "x[t − 1]", "The value before the last is subtracted.",
         [](const Frame& f, const Tensor&) {
             const index_t L = last_of(f).size(-2);
             return L > 1 ? row(last_of(f), L - 2) : not_here;
         }},
        {last, "mean", "mean of x over the window", "The mean is subtracted instead of the last value.",
         [](const Frame& f, const Tensor&) { return glassbox::mean(last_of(f), -2, true); }},
        {last, "first-series", "x[t] of the first series", "All series have the level of the first one.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -1); }},
        {mean, "last", "x[t]", "The last value is subtracted instead of the mean.",
         [](const Frame& f, const Tensor&) { return row(averaged(f), averaged(f).size(-2) - 1); }},
        {mean, "sum", "Σ x over the window", "The sum is subtracted instead of the mean.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {mean, "over-series", "mean of x over the window and the series",
         "All series share one level, the mean of all.",
         [](const Frame&, const Tensor& made) {
             return has_several(made, -1) ? broadcast_to(glassbox::mean(made, -1, true), made.shape())
                                          : not_here;
         }},
        {mean, "over-batch", "mean of x over the batch",
         "The mean is taken over the windows of the batch instead of over each window's positions.",
         [](const Frame& f, const Tensor&) {
             return has_several(averaged(f), -3) ? glassbox::mean(averaged(f), -3, true) : not_here;
         }},
        {mean, "one-for-all", "mean of x over the window and the batch",
         "All windows share one level instead of having their own.",
         [](const Frame&, const Tensor& made) {
             return has_several(made, -3) ? broadcast_to(glassbox::mean(made, 0, true), made.shape())
                                          : not_here;
         }},
        Mistake{mean, "normed-over-series", "mean and deviation of x over the window and the series",
                "All series of a window share one mean and one deviation.",
                [](const Frame&, const Tensor& made) {
                    return has_several(made, -1) ? broadcast_to(glassbox::mean(made, -1, true), made.shape())
                                                 : not_here;
                }}
            .and_at(step::spread,
                    [](const Frame& f, const Tensor& made) {
                        const Tensor x = input_of(f, differences(f), 0), centred = x - over_series(x);
                        return broadcast_to(sqrt(over_series(centred * centred) + epsilon(f)), made.shape());
                    }),
    };
}

std::vector<Mistake> of_spread() {
    return {
        {step::spread, "no-root", "var(x) + ε", "The root is missing: this is the variance.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::spread, "unbiased", "√(Σ (x − level)² / (L − 1) + ε)",
         "Divided by L − 1, as a sample estimate, instead of L.",
         [](const Frame& f, const Tensor&) {
             const real L = size(differences(f), -2);
             return sqrt(variance(f) * (L / (L - 1)) + epsilon(f));
         }},
        {step::spread, "no-epsilon", "√var(x)",
         "ε is missing or negligibly small: a constant window is divided by 0.",
         [](const Frame& f, const Tensor&) { return sqrt(variance(f)); }},
        {step::spread, "epsilon-outside", "√var(x) + ε",
         "ε is added outside the root, where it is too small to help.",
         [](const Frame& f, const Tensor&) { return sqrt(variance(f)) + epsilon(f); }},
        {step::spread, "mean-absolute", "mean of |x − level| + ε",
         "The mean absolute difference is used instead of the root mean square.",
         [](const Frame& f, const Tensor&) { return mean(abs(differences(f)), -2, true) + epsilon(f); }},
        {step::spread, "from-zero", "√(mean of x² + ε)",
         "The squares of x itself are averaged: the mean was not subtracted first.",
         [](const Frame& f, const Tensor&) {
             const Tensor level = f["level"];
             return sqrt(variance(f) + level * level + epsilon(f));
         }},
        {step::spread, "root-of-sum", "√(Σ (x − level)² + ε)",
         "The sum is under the root instead of the mean.",
         [](const Frame& f, const Tensor&) {
             return sqrt(variance(f) * size(differences(f), -2) + epsilon(f));
         }},
    };
}

std::vector<Mistake> of_window() {
    return {
        {step::centred, "not-centred", "x", "Nothing is subtracted.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::centred, "added", "x + level", "The level is added instead of subtracted.",
         [](const Frame& f, const Tensor&) { return input(f, 0) + f["level"]; }},
        {step::centred, "sign", "level − x", "The sign is reversed: the window is subtracted from its level.",
         [](const Frame&, const Tensor& made) { return -made; }},
        {step::normed, "not-centred", "x / spread", "The level is not subtracted.",
         [](const Frame& f, const Tensor& made) { return made + f["level"] / f["spread"]; }},
        Mistake{step::normed, "not-divided", "x − level", "The division by the spread is missing.",
                [](const Frame& f, const Tensor&) { return input(f, 0); }}
            .seen("https://github.com/WenjieDu/PyPOTS/issues/453"),
        {step::normed, "multiplied", "(x − level) spread", "Multiplied by the spread instead of divided.",
         [](const Frame& f, const Tensor&) { return input(f, 0) * f["spread"]; }},
        {step::normed, "squared", "(x − level) / spread²", "Divided by the variance.",
         [](const Frame& f, const Tensor& made) { return made / f["spread"]; }},
        {step::normed, "brackets", "x − level / spread",
         "Only the level is divided: the brackets around the difference are missing.",
         [](const Frame& f, const Tensor&) { return input(f, 0) + f["level"] - f["level"] / f["spread"]; }},
        {step::normed, "order", "x / spread − level",
         "The level is subtracted after the division, in the wrong units.",
         [](const Frame& f, const Tensor& made) { return made + f["level"] / f["spread"] - f["level"]; }},
    };
}

// restored = output spread + level
std::vector<Mistake> of_forecast() {
    const WrongAt raised{"raised", {&step::raised}}, restored{"restored", {&step::restored}};
    return {
        {raised, "not-raised", "output", "The level is not added back.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {raised, "subtracted", "output − level", "The level is subtracted instead of added back.",
         [](const Frame& f, const Tensor&) { return input(f, 0) - input(f, 1); }},
        {raised, "twice", "output + 2 level", "The level is added twice.",
         [](const Frame& f, const Tensor& made) { return made + input(f, 1); }},
        {restored, "not-restored", "output", "Level and spread are not restored.",
         [](const Frame& f, const Tensor&) { return input_of(f, input(f, 0), 0); }},
        {restored, "no-level", "output spread", "The level is missing.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {restored, "no-spread", "output + level", "The spread is missing.",
         [](const Frame& f, const Tensor&) { return input_of(f, input(f, 0), 0) + input(f, 1); }},
        {restored, "order", "(output + level) spread",
         "The level is added first and so multiplied too; the inverse runs in reverse order.",
         [](const Frame& f, const Tensor&) {
             return (input_of(f, input(f, 0), 0) + input(f, 1)) * input_of(f, input(f, 0), 1);
         }},
        {restored, "divided", "output / spread + level", "Divided by the spread again instead of multiplied.",
         [](const Frame& f, const Tensor&) {
             return input_of(f, input(f, 0), 0) / input_of(f, input(f, 0), 1) + input(f, 1);
         }},
        {restored, "normed-again", "(output − level) / spread",
         "Normalised a second time instead of restored.",
         [](const Frame& f, const Tensor&) {
             return (input_of(f, input(f, 0), 0) - input(f, 1)) / input_of(f, input(f, 0), 1);
         }},
        {restored, "squared", "output spread² + level", "Multiplied by the variance.",
         [](const Frame& f, const Tensor&) {
             return input(f, 0) * input_of(f, input(f, 0), 1) + input(f, 1);
         }},
    };
}

}  // namespace

// (x − level) / spread, and output spread + level
std::vector<Mistake> window_norm() { return joined({of_level(), of_spread(), of_window(), of_forecast()}); }

}  // namespace glassbox::catalogue
