#include <glassbox/ops/testing.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace glassbox::numerics {
namespace {

// The last row's h is a thousandth of the first: kinks closer to x than that count as kinks at x. Where f has
// details finer still, or a border of its domain is near, rows are added.
constexpr int full_rows = 11, max_rows = 40;
constexpr int max_beyond = 160;  // halvings to within a border: the smallest float is 2⁻¹⁴⁹

// With this share of f'(x) as its error an entry is good enough to end with.
constexpr double good_enough = 1e-3;

// The bound on rounding errors, in standard deviations. 5 would do for a normal distribution; the rest
// covers an underestimated deviation.
constexpr double rounding_sigmas = 6;
// A jump of more than this many standard deviations counts as a kink. A low threshold only costs a few more
// halvings.
constexpr double kink_sigmas = 2;
// Safety factors on the estimated truncation error: neighbouring entries of the tableau sometimes agree by
// chance, and often do near many kinks (a wide layer of ReLUs).
constexpr double caution = 2, kink_caution = 10;

// Richardson extrapolation to h = 0 from values at h, h/2, h/4, …, with an error of powers p, p + 2, p + 4, …
// of h. Each column eliminates one power from the column before:
//     T[i][k] = (2^q T[i][k−1] − T[i−1][k−1]) / (2^q − 1),   q = p + 2 (k − 1)
class Tableau {
  public:
    struct Entry {
        double value, noise;
    };
    explicit Tableau(int power) : power_(power) {}

    void add(Entry next) {
        std::vector<Entry> row{next};
        for (std::size_t k = 1; k <= rows_.size(); ++k) {
            const double f = std::ldexp(1.0, power_ + 2 * (static_cast<int>(k) - 1));
            const Entry &fine = row[k - 1], &coarse = rows_.back()[k - 1];
            row.push_back(
                {(f * fine.value - coarse.value) / (f - 1), (f * fine.noise + coarse.noise) / (f - 1)});
        }
        rows_.push_back(std::move(row));
    }
    const Entry& at(std::size_t i, std::size_t k) const { return rows_[i][k]; }
    std::size_t rows() const { return rows_.size(); }

  private:
    int power_;
    std::vector<std::vector<Entry>> rows_;
};

// An entry of the tableau with its error estimates.
struct Candidate {
    double value = NAN, truncation = INFINITY, rounding = 0;
    double jump = 0, jump_truncation = 0;  // between the slopes on both sides
    double unclear = 0;                    // a jump this small may be rounding
    double error() const { return truncation + rounding; }
    double doubt() const { return error() + jump + jump_truncation; }
    bool is_kink() const { return jump > unclear && jump / 2 > error(); }
    bool is_within_rounding() const {
        return truncation <= rounding && jump <= unclear && jump_truncation <= unclear;
    }
};

// The mean of the slopes on both sides and their difference, one row per h.
struct Tableaus {
    Tableau mean{2}, difference{1};
    std::vector<bool> is_smooth{};

