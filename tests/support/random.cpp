#include "support/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace glassbox_test {

using namespace glassbox;

namespace {
real rounded(double x) { return static_cast<real>(std::round(x * 4096) / 4096); }
}  // namespace

index_t Random::whole(index_t min, index_t max) {
    return std::uniform_int_distribution<index_t>(min, max)(engine_);
}

double Random::normal() { return std::normal_distribution<double>()(engine_); }

double Random::uniform(double min, double max) {
    return std::uniform_real_distribution<double>(min, max)(engine_);
}

Tensor Random::normal(const Shape& shape) {
    std::vector<real> values(static_cast<std::size_t>(shape.numel()));
    for (real& value : values) value = rounded(normal());
    return Tensor(shape, values);
}

Tensor Random::uniform(const Shape& shape, double min, double max) {
    std::vector<real> values(static_cast<std::size_t>(shape.numel()));
    for (real& value : values) value = rounded(uniform(min, max));
    return Tensor(shape, values);
}

Tensor Random::zeros_and_ones(const Shape& shape) {
    std::vector<real> values(static_cast<std::size_t>(shape.numel()));
    for (real& value : values) value = whole(0, 2) > 0 ? real(1) : real(0);
    return Tensor(shape, values);
}

Shape Random::shape(int min_rank, int max_rank, index_t max_size, bool empty) {
    std::vector<index_t> sizes(static_cast<std::size_t>(whole(min_rank, max_rank)));
    for (index_t& size : sizes) size = whole(1, max_size);
    if (empty && !sizes.empty() && whole(0, 9) == 0)
        sizes[static_cast<std::size_t>(whole(0, static_cast<index_t>(sizes.size()) - 1))] = 0;
    return Shape(sizes);
}

Shape Random::broadcastable(const Shape& shape) {
    std::vector<index_t> sizes = shape.to_vector();
    for (index_t& size : sizes)
        if (whole(0, 2) == 0) size = 1;
    sizes.erase(sizes.begin(), sizes.begin() + whole(0, static_cast<index_t>(sizes.size())));
    return Shape(sizes);
}

Tensor Random::scattered(const Tensor& x, Device device) {
    const std::size_t rank = static_cast<std::size_t>(x.rank());
    std::vector<std::size_t> order(rank);  // the storage's axes, outermost first
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), engine_);

    Strides strides{};
    index_t step = whole(1, 2);
    for (std::size_t i = rank; i-- > 0;) {
        strides[order[i]] = step;
        step *= x.size(static_cast<int>(order[i])) + whole(0, 1);
        step = std::max<index_t>(step, 1);
    }
    const index_t offset = whole(0, 3);
    std::vector<real> storage(static_cast<std::size_t>(offset + step),
                              std::numeric_limits<real>::quiet_NaN());
    const Tensor shape_only = x.to(Device::cpu);
    const std::vector<real> values = shape_only.values();
    std::vector<index_t> position(rank, 0);
    for (real value : values) {
        index_t at = offset;
        for (std::size_t axis = 0; axis < rank; ++axis) at += position[axis] * strides[axis];
        storage[static_cast<std::size_t>(at)] = value;
        for (std::size_t axis = rank; axis-- > 0;) {
            if (++position[axis] < x.size(static_cast<int>(axis))) break;
            position[axis] = 0;
        }
    }
    return Tensor(Shape{offset + step}, storage, device).alias(x.shape(), strides, offset);
}

}  // namespace glassbox_test
