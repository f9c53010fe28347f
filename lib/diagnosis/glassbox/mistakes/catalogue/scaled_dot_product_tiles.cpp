#include <glassbox/layers/scaled_dot_product.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::scaled_dot_product;

namespace {

struct Tiled {
    bool rescales_O = true, rescales_l = true;
};

// Attention tile by tile of `size` keys, as FlashAttention has it:
// m ← max(m, S),  P = exp(S − m),  α = exp(m_before − m),  l ← α l + Σ P,  O ← α O + P V,  at the end O / l.
Tensor in_tiles(const Frame& f, index_t size, Tiled how) {
    const Tensor &S = f.operation("attention").inputs[0], &V = f["V"];
    const index_t n_k = S.size(-1);
    if (n_k <= size) return not_here;
    Tensor m = Tensor::full(S.shape().with(-1, 1), -std::numeric_limits<double>::infinity());
    Tensor l = Tensor::zeros(m.shape()), O;
    for (index_t j = 0; j < n_k; j += size) {
        const index_t end = std::min(j + size, n_k);
        const Tensor tile = slice(S, -1, j, end), largest = max(tile, -1, true);
        const Tensor m_before = m;
        m = where(largest > m, largest, m);  // (…, n_q, 1)
        const Tensor P = exp(tile - m), alpha = exp(m_before - m);
        const Tensor PV = matmul(P, slice(V, -2, j, end));  // (…, n_q, d_v)
        l = (how.rescales_l ? alpha * l : l) + sum(P, -1, true);
        O = O.defined() ? (how.rescales_O ? alpha * O : O) + PV : PV;
    }
    return O / l;
}

constexpr index_t shown_size = 2;  // of the many that a tile may have

Mistake of_tiles(const char* name, const char* formula, const char* sentence, Tiled how) {
    return Mistake{step::values, name, formula, sentence,
                   [=](const Frame& f, const Tensor&) { return in_tiles(f, shown_size, how); }}
        .known_by([=](const Frame& f, const Tensor& made, const Tensor& given) {
            const std::vector<real> numbers = given.values();
            const auto is_it = [&](const Tensor& tiled) {
                if (!tiled.defined() || tiled.shape() != made.shape()) return false;
                constexpr double rounding = 1e-5;
                const std::vector<real> values = tiled.values();
                return std::equal(values.begin(), values.end(), numbers.begin(), [](real a, real b) {
                    return std::abs(static_cast<double>(a) - static_cast<double>(b)) <=
                           rounding * (1 + std::abs(static_cast<double>(a)));
                });
            };
            if (given.shape() != made.shape() || is_it(made)) return false;
            for (index_t size = 1; size < f["K"].size(-2); ++size)
                if (is_it(in_tiles(f, size, how))) return true;
            return false;
        });
}

}  // namespace

// values, computed tile by tile without the whole matrix of weights
std::vector<Mistake> scaled_dot_product_tiles() {
    return {
        of_tiles(
            "output-not-rescaled", "O ← O + P V, not exp(m_before − m) O + P V, tile by tile",
            "Tile by tile: when a larger score comes, l is rescaled to it, but the output so far is not.",
            {.rescales_O = false}),
        of_tiles(
            "sum-not-rescaled", "l ← l + Σ P, not exp(m_before − m) l + Σ P, tile by tile",
            "Tile by tile: when a larger score comes, the output is rescaled to it, but the sum l is not.",
            {.rescales_l = false}),
        of_tiles(
            "tiles-not-rescaled", "O / l, neither multiplied by exp(m_before − m), tile by tile",
            "Tile by tile: when a larger score comes, neither the output so far nor l is rescaled to it.",
            {.rescales_O = false, .rescales_l = false}),
    };
}

}  // namespace glassbox::catalogue
