#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/conventions/choices.h>
#include <glassbox/conventions/first_values.h>
#include <glassbox/conventions/training_defaults.h>
#include <glassbox/random/stream.h>

namespace glassbox {

// Where dropout stands: on what a sublayer adds to its input, or behind the norm (report).
enum class DropoutPlace { sublayer, norm };

// The sources disagree in details that change every number. A convention is one source's choices as data:
// what becomes a layer's plain config, how first values are drawn, what parameters are called in files, how
// its own code trains. Layers and models know nothing of it. docs/conventions.md sets them side by side. Each
// has a file in conventions/sources; a program may copy one and change a choice.
struct Convention {
    // Its place among the others. (It stands first because {"paper"} would else be a convention of that
    // name.)
    int order = 100;
    std::string name;
    std::string source;  // whose code or text it is

    double mask_fill = default_mask_fill;     // the score of a hidden key
    double norm_epsilon = 1e-6;               // of LayerNorm
    Moments moments = Moments::one_pass;      // how LayerNorm computes the variance
    Activation gelu = Activation::gelu_tanh;  // where GELU is asked for
    QkvLayout qkv = QkvLayout::per_head;      // of multi-head attention's stacked projection
    bool encoding_in_float = false;           // positional encoding in float throughout, else in double
    index_t max_len = 0;                      // longest sequence that gets a positional encoding; 0: any
    DropoutPlace dropout = DropoutPlace::sublayer;
    bool shares_norm = false;           // one LayerNorm serves both sublayers of an encoder block
    bool passes_mask = true;            // encoder blocks hand their mask on to attention
    index_t d_ff_factor = 0;            // d_ff is always so many d_model; 0: as asked for
    bool input_dropout_behind = false;  // the predictor drops behind its input layer, not before it
    bool deep_output_net = true;  // the predictor ends in Linear, LayerNorm, ReLU, Linear, else in one Linear

    Rng rng = Rng::jax;               // whose random numbers the source's printed examples come from
    Init init = Init::flax;           // of linear layers outside attention
    bool draws_o_proj_first = false;  // the report makes attention's output layer before the stacked one

    std::vector<FileNames::Rename> renames;  // of parameters, in files
    TrainingDefaults training;

    // Plain configs: what was chosen, and this source's way in all else.
    [[nodiscard]] NormConfig norm_config() const { return {norm_epsilon, moments}; }
    [[nodiscard]] PositionalConfig positions() const { return {encoding_in_float, max_len}; }
    [[nodiscard]] MultiHeadConfig config(const MultiHeadChoices& choices) const;
    [[nodiscard]] FeedForwardConfig config(const FeedForwardChoices& choices) const;
    [[nodiscard]] BlockConfig encoder_block(const BlockChoices& choices) const;
    // The report has no decoder: in its convention too each of its sublayers has a norm of its own, what a
    // sublayer adds is dropped, and masks are passed on.
    [[nodiscard]] BlockConfig decoder_block(const BlockChoices& choices) const;
    [[nodiscard]] StackConfig encoder(const StackChoices& choices) const;
    [[nodiscard]] StackConfig decoder(const StackChoices& choices) const;
    [[nodiscard]] PredictorConfig config(const PredictorChoices& choices) const;
    [[nodiscard]] TransformerConfig config(const TransformerChoices& choices) const;
    // Throws Error where encoder blocks leave their mask unused: there is no causal model then.
    [[nodiscard]] LanguageModelConfig config(const LanguageModelChoices& choices) const;

    [[nodiscard]] FileNames file_names() const;
};

// All, in their order: uva-jax (the default), uva-torch, report, paper.
[[nodiscard]] const std::vector<Convention>& conventions();
[[nodiscard]] std::vector<std::string> convention_names();
// Throws UsageError that lists the names when there is no such convention.
[[nodiscard]] const Convention& convention(std::string_view name);

}  // namespace glassbox
