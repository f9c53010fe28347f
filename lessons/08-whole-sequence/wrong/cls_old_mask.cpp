// Lesson 08, a wrong solution: the mask of the elements alone.
// hint: cls/real/stopped
#include "lesson.h"

#include <algorithm>

namespace {

// With their positions, through the encoder; nobody sees what is not real.
Matrices encode(const Matrices& x, const Matrix& real, const WholeWeights& w) {
    Matrices encoded = x;
    for (int b = 0; b < x.count(); ++b) {
        const int T = x[b].rows();
        Matrix mask(T, T);
        for (int i = 0; i < T; ++i)
            for (int j = 0; j < T; ++j) mask(i, j) = real(b, j);
        encoded[b] = encoder_block(add(x[b], positional_encoding(T, x[b].columns())), w.encoder, mask);
    }
    return encoded;
}

}  // namespace

void aggregate(const Matrices& x, const Vector& lengths, const WholeWeights& w, Steps& steps) {
    const int B = x.count(), T = x[0].rows(), d_model = x[0].columns();

    steps.real = Matrix(B, T);
    for (int b = 0; b < B; ++b)
        for (int t = 0; t < lengths(b); ++t) steps.real(b, t) = 1;

    steps.encoded = encode(x, steps.real, w);

    steps.mean.pooled = Matrix(B, d_model);
    for (int b = 0; b < B; ++b)
        for (int t = 0; t < lengths(b); ++t)
            for (int c = 0; c < d_model; ++c) steps.mean.pooled(b, c) += steps.encoded[b](t, c) / lengths(b);
    steps.mean.logits = linear(steps.mean.pooled, w.W, w.b);

    steps.max.pooled = Matrix(B, d_model);
    for (int b = 0; b < B; ++b)
        for (int c = 0; c < d_model; ++c) {
            double largest = steps.encoded[b](0, c);  // an element, not 0: all may be negative
            for (int t = 1; t < lengths(b); ++t) largest = std::max(largest, steps.encoded[b](t, c));
            steps.max.pooled(b, c) = largest;
        }
    steps.max.logits = linear(steps.max.pooled, w.W, w.b);
}

void aggregate_by_token(const Matrices& x, const Vector&, const WholeWeights& w, Steps& steps) {
    const int B = x.count(), T = x[0].rows(), d_model = x[0].columns();

    steps.cls.input = Matrices(B, 1 + T, d_model);
    steps.cls.real = steps.real;
    for (int b = 0; b < B; ++b) {
        for (int c = 0; c < d_model; ++c) steps.cls.input[b](0, c) = w.cls(c);
        for (int t = 0; t < T; ++t)
            for (int c = 0; c < d_model; ++c) steps.cls.input[b](1 + t, c) = x[b](t, c);
    }

    steps.cls.encoded = encode(steps.cls.input, steps.cls.real, w);

    steps.cls.pooled = Matrix(B, d_model);
    for (int b = 0; b < B; ++b)
        for (int c = 0; c < d_model; ++c) steps.cls.pooled(b, c) = steps.cls.encoded[b](0, c);
    steps.cls.logits = linear(steps.cls.pooled, w.W, w.b);
}
