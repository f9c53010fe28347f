#include <glassbox/backend/defaults/value.h>

namespace glassbox {

using namespace defaults;

// softmax(x) = exp(x − m) / Σ_j exp(x_j − m),  m = max_j x_j, so that nothing overflows
void Backend::softmax(const ConstView& x_view, const View& y) {
    const Value x(*this, x_view);         // (…, n)
    const Value e = exp(x - row_max(x));  // (…, n)
    assign(y, e / row_sum(e));            // (…, n)
}

// log softmax(x) = x − m − ln Σ_j exp(x_j − m)
void Backend::log_softmax(const ConstView& x_view, const View& y) {
    const Value x(*this, x_view);                 // (…, n)
    const Value below = x - row_max(x);           // (…, n)
    assign(y, below - log(row_sum(exp(below))));  // (…, n)
}

// dx = y ∘ (dy − Σ_j dy_j y_j)
void Backend::softmax_backward(const ConstView& y_view, const ConstView& dy_view, const View& dx) {
    const Value y(*this, y_view), dy(*this, dy_view);  // (…, n)
    assign(dx, y * (dy - row_sum(dy * y)));            // (…, n)
}

}  // namespace glassbox
