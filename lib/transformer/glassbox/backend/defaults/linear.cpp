#include <glassbox/backend/defaults/value.h>

namespace glassbox {

using namespace defaults;

// y = f(x Wᵀ + b)
void Backend::linear(const ConstView& x_view, const ConstView& W_view, const ConstView& b, Activation f,
                     const View& y) {
    const Value x = rows(Value(*this, x_view)), W(*this, W_view);  // (rows, in), (out, in)
    const Value z = product(x, transpose(W));                      // (rows, out)
    const Value sum = b.data ? z + Value(*this, b) : z;            // (rows, out)
    assign(y, activated(f, sum));                                  // (…, out)
}

// dx = dy W,  dW = dyᵀ x,  db = Σ dy
void Backend::linear_backward(const ConstView& x_view, const ConstView& W_view, const ConstView& dy_view,
                              const View& dx, const View& dW, const View& db) {
    const Value x = rows(Value(*this, x_view)), W(*this, W_view);  // (rows, in), (out, in)
    const Value dy = rows(Value(*this, dy_view));                  // (rows, out)
    if (dx.data) assign(dx, product(dy, W));                       // (…, in)
    if (dW.data) assign(dW, product(transpose(dy), x));            // (out, in)
    if (db.data) assign(db, column_sum(dy));                       // (out)
}

// y = f(x W₁ᵀ + b₁) W₂ᵀ + b₂
void Backend::feed_forward(const ConstView& x, const ConstView& W1, const ConstView& b1, Activation f,
                           const ConstView& W2, const ConstView& b2, const View& y) {
    Tensor hidden = Tensor::empty(x.shape.with(-1, W1.shape[0]), device());  // (…, d_ff)
    linear(x, W1, b1, f, hidden.writable());
    linear(hidden.view(), W2, b2, Activation::none, y);
}

}  // namespace glassbox
