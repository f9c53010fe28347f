#include <glassbox/series/forecast_errors.h>

#include <glassbox/mistakes/catalogue/series_places.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::forecast_errors;

namespace {

// error = known (forecast − truth)
Tensor known(const Frame& f) { return input_of(f, f.operation("error").output, 0); }
Tensor truth(const Frame& f) { return input_of(f, input(f, 1), 1); }
Tensor forecast(const Frame& f) { return input_of(f, input(f, 1), 0); }

// mae = Σ |error| / Σ known, and rmse of its square: over all axes but the last.
Tensor total(const Tensor& x) { return sum(reshape(contiguous(x), {-1, x.size(-1)}), 0); }
Tensor error(const Frame& f) { return f["error"]; }
double all_places(const Frame& f) { return static_cast<double>(error(f).numel() / error(f).size(-1)); }
double windows(const Frame& f) { return static_cast<double>(error(f).size(0)); }
Tensor first_step(const Tensor& x) { return slice(x, -2, 0, 1); }

// In deviations of the scaling.
Tensor in_deviations(const Frame& f, const Tensor& made) {
    const LearnedScaling scaling(f);
    return scaling.deviation ? made / scaling.deviation->value : not_here;
}
// By the mae of another column.
Tensor by_column(const Frame& f, index_t column) {
    const Tensor mae = input(f, 0);
    return column < mae.size(-1) ? mae / slice(mae, -1, column, column + 1) : not_here;
}

// scale = mean |x[t] − x[t − m]| = Σ both difference / pairs
Tensor pairs(const Frame& f) { return input(f, 1); }
Tensor both(const Frame& f) { return input_of(f, input_of(f, input(f, 0), 0), 0); }
Tensor difference(const Frame& f) { return input_of(f, input_of(f, input_of(f, input(f, 0), 0), 1), 0); }
Tensor series(const Frame& f) { return input_of(f, input_of(f, difference(f), 0), 0); }
Tensor measured(const Frame& f) { return input_of(f, input_of(f, both(f), 0), 0); }
// Σ |x[t] − x[t − m]| of the whole series, of which these values are a part, from time t on. All are known.
Tensor total_from(const Frame& f, index_t t) {
    const Tensor x = whole_of(f, series(f));
    const index_t m = series(f).size(0) - difference(f).size(0);
    if (!x.defined() || t >= x.size(0)) return not_here;
    return sum(abs(rows_from(x, t) - rows(x, t - m, x.size(0) - m)), 0);
}
Tensor mean_from(const Frame& f, index_t t) {
    const Tensor total = total_from(f, t);
    return total.defined() ? total / static_cast<double>(whole_of(f, series(f)).size(0) - t) : not_here;
}
index_t length(const Frame& f) { return series(f).size(0); }
index_t season(const Frame& f) { return length(f) - difference(f).size(0); }
Tensor later(const Tensor& x) { return slice(x, 0, 1, x.size(0)); }
Tensor earlier(const Tensor& x) { return slice(x, 0, 0, x.size(0) - 1); }

std::vector<Mistake> of_errors() {
    return {
        Mistake{step::error, "sign", "known (truth − forecast)",
                "The sign is reversed: the error is the forecast minus the truth, positive if too high.",
                [](const Frame&, const Tensor& made) { return -made; }}
            .in_class("the sign of an error"),
        {step::error, "unknown-too", "forecast − truth", "Missing values are counted.",
         [](const Frame& f, const Tensor&) { return input(f, 1); }},
        {step::error, "relative", "known (forecast − truth) / truth",
         "Divided by the truth: the error is relative, and infinite where the truth is 0.",
         [](const Frame& f, const Tensor& made) { return made / truth(f); }},
        {step::error, "forecast-alone", "known forecast", "The truth is not subtracted.",
         [](const Frame& f, const Tensor&) { return input(f, 0) * forecast(f); }},
        {step::error, "in-deviations", "known (forecast − truth) / deviation",
         "The error is in standard deviations instead of the units of the series.", in_deviations},
        {step::error, "one-step-off", "known (forecast[h] − truth[h + 1])",
         "Each forecast is compared with the value one step later.",
         [](const Frame& f, const Tensor&) {
             const index_t H = truth(f).size(-2);
             const Tensor later = concat({slice(truth(f), -2, 1, H), slice(truth(f), -2, 0, 1)}, -2);
             return input(f, 0) * (forecast(f) - later);
         }},
    };
}

std::vector<Mistake> of_means() {
    return {
        {step::mae, "signed", "Σ error / Σ known",
         "Positive and negative errors cancel: a forecast off by ±10 looks perfect.",
         [](const Frame& f, const Tensor&) { return total(error(f)) / input(f, 1); }},
        {step::mae, "sum", "Σ |error|", "This is the sum, not yet divided by the number of errors.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::mae, "windows", "Σ |error| / windows", "Divided by the number of windows: each has H errors.",
         [](const Frame& f, const Tensor&) { return input(f, 0) / windows(f); }},
        {step::mae, "all-places", "Σ |error| / all positions",
         "Divided by the number of all values, including missing ones.",
         [](const Frame& f, const Tensor&) { return input(f, 0) / all_places(f); }},
        {step::mae, "one-step", "of the first step ahead",
         "Only the first step ahead is counted; later, harder ones belong to the error.",
         [](const Frame& f, const Tensor&) {
             return total(first_step(abs(error(f)))) / total(first_step(known(f)));
         }},
        {step::mae, "squares", "Σ error² / Σ known",
         "This is the mean of the squares; mae uses absolute values.",
         [](const Frame& f, const Tensor&) { return total(error(f) * error(f)) / input(f, 1); }},
        {step::mae, "rmse", "√(Σ error² / Σ known)", "These are the numbers of rmse.",
         [](const Frame& f, const Tensor&) { return sqrt(total(error(f) * error(f)) / input(f, 1)); }},
        {step::mae, "largest", "max |error|", "The largest error is used instead of the mean.",
         [](const Frame& f, const Tensor&) {
             return max(reshape(contiguous(abs(error(f))), {-1, error(f).size(-1)}), 0);
         }},
        {step::rmse, "no-root", "Σ error² / Σ known", "This is the mean of the squares: the root is missing.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::rmse, "root-of-sum", "√(Σ error²)", "The root is taken of the sum instead of the mean.",
         [](const Frame& f, const Tensor&) { return sqrt(input_of(f, input(f, 0), 0)); }},
        {step::rmse, "root-of-sum-divided", "√(Σ error²) / Σ known",
         "The root is taken of the sum and then divided; the mean comes before the root.",
         [](const Frame& f, const Tensor&) {
             return sqrt(input_of(f, input(f, 0), 0)) / input_of(f, input(f, 0), 1);
         }},
        {step::rmse, "windows", "√(Σ error² / windows)",
         "Divided by the number of windows: each has H errors.",
         [](const Frame& f, const Tensor&) { return sqrt(input_of(f, input(f, 0), 0) / windows(f)); }},
        {step::rmse, "all-places", "√(Σ error² / all positions)",
         "Divided by the number of all values, including missing ones.",
         [](const Frame& f, const Tensor&) { return sqrt(input_of(f, input(f, 0), 0) / all_places(f)); }},
        Mistake{step::rmse, "mean-of-roots", "the mean of each window's root",
                "The roots of the windows are averaged; a bad window should count more.",
                [](const Frame& f, const Tensor&) {
                    const Tensor squares = sum(error(f) * error(f), -2) / sum(known(f), -2);
                    return mean(reshape(contiguous(sqrt(squares)), {-1, squares.size(-1)}), 0);
                }}
            .seen("https://github.com/chaoshangcs/GTS/issues/7"),
        Mistake{step::rmse, "mae", "Σ |error| / Σ known",
                "This is mae: without squares, a large error counts no more than several small ones.",
                [](const Frame& f, const Tensor&) { return f["mae"]; }}
            .seen("https://github.com/materialyzeai/matgl/issues/256"),
        {step::rmse, "deviation", "√(Σ (error − mean)² / Σ known)",
         "The mean error is subtracted: a forecast that is always too high would look perfect.",
         [](const Frame& f, const Tensor&) {
             const Tensor n = input_of(f, input(f, 0), 1), off = total(error(f)) / n;
             return sqrt(input(f, 0) - off * off);
         }},
    };
}

std::vector<Mistake> of_scales() {
    return {
        {step::mase, "inverted", "scale / mae", "Upside down: a better forecast has a smaller mase.",
         [](const Frame& f, const Tensor&) { return input(f, 1) / input(f, 0); }},
        {step::mase, "rmse", "rmse / scale", "This is rmse divided by scale; the A stands for absolute.",
         [](const Frame& f, const Tensor&) { return f["rmse"] / input(f, 1); }},
        {step::mase, "multiplied", "mae · scale", "Multiplied by the scale instead of divided.",
         [](const Frame& f, const Tensor&) { return input(f, 0) * input(f, 1); }},
        {step::mase, "difference", "mae − scale", "The scale is subtracted; mase is a ratio.",
         [](const Frame& f, const Tensor&) { return input(f, 0) - input(f, 1); }},
        {step::mase, "not-scaled", "mae", "The mae is not divided by the scale.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::mase, "by-deviation", "mae / deviation",
         "Divided by the standard deviation, which strong seasonality inflates.",
         [](const Frame& f, const Tensor&) { return in_deviations(f, input(f, 0)); }},
        Mistake{
            step::mase, "by-first", "mae / mae[0]",
            "Divided by another forecast's error in the same test; the scale comes from the training part.",
            [](const Frame& f, const Tensor&) { return by_column(f, 0); }}
            .in_class("by another forecast's error"),
        Mistake{
            step::mase, "by-second", "mae / mae[1]",
            "Divided by another forecast's error in the same test; the scale comes from the training part.",
            [](const Frame& f, const Tensor&) { return by_column(f, 1); }}
            .in_class("by another forecast's error"),
        Mistake{step::scale, "test", "of the values after the training part",
                "Measured on the test part: the unit of mase must be known before testing.",
                [](const Frame& f, const Tensor&) { return mean_from(f, length(f)); }}
            .in_class("a scale of the test"),
        Mistake{step::scale, "test-alone", "of pairs after the training part",
                "Measured on the test part: the unit of mase must be known before testing.",
                [](const Frame& f, const Tensor&) { return mean_from(f, length(f) + season(f)); }}
            .in_class("a scale of the test"),
        Mistake{step::scale, "all-values", "of the whole series",
                "The values after the training part are used.",
                [](const Frame& f, const Tensor&) { return mean_from(f, season(f)); }}
            .in_class("a scale of the whole series"),
        Mistake{step::scale, "all-values-miscounted", "Σ |x[t] − x[t − m]| of the whole series / pairs",
                "The values after the training part are summed but not counted.",
                [](const Frame& f, const Tensor&) {
                    const Tensor total = total_from(f, season(f));
                    return total.defined() ? total / pairs(f) : not_here;
                }}
            .in_class("a scale of the whole series"),
        {step::scale, "in-deviations", "mean |x[t] − x[t − m]| / deviation",
         "Measured in standard deviations; mae is in the units of the series.", in_deviations},
        Mistake{step::scale, "no-abs", "mean (x[t] − x[t − m])", "Positive and negative differences cancel.",
                [](const Frame& f, const Tensor&) { return sum(both(f) * difference(f), 0) / pairs(f); }}
            .in_class("differences that cancel"),
        Mistake{step::scale, "signed", "|mean (x[t] − x[t − m])|",
                "Positive and negative differences cancel.",
                [](const Frame& f, const Tensor&) { return abs(sum(both(f) * difference(f), 0) / pairs(f)); }}
            .in_class("differences that cancel"),
        {step::scale, "sum", "Σ |x[t] − x[t − m]|",
         "This is the sum, not yet divided by the number of pairs.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::scale, "squares", "mean (x[t] − x[t − m])²", "These are squares; mae uses absolute values.",
         [](const Frame& f, const Tensor&) {
             return sum(both(f) * difference(f) * difference(f), 0) / pairs(f);
         }},
        {step::scale, "root", "√(mean (x[t] − x[t − m])²)",
         "This is the root mean square; mae uses absolute values.",
         [](const Frame& f, const Tensor&) {
             return sqrt(sum(both(f) * difference(f) * difference(f), 0) / pairs(f));
         }},
        {step::scale, "other-count", "Σ |x[t] − x[t − m]| / T",
         "Divided by the number of values instead of the T − m pairs.",
         [](const Frame& f, const Tensor&) { return input(f, 0) / size(series(f), 0); }},
        {step::scale, "unknown-too", "of all pairs", "Pairs with a missing value are counted.",
         [](const Frame& f, const Tensor&) { return mean(abs(difference(f)), 0); }},
        {step::scale, "one-step", "mean |x[t] − x[t − 1]|",
         "This is the error of repeating the last value; the season is m steps back.",
         [](const Frame& f, const Tensor&) {
             const Tensor pair = later(measured(f)) * earlier(measured(f));
             return sum(pair * abs(later(series(f)) - earlier(series(f))), 0) / sum(pair, 0);
         }},
        {step::scale, "deviation", "the standard deviation of x",
         "This is the standard deviation; the scale is the error of repeating the season.",
         [](const Frame& f, const Tensor&) { return sqrt(var(series(f), 0)); }},
    };
}

}  // namespace

// mae = Σ |error| / n,  rmse = √(Σ error² / n),  mase = mae / scale
std::vector<Mistake> forecast_errors() { return joined({of_errors(), of_means(), of_scales()}); }

}  // namespace glassbox::catalogue
