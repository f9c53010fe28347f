#include <glassbox/mistakes/catalogue/series_places.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::scaling;

namespace {

// mean = Σ known x / Σ known
Tensor count(const Frame& f) { return input(f, 1); }
Tensor known(const Frame& f) { return input_of(f, input_of(f, input(f, 0), 0), 0); }
Tensor values(const Frame& f) { return input_of(f, input_of(f, input(f, 0), 0), 1); }
Tensor mean_of(const Tensor& x, const Tensor& known) { return sum(known * x, 0) / sum(known, 0); }
Tensor deviation_about(const Tensor& mean, const Tensor& x, const Tensor& known) {
    return sqrt(sum(known * (x - mean) * (x - mean), 0) / sum(known, 0));
}
// The mean over rows begin … end − 1 of the whole series, of which these values are a part; end 0: to its
// end.
Tensor mean_of_whole(const Frame& f, index_t begin, index_t end) {
    const Tensor x = whole_of(f, values(f)), all_known = whole_of(f, known(f));
    if (!x.defined() || !all_known.defined()) return not_here;
    if (end == 0) end = x.size(0);
    return mean_of(rows(x, begin, end), rows(all_known, begin, end));
}

// deviation = √(Σ known (x − mean)² / Σ known): what is under the root, and its parts.
Tensor variance(const Frame& f) { return input(f, 0); }
Tensor number(const Frame& f) { return input_of(f, variance(f), 1); }
Tensor weighted(const Frame& f) { return input_of(f, input_of(f, input_of(f, variance(f), 0), 0), 0); }
Tensor known_of(const Frame& f) { return input_of(f, weighted(f), 0); }
Tensor centred(const Frame& f) { return input_of(f, weighted(f), 1); }
Tensor x_of(const Frame& f) { return input_of(f, centred(f), 0); }
// Of the whole series, about its own mean or another.
Tensor deviation_of_whole(const Frame& f, const Tensor& other_mean) {
    const Tensor x = whole_of(f, x_of(f)), all_known = whole_of(f, known_of(f));
    if (!x.defined() || !all_known.defined()) return not_here;
    return deviation_about(other_mean.defined() ? other_mean : mean_of(x, all_known), x, all_known);
}

// scaled = (x − mean) / deviation
Tensor x(const Frame& f) { return input_of(f, input(f, 0), 0); }
Tensor mean_in(const Frame& f) { return input_of(f, input(f, 0), 1); }
Tensor deviation(const Frame& f) { return input(f, 1); }
// By their own mean and deviation.
Tensor by_itself(const Tensor& x) {
    const ColumnScaling own(x);
    std::vector<real> numbers = x.values();
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<real>(own.scaled(numbers, i));
    return Tensor(x.shape(), numbers, x.device());
}
// The values of the training part as computed, those after it as `behind` makes them.
Tensor with_behind(const Frame& f, const Tensor& made, Tensor (*behind)(const Tensor& x)) {
    const Tensor training = learned_from(f);
    if (!training.defined() || x(f).rank() != 2 || training.size(0) >= x(f).size(0)) return not_here;
    const index_t n = training.size(0);
    return concat({rows(made, 0, n), behind(rows_from(x(f), n))}, 0);
}

std::vector<Mistake> of_means() {
    std::vector<Mistake> all;
    const WrongAt mean("mean_of_series", {&step::mean});
    const std::vector<Mistake> those = {
        {mean, "sum", "Σ known x", "This is the sum, not yet divided by the number of known values.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {mean, "other-count", "Σ known x / T", "Divided by the number of all times instead of known values.",
         [](const Frame& f, const Tensor&) {
             const Tensor whole = whole_of(f, values(f));
             return input(f, 0) / size(whole.defined() ? whole : values(f), 0);
         }},
        Mistake{mean, "all-values", "the mean of the whole series",
                "A leak: the values after the training part are used, which are not known yet.",
                [](const Frame& f, const Tensor&) { return mean_of_whole(f, 0, 0); }}
            .in_class("a mean of the whole series"),
        Mistake{mean, "fitted-to-all", "mean and deviation of the whole series",
                "A leak: the scaling is fitted to the whole series, including the future.",
                [](const Frame& f, const Tensor&) { return mean_of_whole(f, 0, 0); }}
            .and_at(step::deviation,
                    [](const Frame& f, const Tensor&) { return deviation_of_whole(f, not_here); })
            .in_class("a mean of the whole series"),
        {mean, "test", "the mean of what comes after",
         "A leak: the mean of the values after the training part, which are not known yet.",
         [](const Frame& f, const Tensor&) { return mean_of_whole(f, values(f).size(0), 0); }},
        {mean, "one-more", "with the first value after them",
         "A small leak: the first value after the training part is included.",
         [](const Frame& f, const Tensor&) { return mean_of_whole(f, 0, values(f).size(0) + 1); }},
        {mean, "unknown-too", "mean x", "Missing values are counted as if measured.",
         [](const Frame& f, const Tensor&) { return glassbox::mean(values(f), 0); }},
        {mean, "one-less", "of all values but the last", "One value is missing: the last one of the part.",
         [](const Frame& f, const Tensor&) {
             const index_t T = values(f).size(0) - 1;
             return mean_of(slice(values(f), 0, 0, T), slice(known(f), 0, 0, T));
         }},
        {mean, "first-value", "x[0]", "The first value is used as the mean.",
         [](const Frame& f, const Tensor&) { return select(values(f), 0, 0); }},
        {mean, "one-for-all", "the mean of all columns",
         "One mean for all columns, although their units differ.",
         [](const Frame& f, const Tensor& made) {
             return broadcast_to(sum(input(f, 0)) / sum(count(f)), made.shape());
         }},
        {mean, "middle", "(min x + max x) / 2", "The middle of the range is used as the mean.",
         [](const Frame& f, const Tensor&) { return (min(values(f), 0) + max(values(f), 0)) / 2; }},
    };
    all.insert(all.end(), those.begin(), those.end());
    return all;
}

std::vector<Mistake> of_deviations() {
    return {
        {step::deviation, "variance", "Σ known (x − mean)² / Σ known",
         "This is the variance, in squared units, instead of its root.",
         [](const Frame& f, const Tensor&) { return variance(f); }},
        {step::deviation, "unbiased", "√(Σ known (x − mean)² / (Σ known − 1))",
         "Divided by the number of values minus 1, the sample variance.",
         [](const Frame& f, const Tensor&) { return sqrt(input_of(f, variance(f), 0) / (number(f) - 1)); }},
        {step::deviation, "other-count", "√(Σ known (x − mean)² / T)",
         "Divided by the number of all times, including missing values.",
         [](const Frame& f, const Tensor&) { return sqrt(input_of(f, variance(f), 0) / size(x_of(f), 0)); }},
        {step::deviation, "unknown-too", "√(mean (x − mean)²)", "Missing values are counted as if measured.",
         [](const Frame& f, const Tensor&) { return sqrt(glassbox::mean(centred(f) * centred(f), 0)); }},
        {step::deviation, "mean-absolute", "Σ known |x − mean| / Σ known",
         "This is the mean absolute deviation instead of the standard deviation.",
         [](const Frame& f, const Tensor&) { return sum(known_of(f) * abs(centred(f)), 0) / number(f); }},
        {step::deviation, "from-zero", "√(Σ known x² / Σ known)",
         "The mean is not subtracted before squaring: this measures the distance from 0.",
         [](const Frame& f, const Tensor&) {
             return sqrt(sum(known_of(f) * x_of(f) * x_of(f), 0) / number(f));
         }},
        {step::deviation, "root-of-sum", "√(Σ known (x − mean)²)",
         "This is the root of the sum of the squares instead of their mean.",
         [](const Frame& f, const Tensor&) { return sqrt(input_of(f, variance(f), 0)); }},
        Mistake{step::deviation, "all-values", "of the whole series, about its mean",
                "A leak: the deviation includes the values after the training part.",
                [](const Frame& f, const Tensor&) { return deviation_of_whole(f, not_here); }}
            .in_class("a deviation of the whole series"),
        Mistake{
            step::deviation, "all-values-about-mean", "of the whole series, about the part's mean",
            "A leak: the mean is the training part's, but the deviation includes all values.",
            [](const Frame& f, const Tensor&) { return deviation_of_whole(f, input_of(f, centred(f), 1)); }}
            .in_class("a deviation of the whole series"),
        {step::deviation, "range", "max x − min x", "The range is used instead of the standard deviation.",
         [](const Frame& f, const Tensor&) { return max(x_of(f), 0) - min(x_of(f), 0); }},
        {step::deviation, "over-all", "√(mean (x − m)²) of all numbers, m their mean",
         "One deviation of all numbers together, about their common mean: each column has its own.",
         [](const Frame& f, const Tensor& made) {
             const Tensor x = x_of(f), ones = broadcast_to(known_of(f), x.shape());
             const Tensor apart = x - sum(x * ones) / sum(ones);
             return has_several(x, -1)
                        ? broadcast_to(sqrt(sum(ones * apart * apart) / sum(ones)), made.shape())
                        : not_here;
         }},
        {step::deviation, "one-for-all", "the root of the mean variance of all columns",
         "One deviation for all columns, although their units differ.",
         [](const Frame& f, const Tensor& made) {
             return broadcast_to(sqrt(glassbox::mean(variance(f))), made.shape());
         }},
    };
}

std::vector<Mistake> of_scaled() {
    std::vector<Mistake> all;
    const WrongAt scaled("scaled_series", {&step::scaled});
    const std::vector<Mistake> those = {
        {scaled, "left-out", "x", "The series is not scaled.",
         [](const Frame& f, const Tensor&) { return x(f); }},
        {scaled, "not-centred", "x / deviation", "The mean was not subtracted first.",
         [](const Frame& f, const Tensor&) { return x(f) / deviation(f); }},
        {scaled, "not-divided", "x − mean", "The mean is subtracted, but nothing is divided.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {scaled, "order", "x / deviation − mean",
         "The mean is subtracted after the division, when everything else has become smaller.",
         [](const Frame& f, const Tensor&) { return x(f) / deviation(f) - mean_in(f); }},
        {scaled, "brackets", "x − mean / deviation", "Only the mean is divided: the parentheses are missing.",
         [](const Frame& f, const Tensor&) { return x(f) - mean_in(f) / deviation(f); }},
        {scaled, "squared", "(x − mean) / deviation²", "Divided by the variance: the result has a unit.",
         [](const Frame& f, const Tensor& made) { return made / deviation(f); }},
        {scaled, "multiplied", "(x − mean) deviation", "Multiplied by the deviation: that is the inverse.",
         [](const Frame& f, const Tensor&) { return input(f, 0) * deviation(f); }},
        {scaled, "sign", "(mean − x) / deviation",
         "The sign is reversed: the value is subtracted from the mean.",
         [](const Frame&, const Tensor& made) { return -made; }},
        Mistake{scaled, "each-part", "after the training part by its own mean and deviation",
                "A leak: each part is scaled by its own mean and deviation, which are not known beforehand.",
                [](const Frame& f, const Tensor& made) { return with_behind(f, made, by_itself); }}
            .seen("https://github.com/zhouhaoyi/Informer2020/issues/41"),
        {scaled, "all-values", "by mean and deviation of these values",
         "A leak: scaled by the mean and deviation of all values instead of the training part's.",
         [](const Frame& f, const Tensor&) { return x(f).rank() == 2 ? by_itself(x(f)) : not_here; }},
        Mistake{scaled, "training-only", "x after the training part",
                "The values after the training part are not scaled.",
                [](const Frame& f, const Tensor& made) {
                    return with_behind(f, made, [](const Tensor& behind) { return behind; });
                }}
            .in_class("only the training part scaled"),
        Mistake{scaled, "nothing-behind", "0 after the training part",
                "The values after the training part are left at 0.",
                [](const Frame& f, const Tensor& made) {
                    return with_behind(f, made, [](const Tensor& behind) { return behind * 0; });
                }}
            .in_class("only the training part scaled"),
        {scaled, "to-range", "(x − min) / (max − min)", "The values are scaled to the range from 0 to 1.",
         [](const Frame& f, const Tensor&) {
             const Tensor low = min(x(f), -2, true);
             return (x(f) - low) / (max(x(f), -2, true) - low);
         }},
    };
    all.insert(all.end(), those.begin(), those.end());
    return all;
}

}  // namespace

// mean, deviation, (x − mean) / deviation
std::vector<Mistake> scaling() { return joined({of_means(), of_deviations(), of_scaled()}); }

}  // namespace glassbox::catalogue
