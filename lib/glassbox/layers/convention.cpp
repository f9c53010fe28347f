#include <glassbox/layers/convention.h>

#include <limits>

#include <glassbox/tensor/format.h>

namespace glassbox {

const std::vector<Convention>& conventions() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    static const std::vector<Convention> all = {
        {"uva-jax", "the JAX tutorial", default_mask_fill, "jax"},
        {"uva-torch", "its PyTorch twin", -9e15, "torch"},
        {"report", "the practical report", -1e14, "torch"},
        {"paper", "Attention Is All You Need", -infinity, "jax"},
    };
    return all;
}

const Convention& convention(std::string_view name) {
    std::string known;
    for (const Convention& each : conventions()) {
        if (each.name == name) return each;
        known += (known.empty() ? "" : ", ") + each.name;
    }
    fail<UsageError>("convention: no convention '{}'; there are {}", name, known);
}

}  // namespace glassbox
