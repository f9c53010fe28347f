// Lesson 06: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "lesson.h"

namespace lesson {
namespace {

double number(const Tensors& own, const char* name) { return static_cast<double>(own.at(name).item()); }

// What the functions are given, and what the student has; a step of one axis is a table of one row.
struct Own {
    explicit Own(const Tensors& arrays) : all(arrays) {}

    Vector vector(const char* name) const { return vector_of(all.at(name)); }
    Matrix matrix(const std::string& name) const { return matrix_of(all.at(name)); }
    Gradients gradients() const { return {matrix("gradients/W"), matrix("gradients/b")}; }
    double max_norm() const { return number(all, "max_norm"); }
    Schedule schedule() const {
        return {number(all, "peak"), number_of(all.at("warmup")), number_of(all.at("updates"))};
    }
    AdamW adamw() const {
        return {number(all, "beta1"), number(all, "beta2"), number(all, "epsilon"),
                number(all, "weight_decay")};
    }

    const Tensors& all;
};

template <class At>
Matrix table(int rows, int columns, At at) {
    Matrix m(rows, columns);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) m(r, c) = at(r, c);
    return m;
}

template <class At>
Matrix row(int size, At at) {
    return table(1, size, [&](int, int c) { return at(c); });
}

bool has_nonfinite(const Tensor& x) {
    const std::vector<glassbox::real> values = x.values();
    return !std::all_of(values.begin(), values.end(), [](auto v) { return std::isfinite(v); });
}

// ---- Cross-entropy

struct Entropy {
    explicit Entropy(const Own& own) : logits(own.matrix("logits")), labels(own.vector("labels")) {}

    int T() const { return logits.rows(); }
    int classes() const { return logits.columns(); }
    bool is_counted(int t) const { return labels(t) >= 0; }
    int label(int t) const { return static_cast<int>(labels(t)); }
    int counted() const {
        int count = 0;
        for (int t = 0; t < T(); ++t) count += is_counted(t);
        return count;
    }
    double log_sum(int t) const {
        double largest = logits(t, 0), sum = 0;
        for (int k = 0; k < classes(); ++k) largest = std::max(largest, logits(t, k));
        for (int k = 0; k < classes(); ++k) sum += std::exp(logits(t, k) - largest);
        return std::log(sum) + largest;
    }
    double probability(int t, int k) const { return std::exp(logits(t, k) - log_sum(t)); }
    double loss(int t) const { return log_sum(t) - logits(t, label(t)); }
    double smoothed(int t, double share) const {
        double all = 0;
        for (int k = 0; k < classes(); ++k) all += (log_sum(t) - logits(t, k)) / classes();
        return (1 - share) * loss(t) + share * all;
    }
    // Of the rule where there is a label, and 0 elsewhere.
    template <class Rule>
    Matrix each(Rule rule) const {
        return row(T(), [&](int t) { return is_counted(t) ? rule(t) : 0.0; });
    }
    // p - one_hot(label), in rows without a label only p, times `factor(t)`
    template <class Factor>
    Matrix gradient(Factor factor) const {
        return table(T(), classes(),
                     [&](int t, int k) { return factor(t) * (probability(t, k) - (k == label(t))); });
    }

