#pragma once
// Every op: check shapes → one backend call → record the pullback. Each has its own source file.
#include <concepts>
#include <initializer_list>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// ---- products --------------------------------------------------------------------------------------------

// C (…, m, n) = A (…, m, k) · B (…, k, n). Leading axes broadcast. Transposes and slices are not copied.
[[nodiscard]] Tensor matmul(const Tensor& A, const Tensor& B);
// The shape of C, only from the shapes. Throws the errors of matmul.
Shape matmul_shape(const Tensor& A, const Tensor& B);

// y = x Wᵀ + b: x (…, in), W (out, in) as in PyTorch, b (out) or undefined for none; y (…, out). Throws Error
// with both shapes when they do not fit.
Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b = {});

// For ops that contain a linear map: the checks of linear(), and a view of a tensor that may be undefined.
void check_linear(const Shape& x, Device device, const Tensor& W, const Tensor& b);
ConstView view_or_none(const Tensor& x);

// Row `id` of the table for every id: table (n, d), ids (…) integers stored as real, y (…, d). The same as
// one_hot(ids) times the table. Throws Error with the id and n unless all ids are in 0 … n − 1.
Tensor embedding(const Tensor& table, const Tensor& ids);

// 1 in column `id`, else 0: ids (…), y (…, n).
Tensor one_hot(const Tensor& ids, index_t n);

// activation(x W₁ᵀ + b₁) W₂ᵀ + b₂ as one op that never materialises the (…, hidden) intermediate for all
// rows: x (…, in), W₁ (hidden, in), W₂ (out, hidden), biases or undefined for none → (…, out). Equal to
// linear, activation, linear within rounding. Throws the errors of linear.
Tensor fused_feed_forward(const Tensor& x, const Tensor& W1, const Tensor& b1, Activation activation,
                          const Tensor& W2, const Tensor& b2);

// The scale of fused attention's scores, and its mask.
struct AttentionOptions {
    double scale = 1;     // scores are Q Kᵀ · scale
    double fill = 0;      // replaces the score of a hidden key
    bool causal = false;  // query i sees keys j ≤ i
    Tensor lengths{};     // if defined: the number of visible keys, broadcast to Q's leading axes
    Tensor visible{};     // if defined: 0 hides a key, broadcast to (…, n_q, n_k)
};

// softmax(Q Kᵀ · scale, hidden keys filled) V as one op that never materialises the n_q × n_k matrix: its
// extra memory does not grow with n_q · n_k. Q (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v), equal leading
// axes → (…, n_q, d_v). Equal to the step-by-step path within rounding (Milakov & Gimelshein 2018; Dao et al.
// 2022).
Tensor fused_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const AttentionOptions& options);

// ---- rows ------------------------------------------------------------------------------------------------

// Over the last axis: each row becomes positive weights that sum to 1. A row of only −∞ becomes NaN (0/0).
[[nodiscard]] Tensor softmax(const Tensor& x);
[[nodiscard]] Tensor log_softmax(const Tensor& x);  // ln softmax(x), numerically stable

// y = x, but `value` where mask is 0. The mask broadcasts to x's shape and gets no gradient.
[[nodiscard]] Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

// y = (x − E[x]) / √(Var[x] + ε) ∘ γ + β, over the last axis (Ba et al. 2016; report §4); `moments` is how
// Var is computed. x (…, d), γ and β (d). Throws Error with the shapes when they do not fit.
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon = 1e-5,
                  Moments moments = Moments::two_pass);

struct CrossEntropyOptions {
    double label_smoothing = 0;  // ε in [0, 1]: the share of a label's weight spread over all classes
};

// −Σ_c q_c ln softmax(logits)_c, one loss per element: logits (…, C), labels (…) integers below C stored as
// real → (…). q is 1 at the label and 0 elsewhere, smoothed: (1 − ε) q + ε/C (Szegedy et al. 2016). Elements
// with a negative label are ignored: their loss and gradient are 0, whatever the logits. Throws Error with
// the index of an invalid label, and with both shapes when they do not fit.
Tensor cross_entropy(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options = {});

// (y − t)², element by element, for y and target of equal shape. Its mean is the mean squared error.
Tensor squared_error(const Tensor& y, const Tensor& target);

