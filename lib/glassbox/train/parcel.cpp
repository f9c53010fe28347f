#include <glassbox/train/parcel.h>

#include <glassbox/tensor/memory.h>

namespace glassbox {

constexpr index_t line = 16;  // parts begin at multiples of so many numbers

index_t Parcel::add(index_t count) {
    const index_t at = size_;
    size_ += (count + line - 1) / line * line;
    return at;
}

void Parcel::pack(Device device) {
    here_.assign(static_cast<std::size_t>(size_), 0);
    there_ = Tensor::zeros({size_}, device);
}

Tensor Parcel::view(index_t at, const Shape& shape) const {
    return there_.alias(shape, contiguous_strides(shape), at);
}

void Parcel::send() {
    memory(there_.device()).from_host(there_.writable().data, here_.data(), here_.size() * sizeof(real));
}

}  // namespace glassbox