    Matrix logits;
    Vector labels;
};

std::vector<Mistake> of_losses(const Entropy& e) {
    return {{"sign", [=] { return e.each([&](int t) { return -e.loss(t); }); }},
            {"other-logarithm", [=] { return e.each([&](int t) { return e.loss(t) / std::log(2); }); }},
            {"other-logarithm", [=] { return e.each([&](int t) { return e.loss(t) / std::log(10); }); }},
            {"smoothed", [=] { return e.each([&](int t) { return e.smoothed(t, 0.1); }); }},
            {"no-logit", [=] { return e.each([&](int t) { return e.log_sum(t); }); }},
            {"probability", [=] { return e.each([&](int t) { return 1 - e.probability(t, e.label(t)); }); }},
            {"probability", [=] { return e.each([&](int t) { return e.probability(t, e.label(t)); }); }}};
}

std::vector<Mistake> of_loss(const Entropy& e, const Matrix& losses) {
    const auto sum_by = [=](double divisor) {
        double sum = 0;
        for (int t = 0; t < losses.columns(); ++t) sum += losses(0, t) / divisor;
        return row(1, [=](int) { return sum; });
    };
    return {{"sum", [=] { return sum_by(1); }},
            {"all-counted", [=] { return sum_by(e.T()); }},
            {"by-classes", [=] { return sum_by(e.classes()); }},
            {"by-classes", [=] { return sum_by(e.counted() * e.classes()); }}};
}

std::vector<Mistake> of_gradient(const Entropy& e) {
    const auto counted = [=](double factor) { return [=](int t) { return e.is_counted(t) ? factor : 0.0; }; };
    const double n = e.counted();
    return {{"not-divided", [=] { return e.gradient(counted(1)); }},
            {"all-counted", [=] { return e.gradient(counted(1.0 / e.T())); }},
            {"sign", [=] { return e.gradient(counted(-1 / n)); }},
            {"padding", [=] { return e.gradient([=](int) { return 1 / n; }); }},
            {"no-label", [=] {
                 return table(e.T(), e.classes(),
                              [&](int t, int k) { return e.is_counted(t) ? e.probability(t, k) / n : 0.0; });
             }}};
}

// ---- Clipping

double length(const Matrix& m, int t) {
    double squares = 0;
    for (int i = 0; i < m.columns(); ++i) squares += m(t, i) * m(t, i);
    return std::sqrt(squares);
}

double sizes(const Matrix& m, int t) {
    double sum = 0;
    for (int i = 0; i < m.columns(); ++i) sum += std::abs(m(t, i));
    return sum;
}

double norm_of(const Gradients& g, int t) { return std::hypot(length(g.W, t), length(g.b, t)); }

std::vector<Mistake> of_norm(const Gradients& g) {
    const int S = g.W.rows(), all = g.W.columns() + g.b.columns();
    return {{"no-root", [=] { return row(S, [&](int t) { return std::pow(norm_of(g, t), 2); }); }},
            {"one-parameter", [=] { return row(S, [&](int t) { return length(g.W, t); }); }},
            {"one-parameter", [=] { return row(S, [&](int t) { return length(g.b, t); }); }},
            {"sum-of-norms", [=] { return row(S, [&](int t) { return length(g.W, t) + length(g.b, t); }); }},
            {"sum-of-sizes", [=] { return row(S, [&](int t) { return sizes(g.W, t) + sizes(g.b, t); }); }},
            {"mean", [=] { return row(S, [&](int t) { return norm_of(g, t) / std::sqrt(all); }); }},
            {"all-updates", [=] {
                 double squares = 0;
                 for (int t = 0; t < S; ++t) squares += std::pow(norm_of(g, t), 2);
                 return row(S, [&](int) { return std::sqrt(squares); });
             }}};
}

// Row t of a parameter's gradients, times factor(t).
template <class Factor>
Matrix times(const Matrix& g, Factor factor) {
    return table(g.rows(), g.columns(), [&](int t, int i) { return factor(t) * g(t, i); });
}

std::vector<Mistake> of_clipped(const Matrix& g, const Matrix& norm, double limit) {
    return {
        {"left-out", [=] { return g; }},
        {"always", [=] { return times(g, [&](int t) { return limit / norm(0, t); }); }},
        {"to-one", [=] { return times(g, [&](int t) { return norm(0, t) > limit ? 1 / norm(0, t) : 1; }); }},
        {"to-one", [=] { return times(g, [&](int t) { return 1 / norm(0, t); }); }},
        {"per-parameter",
         [=] { return times(g, [&](int t) { return std::min(1.0, limit / length(g, t)); }); }},
        {"by-value",
         [=] {
             return table(g.rows(), g.columns(),
                          [&](int t, int i) { return std::clamp(g(t, i), -limit, limit); });
         }},
        {"short-ones", [=] { return times(g, [&](int t) { return std::max(1.0, limit / norm(0, t)); }); }}};
}

Matrix clipped(const Matrix& g, const Matrix& norm, double limit) {
    return times(g, [&](int t) { return std::min(1.0, limit / norm(0, t)); });
}

// ---- Learning rates

// ½ (1 + cos(π along))
double half_cosine(double along) { return 0.5 * (1 + std::cos(std::numbers::pi * along)); }

// The rates of a schedule that rises as the first function says and then falls as the second does.
template <class Rise, class Fall>
Matrix rates_of(const Schedule& s, Rise rise, Fall fall) {
    return row(s.updates, [&](int t) { return s.peak * (t < s.warmup ? rise(t) : fall(t)); });
}

Matrix right_rates(const Schedule& s) {
    const double W = s.warmup, N = s.updates;
    return rates_of(
        s, [=](double t) { return t / W; }, [=](double t) { return half_cosine((t - W) / (N - W)); });
}

std::vector<Mistake> of_rates(const Schedule& s) {
    const double W = s.warmup, N = s.updates, pi = std::numbers::pi;
    const auto rise = [=](double t) { return t / W; };
    const auto fall = [=](double t) { return half_cosine((t - W) / (N - W)); };
    return {
        {"from-one",
         [=] {
             return rates_of(
                 s, [=](double t) { return (t + 1) / W; }, fall);
         }},
        {"printed",
         [=] {
             return row(s.updates,
                        [=](double t) { return s.peak * half_cosine(t / N) * std::min(1.0, t / W); });
         }},
        {"all-steps", [=] { return rates_of(s, rise, [=](double t) { return half_cosine(t / N); }); }},
        {"no-offset", [=] { return rates_of(s, rise, [=](double t) { return half_cosine(t / (N - W)); }); }},
        {"wrong-sign", [=] { return rates_of(s, rise, [=](double t) { return 1 - fall(t); }); }},
        {"no-half", [=] { return rates_of(s, rise, [=](double t) { return 2 * fall(t); }); }},
        {"quarter",
         [=] { return rates_of(s, rise, [=](double t) { return std::cos(pi / 2 * (t - W) / (N - W)); }); }},
        {"to-last",
         [=] { return rates_of(s, rise, [=](double t) { return half_cosine((t - W) / (N - W - 1)); }); }},
        {"no-warmup", [=] { return rates_of(s, fall, fall); }},
        {"no-warmup", [=] { return row(s.updates, [=](double t) { return s.peak * half_cosine(t / N); }); }},
        {"no-peak", [=] { return times(right_rates(s), [=](int) { return 1 / s.peak; }); }},
        {"integer-division",
         [=] {
             return rates_of(
                 s, [](double) { return 0.0; }, fall);
         }},
        {"integer-division",
         [=] {
             return rates_of(
                 s, [](double) { return 0.0; }, [](double) { return 1.0; });
         }},
        {"integer-division", [=] { return rates_of(s, rise, [](double) { return 1.0; }); }}};
}

// ---- AdamW

// x(0) = next(0, i, start(i)), x(t) = next(t, i, x(t − 1)): what each number becomes from update to update.
template <class Start, class Next>
Matrix followed(int updates, int size, Start start, Next next) {
    Matrix x(updates, size);
    for (int t = 0; t < updates; ++t)
        for (int i = 0; i < size; ++i) x(t, i) = next(t, i, t > 0 ? x(t - 1, i) : start(i));
    return x;
}

double zero(int) { return 0; }

// What the student has of the steps that AdamW needs.
struct Update {
    explicit Update(const Own& own)
        : settings(own.adamw()),
          w(own.vector("w")),
          rates(own.vector("rates")),
          g(own.matrix("clipped/W")),
          raw(own.matrix("gradients/W")),
          peak(own.schedule().peak) {
        for (const char* name : {"m", "v", "m_hat", "v_hat", "weights"})
            if (own.all.count(name)) *by_name(name) = own.matrix(name);
    }

