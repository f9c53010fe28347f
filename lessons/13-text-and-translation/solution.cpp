// Lesson 13: the reference solution.
#include "lesson.h"

#include <cmath>
#include <set>

namespace {

// The id of a letter, `unknown` if it is none of `letters`.
int id_of(double letter, const Vector& letters) {
    for (int a = 0; a < letters.size(); ++a)
        if (letters(a) == letter) return first_letter + a;
    return unknown;
}

// Letters to ids, pad behind each word.
Matrix ids_of(const Matrix& words, const Vector& letters) {
    Matrix ids(words.rows(), words.columns());
    for (int w = 0; w < words.rows(); ++w)
        for (int i = 0; i < words.columns() && words(w, i) != 0; ++i) ids(w, i) = id_of(words(w, i), letters);
    return ids;
}

// How often each two of V tokens are neighbours.
Matrix count_pairs(const Matrix& ids, const Vector& counts, int V) {
    Matrix pairs(V, V);
    for (int w = 0; w < ids.rows(); ++w)
        for (int i = 1; i < ids.columns() && ids(w, i) != pad; ++i)
            pairs(static_cast<int>(ids(w, i - 1)), static_cast<int>(ids(w, i))) += counts(w);
    return pairs;
}

// `joined` for each `left` with a `right` behind it, from left to right.
void merge(Matrix& ids, double left, double right, double joined) {
    for (int w = 0; w < ids.rows(); ++w) {
        int to = 0;
        for (int from = 0; from < ids.columns(); ++to) {
            const bool is_pair =
                from + 1 < ids.columns() && ids(w, from) == left && ids(w, from + 1) == right;
            ids(w, to) = is_pair ? joined : ids(w, from);
            from += is_pair ? 2 : 1;
        }
        for (; to < ids.columns(); ++to) ids(w, to) = pad;
    }
}

}  // namespace

void learn(const Matrix& words, const Vector& counts, int how_many, Steps& steps) {
    std::set<double> letters;
    for (int w = 0; w < words.rows(); ++w)
        for (int i = 0; i < words.columns() && words(w, i) != 0; ++i) letters.insert(words(w, i));
    steps.letters = Vector(static_cast<int>(letters.size()));
    int a = 0;
    for (const double letter : letters) steps.letters(a++) = letter;

    steps.ids = ids_of(words, steps.letters);

    const int V = first_letter + steps.letters.size();
    steps.pairs = count_pairs(steps.ids, counts, V);

    steps.merges = Matrix(how_many, 3);
    Matrix ids = steps.ids;
    for (int m = 0; m < how_many; ++m) {
        const Matrix pairs = count_pairs(ids, counts, V + m);
        int left = 0, right = 0;
        for (int l = 0; l < V + m; ++l)
            for (int r = 0; r < V + m; ++r)
                if (pairs(l, r) > pairs(left, right)) left = l, right = r;
        steps.merges(m, 0) = left;
        steps.merges(m, 1) = right;
        steps.merges(m, 2) = V + m;
        merge(ids, left, right, V + m);
    }
}

void encode(const Matrix& text, Steps& steps) {
    steps.tokens = ids_of(text, steps.letters);
    for (int m = 0; m < steps.merges.rows(); ++m)
        merge(steps.tokens, steps.merges(m, 0), steps.merges(m, 1), steps.merges(m, 2));
}

void make_batch(const Matrix& source, const Matrix& target, Steps& steps) {
    const int B = source.rows(), S = source.columns() - 1, T = target.columns() - 1;
    steps.inputs = Matrix(B, S);
    steps.source_mask = Matrix(B, S);
    for (int b = 0; b < B; ++b)
        for (int s = 0; s < S; ++s) {
            steps.inputs(b, s) = source(b, s + 1);
            steps.source_mask(b, s) = steps.inputs(b, s) != pad ? 1 : 0;
        }

    steps.targets = Matrix(B, T);
    steps.labels = Matrix(B, T);
    for (int b = 0; b < B; ++b)
        for (int t = 0; t < T; ++t) {
            steps.targets(b, t) = target(b, t) != end ? target(b, t) : pad;
            steps.labels(b, t) = target(b, t + 1) != pad ? target(b, t + 1) : ignored;
        }

    steps.target_mask = Matrices(B, T, T);
    for (int b = 0; b < B; ++b)
        for (int i = 0; i < T; ++i)
            for (int j = 0; j < T; ++j)
                steps.target_mask[b](i, j) = j <= i && steps.targets(b, j) != pad ? 1 : 0;
}

void read_token(int token, int position, const DecoderWeights& w, Steps& steps) {
    const int d = w.embedding.columns();
    const Matrix encoding = positional_encoding(position + 1, d);
    steps.x = Matrix(1, d);
    for (int c = 0; c < d; ++c) steps.x(0, c) = w.embedding(token, c) * std::sqrt(d) + encoding(position, c);

    steps.K = with_row(steps.K, linear(steps.x, w.W_K, w.b_K));
    steps.V = with_row(steps.V, linear(steps.x, w.W_V, w.b_V));

    const int n = steps.K.rows();
    const Matrix query = linear(steps.x, w.W_Q, w.b_Q);
    Matrix scores(1, n);
    for (int j = 0; j < n; ++j)
        for (int c = 0; c < d; ++c) scores(0, j) += query(0, c) * steps.K(j, c) / std::sqrt(d);
    steps.attention = softmax(scores);

    steps.values = Matrix(1, d);
    for (int j = 0; j < n; ++j)
        for (int c = 0; c < d; ++c) steps.values(0, c) += steps.attention(0, j) * steps.V(j, c);

    steps.logits = linear(steps.values, w.W, w.b);
    steps.next = Vector(1);
    for (int k = 1; k < steps.logits.columns(); ++k)
        if (steps.logits(0, k) > steps.logits(0, static_cast<int>(steps.next(0)))) steps.next(0) = k;
}