// The number of rows of the logits (…, C) whose argmax (the first of several maxima; NaN is the largest) is
// the label (…); a negative label never counts. A metric: not recorded, without a gradient. Shape (), on the
// logits' device.
Tensor count_correct(const Tensor& logits, const Tensor& labels);

// ---- reductions ------------------------------------------------------------------------------------------

// An axis of a tensor; negative axes count from the end. Only integer types convert to it, so that
// max(x, 0.5) and sum(x, true) do not compile.
class Axis {
  public:
    template <std::integral T>
    requires(!std::same_as<T, bool>) Axis(T axis) : axis_(static_cast<int>(axis)) {}
    operator int() const { return axis_; }

  private:
    int axis_;
};

// Whether a reduction keeps its axis, with size 1. Only bool converts to it, so that var(x, -1, 1) does not
// compile.
class Keep {
  public:
    template <std::same_as<bool> T>
    Keep(T keep) : keep_(keep) {}
    operator bool() const { return keep_; }

  private:
    bool keep_;
};

[[nodiscard]] Tensor sum(const Tensor& x);  // of all elements: shape ()
// Over one axis, which is removed, or kept with size 1.
[[nodiscard]] Tensor sum(const Tensor& x, Axis axis, Keep keep = false);
[[nodiscard]] Tensor mean(const Tensor& x);
[[nodiscard]] Tensor mean(const Tensor& x, Axis axis, Keep keep = false);

// Σ (x − mean)² / max(0, n − correction). The default correction is 0, as in NumPy; torch.var uses 1, the
// unbiased estimate.
[[nodiscard]] Tensor var(const Tensor& x);
[[nodiscard]] Tensor var(const Tensor& x, Axis axis, Keep keep = false, index_t correction = 0);

// The largest or smallest element along an axis; NaN if any is NaN. The gradient is divided evenly among
// ties, as in torch.amax and jax.numpy.max.
[[nodiscard]] Tensor max(const Tensor& x, Axis axis, Keep keep = false);
[[nodiscard]] Tensor min(const Tensor& x, Axis axis, Keep keep = false);
// Its index along the axis, in row-major order of the other axes: the first among ties, and NaN counts as the
// largest. Throws Error for an empty axis. No gradient.
[[nodiscard]] std::vector<index_t> argmax(const Tensor& x, Axis axis);

// Sums x over the axes along which `shape` broadcasts to x's shape: the gradient of broadcasting.
[[nodiscard]] Tensor sum_to(const Tensor& x, const Shape& shape);

// ---- views -----------------------------------------------------------------------------------------------

// Views: none of these copies unless noted. Negative axes count from the end.
[[nodiscard]] Tensor transpose(const Tensor& x);  // swaps the last two axes
// Axis i of the result is axis order[i] of x.
[[nodiscard]] Tensor permute(const Tensor& x, const std::vector<int>& order);
[[nodiscard]] Tensor swap_axes(const Tensor& x, int a, int b);
// The number of elements must stay the same. Copies if x is not contiguous.
[[nodiscard]] Tensor reshape(const Tensor& x, const Shape& shape);
// One size may be −1 and is inferred: reshape(x, {2, -1})
[[nodiscard]] Tensor reshape(const Tensor& x, std::initializer_list<index_t> sizes);
// Repeats axes of size 1 and adds leading axes.
[[nodiscard]] Tensor broadcast_to(const Tensor& x, const Shape& shape);
// The entries [begin, end) of an axis.
[[nodiscard]] Tensor slice(const Tensor& x, int axis, index_t begin, index_t end);
[[nodiscard]] Tensor select(const Tensor& x, int axis, index_t i);  // entry i of an axis, which is removed
// All entries of an axis, which is removed. Their gradients share one block.
[[nodiscard]] std::vector<Tensor> unbind(const Tensor& x, int axis);
[[nodiscard]] std::vector<Tensor> split(const Tensor& x, int axis, index_t parts);  // equal parts of an axis

// Copies.
[[nodiscard]] Tensor concat(const std::vector<Tensor>& parts, int axis);  // equal sizes on all other axes
[[nodiscard]] Tensor contiguous(const Tensor& x);  // row-major without gaps; x itself if it already is

// ---- element by element ----------------------------------------------------------------------------------

// a where the condition is not 0, else b, element by element; the three shapes broadcast as in NumPy.
// Elements that are not chosen have no effect, even if NaN, and a gradient of 0. The condition has no
// gradient.
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

