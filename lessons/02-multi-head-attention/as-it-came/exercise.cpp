// Lesson 02: your work. Fill in the steps in order, and ask after each whether it is right:
//     ./dev lesson 02
// lesson.h, beside this file, says what x, w and mask are.
#include "lesson.h"

#include <cmath>  // std::sqrt

void multi_head_attention(const Matrix& x, const AttentionWeights& w, const Matrix& mask, Steps& steps) {
    // 1  qkv: every row of x with every row of W_qkv, and b_qkv added.
    //    For a start:  steps.qkv = Matrix(x.rows(), w.W_qkv.rows());

    // 2  Q, K, V: the columns of qkv belong to head 0's query, head 0's key, head 0's value,
    //    then to head 1's query, and so on.
    //    For a start:  steps.Q = Matrices(w.heads, x.rows(), ... how wide is one head?);

    // 3  logits, scaled, masked, attention, values of each head, as in lesson 01. softmax(...) is there.

    // 4  concat: a token's values from head 0, then those from head 1, … in one row.

    // 5  output: concat with W_O and b_O.
}
