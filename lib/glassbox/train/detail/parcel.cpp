#include <glassbox/train/detail/parcel.h>

#include <glassbox/tensor/detail/overwritable.h>
#include <glassbox/tensor/memory.h>

namespace glassbox {

// Parts begin at multiples of so many numbers.
constexpr index_t line = 16;

void Parcel::make_room(std::size_t bytes) {
    constexpr std::size_t line_bytes = static_cast<std::size_t>(line) * sizeof(real);
    size_ += static_cast<index_t>((bytes + line_bytes - 1) / line_bytes) * line;
}

void Parcel::pack(Device device) {
    here_.assign(static_cast<std::size_t>(size_), 0);
    there_ = Tensor::zeros({size_}, device);
}

void Parcel::send() {
    memory(there_.device()).from_host(overwritable(there_).data, here_.data(), here_.size() * sizeof(real));
}

Tensor Parcel::tensor(const Part<real>& part, const Shape& shape) const {
    return there_.alias(shape, contiguous_strides(shape), part.at);
}

}  // namespace glassbox
