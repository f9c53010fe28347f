#include <glassbox/random/detail/ziggurat.h>

#include <cmath>

namespace glassbox::detail {
namespace {

double curve(double x) { return std::exp(-0.5 * x * x); }

Ziggurat compute() {
    constexpr double r = Ziggurat::tail_start, area = Ziggurat::layer_area, scale = Ziggurat::mantissas;
    std::array<double, 256> x{};  // right edges of the layers, from the top (0) to the bottom
    x[255] = r;
    for (std::size_t i = 254; i > 0; --i) x[i] = std::sqrt(-2 * std::log(curve(x[i + 1]) + area / x[i + 1]));
    Ziggurat table;
    for (std::size_t i = 0; i < 256; ++i) {
        // Layer 0 is the bottom one: its width is its area, tail included, divided by its height.
        const double outer = i == 0 ? area / curve(r) : x[i],
                     inner = i == 0 ? r * curve(r) / area : x[i - 1] / x[i];
        table.inside[i] = static_cast<std::uint64_t>(std::nearbyint(inner * scale));
        table.width[i] = outer / scale;
        table.height[i] = curve(x[i]);
    }
    return table;
}

}  // namespace

const Ziggurat& ziggurat() {
    static const Ziggurat table = compute();
    return table;
}

}  // namespace glassbox::detail
