// Lesson 05, a wrong solution: the positions share each class among them.
// hint: softmax/wrong-axis
#include "lesson.h"

#include <algorithm>

namespace {

Matrix relu(const Matrix& x) {
    Matrix y = x;
    for (int t = 0; t < y.rows(); ++t)
        for (int c = 0; c < y.columns(); ++c) y(t, c) = std::max(y(t, c), 0.0);
    return y;
}

Matrix output_net(const Matrix& encoded, const PredictorWeights& w) {
    return linear(relu(layer_norm(linear(encoded, w.W_1, w.b_1), w.norm)), w.W_2, w.b_2);
}

}  // namespace

void predict_elements(const Vector& ids, const PredictorWeights& w, Steps& steps) {
    const int T = ids.size(), d_in = w.W_in.columns(), d_model = w.W_in.rows();

    steps.x = Matrix(T, d_in);
    for (int t = 0; t < T; ++t) steps.x(t, static_cast<int>(ids(t))) = 1;

    // A row with a single 1 picks one column of W_in.
    steps.input_net = Matrix(T, d_model);
    for (int t = 0; t < T; ++t)
        for (int o = 0; o < d_model; ++o)
            steps.input_net(t, o) = w.W_in(o, static_cast<int>(ids(t))) + w.b_in(o);

    steps.positional.output = add(steps.input_net, positional_encoding(T, d_model));
    steps.encoded = encoder_block(steps.positional.output, w.encoder);

    steps.output_net.linear = linear(steps.encoded, w.W_1, w.b_1);
    steps.output_net.norm = layer_norm(steps.output_net.linear, w.norm);
    steps.output_net.relu = relu(steps.output_net.norm);
    steps.logits = linear(steps.output_net.relu, w.W_2, w.b_2);
    Matrix by_class(steps.logits.columns(), T);
    for (int t = 0; t < T; ++t)
        for (int k = 0; k < by_class.rows(); ++k) by_class(k, t) = steps.logits(t, k);
    by_class = softmax(by_class);
    steps.softmax = Matrix(T, by_class.rows());
    for (int t = 0; t < T; ++t)
        for (int k = 0; k < by_class.rows(); ++k) steps.softmax(t, k) = by_class(k, t);
}

void predict_whole(const PredictorWeights& w, Steps& steps) {
    const int T = steps.encoded.rows(), d_model = steps.encoded.columns();

    steps.mean.pooled = Matrix(1, d_model);
    for (int t = 0; t < T; ++t)
        for (int c = 0; c < d_model; ++c) steps.mean.pooled(0, c) += steps.encoded(t, c) / T;
    steps.mean.logits = output_net(steps.mean.pooled, w);

    steps.cls.cls = Matrix(1 + T, d_model);
    for (int c = 0; c < d_model; ++c) {
        steps.cls.cls(0, c) = w.cls(c);
        for (int t = 0; t < T; ++t) steps.cls.cls(1 + t, c) = steps.input_net(t, c);
    }
    steps.cls.positional.output = add(steps.cls.cls, positional_encoding(1 + T, d_model));
    steps.cls.encoded = encoder_block(steps.cls.positional.output, w.encoder);

    steps.cls.pooled = Matrix(1, d_model);
    for (int c = 0; c < d_model; ++c) steps.cls.pooled(0, c) = steps.cls.encoded(0, c);
    steps.cls.logits = output_net(steps.cls.pooled, w);
}
