#include <glassbox/layers/multi_head_attention.h>

#include <glassbox/mistakes/catalogue/bands.h>
#include <glassbox/mistakes/catalogue/heads.h>
#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/ops/testing.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::multi_head_attention;

namespace {

// The linear layer that computed the step, on another sequence.
Tensor projected(const Operation& layer, const Tensor& x) {
    return linear(x, layer.inputs[1], layer.inputs.size() > 2 ? layer.inputs[2] : not_here);
}

// K or V, from x in the place of memory.
Tensor heads_of_x(const Frame& f) {
    if (!f.contains("memory")) return not_here;
    const Split split = split_of(f);
    return moved_to_heads(split.part(projected(f.operation("kv"), f["x"]), split.index));
}

// K or V of the memory, made by the weights of the queries.
Tensor heads_by_queries(const Frame& f) {
    if (!f.contains("memory") || !f.contains("q")) return not_here;
    const Split queries = split_of(f, 'Q');
    return moved_to_heads(queries.part(projected(f.operation("q"), f["memory"]), 0));
}
// Q of x, made by the weights of the keys (0) or values (1).
WrongValue queries_by(index_t part) {
    return [part](const Frame& f, const Tensor&) {
        if (!f.contains("memory") || !f.contains("kv")) return not_here;
        const Split split = split_of(f, 'K');
        return moved_to_heads(split.part(projected(f.operation("kv"), f["x"]), part));
    };
}

// The output, with keys and values of a sequence that takes the memory's place.
Tensor attended_to(const Frame& f, const Tensor& made, const Tensor& sequence, const Mask& mask) {
    if (!f.contains("memory") || !f.contains("kv") || !sequence.defined()) return not_here;
    const Split split = split_of(f, 'K');
    const Tensor kv = projected(f.operation("kv"), sequence);
    const Tensor K = moved_to_heads(split.part(kv, 0)), V = moved_to_heads(split.part(kv, 1));
    const Tensor values = glassbox::scaled_dot_product(f["Q"], K, V, mask).values;  // (…, h, T, d_h)
    return projected(f.operation(), reshape(contiguous(moved_to_heads(values)), made.shape()));
}
Tensor second_self_attention(const Frame& f, const Tensor& made) {
    return attended_to(f, made, f["x"], Mask::causal());
}
// With the mask of the block's own self-attention, if that hides more than the future.
Tensor masked_self_attention(const Frame& f, const Tensor& made) {
    const Operation* masked = operation_at(f, outer_scope(f) + "self_attn/masked");
    if (!masked) return not_here;
    const Tensor &mask = masked->inputs[1], causal = band_like(masked->output, everything, 0);
    if (static_cast<bool>(all_close(causal * mask, causal + 0 * mask))) return not_here;
    return attended_to(f, made, f["x"], Mask::given(mask));
}

// Without any mask: where a memory is as long and all of it is seen, no-memory makes the same.
Tensor unmasked_self_attention(const Frame& f, const Tensor& made) {
    const bool is_longer = f.contains("memory") && f["memory"].shape() != f["x"].shape();
    return is_longer || mask_of(f).defined() ? attended_to(f, made, f["x"], Mask::none()) : not_here;
}
Tensor block_input_attended(const Frame& f, const Tensor& made) {
    return attended_to(f, made, input_at(f, outer_scope(f) + "residual1", 0), Mask::none());
}

// The output, with all the weights of the block's self-attention.
Tensor by_self_attention(const Frame& f, const Tensor&) {
    const std::string other = outer_scope(f) + "self_attn/";
    const Operation *qkv = operation_at(f, other + "qkv"), *output = operation_at(f, other + "output");
    if (!f.contains("memory") || !f.contains("kv") || !qkv || !output) return not_here;
    const Split split = split_of(f, 'K');
    MultiHeadAttention attend({.d_model = output->inputs[1].size(0),
                               .heads = split.heads,
                               .bias = qkv->inputs.size() > 2,
                               .qkv_layout = split.per_head ? QkvLayout::per_head : QkvLayout::stacked});
    attend.qkv_proj.weight = qkv->inputs[1], attend.o_proj.weight = output->inputs[1];
    if (qkv->inputs.size() > 2) attend.qkv_proj.bias = qkv->inputs[2], attend.o_proj.bias = output->inputs[2];
    return attend(f["x"], f["memory"], mask_of(f).defined() ? Mask::given(mask_of(f)) : Mask::none());
}

}  // namespace