    bool is_smooth_from(std::size_t first, std::size_t last) const {
        return std::all_of(is_smooth.begin() + static_cast<std::ptrdiff_t>(first),
                           is_smooth.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                           [](bool b) { return b; });
    }
};

// How far a row below may be off from rounding only: of many rows some are off by more than the first.
double sigmas(std::size_t rows_below) { return rows_below == 1 ? kink_sigmas : rounding_sigmas; }

// The truncation error of an entry, estimated from its neighbours (Ridders, Accurate computation of F'(x),
// 1982) and from the rows below. best() requires at least one such row: three entries rarely agree by chance.
Candidate smooth_candidate(const Tableaus& f, std::size_t i, std::size_t k) {
    Candidate c;
    c.value = f.mean.at(i, k).value;
    c.rounding = rounding_sigmas * f.mean.at(i, k).noise;
    c.truncation = std::max(std::abs(c.value - f.mean.at(i, k - 1).value),
                            std::abs(c.value - f.mean.at(i - 1, k - 1).value));
    for (std::size_t row = i + 1; row < f.mean.rows(); ++row) {
        const Tableau::Entry& below = f.mean.at(row, k);
        c.truncation =
            std::max(c.truncation, std::abs(below.value - c.value) - sigmas(row - i) * below.noise);
    }
    c.truncation *= caution;
    return c;
}

// A kink between x and x + h can make the truncation error look like 0, but rarely does so in the difference
// of both sides as well.
Candidate candidate(const Tableaus& f, std::size_t i, std::size_t k) {
    Candidate c = smooth_candidate(f, i, k);
    if (f.is_smooth_from(i - k, i)) return c;
    c.truncation *= kink_caution / caution;
    c.jump = std::abs(f.difference.at(i, k).value);
    c.jump_truncation = std::abs(f.difference.at(i, k).value - f.difference.at(i, k - 1).value);
    c.unclear = kink_sigmas * f.difference.at(i, k).noise;
    for (std::size_t row = i + 1; row < f.mean.rows(); ++row) {
        const Tableau::Entry& below = f.difference.at(row, k);
        c.jump = std::max(c.jump, std::abs(below.value) - sigmas(row - i) * below.noise);
    }
    return c;
}

Candidate best(const Tableaus& f) {
    Candidate found;
    for (std::size_t i = 1; i + 1 < f.mean.rows(); ++i)
        for (std::size_t k = 1; k <= i; ++k)
            if (const Candidate c = candidate(f, i, k); c.doubt() < found.doubt()) found = c;
    return found;
}

// How much the mean slope changed with the halving of h before row i.
double change(const Tableau& mean, std::size_t i) {
    return std::abs(mean.at(i, 0).value - mean.at(i - 1, 0).value);
}

// Whether the slopes on both sides diverged with the halving of h before row i: at a spike, such as a pole
// between x − h and x + h. At a kink their difference stays, elsewhere it is halved.
bool went_apart(const Tableau& difference, std::size_t i) {
    const Tableau::Entry &now = difference.at(i, 0), &before = difference.at(i - 1, 0);
    return std::abs(now.value) > 1.25 * std::abs(before.value) + rounding_sigmas * now.noise;
}

// Where f is smooth on the scale of h, each halving changes the mean slope by a quarter of the change before.
bool is_settled(const Tableaus& f) {
    const Tableau& mean = f.mean;
    if (mean.rows() < 5) return false;
    for (std::size_t i = mean.rows() - 3; i < mean.rows(); ++i)
        if (went_apart(f.difference, i) ||
            change(mean, i) > std::max(0.4 * change(mean, i - 1), rounding_sigmas * mean.at(i, 0).noise))
            return false;
    return true;
}

// The slopes at the last h differ as much as ever: they show nothing of the slope at x, and their
// extrapolations may agree by chance.
bool is_unknown(const Tableaus& f) {
    const Tableau& mean = f.mean;
    const std::size_t last = mean.rows() - 1;
    if (mean.rows() < 3 || is_settled(f)) return false;
    return went_apart(f.difference, last) ||
           change(mean, last) > std::max({change(mean, last - 1) / 2, std::abs(mean.at(last, 0).value) / 4,
                                          rounding_sigmas * mean.at(last, 0).noise});
}

// Whether further rows are not worth their calls of f.
bool is_good(const Tableaus& f, const Candidate& found) {
    if (f.mean.rows() < full_rows || !is_settled(f)) return false;
    const bool is_kink_still = std::abs(f.difference.at(f.mean.rows() - 1, 0).value) >= found.jump / 2;
    return found.is_kink() ? is_kink_still : found.doubt() <= good_enough * std::abs(found.value);
}

}  // namespace

// The mean of the slopes on both sides is f'(x) + a h² + b h⁴ + …; their difference, a h + b h³ + …, tends to
// 0 unless there is a kink at x. Noise σ in the values of f becomes noise σ / √2 h and √6 σ / h in the two.
// Where x − h or x + h is beyond a border of f's domain (of log, of 1/x), h is halved until both are within.
Derivative derivative(const std::function<Slopes(double h)>& slopes, double h, double noise) {
    Tableaus f;
    Candidate found;
    bool was_beyond = false;
    double largest = 0, bend = 0;  // of the slopes; |f''(x)|, by the last of them
    for (int row = 0, beyond = 0; row < max_rows && beyond < max_beyond && !is_good(f, found); h /= 2) {
        const double mean_noise = noise / (std::sqrt(2.0) * h);
        if (mean_noise * rounding_sigmas > found.doubt()) break;        // smaller h can only be worse
        if (f.mean.rows() >= full_rows && mean_noise > largest) break;  // and shows nothing
        const auto [left, right, is_smooth] = slopes(h);
        const bool is_beyond = !std::isfinite(left + right);
        if (was_beyond && !is_beyond) f = {}, largest = 0;  // larger steps led across the border
        was_beyond = is_beyond;
        ++(is_beyond ? beyond : row);
        if (is_beyond) continue;
        bend = std::abs(right - left) / h;
        f.mean.add({(left + right) / 2, mean_noise});
        f.difference.add({right - left, std::sqrt(12.0) * mean_noise});
        f.is_smooth.push_back(is_smooth);
        largest = std::max({largest, std::abs(left), std::abs(right)});
        found = best(f);
        if (found.is_within_rounding()) break;
    }
    if (!found.is_within_rounding() && is_unknown(f)) return {found.value, INFINITY};
    if (!found.is_kink()) return {found.value, found.doubt(), 0, bend};
    return {found.value, found.error(), found.jump + caution * found.jump_truncation + found.unclear};
}

}  // namespace glassbox::numerics
