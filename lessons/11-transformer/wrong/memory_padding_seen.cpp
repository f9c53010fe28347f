// Lesson 11, a wrong solution: the cross-attention sees the padding of the source.
// hint: memory_mask/nothing-hidden
#include "lesson.h"

#include <cmath>

namespace {

Matrix scaled_rows(const Vector& tokens, const Matrix& table) {
    Matrix rows(tokens.size(), table.columns());
    for (int t = 0; t < rows.rows(); ++t)
        for (int c = 0; c < rows.columns(); ++c)
            rows(t, c) = table(static_cast<int>(tokens(t)), c) * std::sqrt(table.columns());
    return rows;
}

Matrix with_positions(const Matrix& rows) {
    return add(rows, positional_encoding(rows.rows(), rows.columns()));
}

// Every one of n looks at all tokens but padding.
Matrix padding_mask(int n, const Vector& tokens) {
    Matrix mask(n, tokens.size());
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < tokens.size(); ++j) mask(i, j) = tokens(j) == pad ? 0 : 1;
    return mask;
}

Matrix causal_and_padding_mask(const Vector& tokens) {
    Matrix mask = padding_mask(tokens.size(), tokens);
    for (int i = 0; i < tokens.size(); ++i)
        for (int j = i + 1; j < tokens.size(); ++j) mask(i, j) = 0;
    return mask;
}

Matrix encoder(Matrix x, const TransformerWeights& w, const Matrix& mask) {
    for (const EncoderBlockWeights& block : w.encoder) x = encoder_block(x, block, mask);
    return x;
}

Matrix decoder(Matrix y, const Matrix& memory, const TransformerWeights& w, const Matrix& mask,
               const Matrix& memory_mask) {
    for (const DecoderBlockWeights& block : w.decoder) y = decoder_block(y, memory, block, mask, memory_mask);
    return y;
}

int largest_in_row(const Matrix& m, int row) {
    int best = 0;
    for (int k = 1; k < m.columns(); ++k)
        if (m(row, k) > m(row, best)) best = k;
    return best;
}

// `token`, of which there is one, is left out.
Vector without(const Vector& sentence, int token) {
    Vector rest(sentence.size() - 1);
    int to = 0;
    for (int from = 0; from < sentence.size(); ++from)
        if (sentence(from) != token) rest(to++) = sentence(from);
    return rest;
}

}  // namespace

void transformer(const Vector& source, const Vector& sentence, const TransformerWeights& w, Steps& steps) {
    steps.source.scaled = scaled_rows(source, w.source_embedding);
    steps.source.positional = with_positions(steps.source.scaled);
    steps.source_mask = padding_mask(source.size(), source);
    steps.memory = encoder(steps.source.positional, w, steps.source_mask);

    steps.targets = without(sentence, end);
    steps.labels = without(sentence, start);
    const int T = steps.targets.size();

    steps.target.scaled = scaled_rows(steps.targets, w.target_embedding);
    steps.target.positional = with_positions(steps.target.scaled);
    steps.target_mask = causal_and_padding_mask(steps.targets);
    steps.memory_mask = Matrix(T, source.size());
    for (int i = 0; i < T; ++i)
        for (int j = 0; j < source.size(); ++j) steps.memory_mask(i, j) = 1;
    steps.decoded = decoder(steps.target.positional, steps.memory, w, steps.target_mask, steps.memory_mask);

    steps.logits = linear(steps.decoded, w.W, w.b);
    steps.softmax = softmax(steps.logits);
    steps.words = Vector(T);
    for (int t = 0; t < T; ++t) steps.words(t) = largest_in_row(steps.softmax, t);
}

void translate(const Vector& source, const TransformerWeights& w, int longest, Steps& steps) {
    const Matrix memory = encoder(with_positions(scaled_rows(source, w.source_embedding)), w,
                                  padding_mask(source.size(), source));
    steps.translation = Vector(longest);
    steps.translation(0) = start;
    for (int n = 1; n < longest; ++n) {
        Vector written(n);
        for (int t = 0; t < n; ++t) written(t) = steps.translation(t);
        const Matrix decoded = decoder(with_positions(scaled_rows(written, w.target_embedding)), memory, w,
                                       causal_and_padding_mask(written), padding_mask(n, source));
        const int next = largest_in_row(linear(decoded, w.W, w.b), n - 1);
        steps.translation(n) = next;
        if (next == end) break;
    }
}
