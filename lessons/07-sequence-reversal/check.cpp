// Lesson 07: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/own_check.h"

#include <algorithm>
#include <cmath>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "lesson.h"

namespace lesson {
namespace {

ModelWeights weights_of(const Tensors& golden) {
    const auto matrix = [&](const char* name) { return matrix_of(golden.at(name)); };
    const auto vector = [&](const char* name) { return vector_of(golden.at(name)); };
    return {matrix("input_net.1.weight"),
            vector("input_net.1.bias"),
            encoder_block_weights_of(golden, "transformer.layers.0."),
            matrix("output_net.0.weight"),
            vector("output_net.0.bias"),
            norm_weights_of(golden, "output_net.1."),
            matrix("output_net.4.weight"),
            vector("output_net.4.bias")};
}

template <class At>
Matrix table(int rows, int columns, At at) {
    Matrix m(rows, columns);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) m(r, c) = at(r, c);
    return m;
}

Matrix one(double x) {
    return table(1, 1, [=](int, int) { return x; });
}

double sum_of(const Matrix& m) {
    double sum = 0;
    for (int r = 0; r < m.rows(); ++r)
        for (int c = 0; c < m.columns(); ++c) sum += m(r, c);
    return sum;
}

Matrix transposed(const Matrix& m) {
    return table(m.columns(), m.rows(), [&](int r, int c) { return m(c, r); });
}

// The inputs and what the student has. A step of three axes is a table of B · T rows, of one axis one row.
struct Own {
    explicit Own(const Tensors& arrays)
        : all(arrays),
          w(weights_of(arrays)),
          numbers(matrix_of(arrays.at("numbers"))),
          B(numbers.rows()),
          T(numbers.columns()),
          C(w.b_2.size()),
          rate(static_cast<double>(arrays.at("rate").item())) {}

    Matrix step(const char* name) const { return matrix_of(as_table(all.at(name))); }
    static Tensor as_table(const Tensor& x) {
        const index_t columns = x.size(-1);
        return Tensor({x.numel() / columns, columns}, x.values());
    }
    // Sequence b of a step of three axes.
    Matrix part(const Matrix& m, int b) const {
        return table(T, m.columns(), [&](int t, int k) { return m(b * T + t, k); });
    }
    template <class At>
    Matrix batch(At at) const {  // (B, T)
        return table(B, T, at);
    }
    // The loss of each label by what `probabilities` makes of a sequence's logits.
    template <class Probabilities>
    Matrix losses(const Matrix& logits, const Matrix& labels, Probabilities probabilities) const {
        Matrix result(B, T);
        for (int b = 0; b < B; ++b) {
            const Matrix p = probabilities(part(logits, b));
            for (int t = 0; t < T; ++t) result(b, t) = -std::log(p(t, static_cast<int>(labels(b, t))));
        }
        return result;
    }
    Matrix logits(const ModelWeights& weights) const {
        Matrix result(B * T, C);
        for (int b = 0; b < B; ++b) {
            const Matrix one_sequence = predict(part(step("x"), b), weights).logits;
            for (int t = 0; t < T; ++t)
                for (int k = 0; k < C; ++k) result(b * T + t, k) = one_sequence(t, k);
        }
        return result;
    }
    // Σ over all positions of softmax(logits) - labels · one_hot(label), as a row.
    Matrix gradient(double factor, bool with_labels = true) const {
        const Matrix logits = step("logits"), labels = step("labels"), p = softmax(logits);
        return table(1, C, [&](int, int k) {
            double sum = 0;
            for (int i = 0; i < B * T; ++i) sum += p(i, k) - (with_labels && k == labels(i / T, i % T));
            return factor * sum;
        });
    }
    double loss_after(double along) const {  // with b_2 - along · gradient
        ModelWeights after = w;
        const Matrix gradient = step("gradient");
        for (int k = 0; k < C; ++k) after.b_2(k) -= along * gradient(0, k);
        return sum_of(losses(logits(after), step("labels"), softmax)) / (B * T);
    }
    // The place of the best number in each row of logits: `better` than the best so far.
    template <class Better>
    Matrix answers(Better better) const {
        const Matrix logits = step("logits");
        return batch([&](int b, int t) {
            int best = 0;
            for (int k = 1; k < C; ++k)
                if (better(logits(b * T + t, k), logits(b * T + t, best))) best = k;
            return best;
        });
    }
    // The mean, over all positions, of the attention that goes to to(t).
    template <class To>
    double looked(To to) const {
        double sum = 0;
        for (int b = 0; b < B; ++b) {
            const Matrix attention = predict(part(step("x"), b), w).attention;
            for (int t = 0; t < T; ++t) sum += attention(t, to(t));
        }
        return sum / (B * T);
    }

