#pragma once
#include <glassbox/models/transformer.h>
#include <glassbox/ops/cross_entropy.h>
#include <glassbox/train/learner.h>

namespace glassbox {

// A whole Transformer that learns to write the next token, given the right ones before it (teacher forcing).
// Examples: source, target, labels (n, T), source_lengths, target_lengths (n); see CopyingData. Steps: the
// model's, then losses loss.
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

// Divides both tables of embeddings by √d_model, so that √d_model · table is no louder than the positions
// added to it. As torch.nn.Embedding makes them, standard normal, they drown the positions: docs/tasks.md has
// what that costs.
void quieten_embeddings(Transformer& model);

}  // namespace glassbox