// Multi-head attention to another sequence: queries from x, keys and values from memory.
std::vector<Mistake> cross_attention() {
    const WrongAt queries{"cross", {&step::q}}, keys_and_values{"cross", {&step::kv}};
    return {
        {queries, "queries-from-memory", "memory W_Qᵀ + b",
         "The queries come from the memory: it attends to itself, and x is not used.",
         [](const Frame& f, const Tensor&) { return projected(f.operation(), f["memory"]); }},
        Mistake{keys_and_values, "no-memory", "x W_KVᵀ + b",
                "Keys and values come from x: the other sequence is not used.",
                [](const Frame& f, const Tensor&) { return projected(f.operation(), f["x"]); }}
            .seen("https://github.com/keitakurita/Practical_NLP_in_PyTorch/issues/1"),
        Mistake{queries, "exchanged", "memory W_Qᵀ + b, and x W_KVᵀ + b",
                "The two sequences are swapped: the memory asks, and x answers.",
                [](const Frame& f, const Tensor&) { return projected(f.operation(), f["memory"]); }}
            .seen("https://github.com/datawhalechina/happy-llm/issues/5")
            .and_at(step::kv, [](const Frame& f, const Tensor&) { return projected(f.operation(), f["x"]); }),
        {WrongAt{"cross", {&step::output}}, "second-self-attention", "MultiHead(x), causal",
         "This is a second self-attention: the other sequence is not used.", second_self_attention},
        {WrongAt{"cross", {&step::output}}, "second-masked-self-attention",
         "MultiHead(x), causal, its padding hidden",
         "This is a second self-attention, with the target's mask: the other sequence is not used.",
         masked_self_attention},
        {WrongAt{"cross", {&step::output}}, "second-unmasked-self-attention", "MultiHead(x), no mask",
         "This is a second self-attention, without a mask: the other sequence is not used.",
         unmasked_self_attention},
        {WrongAt{"cross", {&step::output}}, "block-input", "MultiHead(x, the block's input), no mask",
         "Keys and values come from the block's input: the other sequence is not used.",
         block_input_attended},
        {WrongAt{"cross", {&step::output}}, "other-weights", "MultiHead(x, memory) with self_attn's weights",
         "The weights are those of the self-attention; each attention has its own.", by_self_attention},
        {WrongAt{"cross", {&step::K}}, "keys-from-x", "x W_Kᵀ + b",
         "The keys come from x: weights found in one sequence are applied to the other.",
         [](const Frame& f, const Tensor&) { return heads_of_x(f); }},
        {WrongAt{"cross", {&step::V}}, "values-from-x", "x W_Vᵀ + b",
         "The values come from x: what is found in the memory is not passed on.",
         [](const Frame& f, const Tensor&) { return heads_of_x(f); }},
        {WrongAt{"cross", {&step::K}}, "keys-by-queries", "memory W_Qᵀ + b",
         "The keys are made by the queries' weights; their own are not used.",
         [](const Frame& f, const Tensor&) { return heads_by_queries(f); }},
        {WrongAt{"cross", {&step::V}}, "values-by-queries", "memory W_Qᵀ + b",
         "The values are made by the queries' weights; their own are not used.",
         [](const Frame& f, const Tensor&) { return heads_by_queries(f); }},
        {WrongAt{"cross", {&step::Q}}, "queries-by-keys", "x W_Kᵀ + b",
         "The queries are made by the keys' weights; their own are not used.", queries_by(0)},
        {WrongAt{"cross", {&step::Q}}, "queries-by-values", "x W_Vᵀ + b",
         "The queries are made by the values' weights; their own are not used.", queries_by(1)},
    };
}

}  // namespace glassbox::catalogue