    const Tensors& all;
    ModelWeights w;
    Matrix numbers;
    int B, T, C;
    double rate;
};

// How many numbers of a equal those of b; of whole rows, how many rows.
double equal_numbers(const Matrix& a, const Matrix& b) {
    return sum_of(table(a.rows(), a.columns(), [&](int r, int c) { return a(r, c) == b(r, c); }));
}
double equal_rows(const Matrix& a, const Matrix& b) {
    double rows = 0;
    for (int r = 0; r < a.rows(); ++r) {
        bool same = true;
        for (int c = 0; c < a.columns(); ++c) same = same && a(r, c) == b(r, c);
        rows += same;
    }
    return rows;
}

template <class Number>
Matrix one_hot(const Own& o, Number number) {
    return table(o.B * o.T, o.C, [&](int i, int k) { return number(i / o.T, i % o.T) == k; });
}

std::vector<Mistake> of_x(const Own& o) {
    const Matrix& n = o.numbers;
    return {{"flipped", [=] { return one_hot(o, [&](int b, int t) { return n(b, o.T - 1 - t); }); }},
            {"shifted", [=] { return one_hot(o, [&](int b, int t) { return n(b, t) + 1; }); }},
            {"shifted", [=] { return one_hot(o, [&](int b, int t) { return n(b, t) - 1; }); }},
            {"shifted",
             [=] { return one_hot(o, [&](int b, int t) { return static_cast<int>(n(b, t) + 1) % o.C; }); }}};
}

std::vector<Mistake> of_labels(const Own& o) {
    const Matrix& n = o.numbers;
    return {{"not-flipped", [=] { return n; }},
            {"wrong-axis", [=] { return o.batch([&](int b, int t) { return n(o.B - 1 - b, t); }); }},
            {"both-axes", [=] { return o.batch([&](int b, int t) { return n(o.B - 1 - b, o.T - 1 - t); }); }},
            {"values", [=] { return o.batch([&](int b, int t) { return o.C - 1 - n(b, t); }); }},
            {"rotated", [=] { return o.batch([&](int b, int t) { return n(b, (o.T - t) % o.T); }); }},
            {"sorted", [=] {
                 Matrix sorted = n;
                 for (int b = 0; b < o.B; ++b) {
                     std::vector<double> row;
                     for (int t = 0; t < o.T; ++t) row.push_back(n(b, t));
                     std::sort(row.rbegin(), row.rend());
                     for (int t = 0; t < o.T; ++t) sorted(b, t) = row[static_cast<std::size_t>(t)];
                 }
                 return sorted;
             }}};
}

std::vector<Mistake> of_losses(const Own& o) {
    const Matrix logits = o.step("logits"), labels = o.step("labels");
    const auto over_positions = [](const Matrix& m) { return transposed(softmax(transposed(m))); };
    const auto right = [=] { return o.losses(logits, labels, softmax); };
    return {
        {"wrong-axis", [=] { return o.losses(logits, labels, over_positions); }},
        {"against-input", [=] { return o.losses(logits, o.numbers, softmax); }},
        {"sign", [=] { return o.batch([m = right()](int b, int t) { return -m(b, t); }); }},
        {"no-logarithm", [=] { return o.batch([m = right()](int b, int t) { return std::exp(-m(b, t)); }); }},
        {"no-logarithm",
         [=] { return o.batch([m = right()](int b, int t) { return 1 - std::exp(-m(b, t)); }); }}};
}

std::vector<Mistake> of_loss(const Own& o) {
    const double sum = sum_of(o.step("losses"));
    return {{"per-sequence", [=] { return one(sum / o.B); }},
            {"sum", [=] { return one(sum); }},
            {"per-position", [=] { return one(sum / o.T); }},
            {"by-classes", [=] { return one(sum / (o.B * o.T * o.C)); }}};
}

std::vector<Mistake> of_gradient(const Own& o) {
    const double n = o.B * o.T;
    return {{"not-divided", [=] { return o.gradient(1); }},
            {"per-sequence", [=] { return o.gradient(1.0 / o.B); }},
            {"sign", [=] { return o.gradient(-1 / n); }},
            {"no-label", [=] { return o.gradient(1 / n, false); }}};
}

std::vector<Mistake> of_loss_after(const Own& o) {
    return {{"uphill", [=] { return one(o.loss_after(-o.rate)); }},
            {"no-step", [=] { return o.step("loss"); }},
            {"no-rate", [=] { return one(o.loss_after(1)); }},
            {"sum", [=] { return one(o.loss_after(o.rate) * o.B * o.T); }},
            {"per-sequence", [=] { return one(o.loss_after(o.rate) * o.T); }}};
}

std::vector<Mistake> of_answers(const Own& o) {
    const auto first_of_largest = [=] { return o.answers([](double a, double b) { return a > b; }); };
    return {{"last-of-ties", [=] { return o.answers([](double a, double b) { return a >= b; }); }},
            {"smallest", [=] { return o.answers([](double a, double b) { return a < b; }); }},
            {"labels", [=] { return o.step("labels"); }},
            {"input", [=] { return o.numbers; }},
            {"flipped", [=] {
                 return o.batch([&, m = first_of_largest()](int b, int t) { return m(b, o.T - 1 - t); });
             }}};
}

std::vector<Mistake> of_accuracy(const Own& o) {
    const Matrix answers = o.step("answers"), labels = o.step("labels");
    const double right = equal_numbers(answers, labels), n = o.B * o.T;
    return {{"sequences", [=] { return one(equal_rows(answers, labels) / o.B); }},
            {"against-input", [=] { return one(equal_numbers(answers, o.numbers) / n); }},
            {"percent", [=] { return one(100 * right / n); }},
            {"count", [=] { return one(right); }},
            {"per-sequence", [=] { return one(right / o.B); }},
            {"wrong", [=] { return one(1 - right / n); }},
            {"integer-division", [=] { return one(std::floor(right / n)); }}};
}

std::vector<Mistake> of_mirrored(const Own& o) {
    const double right = o.looked([&](int t) { return o.T - 1 - t; });
    return {{"diagonal", [=] { return one(o.looked([](int t) { return t; })); }},
            {"sum", [=] { return one(right * o.B * o.T); }},
            {"per-sequence", [=] { return one(right * o.T); }},
            {"shifted", [=] { return one(o.looked([&](int t) { return (o.T - t) % o.T; })); }}};
}

class ReversalCheck : public OwnCheck {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* make = exercise.function<decltype(make_batch)>("make_batch");
        auto* train = exercise.function<decltype(training_step)>("training_step");
        auto* see = exercise.function<decltype(look)>("look");
        const Own own(golden);
        return run_each<Steps>(
            1, golden,
            [&](index_t, Steps& steps) {
                make(own.numbers, own.C, steps);
                // Else there is nothing to go on from yet.
                if (steps.x.count() == 0 || steps.labels.rows() == 0) return;
                train(own.w, own.rate, steps);
                see(own.w, steps);
            },
            [](Collected& all, const Steps& steps) {
                const auto number = [](const std::optional<double>& x) {
                    Vector v(x ? 1 : 0);
                    if (x) v(0) = *x;
                    return v;
                };
                all.add("x", steps.x), all.add("labels", steps.labels);
                all.add("logits", steps.logits), all.add("losses", steps.losses);
                all.add("loss", number(steps.loss)), all.add("gradient", steps.gradient);
                all.add("loss_after", number(steps.loss_after)), all.add("answers", steps.answers);
                all.add("accuracy", number(steps.accuracy)), all.add("mirrored", number(steps.mirrored));
            });
    }

