// Lesson 15: which mistakes are known by what they do to the numbers.
#include "../support/own_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "../support/arrays.h"
#include "../support/compare.h"
#include "lesson.h"

namespace lesson {
namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

// exp(x − m), and 0 where nothing has been seen.
double weight(double x, double m) { return x == hidden ? 0 : std::exp(x - m); }

// The student's steps on golden's inputs.
struct Work {
    const Tensors& own;
    Matrix x;
    int size, rows, n, B;

    explicit Work(const Tensors& all)
        : own(all),
          x(matrix_of(all.at("x"))),
          size(number_of(all.at("size"))),
          rows(x.rows()),
          n(x.columns()),
          B((n + size - 1) / size) {}
    Matrix operator()(const char* step) const { return matrix_of(own.at(step)); }

    // Number (row, column) of a new matrix.
    template <class Number>
    Tensor table(int columns, Number number) const {
        std::vector<glassbox::real> values;
        for (int i = 0; i < rows; ++i)
            for (int c = 0; c < columns; ++c) values.push_back(static_cast<glassbox::real>(number(i, c)));
        return Tensor({rows, columns}, values);
    }
    // Of a block: f(so far, x) over its numbers.
    template <class F>
    double over_block(int i, int b, double begin, F f) const {
        for (int j = b * size; j < std::min((b + 1) * size, n); ++j) begin = f(begin, x(i, j));
        return begin;
    }
    double largest(int i, int b, double begin = hidden) const {
        return over_block(i, b, begin, [](double m, double number) { return std::max(m, number); });
    }
    double largest_of_row(int i) const {
        double m = hidden;
        for (int b = 0; b < B; ++b) m = largest(i, b, m);
        return m;
    }
    double sum_of_block(int i, int b, double m) const {
        return over_block(i, b, 0, [&](double s, double number) { return s + weight(number, m); });
    }
};

// One way to merge: the pair so far (m_a, s_a), the block's (m_b, s_b), and what the student's merged.m says.
using Merge = double (*)(double m_a, double s_a, double m_b, double s_b, double m);

double right_merge(double m_a, double s_a, double m_b, double s_b, double m) {
    return s_a * weight(m_a, m) + s_b * weight(m_b, m);
}

struct MergeMistake {
    const char* reason;
    Merge merge;
};
const MergeMistake merge_mistakes[] = {
    {"not-rescaled", [](double, double s_a, double, double s_b, double) { return s_a + s_b; }},
    {"old-not-rescaled",
     [](double, double s_a, double m_b, double s_b, double m) { return s_a + s_b * weight(m_b, m); }},
    {"new-not-rescaled",
     [](double m_a, double s_a, double, double s_b, double m) { return s_a * weight(m_a, m) + s_b; }},
    {"sign", [](double m_a, double s_a, double m_b, double s_b,
                double m) { return s_a * std::exp(m - m_a) + s_b * std::exp(m - m_b); }},
    {"exchanged", [](double m_a, double s_a, double m_b, double s_b,
                     double m) { return s_a * weight(m_b, m) + s_b * weight(m_a, m); }},
    {"maximum", [](double, double s_a, double, double s_b, double) { return std::max(s_a, s_b); }},
    {"maximum", [](double m_a, double s_a, double m_b, double s_b,
                   double m) { return std::max(s_a * weight(m_a, m), s_b * weight(m_b, m)); }},
    {"replaced",
     [](double m_a, double s_a, double m_b, double s_b, double) { return m_b > m_a ? s_b : s_a + s_b; }},
    {"replaced", [](double, double, double, double s_b, double) { return s_b; }},
};

class BackendsCheck : public OwnCheck {
  public:
    Tensor redo(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        if (step == "block/m") return k.table(k.B, [&](int i, int b) { return k.largest(i, b); });
        if (step == "block/s") return block_sums(k, k("block/m"));
        if (step == "merged/m") return merged_maxima(k, hidden);
        if (step == "merged/s") return merged(k, right_merge);
        const Matrix m = k("merged/m"), s = k("merged/s");
        return weights(
            k, [&](int i, int) { return m(i, k.B - 1); }, [&](int i, int) { return s(i, k.B - 1); });
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        if (step == "block/m") return why_block_m(k);
        if (step == "block/s") return why_block_s(k);
        if (step == "merged/m") return why_merged_m(k);
        if (step == "merged/s") return why_merged_s(k);
        return why_softmax(k);
    }

    // What s is where nothing has been seen is never asked, as long as it is a number.
    Tensor comparable(const std::string& step, const Tensor& value, const Tensors& golden) const override {
        if (step != "block/s" && step != "merged/s") return value;
        const Tensor& m = golden.at(step == "block/s" ? "block/m" : "merged/m");
        std::vector<glassbox::real> values = value.values();
        const std::vector<glassbox::real> maxima = m.values(), chosen = golden.at(step).values();
        for (std::size_t i = 0; i < values.size(); ++i)
            if (std::isinf(maxima[i]) && std::isfinite(values[i])) values[i] = chosen[i];
        return Tensor(value.shape(), values);
    }

  private:
    static Tensor block_sums(const Work& k, const Matrix& m) {
        return k.table(k.B, [&](int i, int b) { return k.sum_of_block(i, b, m(i, b)); });
    }

    static Tensor merged_maxima(const Work& k, double begin) {
        const Matrix m = k("block/m");
        return k.table(k.B, [&](int i, int b) {
            double largest = begin;
            for (int c = 0; c <= b; ++c) largest = std::max(largest, m(i, c));
            return largest;
        });
    }

