// Lesson 12: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/own_check.h"

#include <algorithm>
#include <cmath>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "lesson.h"

namespace lesson {
namespace {

// Number (row, column) of a new matrix.
template <class Number>
Matrix matrix_from(int rows, int columns, Number number) {
    Matrix m(rows, columns);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) m(r, c) = number(r, c);
    return m;
}

int largest_in_row(const Matrix& m, int row) {
    int best = 0;
    for (int k = 1; k < m.columns(); ++k)
        if (m(row, k) > m(row, best)) best = k;
    return best;
}

Vector one(double number) {
    Vector v(1);
    v(0) = number;
    return v;
}

// How a sequence is written; other ways are mistakes.
struct Way {
    bool reads_last_row = true, stops = true, writes_start = false, writes_end = true, remembers = true;
};

// Golden's inputs and the student's steps, as the exercise has them.
struct Work {
    const Tensors& own;
    TransformerWeights w;
    Matrix source, answers;
    Vector lengths;
    int longest, B, T, words;

    explicit Work(const Tensors& all)
        : own(all),
          w(transformer_weights_of(all)),
          source(matrix_of(all.at("source"))),
          answers(matrix_of(all.at("answers"))),
          lengths(vector_of(all.at("lengths"))),
          longest(number_of(all.at("longest"))),
          B(source.rows()),
          T(answers.columns() + 1),
          words(w.W.rows()) {}
    Matrix operator()(const char* step) const { return matrix_of(own.at(step)); }
    Matrices logits() const { return matrices_of(own.at("logits")); }

    int length(int b) const { return static_cast<int>(lengths(b)); }
    // What a student wrote may be no token at all.
    int token(double number) const {
        return static_cast<int>(std::clamp(std::round(number), 0.0, words - 1.0));
    }
    double symbol(int b, int t) const { return t < length(b) ? answers(b, t) : pad; }
    // What stands at place t of a row: the answer from `first` on, `last` behind it, `rest` behind that.
    double shifted(int b, int t, int first, double last, double rest) const {
        const int at = t + first;
        return at < length(b) ? answers(b, at) : at == length(b) ? last : rest;
    }
    bool counts(int b, int t) const { return (*this)("labels")(b, t) >= 0; }

    // Of one sequence with these places before it, what comes next.
    Matrix next(int b, const Vector& target) const {
        return softmax(transformer_logits(row_of(source, b), target, w));
    }
    Vector before(const Matrix& tokens, int b, int count) const {  // start, then the first tokens
        Vector target(1 + count);
        target(0) = start;
        for (int t = 0; t < count; ++t) target(1 + t) = token(tokens(b, t));
        return target;
    }

    Matrix written(const Way& way) const {
        Matrix all(B, longest);
        for (int b = 0; b < B; ++b) {
            Matrix tokens(1, longest);
            int place = 0;
            if (way.writes_start) all(b, place++) = start;
            for (int n = 0; n < longest; ++n) {
                Vector target = before(tokens, 0, n);
                if (!way.remembers && n > 0)
                    target = row_of(matrix_from(1, 1, [&](int, int) { return tokens(0, n - 1); }), 0);
                const Matrix p = next(b, target);
                const int best = largest_in_row(p, way.reads_last_row ? p.rows() - 1 : 0);
                tokens(0, n) = best;
                if (place < longest && (best != end || way.writes_end)) all(b, place++) = best;
                if (best == end && way.stops) break;
            }
        }
        return all;
    }

    Matrix certainty_of(const Matrix& tokens) const {
        Matrix all(B, longest);
        for (int b = 0; b < B; ++b)
            for (int n = 0; n < longest; ++n) {
                const int best = token(tokens(b, n));
                all(b, n) = next(b, before(tokens, b, n))(n, best);
                if (best == end) break;
            }
        return all;
    }
};

class CopyCheck : public OwnCheck {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* prepare = exercise.function<decltype(make_batch)>("make_batch");
        auto* judge = exercise.function<decltype(measure)>("measure");
        auto* write = exercise.function<decltype(decode)>("decode");
        const Work k(golden);
        return run_each<Steps>(
            1, golden,
            [&](index_t, Steps& steps) {
                prepare(k.answers, k.lengths, steps);
                if (steps.labels.rows() > 0) judge(k.source, k.w, steps);
                if (steps.accuracy.size() > 0) write(k.source, k.w, k.longest, steps);
            },
            [](Collected& all, const Steps& steps) {
                all.add("target", steps.target), all.add("labels", steps.labels);
                all.add("logits", steps.logits), all.add("losses", steps.losses);
                all.add("loss", steps.loss), all.add("accuracy", steps.accuracy);
                all.add("written", steps.written), all.add("certainty", steps.certainty);
            });
    }

