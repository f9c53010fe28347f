// Lesson 10, a wrong solution: one too far: a position sees the one that it is to predict.
// hint: mask/sees-next
#include "lesson.h"

void decoder_block(const Matrix& x, const Matrix& memory, const Matrix& memory_mask,
                   const DecoderBlockWeights& w, Steps& steps) {
    const int T = x.rows();

    steps.mask = Matrix(T, T);
    for (int i = 0; i < T; ++i)
        for (int j = 0; j < T; ++j) steps.mask(i, j) = j <= i + 1 ? 1 : 0;

    steps.self_attn.output = multi_head_attention(x, x, x, w.self_attn, steps.mask);
    steps.residual1 = add(x, steps.self_attn.output);
    steps.norm1 = layer_norm(steps.residual1, w.norm1);

    steps.cross_attn.output = multi_head_attention(steps.norm1, memory, memory, w.cross_attn, memory_mask);
    steps.residual2 = add(steps.norm1, steps.cross_attn.output);
    steps.norm2 = layer_norm(steps.residual2, w.norm2);

    steps.mlp.output = feed_forward(steps.norm2, w.mlp);
    steps.residual3 = add(steps.norm2, steps.mlp.output);
    steps.norm3 = layer_norm(steps.residual3, w.norm3);
}
