#pragma once
#include <cmath>

#include "../weights.h"
#include "decoder_block.h"
#include "positional_encoding.h"

// What lesson 11 taught: the whole Transformer, from the tokens of one source and of what is written so far
// to logits. Token 0 is padding: no row attends to it, nor to later tokens.
//     source (S)   target (T)   result (T, words): row t is for the token after target(t)
inline Matrix transformer_logits(const Vector& source, const Vector& target, const TransformerWeights& w) {
    const auto placed = [](const Vector& tokens, const Matrix& table) {
        Matrix rows(tokens.size(), table.columns());
        for (int t = 0; t < rows.rows(); ++t)
            for (int c = 0; c < rows.columns(); ++c)
                rows(t, c) = table(static_cast<int>(tokens(t)), c) * std::sqrt(table.columns());
        return add(rows, positional_encoding(rows.rows(), rows.columns()));
    };
    const int S = source.size(), T = target.size();
    Matrix source_mask(S, S), target_mask(T, T), memory_mask(T, S);
    for (int j = 0; j < S; ++j) {
        for (int i = 0; i < S; ++i) source_mask(i, j) = source(j) == 0 ? 0 : 1;
        for (int i = 0; i < T; ++i) memory_mask(i, j) = source(j) == 0 ? 0 : 1;
    }
    for (int i = 0; i < T; ++i)
        for (int j = 0; j <= i; ++j) target_mask(i, j) = target(j) == 0 ? 0 : 1;
    Matrix x = placed(source, w.source_embedding), y = placed(target, w.target_embedding);
    for (const EncoderBlockWeights& block : w.encoder) x = encoder_block(x, block, source_mask);
    for (const DecoderBlockWeights& block : w.decoder)
        y = decoder_block(y, x, block, target_mask, memory_mask);
    return linear(y, w.W, w.b);
}