    Tensor redo(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        if (step == "target") return tensor_of(right_target(k));
        if (step == "labels") return tensor_of(right_labels(k));
        if (step == "logits") return tensor_of(logits_of(k, k("target")));
        if (step == "losses") return tensor_of(losses_of(k, [&](int b, int t) { return k("labels")(b, t); }));
        if (step == "loss") return tensor_of(one(sum_of(k("losses")) / count_of(k)));
        if (step == "accuracy") return tensor_of(one(correct(k) / count_of(k)));
        if (step == "written") return tensor_of(k.written({}));
        return tensor_of(k.certainty_of(k("written")));
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        return first_that_gives(own.at(step), mistakes(step, k));
    }

  private:
    static Matrix right_target(const Work& k) {
        return matrix_from(k.B, k.T, [&](int b, int t) { return t == 0 ? start : k.symbol(b, t - 1); });
    }
    static Matrix right_labels(const Work& k) {
        return matrix_from(k.B, k.T, [&](int b, int t) { return k.shifted(b, t, 0, end, ignored); });
    }

    static Matrices logits_of(const Work& k, const Matrix& target) {
        Matrices all(k.B, 0, 0);
        for (int b = 0; b < k.B; ++b) {
            Vector tokens = row_of(target, b);
            for (int t = 0; t < tokens.size(); ++t) tokens(t) = k.token(tokens(t));
            all[b] = transformer_logits(row_of(k.source, b), tokens, k.w);
        }
        return all;
    }

    // −ln softmax(logits)_label at each place, 0 where label(b, t) is negative.
    template <class Label>
    static Matrix losses_of(const Work& k, Label label) {
        const Matrices logits = k.logits();
        Matrix losses(k.B, k.T);
        for (int b = 0; b < k.B; ++b) {
            const Matrix p = softmax(logits[b]);
            for (int t = 0; t < k.T; ++t)
                if (label(b, t) >= 0) losses(b, t) = -std::log(p(t, k.token(label(b, t))));
        }
        return losses;
    }

    static double sum_of(const Matrix& m) {
        double sum = 0;
        for (int r = 0; r < m.rows(); ++r)
            for (int c = 0; c < m.columns(); ++c) sum += m(r, c);
        return sum;
    }
    static double count_of(const Work& k) {
        return sum_of(matrix_from(k.B, k.T, [&](int b, int t) { return k.counts(b, t) ? 1 : 0; }));
    }
    static Matrix correct_places(const Work& k) {
        const Matrices logits = k.logits();
        const Matrix labels = k("labels");
        return matrix_from(
            k.B, k.T, [&](int b, int t) { return largest_in_row(logits[b], t) == labels(b, t) ? 1 : 0; });
    }
    static double correct(const Work& k) { return sum_of(correct_places(k)); }

    static std::vector<Mistake> mistakes(const std::string& step, const Work& k) {
        if (step == "target") return of_target(k);
        if (step == "labels") return of_labels(k);
        if (step == "logits") return of_logits(k);
        if (step == "losses") return of_losses(k);
        if (step == "loss") return of_loss(k);
        if (step == "accuracy") return of_accuracy(k);
        if (step == "written") return of_written(k);
        return of_certainty(k);
    }

    template <class Number>
    static Mistake batch(const char* reason, const Work& k, Number number) {
        return {reason, [number, &k] { return matrix_from(k.B, k.T, number); }};
    }

