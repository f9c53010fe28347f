// Lesson 10: your work. Fill in the steps in order, and ask after each whether it is right:
//     ./dev lesson 10
// lesson.h, beside this file, says what x, memory, memory_mask and w are, and what is given.
#include "lesson.h"

void decoder_block(const Matrix& x, const Matrix& memory, const Matrix& memory_mask,
                   const DecoderBlockWeights& w, Steps& steps) {
    // 1  mask: position i may see position j when ... ? 1 for yes, 0 for no.
    //    For a start:  steps.mask = Matrix(x.rows(), x.rows());

    // 2  self_attn.output:
    //    multi_head_attention(queries of what, keys of what, values of what, w.self_attn, mask)

    // 3  residual1, norm1: as in lesson 04.

    // 4  cross_attn.output: multi_head_attention once more, with w.cross_attn.
    //    Who asks, and who answers? Which mask?

    // 5  residual2, norm2.

    // 6  mlp.output: the feed-forward network; then residual3, norm3.
}
