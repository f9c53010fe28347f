#include <glassbox/series/naive.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::naive;

namespace {

void check(const Tensor& x, index_t horizon) {
    if (x.rank() < 2 || x.size(-2) < 1 || horizon < 1)
        fail("naive forecast: needs x of shape (…, L, c) and a horizon of at least 1, got {} and {}",
             x.shape(), horizon);
}

}  // namespace

// forecast[h] = x[t],  t the window's last
Tensor last_value_forecast(const Tensor& x, index_t horizon) {
    check(x, horizon);
    const index_t L = x.size(-2);
    const Tensor last = slice(x, -2, L - 1, L);                                       // (…, 1, c)
    return named(step::last_value, broadcast_to(last, x.shape().with(-2, horizon)));  // (…, H, c)
}

// forecast[h] = x[t + h − m ⌈h / m⌉]
Tensor seasonal_naive_forecast(const Tensor& x, index_t horizon, index_t m) {
    check(x, horizon);
    const index_t L = x.size(-2);
    if (m < 1 || m > L)
        fail("seasonal naive forecast: needs a season from 1 to the window's {}, got {}", L, m);
    const Tensor season = slice(x, -2, L - m, L);  // (…, m, c)
    std::vector<Tensor> seasons(static_cast<std::size_t>((horizon + m - 1) / m), season);
    return named(step::seasonal, slice(concat(seasons, -2), -2, 0, horizon));  // (…, H, c)
}

}  // namespace glassbox
