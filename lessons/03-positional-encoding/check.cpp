// Lesson 03: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include <cmath>

#include <glassbox/ops/ops.h>

#include "../support/arrays.h"
#include "../support/compare.h"
#include "lesson.h"

namespace lesson {
namespace {

using glassbox::real;

// One number of the encoding, right or wrong.
using Formula = double (*)(double t, int c, int d_model);

double wave(int c, double angle) { return c % 2 == 0 ? std::sin(angle) : std::cos(angle); }
double angle_of(double t, double exponent, double base = 10000) { return t / std::pow(base, exponent); }

double right(double t, int c, int d_model) { return wave(c, angle_of(t, 2.0 * (c / 2) / d_model)); }

// The reason of each mistake, as the hints name it.
struct Mistake {
    const char* reason;
    Formula formula;
};

const Mistake mistakes[] = {
    {"concatenated",
     [](double t, int c, int d) {
         const int sines = (d + 1) / 2;
         return c < sines ? right(t, 2 * c, d) : right(t, 2 * (c - sines) + 1, d);
     }},
    {"swapped", [](double t, int c, int d) { return wave(c + 1, angle_of(t, 2.0 * (c / 2) / d)); }},
    {"from-one", [](double t, int c, int d) { return right(t + 1, c, d); }},
    {"no-frequency", [](double t, int c, int) { return wave(c, t); }},
    {"exponent-doubled", [](double t, int c, int d) { return wave(c, angle_of(t, 2.0 * c / d)); }},
    {"exponent-doubled", [](double t, int c, int d) { return wave(c, angle_of(t, 4.0 * (c / 2) / d)); }},
    {"exponent-halved", [](double t, int c, int d) { return wave(c, angle_of(t, 1.0 * (c / 2) / d)); }},
    {"exponent-of-cosine", [](double t, int c, int d) { return wave(c, angle_of(t, 1.0 * c / d)); }},
    {"multiplied", [](double t, int c, int d) { return wave(c, angle_of(t, -2.0 * (c / 2) / d)); }},
    {"base", [](double t, int c, int d) { return wave(c, angle_of(t, 2.0 * (c / 2) / d, 1000)); }},
    {"base", [](double t, int c, int d) { return wave(c, angle_of(t, 2.0 * (c / 2) / d, 100000)); }},
    {"base", [](double t, int c, int d) { return wave(c, angle_of(t, 2.0 * (c / 2) / d, 100)); }},
    {"base", [](double t, int c, int d) { return wave(c, angle_of(t, 2.0 * (c / 2) / d, 10)); }},
    {"base", [](double t, int c, int d) { return wave(c, angle_of(t, 2.0 * (c / 2) / d, std::exp(1.0))); }},
    {"last-column", [](double t, int c, int d) { return d % 2 == 1 && c == d - 1 ? 0 : right(t, c, d); }},
    {"only-sines", [](double t, int c, int d) { return std::sin(angle_of(t, 2.0 * (c / 2) / d)); }},
};

Tensor table(index_t T, index_t d_model, Formula formula) {
    std::vector<real> values;
    for (index_t t = 0; t < T; ++t)
        for (int c = 0; c < static_cast<int>(d_model); ++c)
            values.push_back(
                static_cast<real>(formula(static_cast<double>(t), c, static_cast<int>(d_model))));
    return Tensor({T, d_model}, values);
}

// (pairs, 2, 2): the rotation by shift · ω, ω = 10000^(−exponent_of_one · i).
Tensor matrices(index_t pairs, double shift, double exponent_of_one) {
    std::vector<real> values;
    for (index_t i = 0; i < pairs; ++i) {
        const double angle = angle_of(shift, exponent_of_one * static_cast<double>(i));
        for (double number : {std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle)})
            values.push_back(static_cast<real>(number));
    }
    return Tensor({pairs, 2, 2}, values);
}

class PositionalCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* encode = exercise.function<decltype(positional_encoding)>("positional_encoding");
        const Tensor& x = golden.at("x");
        return run_each<Steps>(
            matrices_in(x), golden,
            [&](index_t i, Steps& steps) { encode(matrix_of(x, i), number_of(golden.at("shift")), steps); },
            [](Collected& all, const Steps& steps) {
                all.add("encoding", steps.encoding);
                all.add("output", steps.output);
                all.add("M", steps.M);
            });
    }

    Tensor redo(const std::string& step, const Tensors& own) const override {
        const Tensor& x = own.at("x");
        if (step == "encoding") return table(x.size(-2), x.size(-1), right);
        if (step == "output") return x + own.at("encoding");
        return rotations(own, 1, 2);
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        if (step == "encoding") return why_encoding(own);
        if (step == "output") return why_output(own);
        return why_M(own);
    }

  private:
    // Of `times` the shift, with the exponent `per_pair` · i / d_model.
    static Tensor rotations(const Tensors& own, double times, double per_pair) {
        const index_t d_model = own.at("x").size(-1);
        return matrices(d_model / 2, times * static_cast<double>(number_of(own.at("shift"))),
                        per_pair / static_cast<double>(d_model));
    }

    std::string why_encoding(const Tensors& own) const {
        const Tensor& encoding = own.at("encoding");
        for (const Mistake& mistake : mistakes)
            if (agree(encoding, table(encoding.size(-2), encoding.size(-1), mistake.formula)))
                return mistake.reason;
        return "";
    }

    std::string why_output(const Tensors& own) const {
        const Tensor &x = own.at("x"), &encoding = own.at("encoding"), &output = own.at("output");
        if (agree(output, x)) return "not-added";
        if (agree(output, x * encoding)) return "multiplied";
        if (agree(output, x + slice(encoding, 0, 0, 1))) return "wrong-axis";
        if (x.size(-2) == x.size(-1) && agree(output, x + transpose(encoding))) return "wrong-axis";
        if (x.rank() < 3 || x.size(0) > x.size(-2)) return "";
        const Tensor by_batch = slice(encoding, 0, 0, x.size(0));  // batch entry b gets position b's
        const Tensor all_tokens = reshape(by_batch, {x.size(0), 1, x.size(-1)});
        return agree(output, x + all_tokens) ? "wrong-axis" : "";
    }

    std::string why_M(const Tensors& own) const {
        const Tensor& M = own.at("M");
        if (agree(M, transpose(redo("M", own)))) return "backwards";
        if (agree(M, rotations(own, 0, 2))) return "not-moved";
        const double one = 1 / static_cast<double>(number_of(own.at("shift")));
        if (agree(M, rotations(own, one, 2))) return "by-one";
        for (double per_pair : {0.0, 1.0, 4.0})
            if (agree(M, rotations(own, 1, per_pair))) return "frequency";
        return "";
    }
};

}  // namespace

const Check& the_check() {
    static const PositionalCheck check;
    return check;
}

}  // namespace lesson
