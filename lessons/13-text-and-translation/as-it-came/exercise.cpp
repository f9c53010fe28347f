// Lesson 13: your work. Fill in the steps in order, and ask after each whether it is right:
//     ./dev lesson 13
// lesson.h, beside this file, says what goes in, what comes out, and what is given.
#include "lesson.h"

#include <cmath>

void learn(const Matrix& words, const Vector& counts, int how_many, Steps& steps) {
    // 1  letters: each once, the smallest number first.
    //    ids: first_letter and the letter's place. Behind a word stays pad.

    // 2  pairs: for each two neighbours in a word, as often as the word occurs.
    //    For a start:  steps.pairs = Matrix(V, V);

    // 3  merges: the pair with the largest count becomes a token, with the next free id. Put it into all
    //    words, count again, and so on. Of equally frequent pairs the one with the smaller id on the left,
    //    then on the right.
    //    For a start:  steps.merges = Matrix(how_many, 3);
}

void encode(const Matrix& text, Steps& steps) {
    // 4  tokens: letters to ids, `unknown` for one that the corpus has not. Then the merges, in which order?
}

void make_batch(const Matrix& source, const Matrix& target, Steps& steps) {
    // 5  inputs, and source_mask of them.

    // 6  targets, labels: where does end stand in a row?

    // 7  target_mask: what is to come is hidden, and so is padding.
    //    For a start:  steps.target_mask = Matrices(B, T, T);
}

void read_token(int token, int position, const DecoderWeights& w, Steps& steps) {
    // 8  x: √d times the token's row of w.embedding, plus its row of the positional encoding.

    // 9  K, V: one row more. with_row(m, row) puts a row below.

    // 10  attention: the query of x, and all keys so far. values: all values so far.

    // 11  logits: the last layer. next: the token with the largest.
}
