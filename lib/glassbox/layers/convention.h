#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/ops/elementwise.h>
#include <glassbox/ops/layer_norm.h>

namespace glassbox {

inline constexpr double default_mask_fill = -9e15;  // of uva-jax, the default convention

// How the rows of the stacked projection lie: [q‖k‖v] for head 1, for head 2, … (the tutorials, the report),
// or all queries, all keys, all values (torch.nn.MultiheadAttention).
enum class QkvLayout { per_head, stacked };
// The first values of a linear layer: torch.nn.Linear's own, or flax.linen.Dense's.
enum class Init { torch, flax };
// Where dropout stands: on what a sublayer adds to its input, or behind the norm (report).
enum class DropoutPlace { sublayer, norm };

// Whose code names the parameters in files: the tutorials, the report, torch.nn.
enum class ParameterNames { tutorial, report, torch_nn };

// The sources disagree in details that change every number. A convention names one source's choices; layers
// read them from here and nowhere else. docs/conventions.md sets them side by side. A program may copy one
// and change a choice.
struct Convention {
    std::string name;
    std::string source;
    double mask_fill = default_mask_fill;  // the score of a hidden key
    std::string rng = "jax";               // whose random numbers the source's printed examples come from

    ParameterNames parameter_names = ParameterNames::tutorial;
    bool draws_o_proj_first = false;  // the report makes attention's output layer before the stacked one

    double norm_epsilon = 1e-6;               // of LayerNorm
    Moments moments = Moments::one_pass;      // how LayerNorm computes the variance
    Activation gelu = Activation::gelu_tanh;  // where GELU is asked for
    QkvLayout qkv = QkvLayout::per_head;      // of multi-head attention's stacked projection
    Init init = Init::flax;                   // of linear layers outside attention
    bool encoding_in_float = false;           // positional encoding in float throughout, else in double
    index_t max_len = 0;                      // longest sequence that gets a positional encoding; 0: any
    DropoutPlace dropout = DropoutPlace::sublayer;
    bool shares_norm = false;           // one LayerNorm serves both sublayers of an encoder block
    bool passes_mask = true;            // encoder blocks hand their mask on to attention
    index_t d_ff_factor = 0;            // d_ff is always so many d_model; 0: as asked for
    bool input_dropout_behind = false;  // the predictor drops behind its input layer, not before it
    bool deep_output_net = true;  // the predictor ends in Linear, LayerNorm, ReLU, Linear, else in one Linear
};

// uva-jax (default), uva-torch, report, paper.
const std::vector<Convention>& conventions();
// Throws UsageError that lists the names when there is no such convention.
const Convention& convention(std::string_view name);

// One choice in which two conventions differ, with the reason: what docs/conventions.md says of it.
struct Difference {
    std::string choice;  // "LayerNorm's ε"
    std::string first, second;
    std::string why;
    std::vector<std::string> steps;  // in which it can show first: in their numbers or shapes …
    bool adds_steps = false;         // … or because only one of the two has them
};
std::vector<Difference> differences(const Convention& a, const Convention& b);

}  // namespace glassbox
