#pragma once
#include <glassbox/layers/linear.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/models/predictor.h>
#include <glassbox/models/stack.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

namespace steps::transformer {
inline constexpr const char* layer = "transformer";
// The two models in one line.
inline constexpr const char* formula =
    "logits = Decoder(Embedding(target), Encoder(Embedding(source))) W + b";
inline constexpr const char* decoder_only_formula = "logits = CausalBlocks(Embedding(tokens)) W + b";
inline constexpr StepInfo logits = predictor::logits.of(layer);
inline constexpr StepInfo softmax = predictor::softmax.of(layer);
}  // namespace steps::transformer

// Which tables of a model are one tensor (Press and Wolf 2017; Vaswani et al. 2017, section 3.4): the
// embedding of the target and the weights of the generator, which have one row for each word; or the
// embedding of the source too, which needs one vocabulary for both languages.
enum class TiedTables { none, target, all };
template <>
struct EnumWords<TiedTables> {
    static constexpr const char* what = "tie";
    static constexpr Word<TiedTables> all[] = {
        {TiedTables::none, "none"}, {TiedTables::target, "target"}, {TiedTables::all, "all"}};
};

struct TransformerConfig {
    index_t source_vocabulary = 1000, target_vocabulary = 1000;
    StackConfig encoder{}, decoder{};  // with the same d_model
    PositionalConfig positions{};
    TiedTables tied = TiedTables::none;
};

// The encoder–decoder Transformer (fourth document; Vaswani et al. 2017, figure 1): source (…, S) and target
// (…, T) are tokens, integers below their vocabularies; logits (…, T, target_vocabulary). The masks are for
// padding; the causal mask is added. What source_mask hides from some positions of the source only, as a
// window does, the target sees. Steps: source/… encoder/… target/… decoder/… logits softmax.
class Transformer {
  public:
    explicit Transformer(const TransformerConfig& config);  // norms: γ = 1, β = 0; all other parameters 0

    Tensor operator()(const Tensor& source, const Tensor& target, const Mask& source_mask = {},
                      const Mask& target_mask = {}) const;

    // The two halves, for decoding: the memory (…, S, d_model) is computed once.
    Tensor encode(const Tensor& source, const Mask& source_mask = {}) const;
    // logits (…, T, target_vocabulary). With a cache, `target` continues the tokens that were read before.
    Tensor decode(const Tensor& target, const Tensor& memory, const Mask& target_mask = {},
                  const Mask& source_mask = {}, StackCache* cache = nullptr) const;

    // Shares the tables as in the config, after one of them has been replaced: the target's embedding is the
    // one that stays. Until then parameters() throws Error: two tables would be trained, and saved.
    void tie();

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

struct LanguageModelConfig {
    index_t vocabulary = 1000;
    StackConfig decoder{};  // encoder blocks that pass their mask on, else Error
    PositionalConfig positions{};
    bool tied = false;  // the embedding and the weights of the generator are one tensor
};

// A decoder-only model that predicts the next token (GPT; fourth document, "types of transformer models"):
// causal blocks without a memory. tokens (…, T), logits (…, T, vocabulary). Steps: tokens embedding scaled
// positional/… decoder/0/self_attn/… … logits softmax.
class LanguageModel {
  public:
    explicit LanguageModel(const LanguageModelConfig& config);  // norms: γ = 1, β = 0; all other parameters 0

    // With a cache, `tokens` continue those that were read before.
    Tensor operator()(const Tensor& tokens, const Mask& mask = {}, StackCache* cache = nullptr) const;

    // Shares the table as in the config, after the embedding has been replaced. Until then parameters() and
    // decode() throw Error.
    void tie();
    void check_tied() const;

    const LanguageModelConfig& config() const { return config_; }
    void parameters(Parameters& all);

    TokenEmbedding embedding;
    Encoder decoder;  // with a causal mask: a decoder without cross-attention
    Linear generator;

  private:
    LanguageModelConfig config_;
    PositionalEncoding positional_;
};

}  // namespace glassbox
