// The claims about time in docs/claims.md, on this machine: self-attention compared with an LSTM on the same
// data, one head with eight, the dot product with the additive score. Milliseconds, the minimum of many runs
// that alternate.
//     build/release/bench/claims [--seconds 1] [recurrence|heads|scores]…
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/glassbox.h>
#include <glassbox/study.h>

using namespace glassbox;

namespace {

using Clock = std::chrono::steady_clock;

double ms_of(const std::function<void()>& f) {
    const auto start = Clock::now();
    f();
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// The minimum time of each, alternating for `seconds`, at least five times.
std::pair<double, double> smallest_ms(double seconds, const std::function<void()>& a,
                                      const std::function<void()>& b) {
    a(), b();
    std::pair best{1e30, 1e30};
    const auto begin = Clock::now();
    for (int i = 0; i < 5 || Clock::now() - begin < std::chrono::duration<double>(seconds); ++i) {
        best.first = std::min(best.first, ms_of(a));
        best.second = std::min(best.second, ms_of(b));
    }
    return best;
}

[[maybe_unused]] void gemv(int m, int n, const float* A, const float* x, float* y) {
    cblas_sgemv(CblasRowMajor, CblasNoTrans, m, n, 1, A, n, x, 1, 1, y, 1);
}
[[maybe_unused]] void gemv(int m, int n, const double* A, const double* x, double* y) {
    cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1, A, n, x, 1, 1, y, 1);
}

// A plain LSTM (torch.nn.LSTM's gates i, f, g, o) of width d. x Wᵀ for all steps is one product, as it does
// not depend on earlier steps. A step is one product of the weights U with h, one tanh of all gates, σ(z) =
// (1 + tanh(z/2))/2, with the factor 1/2 of z folded into the weights, and one tanh of c.
class Lstm {
  public:
    Lstm(index_t d, Stream& stream)
        : d_(d),
          W_(halved(linear_uniform(stream, {4 * d, d}, d))),
          U_(halved(linear_uniform(stream, {4 * d, d}, d))) {}

    Tensor operator()(const Tensor& x) const {  // (n, d) → (n, d)
        const index_t n = x.size(0);
        Tensor gates = linear(x, W_), h = Tensor::empty({n, d_});  // (n, 4d), (n, d)
        std::vector<real> c(static_cast<std::size_t>(d_));
        real* z = gates.writable().data;
        real* out = h.writable().data;
        for (index_t t = 0; t < n; ++t, z += 4 * d_, out += d_) {
            if (t > 0) gemv(static_cast<int>(4 * d_), static_cast<int>(d_), U_.data(), out - d_, z);
            step(z, c.data(), out);
        }
        return h;
    }

  private:
    void step(real* z, real* c, real* h) const {
        Backend& cpu = backend(Device::cpu);
        cpu.unary(Unary::tanh, {z, {4 * d_}, {1}}, {z, {4 * d_}, {1}});
        const real half = real(0.5);
        for (index_t j = 0; j < d_; ++j) c[j] = half * ((1 + z[d_ + j]) * c[j] + (1 + z[j]) * z[2 * d_ + j]);
        cpu.unary(Unary::tanh, {c, {d_}, {1}}, {h, {d_}, {1}});
        for (index_t j = 0; j < d_; ++j) h[j] *= half * (1 + z[3 * d_ + j]);
    }
    Tensor halved(const Tensor& weight) const {  // the rows of i, f and o, but not of g
        Tensor factors = Tensor::full({4, 1, 1}, real(0.5));
        factors.writable().data[2] = 1;
        return reshape(reshape(weight, {4, d_, d_}) * factors, {4 * d_, d_});
    }

    index_t d_;
    Tensor W_, U_;  // (4d, d)
};

// Multiply–adds: 4 n d² + 2 n² d of attention with its four projections, 8 n d² of the LSTM: equal at n = 2d.
void recurrence(double seconds) {
    std::printf("   d      n   attention        LSTM   LSTM/attention   multiply-adds, LSTM/attention\n");
    for (const index_t d : {64, 128, 512}) {
        const auto stream = make_stream(Rng::torch, 42);
        const auto attention = made<MultiHeadAttention>({.d_model = d, .heads = d / 64}, *stream);
        const Lstm lstm(d, *stream);
        double before = 0, n_before = 0, crossing = 0;
        for (index_t n = 16; n <= 65536 && crossing == 0; n *= 2) {
            const Tensor x = stream->normal({n, d});
            const auto [a, l] = smallest_ms(
                seconds, [&] { attention(x); }, [&] { lstm(x); });
            const double size = static_cast<double>(n), width = static_cast<double>(d);
            std::printf("%4.0f %6.0f %9.3f ms %9.3f ms %16.2f %31.2f\n", width, size, a, l, l / a,
                        4 * width / (2 * width + size));
            if (l < a && n_before > 0) {  // interpolates the log ratio to 0 between two lengths
                const double share = std::log(before) / (std::log(before) - std::log(l / a));
                crossing = n_before * std::pow(size / n_before, share);
            }
            before = l / a, n_before = size;
        }
        std::printf("     the LSTM is faster from n = %.0f on; by the count from n = %.0f\n", crossing,
                    2.0 * static_cast<double>(d));
    }
}

void heads(double seconds) {
    for (const index_t n : {64, 512}) {
        const auto stream = make_stream(Rng::torch, 42);
        const auto one = made<MultiHeadAttention>({.d_model = 512, .heads = 1}, *stream);
        const auto eight = made<MultiHeadAttention>({.d_model = 512, .heads = 8}, *stream);
        const Tensor x = stream->normal({n, 512});
        const auto [a, b] = smallest_ms(
            seconds, [&] { one(x); }, [&] { eight(x); });
        std::printf("d_model 512, n = %3.0f: 1 head %.3f ms, 8 heads %.3f ms, %.2f times\n",
                    static_cast<double>(n), a, b, b / a);
    }
}

void scores(double seconds) {
    const auto stream = make_stream(Rng::torch, 42);
    const auto drawn = draw_qkv(*stream, {}, 256, 256, 64, 64);
    const auto &Q = drawn.Q, &K = drawn.K, &V = drawn.V;  // clang 15 captures no structured bindings
    const AdditiveWeights weights{xavier_uniform(*stream, {64, 64}, 64, 64),
                                  xavier_uniform(*stream, {64, 64}, 64, 64), stream->normal({64})};
    const auto [a, b] = smallest_ms(
        seconds, [&] { scaled_dot_product(Q, K, V); }, [&] { additive_attention(Q, K, V, weights); });
    std::printf("n = 256, d_k = 64: scaled dot product %.3f ms, additive %.3f ms, %.0f times\n", a, b, b / a);
}

}  // namespace

int main(int argc, char** argv) {
    double seconds = 1;
    std::vector<std::string> parts;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--seconds" && i + 1 < argc) seconds = std::atof(argv[++i]);
        else parts.push_back(word);
    }
    const auto wanted = [&](const char* part) {
        return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
    };
    std::printf("%d threads, %s, kernels %s\n", num_threads(), blas_name().c_str(), blas_core_name().c_str());
    if (wanted("recurrence")) recurrence(seconds);
    if (wanted("heads")) heads(seconds);
    if (wanted("scores")) scores(seconds);
}
