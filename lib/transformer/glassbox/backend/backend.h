#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include <glassbox/backend/recording.h>
#include <glassbox/random/threefry.h>
#include <glassbox/tensor/real.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// The precision of float matrix products on a GPU. Accumulation is always in float; the modes differ in how
// many significant bits of each factor are used: all 24 (fp32), 11 (tf32), or 8 (bf16). Fewer bits are
// faster; golden values are reproduced only with fp32. Fused attention always computes in fp32, a double
// build always in double, and the CPU ignores this setting.
enum class Products { fp32, tf32, bf16 };

// For all threads, from the next product on. The default is fp32.
void set_products(Products mode);
[[nodiscard]] Products products();

// Limits the norm of a gradient without changing its direction (Pascanu et al. 2013, algorithm 1).
struct Clipping {
    double max_norm = 0;  // 0: no clipping
    double epsilon = 0;   // torch.nn.utils.clip_grad_norm_ adds 1e-6 to the norm, optax nothing
};

// The factor for a gradient of this norm: max_norm / (norm + ε), at most 1. NaN if the norm is NaN.
[[nodiscard]] constexpr double clip_factor(const Clipping& clipping, double norm) {
    if (clipping.max_norm <= 0) return 1;
    const double factor = clipping.max_norm / (norm + clipping.epsilon);
    return factor < 1 || norm != norm ? factor : 1;
}

enum class Unary {
    exp,
    log,
    sin,
    cos,
    tanh,
    erf,
    relu,
    sqrt,
    negate,
    is_positive
};  // is_positive: 1 where x > 0, else 0
enum class Binary { add, sub, mul, div };

// The activation after a linear map. GELU is x Φ(x), Φ the normal CDF (Hendrycks and Gimpel 2016): by erf,
// PyTorch's default, or by its tanh approximation, Flax's default.
enum class Activation { none, relu, gelu, gelu_tanh };
// How the variance of a row is computed: in two passes, from the deviations from the mean (PyTorch), or in
// one pass as E[x²] − E[x]², clipped at 0 (Flax). They differ by rounding, the more the larger the mean.
enum class Moments { two_pass, one_pass };

// Which elements dropout keeps: element i, in row-major order, becomes 0 if the upper 24 bits of word i mod 2
// of Threefry-2x32(key, ⌊i / 2⌋) are below `dropped`, otherwise it is multiplied by `scale`.
struct DropoutParams {
    Live<TwoWords> key{};
    std::uint32_t dropped = 0;
    real scale = 1;
};

// The optimiser's numbers that change from step to step, rounded once.
struct StepNumbers {
    real rate = 0, clip = 1;                // the learning rate; the factor on the gradient
    real correction1 = 1, correction2 = 1;  // 1 − β₁ᵗ, 1 − β₂ᵗ
};
using LiveStep = Live<StepNumbers>;
struct AdamParams {
    real beta1 = 0, beta2 = 0, epsilon = 0;
    real one_minus_beta1 = 0, one_minus_beta2 = 0;  // 1 − 0.999 in float has a relative error of 1e-5
    real coupled = 0, decoupled = 0;                // λ of Adam and λ of AdamW: one of them is 0
};
struct DescentParams {
    real momentum = 0, decay = 0;
};

// The scale and masks of fused attention. A view without data means no such mask.
struct AttentionParams {
    real scale = 1;       // scores are Q Kᵀ · scale
    real fill = 0;        // replaces the scores of hidden keys; may be −∞
    bool causal = false;  // query i sees the keys j ≤ i
    ConstView lengths{};  // leading axes of Q (…), broadcast: the first `length` keys are visible
    ConstView visible{};  // (…, n_q, n_k), broadcast: 0 hides a key, any other value shows it
};

