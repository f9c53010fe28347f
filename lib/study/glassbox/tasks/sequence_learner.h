#pragma once
#include <glassbox/models/transformer.h>
#include <glassbox/ops/ops.h>
#include <glassbox/train/learner.h>

namespace glassbox {

// An encoder–decoder Transformer that learns to predict the next token, given the right ones before it
// (teacher forcing). Examples: source, target, labels (n, T), source_lengths, target_lengths (n); see
// CopyingData. Steps: the model's, then losses loss.
class SequenceLearner final : public Learner {
  public:
    explicit SequenceLearner(Transformer transformer, const CrossEntropyOptions& options = {})
        : model(std::move(transformer)), options_(options) {}

    Parameters parameters() override { return parameters_of(model); }
    Outcome score(const Examples& examples) const override;
    index_t counted(const Examples& examples) const override;

    Transformer model;

  private:
    CrossEntropyOptions options_;
};

// The logits (n, T, vocabulary) of such examples.
Tensor teacher_forced(const Transformer& model, const Examples& examples);

// Divides the embedding tables by √d_model, so that √d_model · table is of the same scale as the positional
// encoding added to it. With torch.nn.Embedding's standard normal numbers the encoding is too small beside
// the embedding; docs/tasks.md measures the effect.
void scale_down_embeddings(Transformer& model);
void scale_down_embeddings(LanguageModel& model);

}  // namespace glassbox
