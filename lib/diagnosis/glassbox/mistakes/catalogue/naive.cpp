#include <glassbox/series/naive.h>

#include <glassbox/mistakes/catalogue/series_places.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::naive;

namespace {

// The last value is a slice of the window, repeated; the season another one, one after the other.
Tensor window(const Frame& f) { return input_of(f, input(f, 0), 0); }
Tensor repeated(const Tensor& value, const Tensor& made) { return broadcast_to(value, made.shape()); }
Tensor at(const Frame& f, index_t from_end) {
    const index_t t = window(f).size(-2) - from_end;
    return t > 0 ? slice(window(f), -2, t - 1, t) : not_here;
}
Tensor season(const Frame& f) { return input_of(f, input(f, 0), 0); }
Tensor window_of_season(const Frame& f) { return input_of(f, season(f), 0); }
// These rows again and again, as many as were made.
Tensor again(const Tensor& rows, const Tensor& made) {
    const index_t H = made.size(-2), m = rows.size(-2);
    return slice(concat(std::vector<Tensor>(static_cast<std::size_t>((H + m - 1) / m), rows), -2), -2, 0, H);
}
Tensor season_at(const Frame& f, index_t begin) {
    return slice(window_of_season(f), -2, begin, begin + season(f).size(-2));
}
index_t begin_of_season(const Frame& f) { return window_of_season(f).size(-2) - season(f).size(-2); }

std::vector<Mistake> of_last_value() {
    const WrongAt last("last", {&step::last_value});
    return {
        {last, "oldest", "x[t − L + 1]",
         "This is the oldest value of the window; the last one is the newest.",
         [](const Frame& f, const Tensor& made) { return repeated(slice(window(f), -2, 0, 1), made); }},
        {last, "before-last", "x[t − 1]", "This is the value before the last.",
         [](const Frame& f, const Tensor& made) {
             return at(f, 1).defined() ? repeated(at(f, 1), made) : not_here;
         }},
        {last, "mean", "the mean of x", "This is the mean of the window, another naive forecast.",
         [](const Frame& f, const Tensor& made) { return repeated(mean(window(f), -2, true), made); }},
        {last, "window", "x[t − H + 1 … t]",
         "These are the window's last values; only the very last should be repeated.",
         [](const Frame& f, const Tensor& made) {
             const index_t L = window(f).size(-2), H = made.size(-2);
             return H < L && H > 1 ? slice(window(f), -2, L - H, L) : not_here;
         }},
        {last, "drift", "x[t] + h (x[t] − x[t − L + 1]) / (L − 1)",
         "The window's slope continues (the drift method); here nothing changes.",
         [](const Frame& f, const Tensor& made) {
             const index_t L = window(f).size(-2), H = made.size(-2);
             if (L < 2) return not_here;
             std::vector<real> ahead;
             for (index_t h = 1; h <= H; ++h) ahead.push_back(static_cast<real>(h));
             const Tensor slope = (at(f, 0) - slice(window(f), -2, 0, 1)) / static_cast<double>(L - 1);
             return made + slope * Tensor({H, 1}, ahead);
         }},
        {last, "truth", "x[t + h − 1]",
         "A leak: each step repeats the true value before it, which is not known at time t.",
         [](const Frame& f, const Tensor& made) {
             const Tensor truth = targets_behind(f, window(f));
             const index_t H = made.size(-2);
             if (!truth.defined() || H < 2) return not_here;
             return concat({at(f, 0), slice(truth, -2, 0, H - 1)}, -2);
         }},
        {last, "zero", "0", "Nothing is forecast; the last value should be repeated.",
         [](const Frame&, const Tensor& made) { return made * 0.0; }},
    };
}

std::vector<Mistake> of_season() {
    const WrongAt seasonal("seasonal", {&step::seasonal});
    return {
        {seasonal, "oldest", "the first season of the window",
         "The window's first season is repeated instead of its last.",
         [](const Frame& f, const Tensor& made) { return again(season_at(f, 0), made); }},
        {seasonal, "window-repeated", "the window from x[t − m + 1], and then from its start",
         "After one season the window starts again; the last season should be repeated.",
         [](const Frame& f, const Tensor& made) {
             const index_t H = made.size(-2);
             const Tensor all = concat({season(f), again(window_of_season(f), made)}, -2);
             return slice(all, -2, 0, H);
         }},
        {seasonal, "one-early", "x[t + h − 1 − m ⌈h / m⌉]", "One step too early in the season.",
         [](const Frame& f, const Tensor& made) {
             return begin_of_season(f) > 0 ? again(season_at(f, begin_of_season(f) - 1), made) : not_here;
         }},
        {seasonal, "one-late", "x[t + h + 1 − m ⌈(h + 1) / m⌉]", "One step too late in the season.",
         [](const Frame& f, const Tensor& made) {
             const index_t m = season(f).size(-2);
             return again(concat({slice(season(f), -2, 1, m), slice(season(f), -2, 0, 1)}, -2), made);
         }},
        {seasonal, "backwards", "the season from its end", "The season is reversed.",
         [](const Frame& f, const Tensor& made) { return again(reversed(season(f), -2), made); }},
        {seasonal, "one-value", "x[t + 1 − m]", "One value for all steps; each should follow the season.",
         [](const Frame& f, const Tensor& made) { return repeated(slice(season(f), -2, 0, 1), made); }},
        {seasonal, "last-value", "x[t]", "The last value is repeated, not the season.",
         [](const Frame& f, const Tensor& made) {
             const index_t m = season(f).size(-2);
             return repeated(slice(season(f), -2, m - 1, m), made);
         }},
        {seasonal, "not-repeated", "the season, and then its last value",
         "After one season its last value is held; the season should repeat.",
         [](const Frame& f, const Tensor& made) {
             const index_t m = season(f).size(-2), H = made.size(-2);
             if (H <= m) return not_here;
             const Tensor last = slice(season(f), -2, m - 1, m);
             return concat({season(f), broadcast_to(last, made.shape().with(-2, H - m))}, -2);
         }},
        {seasonal, "truth", "x[t + h − m]",
         "A leak: after the first season the true values are repeated, which are not known at time t.",
         [](const Frame& f, const Tensor& made) {
             const Tensor truth = targets_behind(f, window_of_season(f));
             const index_t m = season(f).size(-2), H = made.size(-2);
             if (!truth.defined() || H <= m) return not_here;
             return concat({season(f), slice(truth, -2, 0, H - m)}, -2);
         }},
        {seasonal, "mean", "the mean of the season", "The season's mean is the forecast for every step.",
         [](const Frame& f, const Tensor& made) { return repeated(mean(season(f), -2, true), made); }},
    };
}

}  // namespace

// forecast[h] = x[t],  and  forecast[h] = x[t + h − m ⌈h / m⌉]
std::vector<Mistake> naive() { return joined({of_last_value(), of_season()}); }

}  // namespace glassbox::catalogue
