#include <glassbox/io/detail/elements.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace glassbox::detail {
namespace {

static_assert(std::endian::native == std::endian::little && std::numeric_limits<real>::is_iec559);

// IEEE half precision: 1 sign, 5 exponent (bias 15), 10 fraction bits.
float half_to_float(std::uint16_t half) {
    const int exponent = (half >> 10) & 0x1F;
    const int fraction = half & 0x3FF;
    float magnitude;
    if (exponent == 0x1F)
        magnitude =
            fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    else if (exponent == 0) magnitude = std::ldexp(static_cast<float>(fraction), -24);
    else magnitude = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

float bfloat_to_float(std::uint16_t upper) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(upper) << 16);
}

template <class T>
T load(const std::byte* from, bool swap) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), from, sizeof(T));
    if (swap) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

template <class T, class Convert>
void convert_all(const Elements& elements, real* to, Convert convert) {
    const std::byte* from = elements.bytes.data();
    const std::size_t count = elements.bytes.size() / sizeof(T);
    for (std::size_t i = 0; i < count; ++i)
        to[i] = static_cast<real>(convert(load<T>(from + i * sizeof(T), elements.big_endian)));
}

template <class T>
void copy_all(const Elements& elements, real* to) {
    if (std::is_same_v<T, real> && !elements.big_endian && !elements.bytes.empty()) {
        std::memcpy(to, elements.bytes.data(), elements.bytes.size());
        return;
    }
    convert_all<T>(elements, to, [](T value) { return value; });
}

void convert_any(const Elements& elements, real* to) {
    switch (elements.number) {
        case NumberType::f16:
            return convert_all<std::uint16_t>(elements, to, half_to_float);
        case NumberType::bf16:
            return convert_all<std::uint16_t>(elements, to, bfloat_to_float);
        case NumberType::f32:
            return copy_all<float>(elements, to);
        case NumberType::f64:
            return copy_all<double>(elements, to);
        case NumberType::i8:
            return copy_all<std::int8_t>(elements, to);
        case NumberType::i16:
            return copy_all<std::int16_t>(elements, to);
        case NumberType::i32:
            return copy_all<std::int32_t>(elements, to);
        case NumberType::i64:
            return copy_all<std::int64_t>(elements, to);
        case NumberType::u8:
            return copy_all<std::uint8_t>(elements, to);
        case NumberType::u16:
            return copy_all<std::uint16_t>(elements, to);
        case NumberType::u32:
            return copy_all<std::uint32_t>(elements, to);
        case NumberType::u64:
            return copy_all<std::uint64_t>(elements, to);
        case NumberType::boolean:
            return convert_all<std::uint8_t>(elements, to, [](std::uint8_t value) { return value != 0; });
    }
}

// Only a finite double can overflow a float; nothing overflows a double.
void reject_overflow(const Elements& elements, const real* converted, const std::string& file) {
    if (elements.number != NumberType::f64 || sizeof(real) == sizeof(double)) return;
    const std::size_t count = elements.bytes.size() / sizeof(double);
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isinf(converted[i])) continue;
        const double value = load<double>(elements.bytes.data() + i * sizeof(double), elements.big_endian);
        if (!std::isinf(value))
            fail_at(file, elements.offset + i * sizeof(double),
                    "{} is beyond what a 32-bit float holds (a build with GLASSBOX_DOUBLE reads it)", value);
    }
}

Tensor tensor_for(const Elements& elements, const std::string& file) {
    try {
        return Tensor::empty(elements.shape);
    } catch (const OutOfMemory& error) {
        fail<FileError>("{}: at byte {}: shape {}: {}", file, elements.offset, elements.shape, error.what());
    }
}

// Converts elements.bytes into the tensor, starting at its element `first`.
void convert(const Elements& elements, Tensor& tensor, std::size_t first, const std::string& file) {
    real* to = tensor.writable().data + first;
    convert_any(elements, to);
    reject_overflow(elements, to, file);
}

}  // namespace

std::size_t size_of(NumberType number) {
    switch (number) {
        case NumberType::i8:
        case NumberType::u8:
        case NumberType::boolean:
            return 1;
        case NumberType::f16:
        case NumberType::bf16:
        case NumberType::i16:
        case NumberType::u16:
            return 2;
        case NumberType::f32:
        case NumberType::i32:
        case NumberType::u32:
            return 4;
        case NumberType::f64:
        case NumberType::i64:
        case NumberType::u64:
            return 8;
    }
    return 0;
}

Tensor to_tensor(const Elements& elements, const std::string& file) {
    Tensor tensor = tensor_for(elements, file);
    convert(elements, tensor, 0, file);
    return tensor;
}

Tensor to_tensor(Elements elements, const NextBytes& next, const std::string& file) {
    Tensor tensor = tensor_for(elements, file);
    const std::size_t size = size_of(elements.number), max_chunk = std::size_t{1} << 20;
    std::size_t left = static_cast<std::size_t>(tensor.numel()) * size, done = 0;
    Bytes chunk(std::min(left, max_chunk));
    for (; left > 0; left -= elements.bytes.size()) {
        const std::span<std::byte> bytes = std::span(chunk).first(std::min(left, chunk.size()));
        next(bytes);
        elements.bytes = bytes;
        convert(elements, tensor, done / size, file);
        elements.offset += bytes.size();
        done += bytes.size();
    }
    return tensor;
}

Extent checked_extent(const std::vector<index_t>& sizes, NumberType number, const std::string& file,
                      std::uint64_t offset) {
    if (sizes.size() > static_cast<std::size_t>(Shape::max_rank))
        fail_at(file, offset, "shape has {} axes, at most {} are supported", sizes.size(), Shape::max_rank);
    // A size of 0 counts as 1: the other sizes must not overflow either, as their products are strides.
    index_t bytes = static_cast<index_t>(size_of(number));
    for (const index_t size : sizes)
        if (__builtin_mul_overflow(bytes, std::max<index_t>(size, 1), &bytes))
            fail_at(file, offset, "shape ({}) has more bytes than can be counted", fmt::join(sizes, ", "));
    const Shape shape(sizes);
    return {shape, static_cast<std::uint64_t>(shape.numel()) * size_of(number)};
}

}  // namespace glassbox::detail
