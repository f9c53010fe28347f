#include "attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

Matrix softmax(const Matrix& x) {
    Matrix y = x;
    for (Row& row : y) {
        const double largest = *std::max_element(row.begin(), row.end());
        double sum = 0;
        for (double& each : row) sum += each = std::exp(each - largest);
        for (double& each : row) each /= sum;
    }
    return y;
}

static Matrix scores(const Matrix& Q, const Matrix& K) {
    Matrix s(Q.size(), Row(K.size()));
    for (std::size_t i = 0; i < Q.size(); ++i)
        for (std::size_t j = 0; j < K.size(); ++j)
            for (std::size_t c = 0; c < Q[i].size(); ++c)
                s[i][j] += Q[i][c] * K[j][c] / std::sqrt(static_cast<double>(Q[i].size()));
    return s;
}

static Matrix weighted(const Matrix& weights, const Matrix& V) {
    Matrix values(weights.size(), Row(V.front().size()));
    for (std::size_t i = 0; i < weights.size(); ++i)
        for (std::size_t j = 0; j < V.size(); ++j)
            for (std::size_t c = 0; c < V[j].size(); ++c) values[i][c] += weights[i][j] * V[j][c];
    return values;
}

Matrix attention(const Matrix& Q, const Matrix& K, const Matrix& V) {
    return weighted(softmax(scores(Q, K)), V);
}

Matrix causal_attention(const Matrix& Q, const Matrix& K, const Matrix& V) {
    Matrix s = scores(Q, K);
    for (std::size_t i = 0; i < s.size(); ++i)
        for (std::size_t j = i + 1; j < s[i].size(); ++j) s[i][j] = -std::numeric_limits<double>::infinity();
    return weighted(softmax(s), V);
}

Matrix layer_norm(const Matrix& x, const Row& gamma, const Row& beta, double epsilon) {
    Matrix y = x;
    for (Row& row : y) {
        double mean = 0, variance = 0;
        for (const double each : row) mean += each / static_cast<double>(row.size());
        for (const double each : row)
            variance += (each - mean) * (each - mean) / static_cast<double>(row.size());
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = (row[i] - mean) / std::sqrt(variance + epsilon) * gamma[i] + beta[i];
    }
    return y;
}

Matrix positional_encoding(int length, int d_model) {
    Matrix encoding(static_cast<std::size_t>(length), Row(static_cast<std::size_t>(d_model)));
    for (int t = 0; t < length; ++t)
        for (int i = 0; i < d_model; ++i) {
            const double angle = t / std::pow(10000, (i - i % 2) / static_cast<double>(d_model));
            encoding[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)] =
                i % 2 == 0 ? std::sin(angle) : std::cos(angle);
        }
    return encoding;
}
