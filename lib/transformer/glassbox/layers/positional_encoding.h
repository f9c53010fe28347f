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
                                   "One row per position: waves of increasing period."};
inline constexpr StepInfo output{layer, "output", "x + encoding",
                                 "Every element now also encodes its position."};
}  // namespace steps::positional_encoding

namespace steps::learned_positions {
inline constexpr const char* layer = "learned_positions";
inline constexpr const char* formula = "x + table[0 … T − 1]";
inline constexpr StepInfo x = positional_encoding::x.of(layer);
inline constexpr StepInfo encoding{layer, "encoding", "table[0 … T − 1]",
                                   "One row per position, and no more positions than rows."};
inline constexpr StepInfo output = positional_encoding::output.of(layer);
}  // namespace steps::learned_positions

namespace steps::shifted_encoding {
inline constexpr const char* layer = "shifted_encoding";
// The effect of a shift by φ, and the dot product of two encodings.
inline constexpr const char* shift_formula = "M PE(t) = PE(t + φ)";
inline constexpr const char* dots_formula = "PE(s) · PE(t) = Σ_i cos((s − t) ω_i)";
inline constexpr StepInfo encoding = positional_encoding::encoding.of(layer);
inline constexpr StepInfo M{layer, "M", "[cos φω_i, sin φω_i; −sin φω_i, cos φω_i]",
                            "One rotation for each frequency, independent of the position."};
inline constexpr StepInfo rotated{layer, "rotated", "M PE(t)", "Every pair of sine and cosine, rotated."};
inline constexpr StepInfo later{layer, "later", "PE(t + φ)", "The encoding itself, φ positions later."};
inline constexpr StepInfo difference{layer, "difference", "rotated − later", "Only rounding errors."};
inline constexpr StepInfo dots{layer, "dots", "PE PEᵀ",
                               "How similar two positions are; it depends on their distance alone."};
}  // namespace steps::shifted_encoding

// PE[t, 2i] = sin(t ω_i), PE[t, 2i+1] = cos(t ω_i), ω_i = 10000^(−2i/d_model) (report §4, equation 2; Vaswani
// et al. 2017, section 3.5): (length, d_model); with an odd d_model the last sine has no cosine. Computed in
// double, or in float throughout as the PyTorch sources do. `first` is the position of the first row.
[[nodiscard]] Tensor sinusoidal_encoding(index_t length, index_t d_model, bool in_float = false,
                                         index_t first = 0);

// M (d_model/2, 2, 2), the rotations that shift an encoding by `shift` positions from any position t:
// PE[t + shift] = M PE[t], for each pair of sine and cosine (third document, equation 1; fifth document's
// appendix). With an odd d_model the last sine, which has no cosine, has no rotation.
[[nodiscard]] Tensor shift_matrix(index_t shift, index_t d_model);
// M applied to each pair of an encoding (…, d_model), d_model even.
Tensor shifted_encoding(const Tensor& encoding, const Tensor& M);

struct PositionalConfig {
    bool in_float = false;  // computed in float throughout, else in double
    index_t max_len = 0;    // the longest sequence accepted; 0: no limit
};

// x + encoding of its positions: x (…, T, d_model), whose first row is at position `first`. Steps: x encoding
// output. Throws Error when first + T exceeds max_len.
class PositionalEncoding {
  public:
    PositionalEncoding() = default;
    explicit PositionalEncoding(index_t d_model, const PositionalConfig& config = {})
        : d_model_(d_model), config_(config) {}

    Tensor operator()(const Tensor& x, index_t first = 0) const;
    void parameters(Parameters&) {}  // none

  private:
    Tensor encoding_of(index_t first, index_t T, Device device) const;  // (T, d_model)

    index_t d_model_ = 0;
    PositionalConfig config_;
};

// The learned alternative: one row per position, for at most max_len positions (JAX tutorial, "Positional
// encoding"). The same steps.
class LearnedPositions {
  public:
    LearnedPositions(index_t max_len, index_t d_model) : weight(Tensor::zeros({max_len, d_model})) {}

    Tensor operator()(const Tensor& x) const;
    void parameters(Parameters& all) { all("weight", weight); }

    Tensor weight;  // (max_len, d_model)
};

}  // namespace glassbox