// The same with a plain number.
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, double b);
[[nodiscard]] Tensor where(const Tensor& condition, double a, const Tensor& b);

// Element by element. Shapes broadcast as in NumPy; gradients are summed over the broadcast axes.
[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor sub(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor div(const Tensor& a, const Tensor& b);

// The same with a plain number, which has no gradient.
[[nodiscard]] Tensor add(const Tensor& a, double b);
[[nodiscard]] Tensor scale(const Tensor& a, double factor);
[[nodiscard]] Tensor div(const Tensor& a, double divisor);
[[nodiscard]] Tensor sub(double a, const Tensor& b);
[[nodiscard]] Tensor div(double a, const Tensor& b);

[[nodiscard]] Tensor exp(const Tensor& x);
[[nodiscard]] Tensor log(const Tensor& x);
[[nodiscard]] Tensor sqrt(const Tensor& x);
[[nodiscard]] Tensor tanh(const Tensor& x);
[[nodiscard]] Tensor sin(const Tensor& x);
[[nodiscard]] Tensor cos(const Tensor& x);
[[nodiscard]] Tensor erf(const Tensor& x);
// max(0, x). The derivative at 0 is 0, as in PyTorch and JAX.
[[nodiscard]] Tensor relu(const Tensor& x);
[[nodiscard]] Tensor negate(const Tensor& x);
// 1 where a > b, else 0, also where either is NaN. No gradient.
[[nodiscard]] Tensor greater(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor sigmoid(const Tensor& x);  // 1 / (1 + e⁻ˣ)
[[nodiscard]] Tensor silu(const Tensor& x);     // x sigmoid(x), also called swish
// x to the power of a number, with the rules of std::pow: negative x with a fractional exponent is NaN.
[[nodiscard]] Tensor pow(const Tensor& x, double exponent);
[[nodiscard]] Tensor abs(const Tensor& x);  // the derivative at 0 is 0, as in PyTorch and JAX
// x clamped to [low, high]; the bounds may be infinite, and NaN stays NaN. The gradient is ∂L/∂y where x is
// within, bounds included, and 0 elsewhere, as in torch.clamp.
[[nodiscard]] Tensor clip(const Tensor& x, double low, double high);

// x Φ(x), with erf or, for Activation::gelu_tanh, the tanh approximation. Throws Error for other activations.
[[nodiscard]] Tensor gelu(const Tensor& x, Activation form = Activation::gelu);

[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
[[nodiscard]] inline Tensor operator+(const Tensor& a, double b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, double b) { return add(a, -b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, double factor) { return scale(a, factor); }
[[nodiscard]] inline Tensor operator*(double factor, const Tensor& a) { return scale(a, factor); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, double divisor) { return div(a, divisor); }
[[nodiscard]] inline Tensor operator+(double a, const Tensor& b) { return add(b, a); }
[[nodiscard]] inline Tensor operator-(double a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator/(double a, const Tensor& b) { return div(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& x) { return negate(x); }
[[nodiscard]] inline Tensor operator>(const Tensor& a, const Tensor& b) { return greater(a, b); }
[[nodiscard]] inline Tensor operator<(const Tensor& a, const Tensor& b) { return greater(b, a); }
[[nodiscard]] inline Tensor operator>(const Tensor& a, double b) {
    return greater(a, Tensor(b).to(a.device()));
}
[[nodiscard]] inline Tensor operator<(const Tensor& a, double b) {
    return greater(Tensor(b).to(a.device()), a);
}

// x = x + y: assigns a new value. Copies of x keep the old one.
inline Tensor& operator+=(Tensor& x, const Tensor& y) { return x = x + y; }
inline Tensor& operator-=(Tensor& x, const Tensor& y) { return x = x - y; }
inline Tensor& operator*=(Tensor& x, const Tensor& y) { return x = x * y; }
inline Tensor& operator/=(Tensor& x, const Tensor& y) { return x = x / y; }
inline Tensor& operator+=(Tensor& x, double y) { return x = x + y; }
inline Tensor& operator-=(Tensor& x, double y) { return x = x - y; }
inline Tensor& operator*=(Tensor& x, double y) { return x = x * y; }
inline Tensor& operator/=(Tensor& x, double y) { return x = x / y; }

}  // namespace glassbox
