#include <glassbox/tasks/sequence_learner.h>

#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/classified.h>

namespace glassbox {

Tensor teacher_forced(const Transformer& model, const Examples& examples) {
    return model(examples["source"], examples["target"], Mask::lengths_from(examples["source_lengths"]),
                 Mask::lengths_from(examples["target_lengths"]));
}

Outcome SequenceLearner::score(const Examples& examples) const {
    const Tensor logits = teacher_forced(model, examples);  // (n, T, vocabulary)
    return classified(logits, examples["labels"], options_,
                      examples.has("answers") ? examples["answers"] : Tensor());
}

index_t SequenceLearner::counted(const Examples& examples) const { return count_labels(examples["labels"]); }

namespace {

void scale_down(TokenEmbedding& embedding) {
    const NoRecording silence;  // initialisation is not a step of the model
    embedding.weight = embedding.weight / std::sqrt(static_cast<real>(embedding.weight.size(1)));
}

}  // namespace

void scale_down_embeddings(Transformer& model) {
    scale_down(model.source_embedding), scale_down(model.target_embedding);
    model.tie();
}

void scale_down_embeddings(LanguageModel& model) {
    scale_down(model.embedding);
    model.tie();
}

}  // namespace glassbox
