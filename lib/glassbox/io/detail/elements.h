#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <glassbox/io/detail/bytes.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The kinds of number that files hold and a tensor can take. bf16 is the upper half of a float.
enum class Number { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };

std::size_t size_of(Number number);  // in bytes

// Elements as they lie in a file: where they begin there, how many bytes, and what they are.
struct Elements {
    Number number = Number::f32;
    bool big_endian = false;
    Shape shape;
    std::uint64_t offset = 0;  // in the file
    ByteView bytes;            // exactly shape.numel() · size_of(number) of them
};

// The same numbers as `real`, rounded to nearest where it holds fewer digits, as NumPy's astype does (2^53 +
// 1 and 0.1 are such). A boolean is 1 where its byte is not 0. NaN and infinity stay what they are. Throws
// FileError when a finite number would become infinite: 1e300 in a float build.
Tensor to_tensor(const Elements& elements, const std::string& file);
// The same of bytes that come piece by piece, so that they are never held beside the tensor: `next` fills
// what it is given, and what `bytes` says is ignored.
using NextBytes = std::function<void(std::span<std::byte> into)>;
Tensor to_tensor(Elements elements, const NextBytes& next, const std::string& file);

// The shape with these sizes, and its bytes, in checked arithmetic. Throws FileError at `offset` when there
// are more than 8 axes, or more elements or bytes than can be counted.
struct Extent {
    Shape shape;
    std::uint64_t bytes = 0;
};
Extent checked_extent(const std::vector<index_t>& sizes, Number number, const std::string& file,
                      std::uint64_t offset);

}  // namespace glassbox
