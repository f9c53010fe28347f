#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/conventions/choices.h>
#include <glassbox/conventions/training_defaults.h>
#include <glassbox/layers/linear.h>
#include <glassbox/random/stream.h>

namespace glassbox {

// The default initialisation of a linear layer: that of torch.nn.Linear, or of flax.linen.Dense.
enum class Init { torch, flax };

// U(±1/√in) for weight and bias (torch.nn.Linear), or LeCun normal weights and a bias of 0
// (flax.linen.Dense).
Linear make_linear(Stream& stream, index_t in, index_t out, Init init, bool bias = true);

// Xavier uniform weights and a bias of 0: the initialisation of attention's projections. With Init::torch the
// source re-initialises a torch.nn.Linear; the caller draws and discards the numbers of the first
// initialisation.
Linear xavier_linear(Stream& stream, index_t in, index_t out, Init init, bool bias = true);

// Where dropout is applied: to a sublayer's output before the residual sum, or after the norm (report).
enum class DropoutPlace { sublayer, norm };

// The first values of attention's projections: Xavier's, in place of those that torch.nn.Linear draws for
// itself (the sources); Xavier's alone; those of a linear layer, kept; and the last two with a separate layer
// for each of W_Q, W_K and W_V, one after the other, where the sources have one for all three.
enum class ProjectionDraw { xavier, xavier_alone, linear, separate_xavier, separate_linear };

// The sources disagree in details that change every number. A convention holds one source's choices as data:
// the fields of the layers' configs, initialisation, parameter names in files, training defaults. Layers and
// models do not depend on it. docs/conventions.md compares the conventions. Each is defined in a file of
// conventions/sources; a program may copy one and change a field.
struct Convention {
    // Position in conventions(). The first field, so that {"paper"} does not compile as a new convention of
    // that name.
    int order = 100;
    std::string name;
    std::string source;  // the code or text it follows

    double mask_fill = default_mask_fill;     // the score of a hidden key
    double norm_epsilon = 1e-6;               // of LayerNorm
    Moments moments = Moments::one_pass;      // how LayerNorm computes the variance
    Activation gelu = Activation::gelu_tanh;  // the form of GELU, if GELU is chosen
    QkvLayout qkv = QkvLayout::per_head;      // of multi-head attention's stacked projection
    bool encoding_in_float = false;           // compute positional encodings in float, not in double
    index_t max_len = 0;                      // longest sequence that gets a positional encoding; 0: any
    DropoutPlace dropout = DropoutPlace::sublayer;
    bool shares_norm = false;          // one LayerNorm serves both sublayers of an encoder block
    bool passes_mask = true;           // encoder blocks pass their mask on to attention
    index_t d_ff_factor = 0;           // d_ff is always this multiple of d_model; 0: as chosen
    bool input_dropout_after = false;  // the predictor's input dropout follows the input layer
    bool deep_output_net = true;  // the predictor ends in Linear, LayerNorm, ReLU, Linear, else in one Linear

    Rng rng = Rng::jax;      // the generator behind the source's printed examples
    Init init = Init::flax;  // of linear layers outside attention
    ProjectionDraw projections = ProjectionDraw::xavier;
    bool draws_o_proj_first = false;  // the report creates attention's output layer before the stacked one

    std::vector<FileNames::Rename> renames;  // of parameters in files
    TrainingDefaults training;

    // Plain configs: the given choices, and this convention's for everything else.
    [[nodiscard]] NormConfig norm_config() const { return {norm_epsilon, moments}; }
    [[nodiscard]] PositionalConfig positions() const { return {encoding_in_float, max_len}; }
    [[nodiscard]] MultiHeadConfig config(const MultiHeadChoices& choices) const;
    [[nodiscard]] FeedForwardConfig config(const FeedForwardChoices& choices) const;
    [[nodiscard]] BlockConfig encoder_block(const BlockChoices& choices) const;
    // The report has no decoder. Also in its convention each sublayer of a decoder block has its own norm,
    // dropout applies to the sublayers' outputs, and masks are passed on.
    [[nodiscard]] BlockConfig decoder_block(const BlockChoices& choices) const;
    [[nodiscard]] StackConfig encoder(const StackChoices& choices) const;
    [[nodiscard]] StackConfig decoder(const StackChoices& choices) const;
    [[nodiscard]] PredictorConfig config(const PredictorChoices& choices) const;
    [[nodiscard]] TransformerConfig config(const TransformerChoices& choices) const;
    // Throws Error if encoder blocks ignore their mask: such a model cannot be causal.
    [[nodiscard]] LanguageModelConfig config(const LanguageModelChoices& choices) const;

    [[nodiscard]] FileNames file_names() const;
};

// All conventions by `order`: uva-jax (the default), uva-torch, report, paper.
[[nodiscard]] const std::vector<Convention>& conventions();
[[nodiscard]] std::vector<std::string> convention_names();
// Throws UsageError that lists the known names.
[[nodiscard]] const Convention& convention(std::string_view name);

// One choice in which two conventions differ, with the reason, as in the table of docs/conventions.md.
struct Difference {
    std::string choice;  // "LayerNorm's ε"
    std::string first, second;
    std::string why;
    std::vector<std::string> steps;  // the steps whose numbers or shapes it can change first …
    bool adds_steps = false;         // … or that only one of the two conventions has
};
[[nodiscard]] std::vector<Difference> differences(const Convention& a, const Convention& b);

}  // namespace glassbox