// The kernels of one device. They only compute: no names, no gradients, no checks. Shapes match, and outputs
// are contiguous and do not overlap inputs, except as noted. Inputs may have any strides, including 0.
// Pullbacks are written in terms of ops, so a new backend needs these kernels and nothing else.
//
// On the CPU a row of a product (matmul, linear, feed_forward) has the same bits however many rows are beside
// it, and on any number of threads: a token that is decoded by itself and the same token among 64. This holds
// where the right operand has up to 4·10⁶ numbers: products with larger ones may be BLAS's
// (docs/numerics.md).
//
// A backend must implement the pure virtual ones. The others have default implementations built from them,
// one line per step of the formula (backend/defaults/), which a backend overrides with fused kernels.
class Backend {
  public:
    virtual ~Backend() = default;
    [[nodiscard]] virtual const char* name() const = 0;
    [[nodiscard]] virtual Device device() const = 0;  // of its tensors

    // Blocks until all work submitted to the device is done. For timing: kernels may run asynchronously, and
    // otherwise only reading their results waits.
    virtual void wait() {}

    virtual void copy(const ConstView& x, const View& y) = 0;  // same shape; y may have strides
    virtual void fill(const View& y, real value) = 0;

    // Inputs have y's shape, broadcast by strides.
    virtual void unary(Unary op, const ConstView& x, const View& y) = 0;
    virtual void binary(Binary op, const ConstView& a, const ConstView& b, const View& y) = 0;
    virtual void masked_fill(const ConstView& x, const ConstView& mask, real value, const View& y) = 0;

    // y has x's rank, with size 1 on the reduced axes. An empty sum is 0, an empty maximum −∞.
    virtual void sum(const ConstView& x, const View& y) = 0;
    virtual void max(const ConstView& x, const View& y) = 0;

    // c (…, m, n) = a (…, m, k) · b (…, k, n); the leading axes of a and b are broadcast to c's.
    virtual void matmul(const ConstView& a, const ConstView& b, const View& c) = 0;

    // y (…, d): the rows `ids` (…) of the table (n, d). ids are integers from 0 to n − 1.
    virtual void gather_rows(const ConstView& table, const ConstView& ids, const View& y) = 0;
    // table (n, d): row i is the sum of the rows of x (…, d) with id i, added in row-major order.
    virtual void scatter_rows(const ConstView& x, const ConstView& ids, const View& table) = 0;

    // From here on with default implementations, which allocate every intermediate step of the formula.

    // Over the last axis. A row that contains NaN, or only −∞, becomes NaN.
    virtual void softmax(const ConstView& x, const View& y);
    virtual void log_softmax(const ConstView& x, const View& y);
    // dx = y ∘ (dy − Σ_j dy_j y_j), row by row.
    virtual void softmax_backward(const ConstView& y, const ConstView& dy, const View& dx);

    // For each row x of the logits (…, C), p = softmax(x) and −Σ_c q_c ln p_c, with q_c = (1 − ε) [c = label]
    // + ε/C, ε the smoothing. labels (…) are integers below C; a negative one makes loss and p 0.
    virtual void cross_entropy(const ConstView& logits, const ConstView& labels, real smoothing,
                               const View& losses, const View& p);
    // dlogits = (p − q) · dloss, row by row; 0 if the label is negative.
    virtual void cross_entropy_backward(const ConstView& p, const ConstView& labels, real smoothing,
                                        const ConstView& dlosses, const View& dlogits);
    // count (): the number of rows of the logits (…, C) with their argmax, the first of several and NaN above
    // every number, at the label.
    virtual void count_correct(const ConstView& logits, const ConstView& labels, const View& count);

    // y (…, out) = activation(x Wᵀ + b): x (…, in), W (out, in), b (out), or b without data for no bias.
    virtual void linear(const ConstView& x, const ConstView& W, const ConstView& b, Activation activation,
                        const View& y);
    // Without an activation: dx = dy W, dW = dyᵀ x, db = Σ dy, the last two over all rows. Outputs without
    // data are skipped.
    virtual void linear_backward(const ConstView& x, const ConstView& W, const ConstView& dy, const View& dx,
                                 const View& dW, const View& db);