    static std::vector<Mistake> of_target(const Work& k) {
        return {batch("no-shift", k, [&k](int b, int t) { return k.shifted(b, t, 0, end, pad); }),
                batch("no-shift", k, [&k](int b, int t) { return k.shifted(b, t, 0, end, ignored); }),
                batch("no-start", k, [&k](int b, int t) { return k.symbol(b, t); }),
                batch("wrong-way", k, [&k](int b, int t) { return k.shifted(b, t, 1, end, pad); }),
                batch("with-end", k,
                      [&k](int b, int t) { return t == 0 ? start : k.shifted(b, t, -1, end, pad); }),
                batch("ignored", k,
                      [&k](int b, int t) { return t == 0 ? start : k.shifted(b, t, -1, ignored, ignored); })};
    }

    static std::vector<Mistake> of_labels(const Work& k) {
        return {
            batch("not-shifted", k,
                  [&k](int b, int t) { return t == 0 ? start : k.shifted(b, t, -1, ignored, ignored); }),
            batch("not-shifted", k,
                  [&k](int b, int t) { return t == 0 ? start : k.shifted(b, t, -1, pad, pad); }),
            batch("no-end", k, [&k](int b, int t) { return k.shifted(b, t, 0, ignored, ignored); }),
            batch("no-end", k, [&k](int b, int t) { return k.shifted(b, t, 0, pad, pad); }),
            batch("end-behind-padding", k,
                  [&k](int b, int t) { return t == k.T - 1 ? end : k.shifted(b, t, 0, ignored, ignored); }),
            batch("end-behind-padding", k,
                  [&k](int b, int t) { return t == k.T - 1 ? end : k.shifted(b, t, 0, pad, pad); }),
            batch("pad-counts", k, [&k](int b, int t) { return k.shifted(b, t, 0, end, pad); }),
            batch("end-again", k, [&k](int b, int t) { return k.shifted(b, t, 0, end, end); }),
            batch("too-far", k, [&k](int b, int t) { return k.shifted(b, t, 1, end, ignored); })};
    }

    static std::vector<Mistake> of_logits(const Work& k) {
        return {{"labels",
                 [&k] {  // where they are ignored, padding
                     const Matrix labels = k("labels");
                     return logits_of(
                         k, matrix_from(k.B, k.T, [&](int b, int t) { return std::max(labels(b, t), 0.0); }));
                 }},
                {"softmax",
                 [&k] {
                     Matrices all = logits_of(k, k("target"));
                     for (int b = 0; b < k.B; ++b) all[b] = softmax(all[b]);
                     return all;
                 }},
                {"first-source", [&k] {
                     Matrices all(k.B, 0, 0);
                     for (int b = 0; b < k.B; ++b)
                         all[b] = transformer_logits(row_of(k.source, 0), row_of(k("target"), b), k.w);
                     return all;
                 }}};
    }

    static std::vector<Mistake> of_losses(const Work& k) {
        const Matrix labels = k("labels"), target = k("target");
        const auto with = [&k](auto label) { return [label, &k] { return losses_of(k, label); }; };
        const auto right = [labels](int b, int t) { return labels(b, t); };
        const auto scaled = [=, &k](double factor) {
            return [=, &k] {
                const Matrix all = losses_of(k, right);
                return matrix_from(k.B, k.T, [&](int b, int t) { return factor * all(b, t); });
            };
        };
        return {{"padding-counted", with([labels](int b, int t) { return std::max(labels(b, t), 0.0); })},
                {"no-minus", scaled(-1)},
                {"other-logarithm", scaled(1 / std::log(2))},
                {"other-logarithm", scaled(1 / std::log(10))},
                {"target", with([=](int b, int t) { return labels(b, t) < 0 ? -1.0 : target(b, t); })},
                {"answer", with([labels, logits = k.logits()](int b, int t) {
                     return labels(b, t) < 0 ? -1.0 : largest_in_row(logits[b], t);
                 })},
                {"score", [labels, logits = k.logits(), &k] {
                     return matrix_from(k.B, k.T, [&](int b, int t) {
                         return labels(b, t) < 0 ? 0 : -logits[b](t, k.token(labels(b, t)));
                     });
                 }}};
    }

