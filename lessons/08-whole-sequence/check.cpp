// Lesson 08: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include <algorithm>
#include <cmath>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "lesson.h"

namespace lesson {
namespace {

WholeWeights weights_of(const Tensors& golden) {
    return {encoder_block_weights_of(golden, "transformer.layers.0."), vector_of(golden.at("cls_token")),
            matrix_of(golden.at("output_net.weight")), vector_of(golden.at("output_net.bias"))};
}

// 1 where `seen` says so: seen(sequence, position).
template <class Seen>
Matrix marked(int B, int T, Seen seen) {
    Matrix marks(B, T);
    for (int b = 0; b < B; ++b)
        for (int t = 0; t < T; ++t) marks(b, t) = seen(b, t) ? 1 : 0;
    return marks;
}

Matrices with_positions(Matrices x) {
    for (int b = 0; b < x.count(); ++b) x[b] = add(x[b], positional_encoding(x[b].rows(), x[b].columns()));
    return x;
}

// Row i of sequence b sees row j where seen(b, i, j).
template <class Seen>
Matrices encoded_where(Matrices x, const WholeWeights& w, Seen seen) {
    for (int b = 0; b < x.count(); ++b) {
        const int T = x[b].rows();
        x[b] = encoder_block(x[b], w.encoder, marked(T, T, [&](int i, int j) { return seen(b, i, j); }));
    }
    return x;
}
Matrices encoded(const Matrices& x, const WholeWeights& w, const Matrix& real) {
    return encoded_where(x, w, [&](int b, int, int j) { return real(b, j) != 0; });
}
Matrices encoded_unmasked(const Matrices& x, const WholeWeights& w) {
    return encoded_where(x, w, [](int, int, int) { return true; });
}

// One row for each sequence: what `row` makes of (sequence, column).
template <class Number>
Matrix rows_of(const Matrices& x, Number number) {
    Matrix rows(x.count(), x[0].columns());
    for (int b = 0; b < rows.rows(); ++b)
        for (int c = 0; c < rows.columns(); ++c) rows(b, c) = number(b, c);
    return rows;
}

// The row of each sequence that place(b) says.
template <class Place>
Matrix row_at(const Matrices& x, Place place) {
    return rows_of(x, [&](int b, int c) { return x[b](place(b), c); });
}

double sum_of(const Matrix& x, int c, int count) {
    double sum = 0;
    for (int t = 0; t < count; ++t) sum += x(t, c);
    return sum;
}

double largest_of(const Matrix& x, int c, int count, double from) {
    for (int t = 0; t < count; ++t) from = std::max(from, x(t, c));
    return from;
}

// The token's row in each sequence stands at place(b), x around it.
template <class Place>
Matrices with_token(const Matrices& x, const Vector& token, Place place) {
    const int T = x[0].rows(), d_model = x[0].columns();
    Matrices all(x.count(), 1 + T, d_model);
    for (int b = 0; b < x.count(); ++b)
        for (int t = 0; t <= T; ++t)
            for (int c = 0; c < d_model; ++c) {
                const int at = place(b);
                all[b](t, c) = t == at ? token(c) : x[b](t < at ? t : t - 1, c);
            }
    return all;
}

// Golden's inputs and the student's steps, as the exercise has them.
struct Work {
    const Tensors& own;
    WholeWeights w;
    Matrices x;
    Vector lengths;
    int B, T;