    // y = (x − μ) r ∘ γ + β over the last axis, r = 1 / √(σ² + ε); μ and r (…) are saved for the backward
    // pass.
    virtual void layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta, double epsilon,
                            Moments moments, const View& y, const View& mu, const View& r);
    virtual void layer_norm_backward(const ConstView& x, const ConstView& gamma, const ConstView& mu,
                                     const ConstView& r, const ConstView& dy, const View& dx,
                                     const View& dgamma, const View& dbeta);

    // y (…, out) = activation(x W₁ᵀ + b₁) W₂ᵀ + b₂; a fused kernel need not store the hidden layer of all
    // rows.
    virtual void feed_forward(const ConstView& x, const ConstView& W1, const ConstView& b1,
                              Activation activation, const ConstView& W2, const ConstView& b2, const View& y);

    // y = x to the power of the exponent, as std::pow computes it.
    virtual void pow(const ConstView& x, double exponent, const View& y);

    virtual void gelu(const ConstView& x, Activation form, const View& y);
    virtual void gelu_backward(const ConstView& x, const ConstView& dy, Activation form, const View& dx);

    virtual void dropout(const ConstView& x, const DropoutParams& params, const View& y);

    // values (…, n_q, d_v) = softmax(q kᵀ · scale, hidden keys filled) · v; a fused kernel never stores the
    // n_q × n_k matrix. logsumexp (…, n_q) of each row of scores is saved for the backward pass. The rows of
    // `values` may have any stride.
    virtual void attention(const ConstView& q, const ConstView& k, const ConstView& v,
                           const AttentionParams& params, const View& values, const View& logsumexp);
    virtual void attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                                    const AttentionParams& params, const ConstView& values,
                                    const ConstView& logsumexp, const ConstView& dvalues, const View& dq,
                                    const View& dk, const View& dv);

    // Training kernels, on contiguous blocks. A step that is recorded once and replayed reads the numbers
    // that change from device memory (`Live`). (The default implementations read them when called, so a
    // backend that supports recording must override adam, descend, clip and dropout.)
    //
    // g = clip · ∂L/∂w [+ λ w];  m = β₁ m + (1 − β₁) g;  v = β₂ v + (1 − β₂) g²;  m̂ = m / (1 − β₁ᵗ);
    // v̂ = v / (1 − β₂ᵗ);  w = w − rate · (m̂ / (√v̂ + ε) [+ λ w]).  The first λ is Adam's, the second AdamW's.
    virtual void adam(const AdamParams& params, const LiveStep& step, const ConstView& gradient,
                      const View& w, const View& m, const View& v);
    // g = clip · ∂L/∂w + λ w;  m = μ m + g;  w = w − rate · m
    virtual void descend(const DescentParams& params, const LiveStep& step, const ConstView& gradient,
                         const View& w, const View& m);
    // total = [total +] x₀ + x₁ + …, in this order; `onto` adds to total's old value. The empty sum is 0.
    virtual void add_in_order(const ConstView* blocks, index_t count, bool onto, const View& total);
    // Σ x², accumulated in double, in an order that depends only on the size.
    virtual double sum_of_squares(const ConstView& x);
    // numbers->clip = clip_factor(clipping, ‖g‖) and norm (1) = ‖g‖; `numbers` is in device memory.
    virtual void clip(const ConstView& gradient, const Clipping& clipping, StepNumbers* numbers,
                      const View& norm);

    // Calls body and records its kernels without running them; returns null, without calling body, if the
    // device does not benefit from recording. body must have been run once before, and must not read any
    // tensor's numbers on the host. Tensors that it creates are overwritten by each run; those that it only
    // reads must outlive the recording. No other thread may use the device during the call.
    virtual std::unique_ptr<Recording> record(const std::function<void()>&) { return nullptr; }
};

// The backend of a device. If this program has none, throws Error with advice on how to get one.
Backend& backend(Device device);
void set_backend(Device device, Backend* backend);

}  // namespace glassbox
