#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/models/stack.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace encoder = steps::encoder_block;
namespace decoder = steps::decoder_block;

namespace {

// The last step of a block, with norms before or after.
const WrongAt& block() {
    static const WrongAt at("block", {&encoder::residual2, &encoder::norm2, &encoder::norm2_shared,
                                      &decoder::residual3, &decoder::norm3});
    return at;
}
// Whether the block ends here: with the norm after a residual, or the residual after a norm.
bool is_last_step(const Frame& f) {
    const std::string& path = f.path();
    const bool is_norm = path.substr(scope_of(path).size()).starts_with("norm");
    const bool is_decoder = f.contains("cross_attn/output");
    if (is_decoder && path.back() == '2') return false;
    return f.contains((is_norm ? "residual" : "norm") + path.substr(path.size() - 1));
}
Tensor block_input(const Frame& f) { return f.operation("residual1").inputs[0]; }

// γ and β, or W and b, of the same step in the first block.
Tensor first_blocks(const Frame& f, std::size_t i) {
    const Operation* first = operation_at(f, in_first_block(f.path()));
    const bool is_alike = first && first->op == std::string_view(f.operation().op);
    return is_alike && i < first->inputs.size() ? first->inputs[i] : not_here;
}
bool is_later_block(const Frame& f) { return block_of(f.path()).value > 0; }
// What goes into the first block, for a step of a later one; undefined where that begins with a norm.
Tensor stack_input(const Frame& f, const std::string& block_scope) {
    const bool begins_with_norm =
        f.trace().contains(block_scope + "norm1") && !f.trace().contains(block_scope + "residual1");
    const bool is_later = is_later_block(f) && !begins_with_norm;
    return is_later ? input_at(f, in_first_block(block_scope + "residual1"), 0) : not_here;
}

}  // namespace

// Block_N(… Block_1(x)), and a norm
std::vector<Mistake> stack() {
    return {
        Mistake{WrongAt("final_norm", {&steps::stack::norm}), "left-out", "the last block's output",
                "The norm after the last block is missing: in a pre-norm stack nothing else has normalised "
                "the sum.",
                [](const Frame& f, const Tensor&) { return input(f, 0); }}
            .seen("https://github.com/NVIDIA-NeMo/Speech/pull/2197"),
        Mistake{block(), "left-out", "x", "The block is missing: its input is passed on unchanged.",
                [](const Frame& f, const Tensor&) { return is_last_step(f) ? block_input(f) : not_here; }}
            .in_class("the only block left out"),
        {block(), "only-first", "Block_1(x)",
         "Only the first block is applied; each should take the output of the one before.",
         [](const Frame& f, const Tensor&) {
             return is_later_block(f) && is_last_step(f) ? block_input(f) : not_here;
         }},
        Mistake{block(), "without-first", "Block_N(… Block_2(x))",
                "The first block is skipped: the second gets its input.",
                [](const Frame& f, const Tensor&) {
                    return block_of(f.path()).value == 0 && is_last_step(f) ? block_input(f) : not_here;
                }}
            .in_class("the only block left out"),
        Mistake{WrongAt("block", {&steps::multi_head_attention::qkv}), "each-from-input", "Block_N(x)",
                "Every block gets the first one's input: only the last one counts.",
                [](const Frame& f, const Tensor&) {
                    const Tensor x = stack_input(f, outer_scope(f));
                    return x.defined() ? glassbox::linear(x, input(f, 1), input(f, 2)) : not_here;
                }}
            .and_at(WrongAt("residual1", {&encoder::residual1, &decoder::residual1}),
                    [](const Frame& f, const Tensor& made) {
                        const Tensor x = stack_input(f, scope_of(f.path()));
                        return x.defined() ? made - input(f, 0) + x : not_here;
                    }),
        {block(), "residual-around", "x + Block(x)",
         "A residual goes around the whole block; there is already one around each sublayer.",
         [](const Frame& f, const Tensor& made) {
             return is_last_step(f) ? made + block_input(f) : not_here;
         }},
        Mistake{WrongAt::op("linear"), "first-blocks-weights", "W and b of block 0",
                "Every block has the first one's weights instead of its own.",
                [](const Frame& f, const Tensor&) {
                    return is_later_block(f) && first_blocks(f, 1).defined()
                               ? glassbox::linear(input(f, 0), first_blocks(f, 1), first_blocks(f, 2))
                               : not_here;
                }}
            .seen("https://github.com/espnet/espnet/issues/1278")
            .and_at(WrongAt::op("layer_norm"),
                    [](const Frame& f, const Tensor&) {
                        return is_later_block(f) && first_blocks(f, 2).defined()
                                   ? glassbox::layer_norm(input(f, 0), first_blocks(f, 1), first_blocks(f, 2),
                                                          f.operation()["epsilon"])
                                   : not_here;
                    }),
        {WrongAt::op("layer_norm"), "first-blocks-weights", "γ and β of block 0",
         "The norms of every block have the first one's γ and β instead of their own.",
         [](const Frame& f, const Tensor&) {
             return is_later_block(f) && first_blocks(f, 2).defined()
                        ? glassbox::layer_norm(input(f, 0), first_blocks(f, 1), first_blocks(f, 2),
                                               f.operation()["epsilon"])
                        : not_here;
         }},
    };
}

}  // namespace glassbox::catalogue
