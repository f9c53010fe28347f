#include <glassbox/train/detail/upload_buffer.h>

#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/memory.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox::detail {

// The alignment of parts, in numbers.
constexpr index_t alignment = 16;

void UploadBuffer::grow(std::size_t bytes) {
    constexpr std::size_t unit = static_cast<std::size_t>(alignment) * sizeof(real);
    size_ += static_cast<index_t>((bytes + unit - 1) / unit) * alignment;
}

void UploadBuffer::pack(Device device) {
    host_.assign(static_cast<std::size_t>(size_), 0);
    device_ = Tensor::zeros({size_}, device);
}

void UploadBuffer::send() {
    memory(device_.device()).from_host(mutable_view(device_).data, host_.data(), host_.size() * sizeof(real));
}

Tensor UploadBuffer::tensor(const Part<real>& part, const Shape& shape) const {
    return device_.alias(shape, contiguous_strides(shape), part.at);
}

}  // namespace glassbox::detail
