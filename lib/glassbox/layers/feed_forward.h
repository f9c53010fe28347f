#pragma once
#include <string_view>

#include <glassbox/layers/linear.h>

namespace glassbox {

enum class Nonlinearity { relu, gelu };
Nonlinearity parse_nonlinearity(std::string_view name);  // UsageError that lists the names
const char* name(Nonlinearity activation);

// FFN(x) = activation(x W₁ᵀ + b₁) W₂ᵀ + b₂, each position on its own (report §4; Vaswani et al. 2017,
// equation 2). x (…, d_model). Steps: hidden relu|gelu output; in one fused op when nobody listens.
class FeedForward {
  public:
    FeedForward() = default;
    FeedForward(index_t d_model, index_t d_ff, double dropout, Nonlinearity activation,
                const Convention& convention, Stream& stream);

    Tensor operator()(const Tensor& x) const;
    void parameters(Parameters& all) { all("0", first), all("3", second); }

    Linear first;   // (d_ff, d_model)
    Linear second;  // (d_model, d_ff)

  private:
    Epilogue epilogue() const;  // the activation, as the fused op knows it

    double dropout_ = 0;
    Nonlinearity activation_ = Nonlinearity::relu;
    Gelu gelu_ = Gelu::erf;
};

}  // namespace glassbox
