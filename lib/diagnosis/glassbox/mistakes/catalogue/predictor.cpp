#include <cmath>

#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/models/transformer.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::predictor;

namespace {

// The op's first input, through the network's own steps.
Tensor encoded(const Frame& f) { return input_at(f, scope_of(f.path()) + "output_net/linear", 0); }
Tensor last_layer(const Frame& f, const Tensor& h) {
    return h.defined() ? glassbox::linear(h, input(f, 1), input(f, 2)) : not_here;
}

}  // namespace

// logits = OutputNet(Encoder(InputNet(x) + PE))
std::vector<Mistake> predictor() {
    return {
        Mistake{step::input_net, "encoding-first", "(x + PE) W_inᵀ + b",
                "The positions are added before the input network, whose weights then mix them with the "
                "elements.",
                [](const Frame& f, const Tensor&) {
                    const Tensor& x = input(f, 0);
                    return last_layer(f, x + sinusoidal_encoding(x.size(-2), x.size(-1)));
                }}
            .and_at(steps::positional_encoding::output,
                    [](const Frame& f, const Tensor&) {
                        const Trace::Step* before = f.trace().step_of(input(f, 0));
                        return before && before->info == &step::input_net ? input(f, 0) : not_here;
                    }),
        {step::input_net, "not-transposed", "row, not column, of W_in",
         "A row of W_in is used instead of a column: PyTorch stores one row per output.",
         [](const Frame& f, const Tensor& made) {
             const index_t d = made.size(-1), width = input(f, 1).size(1);
             if (d >= width) return not_here;  // then it does not go so far, or is the linear layer's mistake
             const Tensor W = slice(input(f, 1), 1, 0, d);
             const Tensor h = matmul(slice(input(f, 0), -1, 0, d), W);
             return input(f, 2).defined() ? h + input(f, 2) : h;
         }},
        {step::input_net, "positions", "x W_inᵀ + b + PE",
         "Positions are added, but this model has none: its result must not depend on the order.",
         [](const Frame& f, const Tensor& made) {
             if (made.rank() < 2) return not_here;
             return f.operation().inputs.size() < 2
                        ? not_here
                        : made + sinusoidal_encoding(made.size(-2), made.size(-1));
         }},
        {step::input_net, "first-entry", "x_0 W_inᵀ + b in every entry of the batch",
         "Every batch entry has the first one's rows.",
         [](const Frame&, const Tensor& made) {
             return made.rank() > 2 ? first_for_all(made, 0) : not_here;
         }},
        {step::input_net, "relu", "max(0, x W_inᵀ + b)",
         "An activation follows the input network, which is one linear layer.",
         [](const Frame&, const Tensor& made) { return glassbox::relu(made); }},
        {step::input_net, "scaled", "√d_model (x W_inᵀ + b)",
         "The result is multiplied by √d_model, like an embedding; an input network's is not.",
         [](const Frame&, const Tensor& made) { return made * std::sqrt(size(made, -1)); }},
        {step::linear, "no-encoder", "h W_1ᵀ + b_1, h from before the encoder",
         "The output network gets the encoder's input.",
         [](const Frame& f, const Tensor&) {
             const Tensor h = step_at(f, outer_scope(f) + "positional/output");
             return h.defined() && h.shape() == input(f, 0).shape() ? last_layer(f, h) : not_here;
         }},
        Mistake{step::norm, "relu-first", "LayerNorm(max(0, linear))",
                "The ReLU comes before the norm: the output is no longer clipped at 0.",
                [](const Frame& f, const Tensor&) {
                    return glassbox::layer_norm(glassbox::relu(input(f, 0)), input(f, 1), input(f, 2),
                                                f.operation()["epsilon"]);
                }}
            .and_at(step::relu, [](const Frame& f, const Tensor&) { return input(f, 0); }),
        {step::norm, "other-weights", "LayerNorm with γ and β of the last block",
         "The weights are those of an encoder norm; the output network's norm has its own.",
         [](const Frame& f, const Tensor&) {
             const Operation* last = operation_in_last_block(f, "encoder", "norm2");
             return last ? glassbox::layer_norm(input(f, 0), last->inputs[1], last->inputs[2],
                                                f.operation()["epsilon"])
                         : not_here;
         }},
        {step::norm, "residual", "LayerNorm(h + linear)",
         "A residual goes around the first layer; the output network has none.",
         [](const Frame& f, const Tensor&) {
             return glassbox::layer_norm(input(f, 0) + f.operation("linear").inputs[0], input(f, 1),
                                         input(f, 2), f.operation()["epsilon"]);
         }},
        {step::relu, "not-normed", "max(0, linear)",
         "The ReLU gets the linear layer's result instead of the norm's.",
         [](const Frame& f, const Tensor&) { return glassbox::relu(f["linear"]); }},
        {step::logits, "no-relu", "norm W_outᵀ + b_out",
         "The last layer gets the norm's output instead of the ReLU's.",
         [](const Frame& f, const Tensor&) {
             return last_layer(f, step_at(f, scope_of(f.path()) + "output_net/norm"));
         }},
        {step::logits, "not-encoded", "h W_outᵀ + b_out, h the input network's output",
         "The output network gets the encoder's input.",
         [](const Frame& f, const Tensor&) {
             const Tensor h = step_at(f, outer_scope(f) + "input_net");
             const bool is_linear = !f.contains("output_net/linear") && h.defined();
             return is_linear && h.shape() == input(f, 0).shape() ? last_layer(f, h) : not_here;
         }},
        {step::logits, "one-linear", "h W_outᵀ + b_out, h the encoder's output",
         "Only the last layer is used: linear, norm and ReLU are left out, as in the report's predictor.",
         [](const Frame& f, const Tensor&) { return last_layer(f, encoded(f)); }},
        {step::logits, "one-hidden-linear", "linear W_outᵀ + b_out",
         "Norm and ReLU are left out: the two linear layers collapse into one.",
         [](const Frame& f, const Tensor&) {
             return last_layer(f, step_at(f, scope_of(f.path()) + "output_net/linear"));
         }},
    };
}

}  // namespace glassbox::catalogue
