#include <glassbox/random/stream.h>

#include <algorithm>
#include <cmath>

#include <glassbox/random/detail/ziggurat.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace {

void check_fan(const char* op, index_t fan) {
    if (fan < 1) fail("{}: the fan must be at least 1, got {}", op, fan);
}

// Standard normals truncated at ±2, by the inverse CDF of uniforms between the CDF's values at ±2.
std::vector<float> truncated_normals(Stream& stream, const Shape& shape) {
    constexpr float sqrt2 = 1.41421356237309504880f;
    const float edge = std::erf(2.0f / sqrt2);
    const std::vector<real> drawn = stream.uniform(shape, -edge, edge).values();
    std::vector<float> x(drawn.begin(), drawn.end());
    erfinv_in_place(x);
    const float last = std::nextafter(2.0f, 0.0f);
    for (float& value : x) value = std::clamp(sqrt2 * value, -last, last);
    return x;
}

}  // namespace

Tensor xavier_uniform(Stream& stream, const Shape& shape, index_t fan_in, index_t fan_out) {
    check_fan("xavier_uniform", std::min(fan_in, fan_out));
    return stream.uniform_of_variance(shape,
                                      2.0 / (static_cast<double>(fan_in) + static_cast<double>(fan_out)));
}

Tensor linear_uniform(Stream& stream, const Shape& shape, index_t fan_in) {
    check_fan("linear_uniform", fan_in);
    const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
    return stream.uniform(shape, -bound, bound);
}

Tensor lecun_normal(Stream& stream, const Shape& shape, index_t fan_in) {
    check_fan("lecun_normal", fan_in);
    constexpr float truncated_deviation = 0.87962566103423978f;  // of a standard normal truncated at ±2
    const float variance = static_cast<float>(1.0 / static_cast<double>(fan_in));
    const float scale = std::sqrt(variance) / truncated_deviation;
    std::vector<float> x = truncated_normals(stream, shape);
    for (float& value : x) value *= scale;
    return Tensor(shape, std::vector<real>(x.begin(), x.end()));
}

}  // namespace glassbox
