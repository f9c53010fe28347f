#pragma once
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/layers/token_embedding.h>
#include <glassbox/models/decoder.h>
#include <glassbox/models/predictor.h>

namespace glassbox {

namespace steps::transformer {
inline constexpr const char* layer = "transformer";
inline constexpr StepInfo logits = predictor::logits.of(layer);
inline constexpr StepInfo softmax = predictor::softmax.of(layer);
}  // namespace steps::transformer

struct TransformerConfig {
    index_t source_vocabulary = 1000, target_vocabulary = 1000;
    StackConfig encoder, decoder;  // of one d_model
};

// The whole encoder–decoder Transformer (fourth document; Vaswani et al. 2017, figure 1): source (…, S) and
// target (…, T) are tokens, whole numbers below their vocabularies; logits (…, T, target_vocabulary). Masks
// are of padding; the causal one is added. Steps: source/… encoder/… target/… decoder/… logits softmax.
class Transformer {
  public:
    Transformer(const TransformerConfig& config, Stream& stream);

    Tensor operator()(const Tensor& source, const Tensor& target, const Mask& source_mask = {},
                      const Mask& target_mask = {}) const;

    const TransformerConfig& config() const { return config_; }
    void parameters(Parameters& all);

    TokenEmbedding source_embedding, target_embedding;
    Encoder encoder;
    Decoder decoder;
    Linear generator;  // (target_vocabulary, d_model)

  private:
    TransformerConfig config_;
    PositionalEncoding positional_;
};

// A decoder alone, for text that goes on (GPT; fourth document, "types of transformer models"): causal blocks
// without a memory. tokens (…, T), logits (…, T, vocabulary). Steps: tokens embedding scaled positional/…
// decoder/0/self_attn/… … logits softmax.
class LanguageModel {
  public:
    LanguageModel(index_t vocabulary, const StackConfig& config, Stream& stream);

    Tensor operator()(const Tensor& tokens, const Mask& mask = {}) const;

    void parameters(Parameters& all);

    TokenEmbedding embedding;
    Encoder decoder;  // an encoder whose mask is causal is a decoder without a memory
    Linear generator;

  private:
    PositionalEncoding positional_;
};

}  // namespace glassbox
