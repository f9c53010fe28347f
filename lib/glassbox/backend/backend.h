#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include <glassbox/backend/clipping.h>
#include <glassbox/backend/detail/live.h>
#include <glassbox/backend/detail/recording.h>
#include <glassbox/random/detail/threefry.h>
#include <glassbox/tensor/device.h>
#include <glassbox/tensor/view.h>

namespace glassbox {

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

// What a linear map may end in. GELU is x Φ(x), Φ the normal distribution (Hendrycks and Gimpel 2016): by
// erf, PyTorch's default, or by a tanh that comes near it, Flax's default.
enum class Activation { none, relu, gelu, gelu_tanh };
// How the variance of a row is computed: from the differences to the mean, in two passes over it (PyTorch),
// or as E[x²] − E[x]², clipped at 0, in one (Flax). They differ by rounding, more so the larger the mean.
enum class Moments { two_pass, one_pass };

// Which elements a dropout leaves: element i, in row-major order, becomes 0 when the upper 24 bits of
// word i mod 2 of Threefry-2x32(key, ⌊i / 2⌋) are below `dropped`, else it is multiplied by `scale`.
struct DropoutParams {
    Live<TwoWords> key{};
    std::uint32_t dropped = 0;
    real scale = 1;
};

// What changes from step to step of an optimiser, rounded once.
struct StepNumbers {
    real rate = 0, clip = 1;                // the learning rate; by how much to multiply the gradient
    real correction1 = 1, correction2 = 1;  // 1 − β₁ᵗ, 1 − β₂ᵗ
};
using Step = Live<StepNumbers>;
struct AdamParams {
    real beta1 = 0, beta2 = 0, epsilon = 0;
    real one_minus_beta1 = 0, one_minus_beta2 = 0;  // 1 − 0.999 in float is off by 1e-5 of itself
    real coupled = 0, decoupled = 0;                // λ of Adam and of AdamW: one of them is 0
};
struct DescentParams {
    real momentum = 0, decay = 0;
};

// What fused attention hides and how it scales. Views without data are absent.
struct AttentionParams {
    real scale = 1;       // scores are Q Kᵀ · scale
    real fill = 0;        // what the score of a hidden key becomes; −∞ allowed
    bool causal = false;  // query i sees the keys j ≤ i
    ConstView lengths{};  // (…) leading axes of Q, broadcast: the first `length` keys are seen
    ConstView visible{};  // (…, n_q, n_k), broadcast: 0 hides, anything else shows
};

// The kernels of one device. They only compute: no names, no gradients, no checks; shapes fit, and outputs
// are contiguous and overlap no input, unless a comment says otherwise. Inputs may have any strides, 0
// included. Pullbacks are written in ops, so a new backend needs these kernels and nothing else.
//
// The pure ones are what a backend must write. The others have default bodies made of these, a line for each
// step of the formula (backend/defaults/): a backend writes its own where it can do better.
class Backend {
  public:
    virtual ~Backend() = default;
    [[nodiscard]] virtual const char* name() const = 0;
    [[nodiscard]] virtual Device device() const = 0;  // where its tensors live

    // Returns when the device has done all that it was asked for: kernels of some devices run later, and only
    // who reads their numbers waits. For clocks.
    virtual void wait() {}

    virtual void copy(const ConstView& x, const View& y) = 0;  // same shape; y may have strides
    virtual void fill(const View& y, real value) = 0;

    // Inputs have y's shape, broadcast by strides.
    virtual void unary(Unary op, const ConstView& x, const View& y) = 0;
    virtual void binary(Binary op, const ConstView& a, const ConstView& b, const View& y) = 0;
    virtual void masked_fill(const ConstView& x, const ConstView& mask, real value, const View& y) = 0;

    // y has x's rank, with size 1 on the axes that are reduced. An empty sum is 0, an empty maximum −∞.
    virtual void sum(const ConstView& x, const View& y) = 0;
    virtual void max(const ConstView& x, const View& y) = 0;

    // c (…, m, n) = a (…, m, k) · b (…, k, n); the leading axes of a and b are broadcast to c's.
    virtual void matmul(const ConstView& a, const ConstView& b, const View& c) = 0;

    // y (…, d): row ids (…) of the table (n, d). ids are whole numbers from 0 to n − 1.
    virtual void gather_rows(const ConstView& table, const ConstView& ids, const View& y) = 0;
    // table (n, d): row i is the sum of the rows of x (…, d) whose id is i, added in row-major order.
    virtual void scatter_rows(const ConstView& x, const ConstView& ids, const View& table) = 0;

    // From here on there are default bodies, which hold every step of their formula at once.

    // Over the last axis. A row with NaN, or of −∞ alone, becomes NaN.
    virtual void softmax(const ConstView& x, const View& y);
    virtual void log_softmax(const ConstView& x, const View& y);
    // dx = y ∘ (dy − Σ_j dy_j y_j), row by row.
    virtual void softmax_backward(const ConstView& y, const ConstView& dy, const View& dx);