    static std::vector<Mistake> of_loss(const Work& k) {
        const Matrix losses = k("losses");
        return {{"all-places", [=, &k] { return one(sum_of(losses) / (k.B * k.T)); }},
                {"sum", [=] { return one(sum_of(losses)); }},
                {"sequences", [=, &k] { return one(sum_of(losses) / k.B); }},
                {"mean-of-means", [=, &k] {
                     double mean = 0;
                     for (int b = 0; b < k.B; ++b) {
                         double sum = 0, count = 0;
                         for (int t = 0; t < k.T; ++t) sum += losses(b, t), count += k.counts(b, t);
                         mean += sum / count / k.B;
                     }
                     return one(mean);
                 }}};
    }

    static std::vector<Mistake> of_accuracy(const Work& k) {
        return {{"all-places", [&k] { return one(correct(k) / (k.B * k.T)); }},
                {"padding-right", [&k] { return one((correct(k) + k.B * k.T - count_of(k)) / (k.B * k.T)); }},
                {"number", [&k] { return one(correct(k)); }},
                {"errors", [&k] { return one(1 - correct(k) / count_of(k)); }},
                {"whole", [&k] {  // sequences that are right from beginning to end
                     const Matrix right = correct_places(k);
                     double whole = 0;
                     for (int b = 0; b < k.B; ++b) {
                         bool all = true;
                         for (int t = 0; t < k.T; ++t) all = all && (!k.counts(b, t) || right(b, t) == 1);
                         whole += all;
                     }
                     return one(whole / k.B);
                 }}};
    }

    static std::vector<Mistake> of_written(const Work& k) {
        const auto made = [&k](const Way& way) { return [way, &k] { return k.written(way); }; };
        return {{"with-start", made({.writes_start = true})},
                {"first-row", made({.reads_last_row = false})},
                {"not-stopped", made({.stops = false})},
                {"first-row", made({.reads_last_row = false, .stops = false})},
                {"no-end", made({.writes_end = false})},
                {"only-last", made({.remembers = false})},
                {"teacher-forced", [&k] { return teacher_forced(k, true); }},
                {"teacher-forced", [&k] { return teacher_forced(k, false); }},
                {"not-filled", [&k] {
                     Matrix all = k.written({});
                     for (int b = 0; b < k.B; ++b)
                         for (int n = 0; n < k.longest; ++n)
                             if (all(b, n) == pad) all(b, n) = ignored;
                     return all;
                 }}};
    }

    // The likeliest token at every place, when the right ones came before.
    static Matrix teacher_forced(const Work& k, bool stops) {
        const Matrices logits = k.logits();
        Matrix all(k.B, k.longest);
        for (int b = 0; b < k.B; ++b)
            for (int t = 0; t < std::min(k.T, k.longest); ++t) {
                all(b, t) = largest_in_row(logits[b], t);
                if (all(b, t) == end && stops) break;
            }
        return all;
    }

    static std::vector<Mistake> of_certainty(const Work& k) {
        const Matrix tokens = k("written");
        const auto from = [=, &k](auto number) {
            return [=, &k] {
                Matrix all(k.B, k.longest);
                for (int b = 0; b < k.B; ++b)
                    for (int n = 0; n < k.longest; ++n) {
                        const Vector target = k.before(tokens, b, n);
                        all(b, n) = number(b, n, target, k.token(tokens(b, n)));
                        if (k.token(tokens(b, n)) == end) break;
                    }
                return all;
            };
        };
        return {{"score", from([&k](int b, int n, const Vector& target, int best) {
                     return transformer_logits(row_of(k.source, b), target, k.w)(n, best);
                 })},
                {"first-row", from([&k](int b, int, const Vector& target, int best) {
                     return k.next(b, target)(0, best);
                 })},
                {"logarithm", from([&k](int b, int n, const Vector& target, int best) {
                     return std::log(k.next(b, target)(n, best));
                 })},
                {"product", [=, &k] {
                     Matrix all = k.certainty_of(tokens);
                     for (int b = 0; b < k.B; ++b)
                         for (int n = 1; n < k.longest; ++n) all(b, n) *= all(b, n - 1);
                     return all;
                 }}};
    }
};

}  // namespace

const Check& the_check() {
    static const CopyCheck check;
    return check;
}

}  // namespace lesson
