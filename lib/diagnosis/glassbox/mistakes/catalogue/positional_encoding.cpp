#include <glassbox/layers/positional_encoding.h>

#include <numbers>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::positional_encoding;

namespace {

// One number of the encoding: position t, column c.
struct EncodedNumber {
    double t;
    index_t c, T, d;
    double first;  // the position of the first row

    double i() const { return static_cast<double>(c / 2); }
    double column() const { return static_cast<double>(c); }
    double width() const { return static_cast<double>(d); }
};
using Formula = double (*)(const EncodedNumber& p);

double wave(index_t c, double angle) { return c % 2 == 0 ? std::sin(angle) : std::cos(angle); }
double angle(double t, double exponent, double base = 10000) { return t / std::pow(base, exponent); }
double right(double t, index_t c, double d) { return wave(c, angle(t, 2 * static_cast<double>(c / 2) / d)); }

// 0 on other devices, whose copies of the encoding are not an op's result.
double first_position(const Frame& f, const Tensor& made) {
    const Operation* operation = f.trace().operation_of(made);
    return operation && operation->has("first") ? (*operation)["first"] : 0;
}

WrongValue encoded_by(Formula formula) {
    return [=](const Frame& f, const Tensor& made) {
        const index_t T = made.size(-2), d = made.size(-1);
        const double first = first_position(f, made);
        std::vector<real> numbers;
        for (index_t t = 0; t < T; ++t)
            for (index_t c = 0; c < d; ++c)
                numbers.push_back(
                    static_cast<real>(formula({first + static_cast<double>(t), c, T, d, first})));
        return Tensor(made.shape(), numbers, made.device());
    };
}

double rising_angle(const EncodedNumber& p) { return angle(p.t, -2 * p.i() / p.width()); }

// Whether no number is `far` from what it should be.
template <class Far>
bool all_encoded(const Frame& f, const Tensor& made, const Tensor& given, Far far) {
    const std::vector<real> numbers = given.values();
    const index_t T = made.size(-2), d = made.size(-1);
    const double first = first_position(f, made);
    for (std::size_t n = 0; n < numbers.size(); ++n) {
        const index_t t = static_cast<index_t>(n) / d % T, c = static_cast<index_t>(n) % d;
        if (far(static_cast<double>(numbers[n]), {first + static_cast<double>(t), c, T, d, first}))
            return false;
    }
    return true;
}

// Angles of thousands have few digits behind the point in single precision.
bool has_rising_angles(const Frame& f, const Tensor& made, const Tensor& given) {
    if (given.shape() != made.shape() || made.size(-2) < 3 || made.size(-1) < 4) return false;
    constexpr double rounding = 1e-6;
    return all_encoded(f, made, given, [](double value, const EncodedNumber& p) {
        const double x = rising_angle(p);
        return !(std::abs(value - wave(p.c, x)) <= rounding * (1 + std::abs(x)));
    });
}

// Another base of the frequencies.
Mistake based_on(const char* name, const char* formula, Formula other) {
    return Mistake{{"encoding", {&step::encoding, &steps::shifted_encoding::encoding}},
                   name,
                   formula,
                   "The frequencies fall too fast or too slowly: the base raised to 2i/d is 10000.",
                   encoded_by(other)}
        .in_class("another base of the frequencies");
}

using Exponent = double (*)(const EncodedNumber& p);
constexpr Exponent wrong_exponents[] = {
    [](const EncodedNumber& p) { return p.column() / p.width(); },
    [](const EncodedNumber& p) { return 2 * p.column() / p.width(); },
    [](const EncodedNumber& p) { return 4 * p.i() / p.width(); },
    [](const EncodedNumber& p) { return p.i() / p.width(); },
    [](const EncodedNumber& p) { return 2 * (p.i() + 1) / p.width(); },
    [](const EncodedNumber& p) { return (2 * p.i() + 1) / p.width(); },
    [](const EncodedNumber& p) { return 2 * p.i() / (p.width() - 1); },
    [](const EncodedNumber& p) { return 2 * p.i() / std::max(1.0, p.width() - 2); }};
constexpr double wrong_bases[] = {std::numbers::e, 10, 100, 1000, 100000, 1000000};

// Two parts of the formula that are others together: known by any of the wrong bases and exponents.
using Other = double (*)(const EncodedNumber& p, double exponent, double base);
ShownBy known_by_any(bool has_other_base, bool has_other_exponent, Other other) {
    return [=](const Frame& f, const Tensor& made, const Tensor& given) {
        if (given.shape() != made.shape() || made.size(-2) < 3 || made.size(-1) < 4) return false;
        constexpr double rounding = 2e-6;
        const auto is_it = [&](double base, Exponent exponent) {
            return all_encoded(f, made, given, [&](double value, const EncodedNumber& p) {
                return !(std::abs(value - other(p, exponent(p), base)) <= rounding * (1 + p.t));
            });
        };
        const Exponent right_exponent = [](const EncodedNumber& p) { return 2 * p.i() / p.width(); };
        for (const double base : wrong_bases)
            for (const Exponent exponent : wrong_exponents)
                if (is_it(has_other_base ? base : 10000, has_other_exponent ? exponent : right_exponent))
                    return true;
        return false;
    };
}

// Two at once, in any of the ways to make them.
std::vector<Mistake> of_two_parts() {
    const WrongAt encoding{"encoding", {&step::encoding, &steps::shifted_encoding::encoding}};
    const Other moved = [](const EncodedNumber& p, double exponent, double base) {
        return wave(p.c, angle(p.t + 1, exponent, base));
    };
    const Other swapped = [](const EncodedNumber& p, double exponent, double base) {
        return wave(p.c + 1, angle(p.t, exponent, base));
    };
    const auto line = [&](const char* name, const char* formula, const char* sentence, Formula value,
                          ShownBy rule) {
        return Mistake{encoding, name, formula, sentence, encoded_by(value)}.known_by(std::move(rule));
    };
    return {
        line(
            "base-and-exponent", "ω = 1000^(−c/d), c the column, or another base and exponent",
            "The base and the exponent of the frequencies are both others: ω_i = 10000^(−2i/d).",
            [](const EncodedNumber& p) { return wave(p.c, angle(p.t, p.column() / p.width(), 1000)); },
            known_by_any(true, true,
                         [](const EncodedNumber& p, double exponent, double base) {
                             return wave(p.c, angle(p.t, exponent, base));
                         }))
            .seen("https://github.com/maxjcohen/transformer/issues/62"),
        line(
            "cosines-alone", "cos(t 10000^(−2(i + 1)/d)), or another exponent, beside right sines",
            "The cosines have another frequency than the sines beside them; a pair shares one.",
            [](const EncodedNumber& p) {
                return p.c % 2 == 0 ? right(p.t, p.c, p.width())
                                    : std::cos(angle(p.t, 2 * (p.i() + 1) / p.width()));
            },
            known_by_any(false, true,
                         [](const EncodedNumber& p, double exponent, double) {
                             return p.c % 2 == 0 ? right(p.t, p.c, p.width())
                                                 : std::cos(angle(p.t, exponent));
                         }))
            .seen("https://github.com/SamLynnEvans/Transformer/issues/7"),
        line(
            "from-one-and-base", "sin((t + 1) ω_i), cos((t + 1) ω_i), ω_i = 1000^(−2i/d) or another base",
            "Positions are counted from 1, and the base of the frequencies is not 10000.",
            [](const EncodedNumber& p) { return wave(p.c, angle(p.t + 1, 2 * p.i() / p.width(), 1000)); },
            known_by_any(true, false, moved)),
        line(
            "from-one-and-exponent", "sin((t + 1) ω), cos((t + 1) ω), ω = 10000^(−c/d) or another exponent",
            "Positions are counted from 1, and the exponent of the frequencies is not 2i/d.",
            [](const EncodedNumber& p) { return wave(p.c, angle(p.t + 1, p.column() / p.width())); },
            known_by_any(false, true, moved)),
        line(
            "swapped-and-base", "cos(t ω_i), sin(t ω_i), ω_i = 1000^(−2i/d) or another base",
            "Sine and cosine are swapped, and the base of the frequencies is not 10000.",
            [](const EncodedNumber& p) { return wave(p.c + 1, angle(p.t, 2 * p.i() / p.width(), 1000)); },
            known_by_any(true, false, swapped)),
        line(
            "swapped-and-exponent", "cos(t ω), sin(t ω), ω = 10000^(−c/d) or another exponent",
            "Sine and cosine are swapped, and the exponent of the frequencies is not 2i/d.",
            [](const EncodedNumber& p) { return wave(p.c + 1, angle(p.t, p.column() / p.width())); },
            known_by_any(false, true, swapped)),
    };
}

std::vector<Mistake> of_frequencies() {
    const WrongAt encoding{"encoding", {&step::encoding, &steps::shifted_encoding::encoding}};
    return {
        Mistake{encoding, "no-frequency", "sin(t), cos(t)",
                "Every column has frequency 1, as when 2i/d is an integer division.",
                encoded_by([](const EncodedNumber& p) { return wave(p.c, p.t); })}
            .seen("https://github.com/Kyubyong/transformer/pull/81"),
        {encoding, "exponent-doubled", "ω_i = 10000^(−4i/d)", "The exponent is twice as large.",
         encoded_by([](const EncodedNumber& p) { return wave(p.c, angle(p.t, 4 * p.i() / p.width())); })},
        Mistake{encoding, "exponent-of-column", "ω = 10000^(−2c/d), c the column",
                "The exponent counts columns, not pairs of a sine and a cosine.",
                encoded_by(
                    [](const EncodedNumber& p) { return wave(p.c, angle(p.t, 2 * p.column() / p.width())); })}
            .seen("https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/32"),
        {encoding, "width-less-one", "ω_i = 10000^(−2i/(d − 1))",
         "Divided by d − 1, like the steps of a linspace: the exponent is 2i/d.",
         encoded_by(
             [](const EncodedNumber& p) { return wave(p.c, angle(p.t, 2 * p.i() / (p.width() - 1))); })},
        {encoding, "exponent-of-pair", "ω_i = 10000^(−2i)", "The exponent is not divided by d.",
         encoded_by([](const EncodedNumber& p) { return wave(p.c, angle(p.t, 2 * p.i())); })},
        {encoding, "exponent-of-odd-columns", "ω_i = 10000^(−(2i + 1)/d)",
         "The exponents count 1, 3, 5, …: those of the odd columns; a pair has that of its even one.",
         encoded_by(
             [](const EncodedNumber& p) { return wave(p.c, angle(p.t, (2 * p.i() + 1) / p.width())); })},
        {encoding, "exponent-halved", "ω_i = 10000^(−i/d)", "The exponent is half as large.",
         encoded_by([](const EncodedNumber& p) { return wave(p.c, angle(p.t, p.i() / p.width())); })},
        Mistake{
            encoding, "exponent-of-cosine", "ω = 10000^(−c/d), c the column",
            "The cosines have their own frequencies; a sine and its neighbouring cosine should share one.",
            encoded_by([](const EncodedNumber& p) { return wave(p.c, angle(p.t, p.column() / p.width())); })}
            .seen("https://github.com/SamLynnEvans/Transformer/issues/25"),
        {encoding, "exponent-from-one", "ω_i = 10000^(−2(i + 1)/d)",
         "The pairs are counted from 1: the first frequency is not 1.",
         encoded_by(
             [](const EncodedNumber& p) { return wave(p.c, angle(p.t, 2 * (p.i() + 1) / p.width())); })},
        {encoding, "width-less-two", "ω_i = 10000^(−2i/(d − 2))",
         "The last frequency is exactly 1/10000, as in Tensor2Tensor: the exponent ends at 1.",
         encoded_by([](const EncodedNumber& p) {
             return wave(p.c, p.d > 3 ? angle(p.t, 2 * p.i() / (p.width() - 2)) : p.t);
         })},
        Mistake{encoding, "multiplied", "ω_i = 10000^(2i/d)",
                "Multiplied by the power instead of divided: the frequencies rise.",
                encoded_by([](const EncodedNumber& p) { return wave(p.c, rising_angle(p)); })}
            .known_by(has_rising_angles),
        {encoding, "not-a-power", "ω_i = 1 / (10000 · 2i/d), 1 for i = 0",
         "10000 is multiplied by 2i/d instead of raised to it.", encoded_by([](const EncodedNumber& p) {
             return wave(p.c, p.c < 2 ? p.t : p.t / (10000 * 2 * p.i() / p.width()));
         })},
        based_on("base", "ω_i = 1000^(−2i/d)",
                 [](const EncodedNumber& p) { return wave(p.c, angle(p.t, 2 * p.i() / p.width(), 1000)); }),
        based_on("base-100000", "ω_i = 100000^(−2i/d)",
                 [](const EncodedNumber& p) { return wave(p.c, angle(p.t, 2 * p.i() / p.width(), 100000)); }),
        based_on("base-10", "ω_i = 10^(−2i/d)",
                 [](const EncodedNumber& p) { return wave(p.c, angle(p.t, 2 * p.i() / p.width(), 10)); }),
        based_on("base-e", "ω_i = e^(−2i/d)",
                 [](const EncodedNumber& p) {
                     return wave(p.c, angle(p.t, 2 * p.i() / p.width(), std::numbers::e));
                 }),
        Mistake{encoding, "floor-division", "ω_i = exp(i ⌊−ln 10000 / d / 2⌋)",
                "−log(10000) / d // 2 divides by d, then by 2, and rounds down, to −1 for most widths. It "
                "should be −log(10000) / (d // 2).",
                encoded_by([](const EncodedNumber& p) {
                    return wave(p.c, p.t * std::exp(p.i() * std::floor(-std::log(10000.0) / p.width() / 2)));
                })}
            .seen("https://github.com/zju3dv/LoFTR/issues/41"),
        {encoding, "floor-division-by-width", "ω_i = exp(2i ⌊−ln 10000 / d⌋)",
         "−log(10000) // d rounds down, to −1 for widths above 9; 2i / d is a plain division.",
         encoded_by([](const EncodedNumber& p) {
             return wave(p.c, p.t * std::exp(2 * p.i() * std::floor(-std::log(10000.0) / p.width())));
         })},
        {encoding, "turns", "sin(2π t ω_i), cos(2π t ω_i)",
         "The angle is multiplied by 2π, as if ω were in turns: all integer positions look alike at ω = 1.",
         encoded_by([](const EncodedNumber& p) {
             return wave(p.c, 2 * std::numbers::pi * angle(p.t, 2 * p.i() / p.width()));
         })},
        {encoding, "degrees", "sin, cos of t ω_i in degrees", "The angle is treated as degrees.",
         encoded_by([](const EncodedNumber& p) {
             return wave(p.c, std::numbers::pi / 180 * angle(p.t, 2 * p.i() / p.width()));
         })},
    };
}

Tensor sines_first(const Frame&, const Tensor& made) {
    std::vector<Tensor> columns;
    for (const index_t first : {0, 1})
        for (index_t c = first; c < made.size(-1); c += 2) columns.push_back(slice(made, -1, c, c + 1));
    return concat(columns, -1);
}

std::vector<Mistake> of_places() {
    const WrongAt encoding{"encoding", {&step::encoding, &steps::shifted_encoding::encoding}};
    return {
        Mistake{encoding, "concatenated", "all sines, then all cosines",
                "Correct numbers in the wrong order: sines and cosines should alternate.", sines_first}
            .of_made()
            .seen("https://github.com/tensorflow/text/issues/1122"),
        {encoding, "swapped", "cos(t ω_i), sin(t ω_i)",
         "Sine and cosine are swapped: even columns are sines.",
         encoded_by([](const EncodedNumber& p) { return wave(p.c + 1, angle(p.t, 2 * p.i() / p.width())); })},
        {encoding, "only-sines", "sin(t ω_i), sin(t ω_i)", "All columns are sines; odd ones are cosines.",
         encoded_by([](const EncodedNumber& p) { return std::sin(angle(p.t, 2 * p.i() / p.width())); })},
        {encoding, "only-cosines", "cos(t ω_i), cos(t ω_i)", "All columns are cosines; even ones are sines.",
         encoded_by([](const EncodedNumber& p) { return std::cos(angle(p.t, 2 * p.i() / p.width())); })},
        {encoding, "by-position", "sin for even t, cos for odd t",
         "Sine and cosine alternate from position to position, not from column to column.",
         encoded_by([](const EncodedNumber& p) {
             return wave(static_cast<index_t>(p.t), angle(p.t, 2 * p.i() / p.width()));
         })},
        {encoding, "last-column", "0 in the last column of an odd width",
         "The last column of an odd width is missing; it is a sine without a cosine.",
         encoded_by([](const EncodedNumber& p) {
             return p.d % 2 == 1 && p.c == p.d - 1 ? 0 : right(p.t, p.c, p.width());
         })},
        {encoding, "from-one", "sin((t + 1) ω_i), cos((t + 1) ω_i)",
         "Positions are counted from 1 instead of 0.",
         encoded_by([](const EncodedNumber& p) { return right(p.t + 1, p.c, p.width()); })},
        {encoding, "restarted", "t counted from 0 after a cache",
         "Positions restart at 0 after the cached ones instead of continuing.",
         encoded_by([](const EncodedNumber& p) { return right(p.t - p.first, p.c, p.width()); })},
        {encoding, "backwards", "t counted from the end",
         "Positions are counted from the end; row t belongs to position t.",
         encoded_by([](const EncodedNumber& p) {
             return right(2 * p.first + static_cast<double>(p.T - 1) - p.t, p.c, p.width());
         })},
        {encoding, "share-of-length", "sin(ω_i t/T), cos(ω_i t/T)",
         "The positions are divided by the length, so the same position differs between sequences.",
         encoded_by(
             [](const EncodedNumber& p) { return right(p.t / static_cast<double>(p.T), p.c, p.width()); })},
        {encoding, "transposed", "position and column swapped",
         "Positions and columns are swapped: the column is multiplied by the position's frequency.",
         encoded_by(
             [](const EncodedNumber& p) { return right(p.column(), static_cast<index_t>(p.t), p.width()); })},
        Mistake{encoding, "row-behind-the-last", "PE[T] in every row",
                "Row T is used instead of the rows up to T: every position has the same encoding.",
                encoded_by([](const EncodedNumber& p) {
                    return right(p.first + static_cast<double>(p.T), p.c, p.width());
                })}
            .seen("https://github.com/DiffPoseTalk/DiffPoseTalk/issues/20"),
        Mistake{encoding, "one-position", "PE[0] in every row",
                "Every row has the first one's encoding, so positions cannot be told apart.",
                encoded_by([](const EncodedNumber& p) { return right(p.first, p.c, p.width()); })}
            .in_class("one position for all"),
    };
}

// x + encoding
std::vector<Mistake> of_output() {
    const WrongAt output{"output", {&step::output, &steps::learned_positions::output}};
    return {
        Mistake{output, "not-added", "x", "The positions are missing.",
                [](const Frame& f, const Tensor&) { return f["x"]; }}
            .seen("https://github.com/Lightning-AI/pytorch-lightning/pull/20099"),
        {output, "multiplied", "x ∘ encoding",
         "Multiplied instead of added: values are lost wherever the encoding is 0.",
         [](const Frame& f, const Tensor&) { return f["x"] * f["encoding"]; }},
        Mistake{output, "wrong-axis", "x[b, t] + encoding[b]",
                "The encoding is added along the batch: all elements of a sequence get the same position.",
                [](const Frame& f, const Tensor&) {
                    const Tensor &x = f["x"], &encoding = f["encoding"];
                    if (x.rank() < 3 || x.size(0) > x.size(-2)) return not_here;
                    Shape one_a_sequence = x.shape();
                    for (int axis = 1; axis + 1 < x.rank(); ++axis)
                        one_a_sequence = one_a_sequence.with(axis, 1);
                    return x + reshape(slice(encoding, 0, 0, x.size(0)), one_a_sequence);
                }}
            .seen("https://github.com/AkiRusProd/numpy-transformer/issues/1"),
        Mistake{output, "one-position", "x + encoding[0]",
                "Every row gets the first position's encoding, so positions cannot be told apart.",
                [](const Frame& f, const Tensor&) {
                    return f["encoding"].size(-2) > 1 ? f["x"] + slice(f["encoding"], -2, 0, 1) : not_here;
                }}
            .in_class("one position for all"),
        {output, "shifted", "x[0], then x[t] + encoding[t − 1]",
         "The first row gets no position and the others count from it: a token was prepended to elements "
         "that already had positions.",
         [](const Frame& f, const Tensor&) {
             const Tensor &x = f["x"], &encoding = f["encoding"];
             const index_t T = x.size(-2);
             if (T < 2) return not_here;
             return concat({slice(x, -2, 0, 1), slice(x, -2, 1, T) + slice(encoding, -2, 0, T - 1)}, -2);
         }},
        {output, "encoding-transposed", "x + encodingᵀ", "The encoding is transposed.",
         [](const Frame& f, const Tensor&) {
             return is_square(f["encoding"]) ? f["x"] + transpose(f["encoding"]) : not_here;
         }},
        {output, "twice", "x + 2 encoding", "The positions are added twice.",
         [](const Frame& f, const Tensor& made) { return made + f["encoding"]; }},
        Mistake{output, "x-twice", "2x + encoding", "x is added to a sum that already includes it.",
                [](const Frame& f, const Tensor& made) { return made + f["x"]; }}
            .seen("https://github.com/DSPsleeporg/smiles-transformer/pull/22"),
        {output, "subtracted", "x − encoding", "The positions are subtracted.",
         [](const Frame& f, const Tensor&) { return f["x"] - f["encoding"]; }},
        {output, "encoding-alone", "encoding", "The elements are missing: only their positions remain.",
         [](const Frame& f, const Tensor& made) { return broadcast_to(f["encoding"], made.shape()); }},
        {output, "halved", "(x + encoding) / 2", "The mean is taken, not the sum.",
         [](const Frame&, const Tensor& made) { return made / 2; }},
        Mistake{output, "scaled-x", "√d_model x + encoding",
                "x is multiplied by √d_model, which belongs to the embedding of tokens.",
                [](const Frame& f, const Tensor& made) {
                    return f["x"] * std::sqrt(size(made, -1)) + f["encoding"];
                }}
            .in_class("an embedding times d_model"),
        {output, "scaled-encoding", "x + √d_model encoding",
         "The encoding is multiplied by √d_model, which belongs to the tokens.",
         [](const Frame& f, const Tensor& made) {
             return f["x"] + f["encoding"] * std::sqrt(size(made, -1));
         }},
        {output, "divided-encoding", "x + encoding / √d_model",
         "The encoding is divided by √d_model; instead the tokens should be multiplied by it.",
         [](const Frame& f, const Tensor& made) {
             return f["x"] + f["encoding"] / std::sqrt(size(made, -1));
         }},
        {output, "first-sequence", "x + encoding, in the first sequence",
         "The positions are added only to the first sequence of the batch.",
         [](const Frame& f, const Tensor& made) { return first_of_one(made, f["x"], -3); }},
    };
}

}  // namespace

// x + PE, PE[t, 2i] = sin(t ω_i), PE[t, 2i+1] = cos(t ω_i), ω_i = 10000^(−2i/d)
std::vector<Mistake> positional_encoding() {
    return joined({of_frequencies(), of_two_parts(), of_places(), of_output()});
}

}  // namespace glassbox::catalogue
