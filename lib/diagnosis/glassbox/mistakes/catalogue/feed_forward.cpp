#include <cmath>
#include <numbers>

#include <glassbox/layers/feed_forward.h>
#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/models/predictor.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::feed_forward;

namespace {

// Another function instead of the activation, of what it is applied to.
Mistake function(const WrongAt& at, const char* name, const char* formula, const char* sentence,
                 Tensor (*other)(const Tensor& x)) {
    return {at, name, formula, sentence,
            [other](const Frame& f, const Tensor&) { return other(input(f, 0)); }};
}

std::vector<Mistake> of_other_functions() {
    std::vector<Mistake> all;
    const WrongAt relu("relu", {&step::relu, &steps::predictor::relu});
    all.push_back(function(relu, "not-applied", "hidden",
                           "The ReLU is missing: without it the two layers collapse into one, W_2 W_1.",
                           [](const Tensor& x) { return x; })
                      .seen("https://github.com/YujiaBao/ls/issues/1"));
    all.push_back(function(relu, "negative-kept", "min(0, hidden)",
                           "The wrong half is kept: positive numbers become 0, negative ones stay.",
                           [](const Tensor& x) { return -glassbox::relu(-x); }));
    all.push_back(function(relu, "of-negative", "max(0, −hidden)", "The sign is flipped before the ReLU.",
                           [](const Tensor& x) { return glassbox::relu(-x); }));
    all.push_back(function(relu, "absolute", "|hidden|",
                           "The absolute value is taken; negative numbers should become 0.",
                           [](const Tensor& x) { return abs(x); }));
    all.push_back(function(relu, "sign-only", "1 where hidden > 0, else 0",
                           "Only whether a number is positive is kept, not the number.",
                           [](const Tensor& x) { return x > 0; }));
    all.push_back(function(relu, "gelu", "hidden · Φ(hidden)",
                           "This is GELU, a smoother function that later models use.",
                           [](const Tensor& x) { return glassbox::gelu(x); }));
    all.push_back(function(relu, "gelu-tanh", "hidden · Φ(hidden), by tanh",
                           "This is GELU as JAX computes it by default, with tanh in place of erf.",
                           [](const Tensor& x) { return glassbox::gelu(x, Activation::gelu_tanh); }));
    all.push_back(function(relu, "silu", "hidden · σ(hidden)", "This is SiLU (swish), of later models.",
                           [](const Tensor& x) { return silu(x); }));
    all.push_back(function(relu, "leaky", "hidden, or hidden / 100 where it is negative",
                           "This is a leaky ReLU: negative numbers keep a hundredth.",
                           [](const Tensor& x) { return glassbox::relu(x) - glassbox::relu(-x) / 100; }));
    all.push_back(function(relu, "elu", "hidden, or e^hidden − 1 where it is negative",
                           "This is ELU: negative numbers approach −1.",
                           [](const Tensor& x) { return glassbox::relu(x) + exp(-glassbox::relu(-x)) - 1; }));
    all.push_back(function(relu, "softplus", "ln(1 + e^hidden)", "This is softplus, a smooth ReLU.",
                           [](const Tensor& x) { return log(exp(x) + 1); }));
    all.push_back(function(relu, "squared", "max(0, hidden)²", "The ReLU is squared.",
                           [](const Tensor& x) { return glassbox::relu(x) * glassbox::relu(x); }));
    all.push_back(function(relu, "capped", "min(1, max(0, hidden))",
                           "The function has an upper bound; positive numbers should pass unchanged.",
                           [](const Tensor& x) { return glassbox::clip(x, 0, 1); }));
    all.push_back(function(relu, "sigmoid", "σ(hidden)",
                           "This is a sigmoid, the activation of older networks: it saturates.",
                           [](const Tensor& x) { return sigmoid(x); }));
    all.push_back(function(relu, "tanh", "tanh(hidden)",
                           "This is a hyperbolic tangent, the activation of older networks: it saturates.",
                           [](const Tensor& x) { return glassbox::tanh(x); }));
    all.push_back({relu, "bias-behind", "max(0, x W_1ᵀ) + b_1",
                   "The bias is added after the ReLU, not before it.", [](const Frame& f, const Tensor&) {
                       const Tensor bias = input_of(f, input(f, 0), 2);
                       return bias.defined() ? glassbox::relu(input(f, 0) - bias) + bias : not_here;
                   }});
    all.push_back(
        function(relu, "softmax", "softmax(hidden)",
                 "A softmax makes the numbers of a row compete; an activation treats each on its own.",
                 [](const Tensor& x) { return glassbox::softmax(x); }));
    return all;
}

const double root_two_over_pi = std::sqrt(2 / std::numbers::pi);

std::vector<Mistake> of_gelus() {
    std::vector<Mistake> all;
    const WrongAt gelu(step::gelu);
    all.push_back(function(gelu, "not-applied", "hidden",
                           "The GELU is missing: the two layers collapse into one.",
                           [](const Tensor& x) { return x; }));
    all.push_back(function(gelu, "relu", "max(0, hidden)",
                           "This is ReLU, the activation of the first models.",
                           [](const Tensor& x) { return glassbox::relu(x); }));
    all.push_back(function(gelu, "silu", "hidden · σ(hidden)", "This is SiLU: the slope inside σ is missing.",
                           [](const Tensor& x) { return silu(x); }));
    all.push_back(function(gelu, "quick", "hidden · σ(1.702 hidden)",
                           "This is the sigmoid approximation; it differs in the second digit.",
                           [](const Tensor& x) { return x * sigmoid(x * 1.702); }));
    all.push_back(
        function(gelu, "no-factor", "Φ(hidden)", "The factor in front of Φ is missing.", [](const Tensor& x) {
            return (erf(x / std::numbers::sqrt2) + 1) / 2;
        }).seen("https://github.com/tensorflow/tfjs/pull/8224"));
    all.push_back(function(gelu, "no-half", "hidden (1 + erf(hidden / √2))",
                           "The half is missing: Φ = ½ (1 + erf(hidden / √2)) goes from 0 to 1.",
                           [](const Tensor& x) { return x * (erf(x / std::numbers::sqrt2) + 1); }));
    all.push_back(function(gelu, "no-root-two", "½ hidden (1 + erf(hidden))",
                           "The √2 in erf is missing, so this Φ has a smaller standard deviation.",
                           [](const Tensor& x) { return x * (erf(x) + 1) / 2; }));
    all.push_back(
        function(gelu, "no-cube", "½ hidden (1 + tanh(√(2/π) hidden))",
                 "The tanh approximation lacks its cubic term, 0.044715 hidden³.",
                 [](const Tensor& x) { return x * (glassbox::tanh(x * root_two_over_pi) + 1) / 2; }));
    all.push_back(
        function(gelu, "constants-exchanged", "½ hidden (1 + tanh(0.044715 (hidden + √(2/π) hidden³)))",
                 "The two constants of the tanh approximation are swapped.", [](const Tensor& x) {
                     return x * (glassbox::tanh((x + x * x * x * root_two_over_pi) * 0.044715) + 1) / 2;
                 }));
    all.push_back(
        function(gelu, "ten-times-cube", "½ hidden (1 + tanh(√(2/π) (hidden + 0.44715 hidden³)))",
                 "The factor of the cube is ten times as large: it is 0.044715.", [](const Tensor& x) {
                     return x * (glassbox::tanh((x + x * x * x * 0.44715) * root_two_over_pi) + 1) / 2;
                 }));
    all.push_back(function(gelu, "square", "½ hidden (1 + tanh(√(2/π) (hidden + 0.044715 hidden²)))",
                           "The square of hidden is taken in the place of its cube.", [](const Tensor& x) {
                               return x * (glassbox::tanh((x + x * x * 0.044715) * root_two_over_pi) + 1) / 2;
                           }));
    all.push_back(
        function(gelu, "density", "hidden φ(hidden)", "The density φ is used instead of its integral Φ.",
                 [](const Tensor& x) { return x * exp(x * x / -2) / std::sqrt(2 * std::numbers::pi); }));
    all.push_back(Mistake(gelu, "other-form", "GELU by tanh instead of erf, or the other way round",
                          "This is the other of the two common forms: they differ in the fourth digit.",
                          [](const Frame& f, const Tensor&) {
                              const bool is_erf = f.operation()["erf"] != 0;
                              return glassbox::gelu(input(f, 0),
                                                    is_erf ? Activation::gelu_tanh : Activation::gelu);
                          })
                      .as_choice());
    return all;
}

// What went into the norm before the network, or an undefined tensor.
Tensor before_norm(const Frame& f) {
    const Operation* norm = operation_behind(f, input(f, 0));
    return norm && norm->op == std::string_view("layer_norm") ? norm->inputs[0] : not_here;
}
// The first layer, of another input.
Tensor first_layer(const Frame& f, const Tensor& x) {
    return x.defined() ? glassbox::linear(x, input(f, 1), input(f, 2)) : not_here;
}
Tensor second_layer(const Frame& f, const Tensor& x) { return glassbox::linear(x, input(f, 1), input(f, 2)); }

std::vector<Mistake> of_inputs() {
    const WrongAt output("ffn_output", {&step::output});
    return {
        {step::hidden, "not-normed", "z W_1ᵀ + b_1, z the sum before the norm",
         "The network gets the sum from before the norm instead of the norm's output.",
         [](const Frame& f, const Tensor&) { return first_layer(f, before_norm(f)); }},
        {step::hidden, "from-x", "x W_1ᵀ + b_1, x the block's input",
         "The network gets the block's input instead of the attention sublayer's output.",
         [](const Frame& f, const Tensor&) {
             return first_layer(f, input_at(f, outer_scope(f) + "residual1", 0));
         }},
        {step::hidden, "from-attention", "self_attn/output W_1ᵀ + b_1",
         "The network gets the attention's output alone, without residual and norm.",
         [](const Frame& f, const Tensor&) {
             return first_layer(f, input_at(f, outer_scope(f) + "residual1", 1));
         }},
        {step::hidden, "from-norm1", "norm1 W_1ᵀ + b_1",
         "The network gets norm1, which has not seen the memory, instead of norm2.",
         [](const Frame& f, const Tensor&) {
             const bool is_decoder = f.trace().contains(outer_scope(f) + "cross_attn/output");
             return is_decoder ? first_layer(f, step_at(f, outer_scope(f) + "norm1")) : not_here;
         }},
        {step::hidden, "viewed", "x viewed as (…, d_model, T), then transposed back, W_1ᵀ + b_1",
         "view cuts the numbers as they lie, before a convolution over channels: it takes a transpose.",
         [](const Frame& f, const Tensor&) {
             const Tensor& x = input(f, 0);
             if (x.rank() < 2 || x.size(-2) == 1) return not_here;
             const Shape turned = x.shape().with(-2, x.size(-1)).with(-1, x.size(-2));
             return first_layer(f, transpose(reshape(contiguous(x), turned)));
         }},
        {step::hidden, "relu-already", "max(0, x W_1ᵀ + b_1)",
         "The ReLU is already applied: hidden comes before the activation.",
         [](const Frame&, const Tensor& made) { return glassbox::relu(made); }},
        Mistake{WrongAt("relu", {&step::relu}), "after-second-layer", "max(0, hidden W_2ᵀ + b_2)",
                "The ReLU comes after the second layer, not between the two: they collapse into one, and the "
                "network cannot lower a number.",
                [](const Frame& f, const Tensor&) { return input(f, 0); }}
            .seen("https://github.com/spring-media/TransformerTTS/issues/102")
            .and_at(step::output,
                    [](const Frame& f, const Tensor& made) {
                        return f.contains("relu") ? glassbox::relu(made) : not_here;
                    }),
        {output, "from-hidden", "hidden W_2ᵀ + b_2",
         "The second layer gets hidden, from before the activation.",
         [](const Frame& f, const Tensor&) { return second_layer(f, f["hidden"]); }},
        {output, "relu", "max(0, relu W_2ᵀ + b_2)",
         "A ReLU follows the second layer too; the network's output may be negative.",
         [](const Frame&, const Tensor& made) { return glassbox::relu(made); }},
        {output, "input-added", "x + relu W_2ᵀ + b_2",
         "The network adds its input, which the residual adds again.",
         [](const Frame& f, const Tensor& made) {
             const Tensor x = f.operation("hidden").inputs[0];
             return x.shape() == made.shape() ? made + x : not_here;
         }},
    };
}

}  // namespace

// FFN(x) = activation(x W₁ᵀ + b₁) W₂ᵀ + b₂
std::vector<Mistake> feed_forward() { return joined({of_inputs(), of_other_functions(), of_gelus()}); }

}  // namespace glassbox::catalogue
