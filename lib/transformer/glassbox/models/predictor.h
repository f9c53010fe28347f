#pragma once
#include <glassbox/layers/pooling.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/models/stack.h>

namespace glassbox {

namespace steps::predictor {
inline constexpr const char* layer = "predictor";
inline constexpr StepInfo x = multi_head_attention::x.of(layer);
inline constexpr StepInfo input_dropout = detail::dropout_step(layer, "input_dropout");
inline constexpr StepInfo input_net{
    layer, "input_net", "{0} W_inᵀ{2? + b}",
    "Every element projected to the width of the model; a one-hot row selects a row of weights."};
inline constexpr StepInfo linear{layer, "linear", "h W_1ᵀ{2? + b_1}", "The output network's first layer."};
inline constexpr StepInfo norm = encoder_block::norm1.of(layer, "norm");
inline constexpr StepInfo relu = feed_forward::relu.of(layer);
inline constexpr StepInfo dropout = detail::dropout_step(layer, "dropout");
inline constexpr StepInfo logits{layer, "logits", "h W_outᵀ{2? + b_out}",
                                 "One score for each class or word; the largest is the answer."};
inline constexpr StepInfo softmax{layer, "softmax", "softmax(logits)", "Each row becomes probabilities."};
}  // namespace steps::predictor

struct PredictorConfig {
    index_t d_in = 10, classes = 10;
    StackConfig encoder{};  // d_ff is 2·d_model in the sources
    double input_dropout = 0;
    bool input_dropout_after = false;  // after the input layer rather than before it
    bool positional_encoding = true;
    PositionalConfig positions{};
    Pooling pooling = Pooling::none;  // none: one output per element; else one for the sequence
    bool deep_output_net = true;      // Linear, LayerNorm, ReLU, Linear; else one Linear
    double output_dropout = 0;        // after the ReLU of a deep output network

    index_t d_model() const { return encoder.block.d_model(); }
};

// The model in one line: "logits = OutputNet(Encoder(InputNet(x) + PE))".
[[nodiscard]] std::string formula(const PredictorConfig& config);

// Input network, positional encoding, encoder, output network: the report's and the tutorials' predictor
// (report §5). x (…, T, d_in); logits (…, T, classes), or (…, classes) for the whole sequence. Steps: x
// input_net [cls] positional/… encoder/0/… [pooled] output_net/… logits softmax. With lengths in the mask,
// the mean and the maximum are over the real elements.
class Predictor {
  public:
    explicit Predictor(const PredictorConfig& config);  // norms: γ = 1, β = 0; all other parameters 0

    Tensor operator()(const Tensor& x, const Mask& mask = {}) const;  // logits

    const PredictorConfig& config() const { return config_; }
    void parameters(Parameters& all);

    Linear input_net;  // (d_model, d_in)
    Tensor cls;        // (d_model), with Pooling::cls
    Encoder encoder;
    Linear output_first;    // (d_model, d_model); this and the norm only with deep_output_net
    LayerNorm output_norm;  // (d_model)
    Linear output_last;     // (classes, d_model)

  private:
    Tensor embedded(const Tensor& input) const;
    Tensor with_positions(const Tensor& h) const;
    Tensor output_net(const Tensor& h) const;

    PredictorConfig config_;
    PositionalEncoding positional_;
};

}  // namespace glassbox
