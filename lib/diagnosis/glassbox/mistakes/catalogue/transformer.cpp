#include <cmath>

#include <glassbox/decoding/token_reader.h>
#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/models/transformer.h>

namespace glassbox::catalogue {

using namespace wrong;

// logits = Decoder(Embedding(target), Encoder(Embedding(source))) W + b
std::vector<Mistake> transformer() {
    const WrongAt logits(
        "logits", {&steps::predictor::logits, &steps::transformer::logits, &steps::token_reader::logits});
    // y times the table of a side, as if it were the generator.
    const auto with_table = [](const char* path) {
        return [path](const Frame& f, const Tensor& made) {
            const Tensor table = input_at(f, path, 0);
            return table.defined() && table.size(0) == made.size(-1)
                       ? glassbox::linear(input(f, 0), table, input(f, 2))
                       : not_here;
        };
    };
    return {
        {logits, "probabilities", "softmax(h Wᵀ + b)",
         "These are already probabilities; the loss applies the softmax itself, so it is applied twice.",
         [](const Frame&, const Tensor& made) { return softmax(made); }},
        {logits, "log-probabilities", "ln softmax(h Wᵀ + b)",
         "These are log-probabilities; their softmax is the same, but they are not the scores.",
         [](const Frame&, const Tensor& made) { return log_softmax(made); }},
        {logits, "relu", "max(0, h Wᵀ + b)",
         "An activation follows the last layer: no score can be negative.",
         [](const Frame&, const Tensor& made) { return relu(made); }},
        {logits, "divided-by-width", "(h Wᵀ + b) / √d_model",
         "The scores are divided by √d_model, like attention scores.",
         [](const Frame& f, const Tensor& made) { return made / std::sqrt(size(input(f, 0), -1)); }},
        {logits, "last-position", "the last position's scores at every position",
         "Only the last position is read; every position needs a prediction.",
         [](const Frame&, const Tensor& made) {
             return has_several(made, -2) ? entry_for_all(made, -2, made.size(-2) - 1) : not_here;
         }},
        {steps::transformer::logits, "target-table", "h Tableᵀ + b, the table of the target's embedding",
         "The target's embedding is used as the last layer's weights; here that layer has its own.",
         with_table("target/embedding")},
        {steps::transformer::logits, "source-table", "h Tableᵀ + b, the table of the source's embedding",
         "The source's embedding is used as the weights of the last layer.", with_table("source/embedding")},
    };
}

}  // namespace glassbox::catalogue
