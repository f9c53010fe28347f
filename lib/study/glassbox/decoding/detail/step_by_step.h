#pragma once
#include <optional>
#include <vector>

#include <glassbox/decoding/decoding.h>

namespace glassbox::detail {

// A model that reads a batch of sequences piece by piece, and predicts the next token of each after every
// piece. With a cache it computes the new positions only, else all of them again.
class StepByStep {
  public:
    virtual ~StepByStep() = default;
    // The logits (batch, vocabulary) of the token after these (batch, n) and those read before.
    Tensor read(const Tensor& tokens);
    // Sequence i becomes what sequence rows[i] was.
    void select_rows(const std::vector<index_t>& rows);

  protected:
    explicit StepByStep(std::optional<StackCache> cache) : cache_(std::move(cache)) {}

  private:
    virtual Tensor logits(const Tensor& tokens, StackCache* cache) = 0;  // (batch, n, vocabulary)
    virtual void select_memory(const std::vector<index_t>&) {}

    std::optional<StackCache> cache_;
    Tensor read_;  // without a cache: all tokens so far
};

// The decoder of a Transformer, which reads the memory of the sources at every step.
class TransformerSteps : public StepByStep {
  public:
    TransformerSteps(const Transformer& model, const std::vector<std::vector<index_t>>& sources,
                     const DecodingConfig& config);

  private:
    Tensor logits(const Tensor& tokens, StackCache* cache) override;
    void select_memory(const std::vector<index_t>& rows) override;
    Mask source_mask() const;

    const Transformer& model_;
    std::vector<index_t> lengths_;  // of the sources
    Tensor memory_;                 // (batch, S, d_model)
};

class LanguageModelSteps : public StepByStep {
  public:
    LanguageModelSteps(const LanguageModel& model, const DecodingConfig& config);

  private:
    Tensor logits(const Tensor& tokens, StackCache* cache) override;

    const LanguageModel& model_;
};

// A table of what comes after each token.
class TableSteps : public StepByStep {
  public:
    explicit TableSteps(const Tensor& table) : StepByStep(std::nullopt), table_(table) {}

  private:
    Tensor logits(const Tensor& tokens, StackCache* cache) override;

    const Tensor& table_;
};

// Entry i of the first axis is what entry rows[i] was.
Tensor selected_rows(const Tensor& x, const std::vector<index_t>& rows);

// One token for each sequence of a batch: (batch, 1).
Tensor as_column(const std::vector<index_t>& tokens, Device device);

// Whether a hook of the trace has put something else in the place of a step: then that counts.
bool is_replaced(const Tensor& step, const Tensor& made);

// For a step without probabilities to choose from.
[[noreturn]] void fail_on_nan(index_t step);

// The three ways to choose. `first` are the tokens that each sequence begins with, (batch, n); `last` gets
// what the last token was chosen from, or the token itself, from which a trace goes back to all before it.
std::vector<Decoded> write_greedily(StepByStep& model, const Tensor& first, const DecodingConfig& config,
                                    Tensor* last = nullptr);
Decoded search_beams(StepByStep& model, const Tensor& first, const DecodingConfig& config,
                     Tensor* last = nullptr);

}  // namespace glassbox::detail
