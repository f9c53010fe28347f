#include <glassbox/layers/multi_head_attention.h>

#include <glassbox/mistakes/catalogue/heads.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::multi_head_attention;

namespace {

// With a cache, the new positions' keys and values are separate steps.
const WrongAt keys{"K", {&step::K, &step::K_new}}, values{"V", {&step::V, &step::V_new}};
const WrongAt all_three{"Q", {&step::Q, &step::K, &step::V, &step::K_new, &step::V_new}};

// The heads of a step, read from another part of the product: 0 queries, 1 keys, 2 values.
WrongValue of_part(index_t part) {
    return [=](const Frame& f, const Tensor&) {
        const Split split = split_of(f);
        return split.parts == 3 && split.index != part ? moved_to_heads(split.part(part)) : not_here;
    };
}

// The same counted from the last: 0 values, 1 keys, in self-attention and in cross-attention.
WrongValue of_last_but(index_t parts_behind) {
    return [=](const Frame& f, const Tensor&) {
        const Split split = split_of(f);
        return split.parts > 1 ? moved_to_heads(split.part(split.parts - 1 - parts_behind)) : not_here;
    };
}

// The product's numbers, in the order in which they lie, as queries, keys and values of each head at once.
WrongValue unpermuted(bool parts_before_batch) {
    return [=](const Frame& f, const Tensor&) {
        const Split split = split_of(f);
        if (split.parts < 2) return not_here;
        const Shape batch = split.y.shape().leading(split.y.rank() - 2);
        if (parts_before_batch && batch.numel() == 1) return not_here;  // the same
        Shape shape = parts_before_batch ? Shape{split.parts} : batch.with_appended(split.parts);
        for (int axis = 0; parts_before_batch && axis < batch.rank(); ++axis)
            shape = shape.with_appended(batch[axis]);
        for (const index_t size : {split.heads, split.y.size(-2), split.d_h})
            shape = shape.with_appended(size);
        return select(reshape(contiguous(split.y), shape), parts_before_batch ? 0 : -4, split.index);
    };
}
// The same as heads that hold their queries, keys and values side by side.
Tensor unpermuted_heads(const Frame& f, const Tensor&) {
    const Split split = split_of(f);
    if (split.parts < 2 || split.per_head) return not_here;  // head by head the same as no-permute
    const Shape batch = split.y.shape().leading(split.y.rank() - 2);
    const Shape shape = batch.with_appended(split.heads)
                            .with_appended(split.y.size(-2))
                            .with_appended(split.parts)
                            .with_appended(split.d_h);
    return select(reshape(contiguous(split.y), shape), -2, split.index);
}

// The three steps with another order of the parts.
Mistake in_order(const char* name, const char* formula, const char* sentence, index_t Q, index_t K,
                 index_t V) {
    return Mistake{step::Q, name, formula, sentence, of_part(Q)}
        .and_at(keys, of_part(K))
        .and_at(values, of_part(V));
}

std::vector<Mistake> of_parts() {
    return {
        in_order("exchanged", "K's part, and K is Q's part",
                 "Queries and keys are swapped: the first part of a head is its queries.", 1, 0, 2),
        in_order("values-first", "V's part, and V is Q's part",
                 "Queries and values are swapped: the order is queries, keys, values.", 2, 1, 0),
        in_order("k-v-q", "K's part, K is V's, V is Q's",
                 "The parts are taken in the order keys, values, queries.", 1, 2, 0),
        in_order("v-q-k", "V's part, K is Q's, V is K's",
                 "The parts are taken in the order values, queries, keys.", 2, 0, 1),
        Mistake{keys, "exchanged", "V's part, and V is K's part", "Keys and values are swapped.",
                of_last_but(0)}
            .seen("https://github.com/tenstorrent/tt-mlir/issues/8958")
            .and_at(values, of_last_but(1)),
        {step::Q, "of-keys", "K's part", "The queries are read from the keys' part.", of_part(1)},
        {step::Q, "of-values", "V's part", "The queries are read from the values' part.", of_part(2)},
        {keys, "of-queries", "Q's part", "The keys are read from the queries' part.", of_part(0)},
        {keys, "of-values", "V's part", "The keys are read from the values' part.", of_last_but(0)},
        {values, "of-queries", "Q's part", "The values are read from the queries' part.", of_part(0)},
        Mistake{values, "of-keys", "K's part", "The values are read from the keys' part.", of_last_but(1)}
            .in_class("keys for values"),
        {all_three, "thirds", "thirds of all columns: queries, keys and values of all heads",
         "The columns are read as all queries, all keys, all values, as torch.nn.MultiheadAttention stacks "
         "them; here each head has its three side by side.",
         [](const Frame& f, const Tensor&) {
             const Split split = split_of(f);
             return split.parts > 1 && split.per_head ? moved_to_heads(split.in_thirds()) : not_here;
         }},
        {all_three, "head-by-head", "queries, keys and values of the first head, of the second, …",
         "The columns are read head by head, as the tutorials stack them; here all queries come first, then "
         "all keys and all values.",
         [](const Frame& f, const Tensor&) {
             const Split split = split_of(f);
             return split.parts > 1 && !split.per_head ? moved_to_heads(split.head_by_head()) : not_here;
         }},
        Mistake{all_three, "no-permute", "reshape (…, n, h d_h) as (…, h, n, d_h)",
                "The numbers are reshaped as if ordered head by head; they are ordered position by position, "
                "so the axes must be swapped.",
                [](const Frame& f, const Tensor& made) {
                    const Split split = split_of(f);
                    return split.parts ? reshape(split.part(split.index), made.shape()) : not_here;
                }}
            .seen("https://github.com/reczoo/FuxiCTR/issues/30"),
        {all_three, "parts-no-permute", "reshape (…, n, 3 h d_h) as (…, 3, h, n, d_h)",
         "The product is reshaped as if ordered by queries, keys and values; it is ordered position by "
         "position, so the axes must be swapped.",
         unpermuted(false)},
        {all_three, "parts-before-batch", "reshape (batch, n, 3 h d_h) as (3, batch, h, n, d_h)",
         "The product is reshaped as if all queries came first; it is ordered sequence by sequence, so the "
         "axes must be swapped.",
         unpermuted(true)},
        {all_three, "heads-no-permute", "reshape (…, n, 3 h d_h) as (…, h, n, 3 d_h)",
         "The product is reshaped as if ordered head by head; it is ordered position by position, so the "
         "axes must be swapped.",
         unpermuted_heads},
        {all_three, "interleaved", "every h-th column to each head",
         "Each head gets every h-th number; a head's numbers are adjacent.",
         [](const Frame& f, const Tensor&) {
             const Split split = split_of(f);
             return split.parts ? moved_to_heads(split.interleaved()) : not_here;
         }},
        {all_three, "own-interleaved", "every h-th of its own columns to each head",
         "Each head gets every h-th number of the queries, the keys and the values; a head's numbers are "
         "adjacent.",
         [](const Frame& f, const Tensor& made) {
             const Split split = split_of(f);
             if (split.parts < 2 || !split.per_head) return not_here;  // else the same as interleaved
             const Shape in_turn = made.shape()
                                       .leading(made.rank() - 3)
                                       .with_appended(made.size(-2))
                                       .with_appended(split.d_h)
                                       .with_appended(split.heads);
             return moved_to_heads(transpose(reshape(contiguous(split.part(split.index)), in_turn)));
         }},
        {all_three, "not-split", "one head of width d_model",
         "The features are not divided among heads: there is one head of full width.",
         [](const Frame& f, const Tensor&) {
             const Split split = split_of(f);
             return split.parts ? moved_to_heads(as_one_head(split.part(split.index))) : not_here;
         }},
        Mistake{all_three, "heads-to-heads", "(…, n, h, d_h), the axes not swapped",
                "The axes of heads and positions are not swapped: the heads of one position attend to each "
                "other, and no position sees another.",
                [](const Frame& f, const Tensor&) {
                    const Split split = split_of(f);
                    return split.parts ? split.part(split.index) : not_here;
                }}
            .and_at(step::concat,
                    [](const Frame& f, const Tensor& made) {
                        const Tensor& heads = f["values"];
                        return heads.numel() == made.numel() ? reshape(heads, made.shape()) : not_here;
                    }),
    };
}

// (batch, h, n, d_h) with the axes of batch and positions exchanged.
Tensor positions_first(const Tensor& heads) { return swap_axes(heads, 0, -2); }

// Rows of all heads' numbers in place of this part's product x Wᵀ; its bias is added, if there is one.
Tensor with_product(const Frame& f, const Split& split, const Tensor& product) {
    const Tensor y = reshape(
        product,
        product.shape().leading(product.rank() - 1).with_appended(split.heads).with_appended(split.d_h));
    const Operation& linear = projection_of(f);
    return moved_to_heads(linear.inputs.size() < 3 ? y : y + split.part(linear.inputs[2], split.index));
}
// Wᵀ of only this part, (h d_h, h d_h); undefined if it is not square.
Tensor weights_of_part(const Frame& f, const Split& split) {
    const index_t width = split.heads * split.d_h;
    if (split.parts == 0 || projection_of(f).inputs[1].size(-1) != width) return not_here;
    return reshape(contiguous(split.part(transpose(projection_of(f).inputs[1]), split.index)),
                   {width, width});
}

WrongValue not_transposed() {
    return [](const Frame& f, const Tensor&) {
        const Split split = split_of(f);
        const Tensor W = weights_of_part(f, split);
        return W.defined() ? with_product(f, split, matmul(projection_of(f).inputs[0], transpose(W)))
                           : not_here;
    };
}
// This part's layer, of what the part `back` before it in the product is: of the keys for values, with 1.
WrongValue projected_again(index_t back) {
    return [=](const Frame& f, const Tensor&) {
        const Split split = split_of(f);
        const Tensor W = weights_of_part(f, split);
        if (!W.defined() || split.index < back) return not_here;
        const Tensor other = contiguous(split.part(split.index - back));
        const Shape rows = other.shape().leading(other.rank() - 2).with_appended(W.size(0));
        return with_product(f, split, matmul(reshape(other, rows), W));
    };
}

std::vector<Mistake> of_weights() {
    return {
        {values, "from-keys", "(x W_Kᵀ + b_K) W_Vᵀ + b_V",
         "The values are projected from the keys, as when k overwrites the input; they are projected from x.",
         projected_again(1)},
        {values, "from-queries", "(x W_Qᵀ + b_Q) W_Vᵀ + b_V",
         "The values are projected from the queries, as when q overwrites x; they are projected from x.",
         projected_again(2)},
        {keys, "from-queries", "(x W_Qᵀ + b_Q) W_Kᵀ + b_K",
         "The keys are projected from the queries, as when q overwrites x; they are projected from x.",
         [](const Frame& f, const Tensor& made) {
             return f.contains("qkv") ? projected_again(1)(f, made) : not_here;
         }},
        Mistake{
            step::Q, "not-transposed", "x W_Q, x W_K, x W_V",
            "Each weight matrix is transposed: a row holds the weights of one output, as in torch.nn.Linear.",
            not_transposed()}
            .seen("https://github.com/rasbt/LLMs-from-scratch/issues/857")
            .and_at(keys, not_transposed())
            .and_at(values, not_transposed()),
    };
}

std::vector<Mistake> of_batch() {
    return {
        Mistake{WrongAt{"Q", {&step::Q, &step::K, &step::V}}, "batch-first", "(n, h, batch, d_h)",
                "The axes of batch and positions are swapped: a position attends to the same position of the "
                "other sequences, not to its own sequence.",
                [](const Frame&, const Tensor& made) {
                    return has_several(made, -4) ? positions_first(made) : not_here;
                }}
            .seen("https://github.com/aipixel/AEMatter/issues/3")
            .and_at(step::concat,
                    [](const Frame& f, const Tensor& made) {
                        const Tensor& heads = f["values"];
                        if (!has_several(made, -3) || heads.numel() != made.numel()) return not_here;
                        const Tensor by_position = swap_axes(positions_first(heads), -3, -2);
                        return reshape(by_position,
                                       by_position.shape().leading(2).with_appended(made.size(-1)));
                    }),
    };
}

// This part's product with the bias of the part that is `back` before it, or behind it, in the product.
WrongValue with_bias_of(index_t back) {
    return [=](const Frame& f, const Tensor&) {
        const Split split = split_of(f);
        const index_t other = split.index - back;
        if (split.parts == 0 || other < 0 || other >= split.parts || projection_of(f).inputs.size() < 3)
            return not_here;
        const Tensor& b = projection_of(f).inputs[2];
        return moved_to_heads(split.part(split.y - b, split.index) + split.part(b, other));
    };
}

// A bias for some of the three only, or of another of them. (One for none of them: see linear.)
std::vector<Mistake> of_biases() {
    return {
        {step::Q, "bias-of-keys", "Q's part, with K's bias", "The queries get the keys' bias.",
         with_bias_of(-1)},
        {step::Q, "bias-of-values", "Q's part, with V's bias", "The queries get the values' bias.",
         with_bias_of(-2)},
        {values, "bias-of-keys", "V's part, with K's bias", "The values get the keys' bias.",
         with_bias_of(1)},
        {values, "bias-of-queries", "V's part, with Q's bias", "The values get the queries' bias.",
         with_bias_of(2)},
        {step::Q, "no-bias-of-queries", "Q's part, without its bias", "The queries' bias is missing.",
         [](const Frame& f, const Tensor&) { return without_bias(f); }},
        Mistake{keys, "no-bias-of-keys", "K's part, without its bias",
                "The keys' bias is missing. It has no effect: it adds the same number to all scores of a "
                "query.",
                [](const Frame& f, const Tensor&) { return without_bias(f); }}
            .in_class("a bias of K"),
        {values, "no-bias-of-values", "V's part, without its bias", "The values' bias is missing.",
         [](const Frame& f, const Tensor&) { return without_bias(f); }},
    };
}

// The keys and values kept from earlier positions.
std::vector<Mistake> of_cache() {
    return {
        {WrongAt{"cache", {&step::K_grown, &step::V_grown}}, "not-kept", "K_new, V_new",
         "Only the new positions are visible: the cached keys and values are not used.",
         [](const Frame& f, const Tensor&) { return input(f, 1); }},
        {WrongAt{"cache", {&step::K_grown, &step::V_grown}}, "in-front", "K_new ‖ K_cache",
         "New positions are put before the cached ones: the mask, which counts positions, hides the wrong "
         "keys.",
         [](const Frame& f, const Tensor&) {
             return concat({input(f, 1), input(f, 0)}, -2);
         }},
        {step::V_grown, "values-in-front", "V_new ‖ V_cache",
         "The new values are put before the cached ones, the new keys after: weights and values no longer "
         "match.",
         [](const Frame& f, const Tensor&) {
             return concat({input(f, 1), input(f, 0)}, -2);
         }},
    };
}

std::vector<Mistake> of_output() {
    return {
        Mistake{step::concat, "no-permute", "reshape (…, h, n, d_h) as (…, n, h d_h)",
                "The heads are laid out one after the other: a row then holds several positions of one head, "
                "not all heads of one position.",
                [](const Frame& f, const Tensor& made) {
                    const Tensor& heads = f["values"];
                    return has_several(heads, -3) ? reshape(heads, made.shape()) : not_here;
                }}
            .seen("https://github.com/jsbaan/transformer-from-scratch/pull/6"),
        {step::concat, "reversed", "Concat(head_h, …, head_1)", "The heads are in reverse order.",
         [](const Frame& f, const Tensor& made) {
             const Tensor heads = reversed(f["values"], -3);
             return heads.defined() ? reshape(swap_axes(heads, -3, -2), made.shape()) : not_here;
         }},
        {step::concat, "interleaved", "the heads' numbers in turn",
         "The heads' numbers alternate instead of forming blocks of d_h.",
         [](const Frame& f, const Tensor& made) {
             const Tensor& heads = f["values"];
             if (!has_several(heads, -3)) return not_here;
             return reshape(transpose(swap_axes(heads, -3, -2)), made.shape());
         }},
        {step::concat, "one-head", "Concat(head_1, …, head_1)",
         "The first head's output is used for every head.",
         [](const Frame& f, const Tensor& made) {
             const Tensor heads = first_for_all(f["values"], -3);
             return heads.defined() ? reshape(swap_axes(heads, -3, -2), made.shape()) : not_here;
         }},
        Mistake{step::output, "activated", "ReLU(concat W_Oᵀ + b_O)",
                "The output has an activation; the last linear layer should have none.",
                [](const Frame&, const Tensor& made) { return relu(made); }}
            .seen("https://github.com/Kyubyong/transformer/pull/17"),
        Mistake{step::output, "queries-added", "Q + concat W_Oᵀ + b_O",
                "The queries of all heads are added inside the layer; the block adds x around it.",
                [](const Frame& f, const Tensor& made) {
                    const Tensor& Q = f["Q"];
                    if (Q.numel() != made.numel()) return not_here;
                    return reshape(swap_axes(Q, -3, -2), made.shape()) + made;
                }}
            .seen("https://github.com/juho-lee/set_transformer/issues/8"),
        {step::output, "residual", "x + concat W_Oᵀ + b_O",
         "x is added inside the layer; the block adds it around the layer.",
         [](const Frame& f, const Tensor& made) {
             return f["x"].shape() == made.shape() ? f["x"] + made : not_here;
         }},
    };
}

}  // namespace

// Concat(head_1, …, head_h) W_O; attention to another sequence is in cross_attention.cpp.
std::vector<Mistake> multi_head_attention() {
    return joined({of_parts(), of_weights(), of_batch(), of_biases(), of_cache(), of_output()});
}

}  // namespace glassbox::catalogue
