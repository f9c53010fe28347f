#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <glassbox/io/file.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox::detail {

// The number types in files that convert to a tensor. bf16 is the upper half of a float.
enum class NumberType { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };

std::size_t size_of(NumberType number);  // in bytes

// A tensor's elements as stored in a file.
struct Elements {
    NumberType number = NumberType::f32;
    bool big_endian = false;
    Shape shape;
    std::uint64_t offset = 0;  // in the file
    ByteView bytes;            // exactly shape.numel() · size_of(number) of them
};

// The same numbers as `real`, rounded to nearest where it has less precision (2^53 + 1, 0.1), as NumPy's
// astype does. A boolean is 1 if its byte is not 0. NaN and infinity are preserved. Throws FileError when a
// finite number would become infinite: 1e300 in a float build.
Tensor to_tensor(const Elements& elements, const std::string& file);
// The same from bytes delivered in chunks, so that the encoded and the converted numbers are never all in
// memory together: `next` fills the span it is given; `elements.bytes` is ignored.
using NextBytes = std::function<void(std::span<std::byte> into)>;
Tensor to_tensor(Elements elements, const NextBytes& next, const std::string& file);

// The shape with these sizes and its size in bytes, in checked arithmetic. Throws FileError at `offset` for
// more than 8 axes, and when the number of elements or bytes overflows.
struct Extent {
    Shape shape;
    std::uint64_t bytes = 0;
};
Extent checked_extent(const std::vector<index_t>& sizes, NumberType number, const std::string& file,
                      std::uint64_t offset);

}  // namespace glassbox::detail
