#include <glassbox/tasks/sequence_learner.h>

#include <cmath>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/ops/elementwise.h>
#include <glassbox/tasks/classified.h>

namespace glassbox {
Outcome SequenceLearner::score(const Examples& examples) const {
    const Tensor logits =
        model(examples["source"], examples["target"], Mask::lengths_from(examples["source_lengths"]),
              Mask::lengths_from(examples["target_lengths"]));  // (n, T, vocabulary)
    return classified(logits, examples["labels"], options_);
}

index_t SequenceLearner::counted(const Examples& examples) const { return count_labels(examples["labels"]); }

void scale_down_embeddings(Transformer& model) {
    const NoRecording silence;  // initialisation is not a step of the model
    const real d_model = static_cast<real>(model.config().encoder.block.d_model());
    for (TokenEmbedding* embedding : {&model.source_embedding, &model.target_embedding})
        embedding->weight = embedding->weight / std::sqrt(d_model);
}

}  // namespace glassbox
