#include "support/naive_backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <vector>

#include <glassbox/random/threefry.h>

namespace glassbox_test {

using namespace glassbox;

namespace {

// One index an axis, held inline: most of the oracle's time would go into allocating them.
class Position {
  public:
    explicit Position(std::size_t axes) : axes_(axes) {}
    Position(std::initializer_list<index_t> indices) {
        for (const index_t i : indices) push_back(i);
    }
    std::size_t size() const { return axes_; }
    index_t& operator[](std::size_t axis) { return indices_[axis]; }
    index_t operator[](std::size_t axis) const { return indices_[axis]; }
    index_t back() const { return indices_[axes_ - 1]; }
    void push_back(index_t i) { indices_[axes_++] = i; }
    void pop_back() { --axes_; }

  private:
    std::array<index_t, Shape::max_rank + 1> indices_{};
    std::size_t axes_ = 0;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

index_t offset(const Position& position, const Strides& strides) {
    index_t sum = 0;
    for (std::size_t axis = 0; axis < position.size(); ++axis) sum += position[axis] * strides[axis];
    return sum;
}

double read(const ConstView& x, const Position& position) { return x.data[offset(position, x.strides)]; }

void write(const View& y, const Position& position, double value) {
    y.data[offset(position, y.strides)] = static_cast<real>(value);
}

// Calls f with every position of a shape, in row-major order.
template <class F>
void for_each_position(const Shape& shape, F f) {
    Position position(static_cast<std::size_t>(shape.rank()));
    for (index_t count = shape.numel(); count > 0; --count) {
        f(position);
        for (int axis = shape.rank() - 1; axis >= 0; --axis) {
            index_t& i = position[static_cast<std::size_t>(axis)];
            if (++i < shape[axis]) break;
            i = 0;
        }
    }
}

Position with(Position position, index_t i) {
    position.push_back(i);
    return position;
}
Position with(Position position, index_t i, index_t j) { return with(with(position, i), j); }

Shape leading_axes(const Shape& shape) { return shape.leading(shape.rank() - 2); }

// Where the element of x at `position` goes in a reduction to y.
Position reduced(Position position, const Shape& y) {
    for (int axis = 0; axis < y.rank(); ++axis)
        if (y[axis] == 1) position[static_cast<std::size_t>(axis)] = 0;
    return position;
}

double evaluate(Unary op, double x) {
    switch (op) {
        case Unary::exp:
            return std::exp(x);
        case Unary::log:
            return std::log(x);
        case Unary::sin:
            return std::sin(x);
        case Unary::cos:
            return std::cos(x);
        case Unary::erf:
            return std::erf(x);
        case Unary::tanh:
            return std::tanh(x);
        case Unary::relu:
            return x < 0 ? 0 : x;
        case Unary::sqrt:
            return std::sqrt(x);
        case Unary::negate:
            return -x;
        case Unary::is_positive:
            return x > 0 ? 1 : 0;
    }
    return std::nan("");
}

double evaluate(Binary op, double a, double b) {
    switch (op) {
        case Binary::add:
            return a + b;
        case Binary::sub:
            return a - b;
        case Binary::mul:
            return a * b;
        case Binary::div:
            return a / b;
    }
    return std::nan("");
}

double tanh_argument(double x) { return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }

double gelu_of(double x, Activation form) {
    return x *
           (1 +
            (form == Activation::gelu ? std::erf(x / std::numbers::sqrt2) : std::tanh(tanh_argument(x)))) /
           2;
}

double gelu_slope(double x, Activation form) {
    const double pi = std::numbers::pi;
    if (form == Activation::gelu)
        return (1 + std::erf(x / std::numbers::sqrt2)) / 2 + x * std::exp(-x * x / 2) / std::sqrt(2 * pi);
    const double t = std::tanh(tanh_argument(x));
    return (1 + t) / 2 + x * (1 - t * t) * std::sqrt(2 / pi) * (1 + 3 * 0.044715 * x * x) / 2;
}

double evaluate(Activation op, double x) {
    switch (op) {
        case Activation::none:
            return x;
        case Activation::relu:
            return evaluate(Unary::relu, x);
        case Activation::gelu:
            return gelu_of(x, Activation::gelu);
        case Activation::gelu_tanh:
            return gelu_of(x, Activation::gelu_tanh);
    }
    return std::nan("");
}

std::vector<double> read_row(const ConstView& x, const Position& row) {
    std::vector<double> values;
    for (index_t j = 0; j < x.shape[-1]; ++j) values.push_back(read(x, with(row, j)));
    return values;
}

// ln Σ exp(x_j), with the maximum taken out so that nothing overflows.
double log_sum_exp(const std::vector<double>& x) {
    double most = -infinity;
    for (double value : x) most = value > most ? value : most;
    double sum = 0;
    for (double value : x) sum += std::exp(value - most);
    return most + std::log(sum);
}

std::vector<double> softmax_of(const std::vector<double>& x) {
    double most = -infinity;
    for (double value : x) most = value > most ? value : most;
    double sum = 0;
    for (double value : x) sum += std::exp(value - most);
    std::vector<double> y;
    for (double value : x) y.push_back(std::exp(value - most) / sum);
    return y;
}

// Whether query i of the batch entry may see key j.
bool sees(const AttentionParams& params, const Position& batch, index_t i, index_t j) {
    if (params.causal && j > i) return false;
    if (params.lengths.data && static_cast<double>(j) >= read(params.lengths, batch)) return false;
    return !params.visible.data || read(params.visible, with(batch, i, j)) != 0;
}

// Row i of Q Kᵀ · scale with hidden keys filled.
std::vector<double> scores(const ConstView& q, const ConstView& k, const AttentionParams& params,
                           const Position& batch, index_t i) {
    std::vector<double> row;
    for (index_t j = 0; j < k.shape[-2]; ++j) {
        double dot = 0;
        for (index_t l = 0; l < q.shape[-1]; ++l)
            dot += read(q, with(batch, i, l)) * read(k, with(batch, j, l));
        row.push_back(sees(params, batch, i, j) ? dot * params.scale : params.fill);
    }
    return row;
}

}  // namespace

void NaiveBackend::copy(const ConstView& x, const View& y) {
    for_each_position(y.shape, [&](const Position& at) { write(y, at, read(x, at)); });
}

void NaiveBackend::fill(const View& y, real value) {
    for_each_position(y.shape, [&](const Position& at) { write(y, at, value); });
}

void NaiveBackend::unary(Unary op, const ConstView& x, const View& y) {
    for_each_position(y.shape, [&](const Position& at) { write(y, at, evaluate(op, read(x, at))); });
}

void NaiveBackend::binary(Binary op, const ConstView& a, const ConstView& b, const View& y) {
    for_each_position(y.shape,
                      [&](const Position& at) { write(y, at, evaluate(op, read(a, at), read(b, at))); });
}

void NaiveBackend::masked_fill(const ConstView& x, const ConstView& mask, real value, const View& y) {
    for_each_position(y.shape, [&](const Position& at) {
        write(y, at, read(mask, at) == 0 ? static_cast<double>(value) : read(x, at));
    });
}

void NaiveBackend::sum(const ConstView& x, const View& y) {
    std::vector<double> sums(static_cast<std::size_t>(y.shape.numel()), 0);  // rounded once, at the end
    const Strides gapless = contiguous_strides(y.shape);
    for_each_position(x.shape, [&](const Position& at) {
        sums[static_cast<std::size_t>(offset(reduced(at, y.shape), gapless))] += read(x, at);
    });
    for_each_position(y.shape, [&](const Position& at) {
        write(y, at, sums[static_cast<std::size_t>(offset(at, gapless))]);
    });
}

void NaiveBackend::max(const ConstView& x, const View& y) {
    fill(y, -std::numeric_limits<real>::infinity());
    for_each_position(x.shape, [&](const Position& at) {
        const Position to = reduced(at, y.shape);
        const double value = read(x, at), most = read(y, to);
        if (std::isnan(value) || value > most) write(y, to, value);
    });
}

void NaiveBackend::softmax(const ConstView& x, const View& y) {
    for_each_position(x.shape.without(-1), [&](const Position& row) {
        const std::vector<double> weights = softmax_of(read_row(x, row));
        for (index_t j = 0; j < x.shape[-1]; ++j)
            write(y, with(row, j), weights[static_cast<std::size_t>(j)]);
    });
}

void NaiveBackend::log_softmax(const ConstView& x, const View& y) {
    for_each_position(x.shape.without(-1), [&](const Position& row) {
        const double log_sum = log_sum_exp(read_row(x, row));
        for (index_t j = 0; j < x.shape[-1]; ++j) write(y, with(row, j), read(x, with(row, j)) - log_sum);
    });
}

void NaiveBackend::softmax_backward(const ConstView& y, const ConstView& dy, const View& dx) {
    for_each_position(y.shape.without(-1), [&](const Position& row) {
        double dot = 0;
        for (index_t j = 0; j < y.shape[-1]; ++j) dot += read(dy, with(row, j)) * read(y, with(row, j));
        for (index_t j = 0; j < y.shape[-1]; ++j)
            write(dx, with(row, j), read(y, with(row, j)) * (read(dy, with(row, j)) - dot));
    });
}

void NaiveBackend::cross_entropy(const ConstView& logits, const ConstView& labels, real smoothing,
                                 const View& losses, const View& p) {
    const double classes = static_cast<double>(logits.shape[-1]);
    for_each_position(labels.shape, [&](const Position& row) {
        const std::vector<double> x = read_row(logits, row), weights = softmax_of(x);
        const double label = read(labels, row), log_sum = log_sum_exp(x);
        double loss = 0;
        for (index_t c = 0; c < logits.shape[-1]; ++c) {
            const double q = (1 - smoothing) * (static_cast<double>(c) == label) + smoothing / classes;
            if (q != 0) loss += q * (log_sum - x[static_cast<std::size_t>(c)]);
            write(p, with(row, c), label < 0 ? 0 : weights[static_cast<std::size_t>(c)]);
        }
        write(losses, row, label < 0 ? 0 : loss);
    });
}

void NaiveBackend::count_correct(const ConstView& logits, const ConstView& labels, const View& count) {
    index_t correct = 0;
    for_each_position(labels.shape, [&](const Position& row) {
        const std::vector<double> x = read_row(logits, row);
        const double label = read(labels, row);
        correct +=
            label >= 0 && std::max_element(x.begin(), x.end()) - x.begin() == static_cast<index_t>(label);
    });
    *count.data = static_cast<real>(correct);
}

void NaiveBackend::cross_entropy_backward(const ConstView& p, const ConstView& labels, real smoothing,
                                          const ConstView& dlosses, const View& dlogits) {
    const double classes = static_cast<double>(p.shape[-1]);
    for_each_position(p.shape, [&](const Position& at) {
        Position row = at;
        const double c = static_cast<double>(row.back());
        row.pop_back();
        const double label = read(labels, row), q = (1 - smoothing) * (c == label) + smoothing / classes;
        write(dlogits, at, label < 0 ? 0 : (read(p, at) - q) * read(dlosses, row));
    });
}

void NaiveBackend::matmul(const ConstView& a, const ConstView& b, const View& c) {
    const index_t m = c.shape[-2], n = c.shape[-1], k = a.shape[-1];
    const Shape batch = leading_axes(c.shape);
    const ConstView left = a.broadcast_to(batch.with_appended(m).with_appended(k));
    const ConstView right = b.broadcast_to(batch.with_appended(k).with_appended(n));
    for_each_position(batch, [&](const Position& at) {
        for (index_t i = 0; i < m; ++i)
            for (index_t j = 0; j < n; ++j) {
                double sum = 0;
                for (index_t l = 0; l < k; ++l)
                    sum += read(left, with(at, i, l)) * read(right, with(at, l, j));
                write(c, with(at, i, j), sum);
            }
    });
}

void NaiveBackend::linear(const ConstView& x, const ConstView& W, const ConstView& b, Activation activation,
                          const View& y) {
    for_each_position(y.shape, [&](const Position& at) {
        Position row = at;
        const index_t o = row.back();
        row.pop_back();
        double sum = b.data ? read(b, {o}) : 0;
        for (index_t i = 0; i < x.shape[-1]; ++i) sum += read(x, with(row, i)) * read(W, {o, i});
        write(y, at, evaluate(activation, sum));
    });
}

void NaiveBackend::linear_backward(const ConstView& x, const ConstView& W, const ConstView& dy,
                                   const View& dx, const View& dW, const View& db) {
    const index_t out = W.shape[0], in = W.shape[1];
    std::vector<double> of_W(static_cast<std::size_t>(out * in), 0), of_b(static_cast<std::size_t>(out), 0);
    for_each_position(x.shape.without(-1), [&](const Position& row) {
        std::vector<double> of_x(static_cast<std::size_t>(in), 0);
        for (index_t o = 0; o < out; ++o) {
            const double d = read(dy, with(row, o));
            of_b[static_cast<std::size_t>(o)] += d;
            for (index_t i = 0; i < in; ++i) {
                of_x[static_cast<std::size_t>(i)] += d * read(W, {o, i});
                of_W[static_cast<std::size_t>(o * in + i)] += d * read(x, with(row, i));
            }
        }
        for (index_t i = 0; dx.data && i < in; ++i)
            write(dx, with(row, i), of_x[static_cast<std::size_t>(i)]);
    });
    for (index_t o = 0; o < out; ++o) {
        if (db.data) write(db, {o}, of_b[static_cast<std::size_t>(o)]);
        for (index_t i = 0; dW.data && i < in; ++i)
            write(dW, {o, i}, of_W[static_cast<std::size_t>(o * in + i)]);
    }
}

void NaiveBackend::feed_forward(const ConstView& x, const ConstView& W1, const ConstView& b1,
                                Activation activation, const ConstView& W2, const ConstView& b2,
                                const View& y) {
    for_each_position(y.shape.without(-1), [&](const Position& row) {
        std::vector<double> hidden;
        for (index_t o = 0; o < W1.shape[0]; ++o) {
            double sum = b1.data ? read(b1, {o}) : 0;
            for (index_t i = 0; i < W1.shape[1]; ++i) sum += read(x, with(row, i)) * read(W1, {o, i});
            hidden.push_back(evaluate(activation, sum));
        }
        for (index_t o = 0; o < W2.shape[0]; ++o) {
            double sum = b2.data ? read(b2, {o}) : 0;
            for (index_t i = 0; i < W2.shape[1]; ++i)
                sum += hidden[static_cast<std::size_t>(i)] * read(W2, {o, i});
            write(y, with(row, o), sum);
        }
    });
}

void NaiveBackend::layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta,
                              double epsilon, Moments moments, const View& y, const View& mu, const View& r) {
    for_each_position(mu.shape, [&](const Position& row) {
        const std::vector<double> values = read_row(x, row);
        const double n = static_cast<double>(values.size());
        double mean = 0, squares = 0, spread = 0;
        for (double value : values) mean += value / n, squares += value * value / n;
        for (double value : values) spread += (value - mean) * (value - mean) / n;
        const double variance = moments == Moments::two_pass ? spread : std::max(squares - mean * mean, 0.0);
        const double scale = 1 / std::sqrt(variance + epsilon);
        for (index_t j = 0; j < x.shape[-1]; ++j)
            write(y, with(row, j),
                  (values[static_cast<std::size_t>(j)] - mean) * scale * read(gamma, {j}) + read(beta, {j}));
        write(mu, row, mean);
        write(r, row, scale);
    });
}

void NaiveBackend::layer_norm_backward(const ConstView& x, const ConstView& gamma, const ConstView& mu,
                                       const ConstView& r, const ConstView& dy, const View& dx,
                                       const View& dgamma, const View& dbeta) {
    const std::size_t n = static_cast<std::size_t>(x.shape[-1]);
    std::vector<double> of_gamma(n, 0), of_beta(n, 0);
    for_each_position(mu.shape, [&](const Position& row) {
        const double mean = read(mu, row), scale = read(r, row);
        const auto normalised = [&](index_t j) { return (read(x, with(row, j)) - mean) * scale; };
        const auto g = [&](index_t j) { return read(dy, with(row, j)) * read(gamma, {j}); };
        double mean_g = 0, mean_gx = 0;
        for (index_t j = 0; j < x.shape[-1]; ++j) {
            mean_g += g(j) / static_cast<double>(n);
            mean_gx += g(j) * normalised(j) / static_cast<double>(n);
            of_gamma[static_cast<std::size_t>(j)] += read(dy, with(row, j)) * normalised(j);
            of_beta[static_cast<std::size_t>(j)] += read(dy, with(row, j));
        }
        for (index_t j = 0; j < x.shape[-1]; ++j)
            write(dx, with(row, j), scale * (g(j) - mean_g - normalised(j) * mean_gx));
    });
    for (index_t j = 0; j < x.shape[-1]; ++j) {
        write(dgamma, {j}, of_gamma[static_cast<std::size_t>(j)]);
        write(dbeta, {j}, of_beta[static_cast<std::size_t>(j)]);
    }
}

void NaiveBackend::gelu(const ConstView& x, Activation form, const View& y) {
    for_each_position(y.shape, [&](const Position& at) { write(y, at, gelu_of(read(x, at), form)); });
}

void NaiveBackend::gelu_backward(const ConstView& x, const ConstView& dy, Activation form, const View& dx) {
    for_each_position(
        dx.shape, [&](const Position& at) { write(dx, at, read(dy, at) * gelu_slope(read(x, at), form)); });
}

void NaiveBackend::gather_rows(const ConstView& table, const ConstView& ids, const View& y) {
    for_each_position(ids.shape, [&](const Position& at) {
        const index_t id = static_cast<index_t>(read(ids, at));
        for (index_t j = 0; j < table.shape[1]; ++j) write(y, with(at, j), read(table, {id, j}));
    });
}

void NaiveBackend::scatter_rows(const ConstView& x, const ConstView& ids, const View& table) {
    std::vector<double> sums(static_cast<std::size_t>(table.shape.numel()), 0);
    for_each_position(ids.shape, [&](const Position& at) {
        const index_t first = static_cast<index_t>(read(ids, at)) * table.shape[1];
        for (index_t j = 0; j < table.shape[1]; ++j)
            sums[static_cast<std::size_t>(first + j)] += read(x, with(at, j));
    });
    for_each_position(table.shape, [&](const Position& at) {
        write(table, at, sums[static_cast<std::size_t>(offset(at, contiguous_strides(table.shape)))]);
    });
}

void NaiveBackend::dropout(const ConstView& x, const DropoutParams& params, const View& y) {
    std::uint64_t i = 0;
    const TwoWords key = params.key.value();
    for_each_position(y.shape, [&](const Position& at) {
        const TwoWords counter{static_cast<std::uint32_t>(i / 2 >> 32), static_cast<std::uint32_t>(i / 2)};
        const TwoWords words = threefry(key, counter);
        const bool kept = (i % 2 == 0 ? words.first : words.second) >> 8 >= params.dropped;
        write(y, at, read(x, at) * (kept ? params.scale : 0));
        ++i;
    });
}

void NaiveBackend::attention(const ConstView& q, const ConstView& k, const ConstView& v,
                             const AttentionParams& params, const View& values, const View& logsumexp) {
    for_each_position(leading_axes(q.shape), [&](const Position& at) {
        for (index_t i = 0; i < q.shape[-2]; ++i) {
            const std::vector<double> row = scores(q, k, params, at, i), weights = softmax_of(row);
            write(logsumexp, with(at, i), log_sum_exp(row));
            for (index_t c = 0; c < v.shape[-1]; ++c) {
                double sum = 0;
                for (index_t j = 0; j < v.shape[-2]; ++j)
                    sum += weights[static_cast<std::size_t>(j)] * read(v, with(at, j, c));
                write(values, with(at, i, c), sum);
            }
        }
    });
}

void NaiveBackend::attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                                      const AttentionParams& params, const ConstView&, const ConstView&,
                                      const ConstView& dvalues, const View& dq, const View& dk,
                                      const View& dv) {
    const index_t n_q = q.shape[-2], n_k = k.shape[-2], d_k = k.shape[-1], d_v = v.shape[-1];
    for_each_position(leading_axes(q.shape), [&](const Position& at) {
        std::vector<std::vector<double>> P, dS;  // n_q rows of n_k
        for (index_t i = 0; i < n_q; ++i) {
            P.push_back(softmax_of(scores(q, k, params, at, i)));
            std::vector<double> dP;
            double dot = 0;
            for (index_t j = 0; j < n_k; ++j) {
                dP.push_back(0);
                for (index_t c = 0; c < d_v; ++c)
                    dP.back() += read(dvalues, with(at, i, c)) * read(v, with(at, j, c));
                dot += P.back()[static_cast<std::size_t>(j)] * dP.back();
            }
            dS.push_back({});
            for (index_t j = 0; j < n_k; ++j) {
                const std::size_t key = static_cast<std::size_t>(j);
                dS.back().push_back(sees(params, at, i, j) ? P.back()[key] * (dP[key] - dot) : 0);
            }
        }
        const auto entry = [](const std::vector<std::vector<double>>& matrix, index_t i, index_t j) {
            return matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
        };
        for (index_t l = 0; l < d_k; ++l) {
            for (index_t i = 0; i < n_q; ++i) {
                double sum = 0;
                for (index_t j = 0; j < n_k; ++j) sum += entry(dS, i, j) * read(k, with(at, j, l));
                write(dq, with(at, i, l), sum * params.scale);
            }
            for (index_t j = 0; j < n_k; ++j) {
                double sum = 0;
                for (index_t i = 0; i < n_q; ++i) sum += entry(dS, i, j) * read(q, with(at, i, l));
                write(dk, with(at, j, l), sum * params.scale);
            }
        }
        for (index_t j = 0; j < n_k; ++j)
            for (index_t c = 0; c < d_v; ++c) {
                double sum = 0;
                for (index_t i = 0; i < n_q; ++i) sum += entry(P, i, j) * read(dvalues, with(at, i, c));
                write(dv, with(at, j, c), sum);
            }
    });
}

