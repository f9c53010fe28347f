#include <glassbox/conventions/convention.h>

#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

std::string yes(bool b) { return b ? "yes" : "no"; }
std::string number_or(const char* none, index_t n) { return n ? std::to_string(n) : none; }
std::string width_of(const Convention& c) {
    return c.d_ff_factor ? fmt::format("{}·d_model", c.d_ff_factor) : "as asked for";
}
std::string text(double number) { return fmt::format("{:g}", number); }

}  // namespace

std::vector<Difference> differences(const Convention& a, const Convention& b) {
    std::vector<Difference> found;
    const auto choice = [&](const char* what, std::vector<std::string> steps, const std::string& first,
                            const std::string& second, const char* why, bool adds_steps = false) {
        if (first != second) found.push_back({what, first, second, why, std::move(steps), adds_steps});
    };
    const auto moments = [](const Convention& c) {
        return std::string(c.moments == Moments::one_pass ? "E[x²] − E[x]²" : "E[(x − E[x])²]");
    };
    const auto layout = [](const Convention& c) {
        return std::string(c.qkv == QkvLayout::per_head ? "[q‖k‖v] head by head" : "all Q, all K, all V");
    };
    choice("the score of a hidden key", {"masked"}, text(a.mask_fill), text(b.mask_fill),
           "any score low enough hides; only −∞ leaves 0/0 in a row that sees nothing");
    choice("encoder blocks pass their mask on to attention", {"masked", "attention"}, yes(a.passes_mask),
           yes(b.passes_mask), "the report's block takes a mask and calls its attention without it", true);
    choice("rows of the qkv projection", {"Q", "q", "kv"}, layout(a), layout(b),
           "the tutorials reshape to (…, h, 3·d_h) and split; torch.nn splits into thirds first");
    choice("ε of LayerNorm", {"norm1", "norm2", "norm3", "norm"}, text(a.norm_epsilon), text(b.norm_epsilon),
           "Flax's default is 1e-6, PyTorch's 1e-5");
    choice("variance in LayerNorm", {"norm1", "norm2", "norm3", "norm"}, moments(a), moments(b),
           "Flax sums x and x² in one pass, PyTorch the differences to the mean in a second");
    choice("one LayerNorm for both sublayers", {"norm2"}, yes(a.shares_norm), yes(b.shares_norm),
           "the report's block has one self.norm and calls it twice");
    choice("dropout", {"dropout1", "norm_dropout1"},
           a.dropout == DropoutPlace::norm ? "after the norm" : "on what a sublayer adds",
           b.dropout == DropoutPlace::norm ? "after the norm" : "on what a sublayer adds",
           "the report puts it into the Sequential that holds its norm");
    choice("form of GELU", {"gelu"}, a.gelu == Activation::gelu ? "erf" : "tanh",
           b.gelu == Activation::gelu ? "erf" : "tanh",
           "PyTorch's default is exact, Flax's an approximation by tanh");
    choice("positional encoding computed in", {"encoding"}, a.encoding_in_float ? "float" : "double",
           b.encoding_in_float ? "float" : "double",
           "PyTorch's arange is float; the JAX tutorial uses NumPy's double and casts");
    choice("longest encoded sequence", {"encoding"}, number_or("any", a.max_len), number_or("any", b.max_len),
           "the report makes its encoding with max_len=16");
    choice("width of the feed-forward layer", {"hidden"}, width_of(a), width_of(b),
           "the report's block ignores dim_feedforward and takes 2·d_model");
    choice("the predictor's input dropout", {"input_dropout", "input_net"},
           a.input_dropout_after ? "after the linear layer" : "before it",
           b.input_dropout_after ? "after the linear layer" : "before it",
           "the report writes Linear, Dropout; the tutorials Dropout, Linear");
    choice("the predictor ends in", {"linear", "logits"},
           a.deep_output_net ? "Linear, LayerNorm, ReLU, Linear" : "one Linear",
           b.deep_output_net ? "Linear, LayerNorm, ReLU, Linear" : "one Linear",
           "the tutorials have a small network there, the report one layer");
    return found;
}

}  // namespace glassbox
