#pragma once
#include <glassbox/conventions/convention.h>
#include <glassbox/layers/time2vec.h>
#include <glassbox/models/forecaster.h>

namespace glassbox {

// Initialises parameters with the numbers the source's own code draws, in its order, including draws that it
// discards. Norms keep γ = 1 and β = 0.
void draw(MultiHeadAttention& attention, const Convention& convention, Stream& stream);  // Xavier, biases 0
void draw(Linear& layer, const Convention& convention, Stream& stream);
void draw(FeedForward& network, const Convention& convention, Stream& stream);
void draw(EncoderBlock& block, const Convention& convention, Stream& stream);
void draw(DecoderBlock& block, const Convention& convention, Stream& stream);
void draw(Encoder& encoder, const Convention& convention, Stream& stream);
void draw(Decoder& decoder, const Convention& convention, Stream& stream);
void draw(Predictor& predictor, const Convention& convention, Stream& stream);
void draw(Transformer& model, const Convention& convention, Stream& stream);
void draw(LanguageModel& model, const Convention& convention, Stream& stream);
void draw(SeriesInput& input, const Convention& convention, Stream& stream);
void draw(Forecaster& model, const Convention& convention, Stream& stream);
void draw(StepForecaster& model, const Convention& convention, Stream& stream);
// Standard normal in every convention, as in torch.nn.Embedding.
void draw(TokenEmbedding& embedding, Stream& stream);
void draw(LearnedPositions& positions, Stream& stream);
void draw(Time2Vec& layer, Stream& stream);

}  // namespace glassbox
