#include <glassbox/models/transformer.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::transformer;
namespace {

// √d_model · table[token] + PE: the input of the first block. `first` is the position of the first token.
Tensor embedded(const Tensor& tokens, const TokenEmbedding& embedding, const PositionalEncoding& positional,
                index_t first) {
    Tensor scaled = embedding(tokens);  // (…, T, d_model)
    const Scope scope("positional");
    return positional(scaled, first);  // (…, T, d_model)
}

Tensor embedded(const char* side, const Tensor& tokens, const TokenEmbedding& embedding,
                const PositionalEncoding& positional, index_t first = 0) {
    const Scope scope(side);
    return embedded(tokens, embedding, positional, first);
}

index_t first_position(const StackCache* cache) { return cache ? cache->length() : 0; }

// Adds the softmax to the trace, if there is one. Returns the logits.
Tensor with_traced_softmax(const Tensor& logits) {
    if (Trace::current()) (void)named(step::softmax, softmax(logits));  // rows sum to 1
    return logits;
}

}  // namespace

// logits = Decoder(Embedding(target), Encoder(Embedding(source))) W + b
Tensor Transformer::operator()(const Tensor& source, const Tensor& target, const Mask& source_mask,
                               const Mask& target_mask) const {
    Tensor memory = encode(source, source_mask);              // (…, S, d_model)
    return decode(target, memory, target_mask, source_mask);  // (…, T, vocabulary)
}

Tensor Transformer::encode(const Tensor& source, const Mask& source_mask) const {
    Tensor x = embedded("source", source, source_embedding, positional_);  // (…, S, d_model)
    return encoder(x, source_mask);                                        // (…, S, d_model)
}

Tensor Transformer::decode(const Tensor& target, const Tensor& memory, const Mask& target_mask,
                           const Mask& source_mask, StackCache* cache) const {
    const index_t first = first_position(cache);
    Tensor y = embedded("target", target, target_embedding, positional_, first);  // (…, T, d_model)
    y = decoder(y, memory, target_mask, source_mask.of_keys(), cache);            // (…, T, d_model)
    Tensor logits = named(step::logits, generator(y));                            // (…, T, vocabulary)
    return with_traced_softmax(logits);
}

// logits = CausalBlocks(Embedding(tokens)) W + b
Tensor LanguageModel::operator()(const Tensor& tokens, const Mask& mask, StackCache* cache) const {
    Tensor x = embedded(tokens, embedding, positional_, first_position(cache));  // (…, T, d_model)
    Tensor y = decoder(x, Mask::causal() & mask, cache);                         // (…, T, d_model)
    Tensor logits = named(step::logits, generator(y));                           // (…, T, vocabulary)
    return with_traced_softmax(logits);
}

namespace {

const TransformerConfig& checked(const TransformerConfig& config) {
    if (config.encoder.block.d_model() != config.decoder.block.d_model())
        fail("transformer: encoder and decoder need the same d_model, got {} and {}",
             config.encoder.block.d_model(), config.decoder.block.d_model());
    if (config.tied == TiedTables::all && config.source_vocabulary != config.target_vocabulary)
        fail("transformer: tied embeddings need one vocabulary for both languages, got {} and {} words",
             config.source_vocabulary, config.target_vocabulary);
    return config;
}

// Tables that the config ties are one tensor.
void check_one(const char* kept, const Tensor& a, const char* other, const Tensor& b) {
    if (a.id() != b.id())
        fail(
            "transformer: {}.weight and {}.weight are tied by the config, and one of them was replaced "
            "alone: after {}.weight = … call tie()",
            kept, other, kept);
}

const LanguageModelConfig& checked(const LanguageModelConfig& config) {
    if (!config.decoder.block.passes_mask)
        fail("decoder: a causal model needs blocks that pass their mask on to attention");
    return config;
}

}  // namespace

Transformer::Transformer(const TransformerConfig& config)
    : source_embedding(checked(config).source_vocabulary, config.encoder.block.d_model()),
      target_embedding(config.target_vocabulary, config.encoder.block.d_model()),
      encoder(config.encoder),
      decoder(config.decoder),
      generator(Linear::zeros(config.decoder.block.d_model(), config.target_vocabulary)),
      config_(config),
      positional_(config.encoder.block.d_model(), config.positions) {
    tie();
}

void Transformer::tie() {
    if (config_.tied == TiedTables::none) return;
    generator.weight = target_embedding.weight;
    if (config_.tied == TiedTables::all) source_embedding.weight = target_embedding.weight;
}

void Transformer::parameters(Parameters& all) {
    if (config_.tied != TiedTables::none)
        check_one("target_embedding", target_embedding.weight, "generator", generator.weight);
    if (config_.tied == TiedTables::all)
        check_one("target_embedding", target_embedding.weight, "source_embedding", source_embedding.weight);
    all("source_embedding", source_embedding);
    all("target_embedding", target_embedding);
    all("encoder", encoder);
    all("decoder", decoder);
    all("generator", generator);
}

LanguageModel::LanguageModel(const LanguageModelConfig& config)
    : embedding(checked(config).vocabulary, config.decoder.block.d_model()),
      decoder(config.decoder, "decoder"),
      generator(Linear::zeros(config.decoder.block.d_model(), config.vocabulary)),
      config_(config),
      positional_(config.decoder.block.d_model(), config.positions) {
    tie();
}

void LanguageModel::tie() {
    if (config_.tied) generator.weight = embedding.weight;
}

void LanguageModel::check_tied() const {
    if (config_.tied) check_one("embedding", embedding.weight, "generator", generator.weight);
}

void LanguageModel::parameters(Parameters& all) {
    check_tied();
    all("embedding", embedding);
    all("decoder", decoder);
    all("generator", generator);
}

}  // namespace glassbox