    explicit Work(const Tensors& all)
        : own(all),
          w(weights_of(all)),
          x(matrices_of(all.at("x"))),
          lengths(vector_of(all.at("lengths"))),
          B(x.count()),
          T(x[0].rows()) {}
    Matrix operator()(const char* step) const { return matrix_of(own.at(step)); }
    Matrices all(const char* step) const { return matrices_of(own.at(step)); }
    int length(int b) const { return static_cast<int>(lengths(b)); }
    Matrices token_in_front() const {
        return with_token(x, w.cls, [](int) { return 0; });
    }
};

class WholeCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* elements = exercise.function<decltype(aggregate)>("aggregate");
        auto* token = exercise.function<decltype(aggregate_by_token)>("aggregate_by_token");
        const Work k(golden);
        return run_each<Steps>(
            1, golden,
            [&](index_t, Steps& steps) {
                elements(k.x, k.lengths, k.w, steps);
                if (steps.max.logits.rows() > 0) token(k.x, k.lengths, k.w, steps);
            },
            [](Collected& all, const Steps& steps) {
                all.add("real", steps.real), all.add("encoder/0/norm2", steps.encoded);
                all.add("mean/pooled", steps.mean.pooled), all.add("mean/logits", steps.mean.logits);
                all.add("max/pooled", steps.max.pooled), all.add("max/logits", steps.max.logits);
                all.add("cls/cls", steps.cls.input), all.add("cls/real", steps.cls.real);
                all.add("cls/encoder/0/norm2", steps.cls.encoded);
                all.add("cls/pooled", steps.cls.pooled), all.add("cls/logits", steps.cls.logits);
            });
    }

    // What stands in the rows of padding is nobody's business.
    Tensor comparable(const std::string& step, const Tensor& value, const Tensors& golden) const override {
        const bool token = step == "cls/encoder/0/norm2";
        if (!token && step != "encoder/0/norm2") return value;
        Matrices all = matrices_of(value);
        const Matrices expected = matrices_of(golden.at(step));
        const Vector lengths = vector_of(golden.at("lengths"));
        for (int b = 0; b < all.count(); ++b)
            for (int t = static_cast<int>(lengths(b)) + (token ? 1 : 0); t < all[b].rows(); ++t)
                for (int c = 0; c < all[b].columns(); ++c) all[b](t, c) = expected[b](t, c);
        return tensor_of(all);
    }

    Tensor redo(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        if (step == "encoder/0/norm2") return tensor_of(encoded(with_positions(k.x), k.w, k("real")));
        if (step == "cls/cls") return tensor_of(k.token_in_front());
        if (step == "cls/encoder/0/norm2")
            return tensor_of(encoded(with_positions(k.all("cls/cls")), k.w, k("cls/real")));
        return tensor_of(redone(step, k));
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        return first_that_gives(own.at(step), mistakes(step, k));
    }

  private:
    static Matrix redone(const std::string& step, const Work& k) {
        if (step == "real") return marked(k.B, k.T, [&](int b, int t) { return t < k.length(b); });
        if (step == "cls/real") return marked(k.B, 1 + k.T, [&](int b, int t) { return t <= k.length(b); });
        if (step == "cls/pooled") return row_at(k.all("cls/encoder/0/norm2"), [](int) { return 0; });
        const Matrices h = k.all("encoder/0/norm2");
        if (step == "mean/pooled")
            return rows_of(h, [&](int b, int c) { return sum_of(h[b], c, k.length(b)) / k.length(b); });
        if (step == "max/pooled")
            return rows_of(h, [&](int b, int c) { return largest_of(h[b], c, k.length(b), h[b](0, c)); });
        const std::string pooled = step.substr(0, step.find('/')) + "/pooled";  // mean/logits, …
        return linear(k(pooled.c_str()), k.w.W, k.w.b);
    }

    static std::vector<Mistake> mistakes(const std::string& step, const Work& k) {
        if (step == "real") return of_real(k);
        if (step == "encoder/0/norm2") return of_encoded(k);
        if (step == "mean/pooled") return of_mean(k);
        if (step == "max/pooled") return of_max(k);
        if (step == "cls/cls") return of_token(k);
        if (step == "cls/real") return of_token_real(k);
        if (step == "cls/encoder/0/norm2") return of_token_encoded(k);
        if (step == "cls/pooled") return of_token_pooled(k);
        const std::string pooled = step.substr(0, step.find('/')) + "/pooled";
        return {{"no-bias", [=, &k] { return linear(k(pooled.c_str()), k.w.W, Vector(k.w.b.size())); }}};
    }