void NaiveBackend::adam(const AdamParams& p, const Step& step, const ConstView& gradient, const View& w,
                        const View& m, const View& v) {
    const StepNumbers now = step.value();
    for_each_position(w.shape, [&](const Position& at) {
        const double before = read(w, at), g = now.clip * read(gradient, at) + p.coupled * before;
        const double first = p.beta1 * read(m, at) + p.one_minus_beta1 * g;
        const double second = p.beta2 * read(v, at) + p.one_minus_beta2 * g * g;
        const double m_hat = first / now.correction1, v_hat = second / now.correction2;
        write(m, at, first);
        write(v, at, second);
        write(w, at, before - now.rate * (m_hat / (std::sqrt(v_hat) + p.epsilon) + p.decoupled * before));
    });
}

void NaiveBackend::descend(const DescentParams& p, const Step& step, const ConstView& gradient, const View& w,
                           const View& m) {
    const StepNumbers now = step.value();
    for_each_position(w.shape, [&](const Position& at) {
        const double before = read(w, at);
        const double moved = p.momentum * read(m, at) + now.clip * read(gradient, at) + p.decay * before;
        write(m, at, moved);
        write(w, at, before - now.rate * moved);
    });
}

void NaiveBackend::add_in_order(const ConstView* blocks, index_t count, bool onto, const View& total) {
    for_each_position(total.shape, [&](const Position& at) {
        double sum = onto ? read(total, at) : 0;
        for (index_t i = 0; i < count; ++i) sum += read(blocks[i], at);
        write(total, at, sum);
    });
}

double NaiveBackend::sum_of_squares(const ConstView& x) {
    double sum = 0;
    for_each_position(x.shape, [&](const Position& at) { sum += read(x, at) * read(x, at); });
    return sum;
}

void NaiveBackend::clip(const ConstView& gradient, const Clipping& clipping, StepNumbers* numbers,
                        const View& norm) {
    const double length = std::sqrt(sum_of_squares(gradient));
    numbers->clip = static_cast<real>(clip_factor(clipping, length));
    *norm.data = static_cast<real>(length);
}

}  // namespace glassbox_test
