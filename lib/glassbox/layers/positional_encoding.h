#pragma once
#include <glassbox/layers/parameters.h>
#include <glassbox/observe/step.h>

namespace glassbox {

namespace steps::positional_encoding {
inline constexpr const char* layer = "positional_encoding";
inline constexpr const char* formula =
    "PE[t, 2i] = sin(t ω_i),  PE[t, 2i+1] = cos(t ω_i),  ω_i = 10000^(−2i/d_model)";
inline constexpr StepInfo x{layer, "x", "", "What the positions are added to."};
inline constexpr StepInfo encoding{layer, "encoding", "sin(t ω_i), cos(t ω_i), ω_i = 10000^(−2i/d)",
                                   "One row a position: waves of ever longer period."};
inline constexpr StepInfo output{layer, "output", "x + encoding",
                                 "Every element now says also where it stands."};
}  // namespace steps::positional_encoding

namespace steps::learned_positions {
inline constexpr const char* layer = "learned_positions";
inline constexpr const char* formula = "x + table[0 … T − 1]";
inline constexpr StepInfo x = positional_encoding::x.of(layer);
inline constexpr StepInfo encoding{layer, "encoding", "table[0 … T − 1]",
                                   "One row a position, and no more positions than rows."};
inline constexpr StepInfo output = positional_encoding::output.of(layer);
}  // namespace steps::learned_positions

namespace steps::shifted_encoding {
inline constexpr const char* layer = "shifted_encoding";
// What a shift by φ is, and what two positions have in common.
inline constexpr const char* shift_formula = "M PE(t) = PE(t + φ)";
inline constexpr const char* dots_formula = "PE(s) · PE(t) = Σ_i cos((s − t) ω_i)";
inline constexpr StepInfo encoding = positional_encoding::encoding.of(layer);
inline constexpr StepInfo M{layer, "M", "[cos φω_i, sin φω_i; −sin φω_i, cos φω_i]",
                            "One rotation for each frequency; no position in it."};
inline constexpr StepInfo rotated{layer, "rotated", "M PE(t)", "Every pair of sine and cosine, turned."};
inline constexpr StepInfo later{layer, "later", "PE(t + φ)", "The encoding itself, φ positions later."};
inline constexpr StepInfo difference{layer, "difference", "rotated − later", "Nothing but rounding."};
inline constexpr StepInfo dots{layer, "dots", "PE PEᵀ",
                               "How alike two positions are; it depends on their distance alone."};
}  // namespace steps::shifted_encoding

// PE[t, 2i] = sin(t ω_i), PE[t, 2i+1] = cos(t ω_i), ω_i = 10000^(−2i/d_model) (report §4, equation 2; Vaswani
// et al. 2017, section 3.5): (length, d_model); with an odd d_model the last sine has no cosine. Computed in
// double, or in float throughout as the PyTorch sources do. `first` is the position of the first row.
[[nodiscard]] Tensor sinusoidal_encoding(index_t length, index_t d_model, bool in_float = false,
                                         index_t first = 0);

// M[i] (d_model/2, 2, 2), the rotations that move an encoding by `shift` positions, whatever the position:
// PE[t + shift] = M PE[t], for each pair of sine and cosine (third document, equation 1; fifth document's
// appendix). d_model must be even, else Error.
[[nodiscard]] Tensor shift_matrix(index_t shift, index_t d_model);
// M applied to each pair of an encoding (…, d_model).
Tensor shifted_encoding(const Tensor& encoding, const Tensor& M);

struct PositionalConfig {
    bool in_float = false;  // computed in float throughout, else in double
    index_t max_len = 0;    // the longest sequence that is encoded; 0: any
};

// x + encoding of its positions: x (…, T, d_model). Steps: x encoding output. Throws Error when T is more
// than max_len.
class PositionalEncoding {
  public:
    PositionalEncoding() = default;
    explicit PositionalEncoding(index_t d_model, const PositionalConfig& config = {})
        : d_model_(d_model), config_(config) {}

    Tensor operator()(const Tensor& x) const;
    void parameters(Parameters&) {}  // none

  private:
    Tensor encoding_of(index_t T, Device device) const;  // (T, d_model)

    index_t d_model_ = 0;
    PositionalConfig config_;
};

// The alternative that is learned: one row a position, and no more positions than rows (JAX tutorial,
// "Positional encoding"). The same steps.
class LearnedPositions {
  public:
    LearnedPositions(index_t max_len, index_t d_model) : weight(Tensor::zeros({max_len, d_model})) {}

    Tensor operator()(const Tensor& x) const;
    void parameters(Parameters& all) { all("weight", weight); }

    Tensor weight;  // (max_len, d_model)
};

}  // namespace glassbox