    Matrix* by_name(const std::string& name) {
        return name == "m"       ? &m
               : name == "v"     ? &v
               : name == "m_hat" ? &m_hat
               : name == "v_hat" ? &v_hat
                                 : &weights;
    }
    int updates() const { return g.rows(); }
    double before(int t, int i) const { return t > 0 ? weights(t - 1, i) : w(i); }

    // beta · x + share · what(t, i), from 0
    template <class What>
    Matrix averaged(double beta, double share, What what) const {
        return followed(updates(), w.size(), zero,
                        [&](int t, int i, double x) { return beta * x + share * what(t, i); });
    }
    template <class Next>
    Matrix walked(Next next) const {
        return followed(
            updates(), w.size(), [&](int i) { return w(i); }, next);
    }
    double step(int t, int i) const { return m_hat(t, i) / (std::sqrt(v_hat(t, i)) + settings.epsilon); }

    AdamW settings;
    Vector w, rates;
    Matrix g, raw, m, v, m_hat, v_hat, weights;
    double peak;
};

// x(t, i) / (1 − βᵗ⁺¹⁺ˢʰⁱᶠᵗ)
Matrix corrected(const Matrix& x, double beta, int shift = 0) {
    return times(x, [&](int t) { return 1 / (1 - std::pow(beta, t + 1 + shift)); });
}

std::vector<Mistake> of_m(const Update& u) {
    const double beta = u.settings.beta1, other = u.settings.beta2;
    const auto g = [=](int t, int i) { return u.g(t, i); };
    const auto raw = [=](int t, int i) { return u.raw(t, i); };
    const auto l2 = [=](int t, int i) { return u.g(t, i) + u.settings.weight_decay * u.before(t, i); };
    return {{"exchanged", [=] { return u.averaged(other, 1 - other, g); }},
            {"l2", [=] { return u.averaged(beta, 1 - beta, l2); }},
            {"forgets", [=] { return u.averaged(1 - beta, beta, g); }},
            {"no-share", [=] { return u.averaged(beta, 1, g); }},
            {"not-clipped", [=] { return u.averaged(beta, 1 - beta, raw); }},
            {"from-zero-each-time", [=] { return u.averaged(0, 1 - beta, g); }}};
}

std::vector<Mistake> of_v(const Update& u) {
    const double beta = u.settings.beta2, other = u.settings.beta1;
    const auto g = [=](int t, int i) { return u.g(t, i); };
    const auto squared = [=](int t, int i) { return u.g(t, i) * u.g(t, i); };
    const auto of_m = [=](int t, int i) { return u.m(t, i) * u.m(t, i); };
    return {{"no-square", [=] { return u.averaged(beta, 1 - beta, g); }},
            {"exchanged", [=] { return u.averaged(other, 1 - other, squared); }},
            {"of-m", [=] { return u.averaged(beta, 1 - beta, of_m); }},
            {"forgets", [=] { return u.averaged(1 - beta, beta, squared); }},
            {"no-share", [=] { return u.averaged(beta, 1, squared); }},
            {"from-zero-each-time", [=] { return u.averaged(0, 1 - beta, squared); }}};
}

std::vector<Mistake> of_corrected(const Matrix& x, double beta, double other) {
    return {{"not-corrected", [=] { return x; }},
            {"from-zero", [=] { return corrected(x, beta, -1); }},
            {"one-ahead", [=] { return corrected(x, beta, 1); }},
            {"no-power", [=] { return times(x, [&](int) { return 1 / (1 - beta); }); }},
            {"other-beta", [=] { return corrected(x, other); }},
            {"multiplied", [=] { return times(x, [&](int t) { return 1 - std::pow(beta, t + 1); }); }}};
}

std::vector<Mistake> of_step(const Update& u) {
    const double decay = u.settings.weight_decay, epsilon = u.settings.epsilon;
    const auto go = [=](auto step) {  // w ← w − η (step + λ w)
        return [=] {
            return u.walked(
                [&](int t, int i, double w) { return w - u.rates(t) * (step(t, i) + decay * w); });
        };
    };
    return {
        {"epsilon-inside",
         go([=](int t, int i) { return u.m_hat(t, i) / std::sqrt(u.v_hat(t, i) + epsilon); })},
        {"no-epsilon", go([=](int t, int i) { return u.m_hat(t, i) / std::sqrt(u.v_hat(t, i)); })},
        {"no-root", go([=](int t, int i) { return u.m_hat(t, i) / (u.v_hat(t, i) + epsilon); })},
        {"hats-forgotten", go([=](int t, int i) { return u.m(t, i) / (std::sqrt(u.v(t, i)) + epsilon); })},
        {"ascent", go([=](int t, int i) { return -u.step(t, i); })},
        {"no-v", go([=](int t, int i) { return u.m_hat(t, i); })}};
}

std::vector<Mistake> of_decay(const Update& u) {
    const double decay = u.settings.weight_decay, epsilon = u.settings.epsilon;
    const auto go = [=](auto next) { return [=] { return u.walked(next); }; };
    return {{"decay-without-rate",
             go([=](int t, int i, double w) { return w - u.rates(t) * u.step(t, i) - decay * w; })},
            {"no-decay", go([=](int t, int i, double w) { return w - u.rates(t) * u.step(t, i); })},
            {"decay-grows",
             go([=](int t, int i, double w) { return w - u.rates(t) * (u.step(t, i) - decay * w); })},
            {"decay-after", go([=](int t, int i, double w) {
                 return (w - u.rates(t) * u.step(t, i)) * (1 - u.rates(t) * decay);
             })},
            {"decay-of-first",
             go([=](int t, int i, double w) { return w - u.rates(t) * (u.step(t, i) + decay * u.w(i)); })},
            {"decay-divided", go([=](int t, int i, double w) {
                 return w - u.rates(t) * (u.m_hat(t, i) + decay * w) / (std::sqrt(u.v_hat(t, i)) + epsilon);
             })}};
}

std::vector<Mistake> of_weights(const Update& u) {
    const auto go = [=](auto next) { return [=] { return u.walked(next); }; };
    const auto step = [=](int t, int i, double w) { return u.step(t, i) + u.settings.weight_decay * w; };
    std::vector<Mistake> all = of_step(u);
    for (const Mistake& mistake : of_decay(u)) all.push_back(mistake);
    all.push_back({"constant-rate", go([=](int t, int i, double w) { return w - u.peak * step(t, i, w); })});
    all.push_back(
        {"next-rate", go([=](int t, int i, double w) { return w - u.rates(t + 1) * step(t, i, w); })});
    all.push_back(
        {"from-first", go([=](int t, int i, double) { return u.w(i) - u.rates(t) * step(t, i, u.w(i)); })});
    return all;
}

// ---- The lesson

class TrainingCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* entropy = exercise.function<decltype(cross_entropy)>("cross_entropy");
        auto* shorten = exercise.function<decltype(clip)>("clip");
        auto* schedule = exercise.function<decltype(learning_rates)>("learning_rates");
        auto* update = exercise.function<decltype(::adamw)>("adamw");
        const Own own(golden);
        return run_each<Steps>(
            1, golden,
            [&](index_t, Steps& steps) {
                entropy(own.matrix("logits"), own.vector("labels"), steps);
                shorten(own.gradients(), own.max_norm(), steps);
                schedule(own.schedule(), steps);
                // Else there is nothing to go on from yet.
                if (steps.clipped.W.rows() > 0 && steps.rates.size() > 0)
                    update(own.vector("w"), own.adamw(), steps);
            },
            [](Collected& all, const Steps& steps) {
                Vector loss(steps.loss ? 1 : 0);
                if (steps.loss) loss(0) = *steps.loss;
                all.add("losses", steps.losses), all.add("loss", loss);
                all.add("gradient", steps.gradient), all.add("norm", steps.norm);
                all.add("clipped/W", steps.clipped.W), all.add("clipped/b", steps.clipped.b);
                all.add("rates", steps.rates), all.add("m", steps.m), all.add("v", steps.v);
                all.add("m_hat", steps.m_hat), all.add("v_hat", steps.v_hat);
                all.add("weights", steps.weights);
            });
    }

    Tensor redo(const std::string& step, const Tensors& arrays) const override {
        const glassbox::Shape shape = arrays.at(step).shape();
        return Tensor(shape, tensor_of(redone(step, Own(arrays))).values());
    }

    std::string diagnose(const std::string& step, const Tensors& arrays) const override {
        const Own own(arrays);
        const Tensor mine = as_table(arrays.at(step));
        const bool may_overflow = step == "losses" || step == "loss" || step == "gradient";
        if (may_overflow && has_nonfinite(mine)) return "overflow";
        return first_that_gives(mine, mistakes(step, own));
    }

  private:
    static Tensor as_table(const Tensor& x) { return x.rank() == 2 ? x : Tensor({1, x.numel()}, x.values()); }
    static Matrix as_row(const Own& own, const char* name) { return matrix_of(as_table(own.all.at(name))); }

    static Matrix redone(const std::string& step, const Own& own) {
        if (step == "losses" || step == "loss" || step == "gradient") return redone_entropy(step, own);
        const Gradients g = own.gradients();
        if (step == "norm") return row(g.W.rows(), [&](int t) { return norm_of(g, t); });
        if (step == "clipped/W") return clipped(g.W, as_row(own, "norm"), own.max_norm());
        if (step == "clipped/b") return clipped(g.b, as_row(own, "norm"), own.max_norm());
        if (step == "rates") return right_rates(own.schedule());
        return redone_update(step, Update(own));
    }

    static Matrix redone_entropy(const std::string& step, const Own& own) {
        const Entropy e(own);
        if (step == "losses") return e.each([&](int t) { return e.loss(t); });
        if (step == "gradient")
            return e.gradient([&](int t) { return e.is_counted(t) ? 1.0 / e.counted() : 0.0; });
        double sum = 0;
        const Vector losses = own.vector("losses");
        for (int t = 0; t < losses.size(); ++t) sum += losses(t);
        return row(1, [&](int) { return sum / e.counted(); });
    }

    static Matrix redone_update(const std::string& step, const Update& u) {
        const auto [beta1, beta2, epsilon, decay] = u.settings;
        if (step == "m") return u.averaged(beta1, 1 - beta1, [&](int t, int i) { return u.g(t, i); });
        if (step == "v")
            return u.averaged(beta2, 1 - beta2, [&](int t, int i) { return u.g(t, i) * u.g(t, i); });
        if (step == "m_hat") return corrected(u.m, beta1);
        if (step == "v_hat") return corrected(u.v, beta2);
        return u.walked([&](int t, int i, double w) { return w - u.rates(t) * (u.step(t, i) + decay * w); });
    }

    static std::vector<Mistake> mistakes(const std::string& step, const Own& own) {
        if (step == "losses") return of_losses(Entropy(own));
        if (step == "loss") return of_loss(Entropy(own), as_row(own, "losses"));
        if (step == "gradient") return of_gradient(Entropy(own));
        const Gradients g = own.gradients();
        if (step == "norm") return of_norm(g);
        if (step == "clipped/W") return of_clipped(g.W, as_row(own, "norm"), own.max_norm());
        if (step == "clipped/b") return of_clipped(g.b, as_row(own, "norm"), own.max_norm());
        if (step == "rates") return of_rates(own.schedule());
        const Update u(own);
        const auto [beta1, beta2, epsilon, decay] = u.settings;
        if (step == "m") return of_m(u);
        if (step == "v") return of_v(u);
        if (step == "m_hat") return of_corrected(u.m, beta1, beta2);
        if (step == "v_hat") return of_corrected(u.v, beta2, beta1);
        return of_weights(u);
    }
};

}  // namespace

const Check& the_check() {
    static const TrainingCheck check;
    return check;
}

}  // namespace lesson
