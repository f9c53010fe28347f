#pragma once
#include <cstdint>
#include <vector>

#include <glassbox/tensor/tensor.h>

// Random numbers of mean 0 and variance 1, uniform between −√3 and √3, by xorshift: hundreds of millions per
// second. (On ones or zeros a GPU draws less power, and runs faster than on real data.)
inline glassbox::Tensor noise(const glassbox::Shape& shape, glassbox::Device device, std::uint64_t seed) {
    std::vector<glassbox::real> values(static_cast<std::size_t>(shape.numel()));
    std::uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
    for (glassbox::real& value : values) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        value = static_cast<glassbox::real>(static_cast<double>(state >> 11) * 0x1p-53 * 3.4641016151377544 -
                                            1.7320508075688772);
    }
    return glassbox::Tensor(shape, values, device);
}
