// Lesson 09: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/own_check.h"

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "../support/given/add.h"
#include "../support/given/positional_encoding.h"
#include "lesson.h"

namespace lesson {
namespace {

AnomalyWeights weights_of(const Tensors& golden) {
    AnomalyWeights w{matrix_of(golden.at("input_net.1.weight")),
                     vector_of(golden.at("input_net.1.bias")),
                     {},
                     matrix_of(golden.at("output_net.weight")),
                     vector_of(golden.at("output_net.bias"))};
    const auto path = [&] { return fmt::format("transformer.layers.{}.", w.encoder.size()); };
    while (golden.count(path() + "norm1.weight"))
        w.encoder.push_back(encoder_block_weights_of(golden, path()));
    return w;
}

// Number (row, column) of a new matrix, and number i of a new vector.
template <class Number>
Matrix matrix_from(int rows, int columns, Number number) {
    Matrix m(rows, columns);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) m(r, c) = number(r, c);
    return m;
}
template <class Number>
Vector vector_from(int size, Number number) {
    Vector v(size);
    for (int i = 0; i < size; ++i) v(i) = number(i);
    return v;
}

Matrix turned(const Matrix& m) {
    return matrix_from(m.columns(), m.rows(), [&](int r, int c) { return m(c, r); });
}

// Golden's inputs and the student's steps, as the exercise has them.
struct Work {
    const Tensors& own;
    AnomalyWeights w;
    Matrices x;
    Matrix classes;
    Vector order;
    int B, T;

    explicit Work(const Tensors& all)
        : own(all),
          w(weights_of(all)),
          x(matrices_of(all.at("x"))),
          classes(matrix_of(all.at("classes"))),
          order(vector_of(all.at("order"))),
          B(x.count()),
          T(x[0].rows()) {}
    Matrix operator()(const char* step) const { return matrix_of(own.at(step)); }
    Matrices all(const char* step) const { return matrices_of(own.at(step)); }
    Vector vector(const char* step) const { return vector_of(own.at(step)); }

    int from(int i) const { return static_cast<int>(order(i)); }
    int to(int i) const {  // the inverse of order
        int place = 0;
        while (from(place) != i) ++place;
        return place;
    }
    int odd(int b) const {  // the place of the element whose class no other has
        int place = 0;
        for (int i = 0; i < T; ++i) {
            int equal = 0;
            for (int j = 0; j < T; ++j) equal += classes(b, j) == classes(b, i);
            if (equal == 1) place = i;
        }
        return place;
    }
    // What a student gives as a place may be none.
    int label(int b) const {
        return static_cast<int>(std::clamp(std::round(vector("labels")(b)), 0.0, T - 1.0));
    }

    Matrix input(int b) const { return linear(x[b], w.W_in, w.b_in); }
    Matrix through(Matrix h, std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i) h = encoder_block(h, w.encoder[i]);
        return h;
    }
    Matrix through(const Matrix& h) const { return through(h, 0, w.encoder.size()); }
    Matrix scored(const Matrix& h) const { return linear(h, w.W_out, w.b_out); }
};

// For each set a matrix.
template <class Made>
Matrices each(const Work& k, Made made) {
    Matrices all(k.B, 0, 0);
    for (int b = 0; b < k.B; ++b) all[b] = made(b);
    return all;
}