    Tensor redo(const std::string& step, const Tensors& own) const override {
        return Tensor(own.at(step).shape(), tensor_of(redone(step, Own(own))).values());
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        return first_that_gives(Own::as_table(own.at(step)), mistakes(step, Own(own)));
    }

  private:
    static Matrix redone(const std::string& step, const Own& o) {
        const double n = o.B * o.T;
        if (step == "x") return one_hot(o, [&](int b, int t) { return o.numbers(b, t); });
        if (step == "labels") return o.batch([&](int b, int t) { return o.numbers(b, o.T - 1 - t); });
        if (step == "logits") return o.logits(o.w);
        if (step == "losses") return o.losses(o.step("logits"), o.step("labels"), softmax);
        if (step == "loss") return one(sum_of(o.step("losses")) / n);
        if (step == "gradient") return o.gradient(1 / n);
        if (step == "loss_after") return one(o.loss_after(o.rate));
        if (step == "answers") return o.answers([](double a, double b) { return a > b; });
        if (step == "accuracy") return one(equal_numbers(o.step("answers"), o.step("labels")) / n);
        return one(o.looked([&](int t) { return o.T - 1 - t; }));
    }

    static std::vector<Mistake> mistakes(const std::string& step, const Own& o) {
        if (step == "x") return of_x(o);
        if (step == "labels") return of_labels(o);
        if (step == "logits") return {};
        if (step == "losses") return of_losses(o);
        if (step == "loss") return of_loss(o);
        if (step == "gradient") return of_gradient(o);
        if (step == "loss_after") return of_loss_after(o);
        if (step == "answers") return of_answers(o);
        if (step == "accuracy") return of_accuracy(o);
        return of_mirrored(o);
    }
};

}  // namespace

const Check& the_check() {
    static const ReversalCheck check;
    return check;
}

}  // namespace lesson
