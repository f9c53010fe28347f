#pragma once
#include <glassbox/models/transformer.h>
#include <glassbox/ops/ops.h>
#include <glassbox/train/learner.h>

namespace glassbox {

// A text as windows of `length` tokens and, as labels, the token after each: a decoder reads a window and
// predicts every next token at once. Windows do not overlap; what is left over at the end is not used.
// Examples: tokens, labels (n, length); where `unknown`, <unk>, is among the tokens also answers: labels with
// −1 in its place, which are counted as right or wrong.
class TextWindows final : public DataSet {
  public:
    // Throws Error for a length < 1.
    TextWindows(std::vector<index_t> tokens, index_t length, index_t unknown = -1);

    index_t size() const override;
    Examples at(const std::vector<index_t>& rows) const override;
    const std::vector<index_t>& tokens() const { return tokens_; }

  private:
    std::vector<index_t> tokens_;
    index_t length_, unknown_ = -1;
};

// A decoder-only Transformer that learns to predict the next token. Steps: the model's, then losses loss.
class LanguageLearner final : public Learner {
  public:
    explicit LanguageLearner(LanguageModel language_model, const CrossEntropyOptions& options = {})
        : model(std::move(language_model)), options_(options) {}

    Parameters parameters() override { return parameters_of(model); }
    Outcome score(const Examples& examples) const override;
    index_t counted(const Examples& examples) const override;

    LanguageModel model;

  private:
    CrossEntropyOptions options_;
};

}  // namespace glassbox