class AnomalyCheck : public OwnCheck {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* find = exercise.function<decltype(find_anomaly)>("find_anomaly");
        auto* reorder = exercise.function<decltype(permute)>("permute");
        const Work k(golden);
        return run_each<Steps>(
            1, golden,
            [&](index_t, Steps& steps) {
                find(k.x, k.classes, k.w, steps);
                if (steps.found.size() > 0) reorder(k.x, k.order, k.w, steps);
            },
            [](Collected& all, const Steps& steps) {
                all.add("labels", steps.labels), all.add("encoded", steps.encoded);
                all.add("logits", steps.logits), all.add("scores", steps.scores);
                all.add("probabilities", steps.probabilities), all.add("losses", steps.losses);
                all.add("loss", steps.loss), all.add("found", steps.found);
                all.add("permuted/x", steps.permuted.x), all.add("permuted/labels", steps.permuted.labels);
                all.add("permuted/scores", steps.permuted.scores);
            });
    }

    Tensor redo(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        if (step == "labels") return tensor_of(vector_from(k.B, [&](int b) { return k.odd(b); }));
        if (step == "encoded") return tensor_of(each(k, [&](int b) { return k.through(k.input(b)); }));
        if (step == "logits") {
            const Matrices h = k.all("encoded");
            return tensor_of(each(k, [&](int b) { return k.scored(h[b]); }));
        }
        if (step == "losses") return tensor_of(losses(k, k("probabilities")));
        if (step == "loss") return tensor_of(mean_of(k.vector("losses")));
        if (step == "found") return tensor_of(largest(k("probabilities"), 1));
        if (step == "permuted/x") return tensor_of(ordered(k, [&](int i) { return k.from(i); }));
        if (step == "permuted/labels")
            return tensor_of(vector_from(k.B, [&](int b) { return k.to(k.label(b)); }));
        if (step == "scores") return tensor_of(squeezed(k));
        if (step == "probabilities") return tensor_of(softmax(k("scores")));
        return tensor_of(scores_in_order(k, [&](int i) { return k.from(i); }));
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        return first_that_gives(own.at(step), mistakes(step, k));
    }

  private:
    static Vector losses(const Work& k, const Matrix& p) {
        return vector_from(k.B, [&](int b) { return -std::log(p(b, k.label(b))); });
    }

    static Vector mean_of(const Vector& v) {
        Vector mean(1);
        for (int i = 0; i < v.size(); ++i) mean(0) += v(i) / v.size();
        return mean;
    }

    // The place of the largest, or with sign −1 of the smallest number of each row.
    static Vector largest(const Matrix& m, double sign) {
        return vector_from(m.rows(), [&](int r) {
            int best = 0;
            for (int c = 1; c < m.columns(); ++c)
                if (sign * m(r, c) > sign * m(r, best)) best = c;
            return best;
        });
    }

    static Matrix squeezed(const Work& k) {
        const Matrices logits = k.all("logits");
        return matrix_from(k.B, k.T, [&](int b, int i) { return logits[b](i, 0); });
    }

    template <class Place>
    static Matrices ordered(const Work& k, Place place) {
        return each(k, [&](int b) {
            return matrix_from(k.T, k.x[b].columns(), [&](int i, int c) { return k.x[b](place(i), c); });
        });
    }

    template <class Place>
    static Matrix scores_in_order(const Work& k, Place place) {
        const Matrix scores = k("scores");
        return matrix_from(k.B, k.T, [&](int b, int i) { return scores(b, place(i)); });
    }

    static std::vector<Mistake> mistakes(const std::string& step, const Work& k) {
        if (step == "labels") return of_labels(k);
        if (step == "encoded") return of_encoded(k);
        if (step == "logits") return of_logits(k);
        if (step == "scores") return of_scores(k);
        if (step == "probabilities") return of_probabilities(k);
        if (step == "losses") return of_losses(k);
        if (step == "loss") return of_loss(k);
        if (step == "found") return of_found(k);
        return of_permuted(step, k);
    }

    static std::vector<Mistake> of_labels(const Work& k) {
        const auto from = [&k](auto number) { return [number, &k] { return vector_from(k.B, number); }; };
        return {{"class", from([&k](int b) { return k.classes(b, k.odd(b)); })},
                {"class", from([&k](int b) { return k.classes(b, k.odd(b) == 0 ? 1 : 0); })},
                {"last", from([&k](int) { return k.T - 1; })},
                {"ordinary", from([&k](int b) { return k.odd(b) == 0 ? 1 : 0; })},
                {"from-one", from([&k](int b) { return k.odd(b) + 1; })}};
    }

    static std::vector<Mistake> of_encoded(const Work& k) {
        const auto for_each = [&k](auto made) { return [made, &k] { return each(k, made); }; };
        return {{"positions", for_each([&k](int b) {
                     const Matrix h = k.input(b);
                     return k.through(add(h, positional_encoding(h.rows(), h.columns())));
                 })},
                {"left-out", for_each([&k](int b) { return k.input(b); })},
                {"first-block", for_each([&k](int b) { return k.through(k.input(b), 0, 1); })},
                {"each-from-input", for_each([&k](int b) {
                     return k.through(k.input(b), k.w.encoder.size() - 1, k.w.encoder.size());
                 })},
                {"first-set", for_each([&k](int) { return k.through(k.input(0)); })}};
    }

    static std::vector<Mistake> of_logits(const Work& k) {
        return {{"no-bias",
                 [&k] {
                     const Matrices h = k.all("encoded");
                     return each(k, [&](int b) { return linear(h[b], k.w.W_out, Vector(1)); });
                 }},
                {"not-encoded", [&k] { return each(k, [&](int b) { return k.scored(k.input(b)); }); }}};
    }

    static std::vector<Mistake> of_scores(const Work& k) {
        const Matrices logits = k.all("logits");
        const auto from = [&k](auto number) {
            return [number, &k] { return matrix_from(k.B, k.T, number); };
        };
        return {{"first-element", from([logits](int b, int) { return logits[b](0, 0); })},
                {"first-set", from([logits](int, int i) { return logits[0](i, 0); })},
                {"across",
                 from([logits, &k](int b, int i) {  // read off set after set as if element after element
                     const int at = b * k.T + i;
                     return logits[at % k.B](at / k.B, 0);
                 })},
                {"mean", from([logits, &k](int b, int) {
                     double mean = 0;
                     for (int i = 0; i < k.T; ++i) mean += logits[b](i, 0) / k.T;
                     return mean;
                 })}};
    }

    static std::vector<Mistake> of_probabilities(const Work& k) {
        const Matrix scores = k("scores");
        const auto from = [&k](auto number) {
            return [number, &k] { return matrix_from(k.B, k.T, number); };
        };
        return {{"over-batch", [scores] { return turned(softmax(turned(scores))); }},
                {"ones", from([](int, int) { return 1.0; })},
                {"sigmoid", from([scores](int b, int i) { return 1 / (1 + std::exp(-scores(b, i))); })},
                {"left-out", [scores] { return scores; }},
                {"everything", [scores, &k] {
                     const Matrix row = softmax(
                         matrix_from(1, k.B * k.T, [&](int, int at) { return scores(at / k.T, at % k.T); }));
                     return matrix_from(k.B, k.T, [&](int b, int i) { return row(0, b * k.T + i); });
                 }}};
    }

    // −(1/T) Σ_i y_i ln q_i + (1 − y_i) ln(1 − q_i), y one-hot: every element a question of its own.
    static Vector binary_losses(const Work& k, const Matrix& q) {
        return vector_from(k.B, [&](int b) {
            double loss = 0;
            for (int i = 0; i < k.T; ++i) loss -= std::log(i == k.label(b) ? q(b, i) : 1 - q(b, i)) / k.T;
            return loss;
        });
    }

    static std::vector<Mistake> of_losses(const Work& k) {
        const Matrix p = k("probabilities"), scores = k("scores");
        const auto from = [&k](auto number) { return [number, &k] { return vector_from(k.B, number); }; };
        return {{"no-minus", from([p, &k](int b) { return std::log(p(b, k.label(b))); })},
                {"answer", from([p](int b) {
                     double best = 0;
                     for (int i = 0; i < p.columns(); ++i) best = std::max(best, p(b, i));
                     return -std::log(best);
                 })},
                {"no-logarithm", from([p, &k](int b) { return 1 - p(b, k.label(b)); })},
                {"other-logarithm", from([p, &k](int b) { return -std::log2(p(b, k.label(b))); })},
                {"other-logarithm", from([p, &k](int b) { return -std::log10(p(b, k.label(b))); })},
                {"score", from([scores, &k](int b) { return -scores(b, k.label(b)); })},
                {"binary", [p, &k] { return binary_losses(k, p); }},
                {"binary",
                 [scores, &k] {
                     return binary_losses(k, matrix_from(k.B, k.T, [&](int b, int i) {
                                              return 1 / (1 + std::exp(-scores(b, i)));
                                          }));
                 }},
                {"all-elements", from([p](int b) {
                     double sum = 0;
                     for (int i = 0; i < p.columns(); ++i) sum -= std::log(p(b, i)) / p.columns();
                     return sum;
                 })}};
    }

    static std::vector<Mistake> of_loss(const Work& k) {
        const Vector losses = k.vector("losses");
        const auto sum_over = [losses](double divisor) {
            return [losses, divisor] {
                Vector one(1);
                for (int b = 0; b < losses.size(); ++b) one(0) += losses(b) / divisor;
                return one;
            };
        };
        return {{"sum", sum_over(1)}, {"wrong-size", sum_over(k.T)}, {"wrong-size", sum_over(k.B * k.T)}};
    }

    static std::vector<Mistake> of_found(const Work& k) {
        const Matrix p = k("probabilities");
        return {{"smallest", [p] { return largest(p, -1); }},
                {"label", [&k] { return k.vector("labels"); }},
                {"number",
                 [p] {
                     const Vector place = largest(p, 1);
                     return vector_from(p.rows(), [&](int b) { return p(b, static_cast<int>(place(b))); });
                 }},
                {"from-one", [p] {
                     const Vector place = largest(p, 1);
                     return vector_from(p.rows(), [&](int b) { return place(b) + 1; });
                 }}};
    }

    static std::vector<Mistake> of_permuted(const std::string& step, const Work& k) {
        const auto same = [](int i) { return i; };
        const auto inverse = [&k](int i) { return k.to(i); };
        if (step == "permuted/x")
            return {{"inverse", [=, &k] { return ordered(k, inverse); }},
                    {"unchanged", [=, &k] { return ordered(k, same); }},
                    {"first-set-only", [&k] {
                         return each(k, [&](int b) {
                             return matrix_from(k.T, k.x[b].columns(), [&](int i, int c) {
                                 return k.x[b](b == 0 ? k.from(i) : i, c);
                             });
                         });
                     }}};
        if (step == "permuted/labels") {
            const auto from = [&k](auto place) {
                return [place, &k] { return vector_from(k.B, [&](int b) { return place(k.label(b)); }); };
            };
            return {{"inverse", from([&k](int i) { return k.from(i); })}, {"unchanged", from(same)}};
        }
        return {{"inverse", [=, &k] { return scores_in_order(k, inverse); }},
                {"unchanged", [=, &k] { return scores_in_order(k, same); }}};
    }
};

}  // namespace

const Check& the_check() {
    static const AnomalyCheck check;
    return check;
}

}  // namespace lesson