    static std::vector<Mistake> of_real(const Work& k) {
        const auto where = [&k](auto seen) {
            return
                [seen, &k] { return marked(k.B, k.T, [&](int b, int t) { return seen(k.length(b), t); }); };
        };
        return {{"inverted", where([](int length, int t) { return t >= length; })},
                {"all", where([](int, int) { return true; })},
                {"one-less", where([](int length, int t) { return t < length - 1; })},
                {"one-more", where([](int length, int t) { return t <= length; })}};
    }

    static std::vector<Mistake> of_encoded(const Work& k) {
        const Matrices x = with_positions(k.x);
        const Matrix real = k("real");
        return {{"no-mask", [=, &k] { return encoded_unmasked(x, k.w); }},
                {"no-positions", [=, &k] { return encoded(k.x, k.w, real); }},
                {"left-out", [=] { return x; }},
                {"rows", [=, &k] {
                     return encoded_where(x, k.w, [&](int b, int i, int) { return real(b, i) != 0; });
                 }}};
    }

    static std::vector<Mistake> of_mean(const Work& k) {
        const Matrices h = k.all("encoder/0/norm2");
        // The sum of the first `count(b)` rows, divided.
        const auto sum = [h](auto count, auto divisor) {
            return [=] {
                return rows_of(h, [&](int b, int c) { return sum_of(h[b], c, count(b)) / divisor(b); });
            };
        };
        const auto all = [T = k.T](int) { return T; };
        const auto real = [&k](int b) { return k.length(b); };
        const auto one = [](int) { return 1; };
        return {{"all", sum(all, all)},
                {"padded-length", sum(real, all)},
                {"padding-in-sum", sum(all, real)},
                {"sum", sum(real, one)},
                {"sum", sum(all, one)},
                {"wrong-size", sum(real, [d = h[0].columns()](int) { return d; })},
                {"first-length", sum(real, [&k](int) { return k.length(0); })},
                {"first", sum(one, one)},
                {"not-reset", [h, &k] {  // the sum of all sequences so far
                     Matrix rows(k.B, h[0].columns());
                     for (int b = 0; b < k.B; ++b)
                         for (int c = 0; c < rows.columns(); ++c) {
                             for (int i = 0; i <= b; ++i) rows(b, c) += sum_of(h[i], c, k.length(i));
                             rows(b, c) /= k.length(b);
                         }
                     return rows;
                 }}};
    }

    static std::vector<Mistake> of_max(const Work& k) {
        const Matrices h = k.all("encoder/0/norm2");
        const auto largest = [h, &k](auto count, auto from) {
            return [=, &k] {
                return rows_of(h, [&](int b, int c) { return largest_of(h[b], c, count(b), from(b, c)); });
            };
        };
        const auto all = [T = k.T](int) { return T; };
        const auto real = [&k](int b) { return k.length(b); };
        return {{"padding", largest(all, [h](int b, int c) { return h[b](0, c); })},
                {"from-zero", largest(real, [](int, int) { return 0.0; })},
                {"zeroed-padding",
                 largest(real, [h, &k](int b, int c) { return k.length(b) < k.T ? 0.0 : h[b](0, c); })},
                {"batch", largest(real,
                                  [h, &k](int b, int c) {
                                      double so_far = h[0](0, c);  // of the sequences before
                                      for (int i = 0; i < b; ++i)
                                          so_far = largest_of(h[i], c, k.length(i), so_far);
                                      return so_far;
                                  })},
                {"batch", largest(real,
                                  [h, &k](int, int c) {
                                      double all_of_them = h[0](0, c);
                                      for (int i = 0; i < k.B; ++i)
                                          all_of_them = largest_of(h[i], c, k.length(i), all_of_them);
                                      return all_of_them;
                                  })},
                {"size",
                 [h, &k] {  // the number that is farthest from 0
                     return rows_of(h, [&](int b, int c) {
                         double farthest = 0;
                         for (int t = 0; t < k.length(b); ++t)
                             if (std::abs(h[b](t, c)) > std::abs(farthest)) farthest = h[b](t, c);
                         return farthest;
                     });
                 }},
                {"mean", [&k] { return redone("mean/pooled", k); }}};
    }

