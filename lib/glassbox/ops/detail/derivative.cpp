#include <glassbox/ops/detail/derivative.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace glassbox::differences {
namespace {

// Then h is a thousandth of the first: kinks that lie nearer count as lying at x.
constexpr int most_rows = 11;

// Rounding errors up to so many standard deviations are allowed for. Gauss's would do with 5; this leaves
// room for a deviation that was measured too small.
constexpr double sure = 6;
// From so many on what looks like a kink is taken for one: to be careful costs a few more halvings.
constexpr double suspicious = 2;
// What truncation seems to be times this is what it may be: neighbours in the tableau are sometimes alike by
// luck, among many kinks (a wide layer of ReLUs) more often than not.
constexpr double wary = 2, wary_of_kinks = 10;

// Extrapolation to h = 0 of what is known at h, h/2, h/4, …, when the error is a sum of the powers p, p + 2,
// p + 4, … of h. Each column takes one of them out of the one before:
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

// An entry of the tableau, and why it may be wrong.
struct Candidate {
    double value = NAN, truncation = INFINITY, rounding = 0;
    double jump = 0, jump_truncation = 0;  // between the slopes on both sides
    double unclear = 0;                    // what rounding can feign of it
    double error() const { return truncation + rounding; }
    double doubt() const { return error() + jump + jump_truncation; }
    bool is_kink() const { return jump > unclear && jump / 2 > error(); }
    bool is_as_good_as_rounding() const {
        return truncation <= rounding && jump <= unclear && jump_truncation <= unclear;
    }
};

// All that is known of f: the mean of the slopes on both sides and their difference, row by row.
struct Known {
    Tableau mean{2}, difference{1};
    std::vector<bool> is_smooth{};

    bool is_smooth_from(std::size_t first, std::size_t last) const {
        return std::all_of(is_smooth.begin() + static_cast<std::ptrdiff_t>(first),
                           is_smooth.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                           [](bool b) { return b; });
    }
};

// What an entry's neighbours say against it (Ridders, Accurate computation of F'(x), 1982), and the rows
// below, of which best() asks for one: three that agree by luck are rare.
Candidate smooth_candidate(const Known& f, std::size_t i, std::size_t k) {
    Candidate c;
    c.value = f.mean.at(i, k).value;
    c.rounding = sure * f.mean.at(i, k).noise;
    c.truncation = std::max(std::abs(c.value - f.mean.at(i, k - 1).value),
                            std::abs(c.value - f.mean.at(i - 1, k - 1).value));
    for (std::size_t row = i + 1; row < f.mean.rows(); ++row) {
        const Tableau::Entry& below = f.mean.at(row, k);
        c.truncation = std::max(c.truncation, std::abs(below.value - c.value) - suspicious * below.noise);
    }
    c.truncation *= wary;
    return c;
}

// With a kink between x and x + h the neighbours say less: it can look like no truncation. But hardly in the
// difference of both sides as well.
Candidate candidate(const Known& f, std::size_t i, std::size_t k) {
    Candidate c = smooth_candidate(f, i, k);
    if (f.is_smooth_from(i - k, i)) return c;
    c.truncation *= wary_of_kinks / wary;
    c.jump = std::abs(f.difference.at(i, k).value);
    c.jump_truncation = std::abs(f.difference.at(i, k).value - f.difference.at(i, k - 1).value);
    c.unclear = suspicious * f.difference.at(i, k).noise;
    for (std::size_t row = i + 1; row < f.mean.rows(); ++row) {
        const Tableau::Entry& apart = f.difference.at(row, k);
        c.jump = std::max(c.jump, std::abs(apart.value) - suspicious * apart.noise);
    }
    return c;
}

Candidate best(const Known& f) {
    Candidate found;
    for (std::size_t i = 1; i + 1 < f.mean.rows(); ++i)
        for (std::size_t k = 1; k <= i; ++k)
            if (const Candidate c = candidate(f, i, k); c.doubt() < found.doubt()) found = c;
    return found;
}

}  // namespace

// The mean of the slopes on both sides is f'(x) + a h² + b h⁴ + …; their difference, a h + b h³ + …, goes to
// 0 unless x lies at a kink. An error σ in each value of f makes one of σ / √2 h and of √6 σ / h.
Derivative derivative(const std::function<Slopes(double h)>& slopes, double h, double noise) {
    Known f;
    Candidate found;
    for (int row = 0; row < most_rows; ++row, h /= 2) {
        const double one = noise / (std::sqrt(2.0) * h);
        if (one * sure > found.doubt()) break;  // what comes is worse
        const auto [left, right, is_smooth] = slopes(h);
        if (std::isnan(left + right)) break;  // no h helps
        f.mean.add({(left + right) / 2, one});
        f.difference.add({right - left, std::sqrt(12.0) * one});
        f.is_smooth.push_back(is_smooth);
        found = best(f);
        if (found.is_as_good_as_rounding()) break;
    }
    if (!found.is_kink()) return {found.value, found.doubt()};
    return {found.value, found.error(), found.jump + wary * found.jump_truncation + found.unclear};
}

}  // namespace glassbox::differences