    // Block after block, with the student's own maxima and, of what came before, with the same mistake.
    static Tensor merged(const Work& k, Merge merge) {
        const Matrix m = k("block/m"), s = k("block/s"), all = k("merged/m");
        Matrix sums(k.rows, k.B);
        return k.table(k.B, [&](int i, int b) {
            if (b == 0) return sums(i, b) = s(i, b);
            return sums(i, b) = merge(all(i, b - 1), sums(i, b - 1), m(i, b), s(i, b), all(i, b));
        });
    }

    // exp(x − m) / s, with m and s of place (i, j).
    static Tensor weights(const Work& k, const std::function<double(int, int)>& m,
                          const std::function<double(int, int)>& s) {
        return k.table(k.n, [&](int i, int j) { return weight(k.x(i, j), m(i, j)) / s(i, j); });
    }

    static std::string why_block_m(const Work& k) {
        const auto is = [&](auto number) { return agree(k.own.at("block/m"), k.table(k.B, number)); };
        if (is([&](int i, int b) { return k.largest(i, b, 0); })) return "zero";
        if (is([&](int i, int) { return k.largest_of_row(i); })) return "whole-row";
        if (agree(k.own.at("block/m"), k.table(k.B, [&](int i, int b) {
                double m = hidden;
                for (int c = 0; c <= b; ++c) m = k.largest(i, c, m);
                return m;
            })))
            return "so-far";
        if (is([&](int i, int b) {
                return -k.over_block(i, b, hidden, [](double m, double x) { return std::max(m, -x); });
            }))
            return "smallest";
        return is([&](int i, int b) { return k.largest(i, b, -1e9); }) ? "not-low-enough" : "";
    }

    static std::string why_block_s(const Work& k) {
        const Matrix m = k("block/m"), given = k("block/s");
        const auto is = [&](auto number) { return agree(k.own.at("block/s"), k.table(k.B, number)); };
        if (is([&](int i, int b) { return k.sum_of_block(i, b, 0); })) return "not-shifted";
        if (is([&](int i, int b) { return k.sum_of_block(i, b, k.largest_of_row(i)); })) return "whole-row";
        if (is([&](int i, int b) { return k.sum_of_block(i, b, m(i, b)) - 1; })) return "without-the-largest";
        if (is([&](int i, int b) {
                const double sum = k.over_block(i, b, 0, [](double s, double x) { return s + std::exp(x); });
                return sum - m(i, b);
            }))
            return "subtracted-behind";
        for (int i = 0; i < k.rows; ++i)
            for (int b = 0; b < k.B; ++b)
                if (!std::isfinite(given(i, b)))
                    return std::isnan(given(i, b)) && m(i, b) == hidden ? "hidden" : "overflow";
        return "";
    }

    static std::string why_merged_m(const Work& k) {
        const Matrix m = k("block/m");
        const auto is = [&](auto number) { return agree(k.own.at("merged/m"), k.table(k.B, number)); };
        if (agree(k.own.at("merged/m"), k.own.at("block/m"))) return "last";
        if (agree(k.own.at("merged/m"), merged_maxima(k, 0))) return "zero";
        if (is([&](int i, int b) { return b == 0 ? m(i, b) : std::max(m(i, b - 1), m(i, b)); }))
            return "two-only";
        return is([&](int i, int) { return k.largest_of_row(i); }) ? "whole-row" : "";
    }

    static std::string why_merged_s(const Work& k) {
        for (const MergeMistake& mistake : merge_mistakes)
            if (agree(k.own.at("merged/s"), merged(k, mistake.merge))) return mistake.reason;
        const Matrix given = k("merged/s"), m = k("merged/m");
        for (int i = 0; i < k.rows; ++i)
            for (int b = 0; b < k.B; ++b)
                if (!std::isfinite(given(i, b))) return std::isnan(given(i, b)) ? "hidden" : "overflow";
        return "";
    }

    static std::string why_softmax(const Work& k) {
        const Matrix block_m = k("block/m"), block_s = k("block/s"), m = k("merged/m"), s = k("merged/s");
        const auto last_m = [&](int i, int) { return m(i, k.B - 1); };
        const auto last_s = [&](int i, int) { return s(i, k.B - 1); };
        const auto its_m = [&](int i, int j) { return block_m(i, j / k.size); };
        const auto its_s = [&](int i, int j) { return block_s(i, j / k.size); };
        const auto one = [](int, int) { return 1.0; };
        const auto is = [&](const auto& of_m, const auto& of_s) {
            return agree(k.own.at("softmax"), weights(k, of_m, of_s));
        };
        if (is(last_m, one)) return "not-divided";
        if (is(its_m, its_s)) return "block";
        if (is(its_m, last_s)) return "maximum-of-block";
        if (is(last_m, its_s)) return "sum-of-block";
        if (is([&](int i, int j) { return m(i, j / k.size); },
               [&](int i, int j) { return s(i, j / k.size); }))
            return "too-early";
        if (is([](int, int) { return 0.0; }, last_s)) return "not-shifted";
        const std::vector<glassbox::real> given = k.own.at("softmax").values();
        return std::all_of(given.begin(), given.end(), [](auto v) { return std::isfinite(v); }) ? ""
                                                                                                : "overflow";
    }
};

}  // namespace

const Check& the_check() {
    static const BackendsCheck check;
    return check;
}

}  // namespace lesson