    static std::vector<Mistake> of_token(const Work& k) {
        const auto token_at = [&k](auto place) {
            return [=, &k] { return with_token(k.x, k.w.cls, place); };
        };
        return {{"at-end", token_at([T = k.T](int) { return T; })},
                {"at-end", token_at([&k](int b) { return k.length(b); })},
                {"with-positions",
                 [&k] { return with_token(with_positions(k.x), k.w.cls, [](int) { return 0; }); }},
                {"zero", [&k] { return with_token(k.x, Vector(k.w.cls.size()), [](int) { return 0; }); }},
                {"first-only", [&k] {
                     Matrices all = k.token_in_front();
                     for (int b = 1; b < k.B; ++b)
                         for (int c = 0; c < all[b].columns(); ++c) all[b](0, c) = 0;
                     return all;
                 }}};
    }

    static std::vector<Mistake> of_token_real(const Work& k) {
        const auto where = [&k](auto seen) {
            return
                [=, &k] { return marked(k.B, 1 + k.T, [&](int b, int t) { return seen(k.length(b), t); }); };
        };
        return {{"one-short", where([](int length, int t) { return t < length; })},
                {"token-hidden", where([](int length, int t) { return t > 0 && t <= length; })},
                {"token-at-end", where([T = k.T](int length, int t) { return t < length || t == T; })},
                {"inverted", where([](int length, int t) { return t > length; })},
                {"all", where([](int, int) { return true; })}};
    }

    static std::vector<Mistake> of_token_encoded(const Work& k) {
        const Matrices input = k.all("cls/cls"), x = with_positions(input);
        const Matrix real = k("cls/real"), elements = k("real");
        return {{"no-mask", [=, &k] { return encoded_unmasked(x, k.w); }},
                {"elements-mask",
                 [=, &k] {
                     return encoded_where(x, k.w,
                                          [&](int b, int, int j) { return j < k.T && elements(b, j) != 0; });
                 }},
                {"no-positions", [=, &k] { return encoded(input, k.w, real); }},
                {"shifted",
                 [=, &k] {
                     const Matrices placed = with_token(with_positions(k.x), k.w.cls, [](int) { return 0; });
                     return encoded(placed, k.w, real);
                 }},
                {"after-encoder",
                 [=, &k] { return with_token(k.all("encoder/0/norm2"), k.w.cls, [](int) { return 0; }); }},
                {"left-out", [=] { return x; }}};
    }

    static std::vector<Mistake> of_token_pooled(const Work& k) {
        const Matrices h = k.all("cls/encoder/0/norm2");
        const auto mean = [h](auto count) {
            return [=] {
                return rows_of(h, [&](int b, int c) { return sum_of(h[b], c, count(b)) / count(b); });
            };
        };
        return {{"last", [h, &k] { return row_at(h, [&](int) { return k.T; }); }},
                {"last", [h, &k] { return row_at(h, [&](int b) { return k.length(b); }); }},
                {"first-element", [h] { return row_at(h, [](int) { return 1; }); }},
                {"mean", mean([&k](int b) { return 1 + k.length(b); })},
                {"mean", mean([&k](int) { return 1 + k.T; })},
                {"not-encoded", [&k] { return row_at(k.all("cls/cls"), [](int) { return 0; }); }}};
    }
};

}  // namespace

const Check& the_check() {
    static const WholeCheck check;
    return check;
}

}  // namespace lesson