    // For each row x of the logits (…, C), p = softmax(x) and −Σ_c q_c ln p_c, with q_c = (1 − ε) [c = label]
    // + ε/C, ε the smoothing. labels (…) are whole numbers below C; a negative one makes loss and p 0.
    virtual void cross_entropy(const ConstView& logits, const ConstView& labels, real smoothing,
                               const View& losses, const View& p);
    // dlogits = (p − q) · dloss, row by row; 0 where the label is negative.
    virtual void cross_entropy_backward(const ConstView& p, const ConstView& labels, real smoothing,
                                        const ConstView& dlosses, const View& dlogits);
    // count (): in how many rows of the logits (…, C) the largest, the first of several, stands at the label.
    virtual void count_correct(const ConstView& logits, const ConstView& labels, const View& count);

    // y (…, out) = activation(x Wᵀ + b): x (…, in), W (out, in), b (out) or without data for none.
    virtual void linear(const ConstView& x, const ConstView& W, const ConstView& b, Activation activation,
                        const View& y);
    // Without an activation: dx = dy W, dW = dyᵀ x, db = Σ dy, the last two over all rows. Outputs without
    // data are not wanted.
    virtual void linear_backward(const ConstView& x, const ConstView& W, const ConstView& dy, const View& dx,
                                 const View& dW, const View& db);

    // y = (x − μ) r ∘ γ + β over the last axis, r = 1 / √(σ² + ε); μ and r (…) are kept for the way back.
    virtual void layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta, double epsilon,
                            Moments moments, const View& y, const View& mu, const View& r);
    virtual void layer_norm_backward(const ConstView& x, const ConstView& gamma, const ConstView& mu,
                                     const ConstView& r, const ConstView& dy, const View& dx,
                                     const View& dgamma, const View& dbeta);

    // y (…, out) = activation(x W₁ᵀ + b₁) W₂ᵀ + b₂; a fused one need not hold what lies between for all rows.
    virtual void feed_forward(const ConstView& x, const ConstView& W1, const ConstView& b1,
                              Activation activation, const ConstView& W2, const ConstView& b2, const View& y);

    // y = x to the power of the exponent, as std::pow has it.
    virtual void pow(const ConstView& x, double exponent, const View& y);

    virtual void gelu(const ConstView& x, Activation form, const View& y);
    virtual void gelu_backward(const ConstView& x, const ConstView& dy, Activation form, const View& dx);

    virtual void dropout(const ConstView& x, const DropoutParams& params, const View& y);

    // values (…, n_q, d_v) = softmax(q kᵀ · scale, hidden keys filled) · v; a fused one never holds the
    // n_q × n_k matrix. logsumexp (…, n_q) of each row of scores is kept for the way back. The rows of values
    // may lie apart.
    virtual void attention(const ConstView& q, const ConstView& k, const ConstView& v,
                           const AttentionParams& params, const View& values, const View& logsumexp);
    virtual void attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                                    const AttentionParams& params, const ConstView& values,
                                    const ConstView& logsumexp, const ConstView& dvalues, const View& dq,
                                    const View& dk, const View& dv);

    // Training, on blocks of numbers side by side, all without gaps. A step that is recorded once, to be run
    // many times on a device, takes what changes from there: its `Live` numbers. (The default bodies read
    // them when they are called: a backend that records writes its own adam, descend, clip and dropout.)
    //
    // g = clip · ∂L/∂w [+ λ w];  m = β₁ m + (1 − β₁) g;  v = β₂ v + (1 − β₂) g²;  m̂ = m / (1 − β₁ᵗ);
    // v̂ = v / (1 − β₂ᵗ);  w = w − rate · (m̂ / (√v̂ + ε) [+ λ w]).  The first λ is Adam's, the second AdamW's.
    virtual void adam(const AdamParams& params, const Step& step, const ConstView& gradient, const View& w,
                      const View& m, const View& v);
    // g = clip · ∂L/∂w + λ w;  m = μ m + g;  w = w − rate · m
    virtual void descend(const DescentParams& params, const Step& step, const ConstView& gradient,
                         const View& w, const View& m);
    // total = [total +] x₀ + x₁ + …, in this order; the first only with `onto`. Of no blocks the sum is 0.
    virtual void add_in_order(const ConstView* blocks, index_t count, bool onto, const View& total);
    // Σ x², added up in double, in an order that follows from the size alone.
    virtual double sum_of_squares(const ConstView& x);
    // numbers->clip = clip_factor(clipping, ‖g‖) and norm (1) = ‖g‖; numbers lie on the device.
    virtual void clip(const ConstView& gradient, const Clipping& clipping, StepNumbers* numbers,
                      const View& norm);

    // Calls body, whose kernels are recorded and do not run yet; null, and body is not called, where nothing
    // is gained by it. body must have been run before, and may not look at any tensor's numbers. Tensors that
    // it makes are written anew by each run; those that it only reads must outlive the recording. No other
    // thread may use the device meanwhile.
    virtual std::unique_ptr<Recording> record(const std::function<void()>&) { return nullptr; }
};

// The backend of a device. Throws Error that says how to get it when this program has none.
Backend& backend(Device device);
void set_backend(Device device, Backend* backend);

}  // namespace glassbox
