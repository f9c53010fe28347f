#include <glassbox/layers/positional_encoding.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::shifted_encoding;

namespace {

// (pairs, 2, 2): the rotation by φ ω_i for every pair, ω_i = 10000^(−exponent · i).
Tensor rotations(index_t pairs, double shift, double exponent) {
    std::vector<real> numbers;
    for (index_t i = 0; i < pairs; ++i) {
        const double angle = shift * std::pow(10000.0, -exponent * static_cast<double>(i));
        for (const double each : {std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle)})
            numbers.push_back(static_cast<real>(each));
    }
    return Tensor({pairs, 2, 2}, numbers);
}

double exponent_of(const Frame& f) { return 2 / static_cast<double>(size(f["encoding"], -1)); }  // 2/d

// φ, from the slowest rotation; 0 if that is more than half a turn.
double shift_of(const Tensor& M, double exponent) {
    const index_t last = M.size(0) - 1;
    const double angle = std::atan2(M.at({last, 0, 1}), M.at({last, 0, 0}));
    const double slowest = std::pow(10000.0, -exponent * static_cast<double>(last));
    const double shift = std::round(angle / slowest);
    return std::abs(shift * slowest - angle) < 1e-4 ? shift : 0;
}

// The rotations of every pair with other exponents: times 2/d.
WrongValue with_exponent(double times) {
    return [=](const Frame& f, const Tensor& made) {
        const double shift = shift_of(made, exponent_of(f));
        return shift != 0 ? rotations(made.size(0), shift, times * exponent_of(f)) : not_here;
    };
}

std::vector<Mistake> of_M() {
    return {
        Mistake{step::M, "backwards", "[cos φω_i, −sin φω_i; sin φω_i, cos φω_i]",
                "M moves backwards: it maps PE(t) to PE(t − φ).",
                [](const Frame&, const Tensor& made) { return transpose(made); }}
            .in_class("a shift backwards"),
        {step::M, "not-moved", "[1, 0; 0, 1]", "M changes nothing: it rotates by an angle of 0.",
         [](const Frame&, const Tensor& made) { return rotations(made.size(0), 0, 0); }},
        {step::M, "by-one", "[cos ω_i, sin ω_i; −sin ω_i, cos ω_i]",
         "M moves by one position; the angle should be φ times the frequency.",
         [](const Frame& f, const Tensor& made) { return rotations(made.size(0), 1, exponent_of(f)); }},
        {step::M, "no-minus", "[cos φω_i, sin φω_i; sin φω_i, cos φω_i]",
         "The minus sign is missing: this is not a rotation.",
         [](const Frame&, const Tensor& made) {
             return made * Tensor({{1, 1}, {-1, 1}});
         }},
        {step::M, "exchanged", "[sin φω_i, cos φω_i; cos φω_i, −sin φω_i]", "Sine and cosine are swapped.",
         [](const Frame&, const Tensor& made) { return reversed(made, -1); }},
        Mistake{step::M, "frequency", "ω_i = 1",
                "M's frequencies differ from the encoding's: all pairs have 1.", with_exponent(0)},
        Mistake{step::M, "frequency-halved", "ω_i = 10000^(−i/d)",
                "M's frequencies differ from the encoding's: the exponent is half as large.",
                with_exponent(0.5)},
        Mistake{step::M, "frequency-doubled", "ω_i = 10000^(−4i/d)",
                "M's frequencies differ from the encoding's: the exponent is twice as large.",
                with_exponent(2)},
    };
}

}  // namespace

// M PE(t) = PE(t + φ)
std::vector<Mistake> shifted_encoding() {
    return joined(
        {of_M(),
         {
             {step::rotated, "halves", "M on the pairs (c, c + d/2)",
              "A column is paired with the one half the width away; a sine's cosine is next to it.",
              [](const Frame& f, const Tensor& made) {
                  const Tensor &M = f["M"], &PE = f["encoding"];
                  const index_t T = PE.size(-2), pairs = M.size(0);
                  if (pairs < 2) return not_here;
                  const Tensor halves = transpose(reshape(PE, {T, 2, pairs}));  // (T, d/2, 2)
                  const Tensor rotated = matmul(M, reshape(halves, {T, pairs, 2, 1}));
                  return reshape(transpose(reshape(rotated, {T, pairs, 2})), made.shape());
              }},
             Mistake{step::rotated, "from-the-right", "PE(t) M",
                     "M is multiplied from the right, which moves backwards.",
                     [](const Frame& f, const Tensor&) {
                         return glassbox::shifted_encoding(f["encoding"], transpose(f["M"]));
                     }}
                 .in_class("a shift backwards"),
             {step::later, "earlier", "PE(t − φ)", "This is the encoding of earlier positions.",
              [](const Frame& f, const Tensor&) {
                  return glassbox::shifted_encoding(f["encoding"], transpose(f["M"]));
              }},
             {step::dots, "cosine", "PE PEᵀ / (d/2)",
              "Divided by the squared length of an encoding, which is d/2 for all.",
              [](const Frame& f, const Tensor& made) { return made / (size(f["encoding"], -1) / 2); }},
             {step::dots, "columns", "PEᵀ PE", "The columns are compared, not the positions.",
              [](const Frame& f, const Tensor&) { return matmul(transpose(f["encoding"]), f["encoding"]); }},
         }});
}

}  // namespace glassbox::catalogue
