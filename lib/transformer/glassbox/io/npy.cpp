#include <glassbox/io/numpy.h>

#include <algorithm>

#include <glassbox/io/detail/npy_header.h>
#include <glassbox/io/file.h>

namespace glassbox {

using namespace detail;

namespace {

constexpr std::size_t data_alignment = 64;  // of the first element in the file

// Column-major to row-major.
Tensor from_fortran(const Tensor& tensor, const Shape& shape) {
    std::vector<index_t> reversed = shape.to_vector();
    std::reverse(reversed.begin(), reversed.end());
    const Strides reversed_strides = contiguous_strides(Shape(reversed));
    Strides strides{};
    for (int axis = 0; axis < shape.rank(); ++axis) strides[axis] = reversed_strides[shape.rank() - 1 - axis];
    return Tensor(shape, tensor.alias(shape, strides).values());
}

// Like NumPy, pads the header so that the first size can be rewritten in place with up to 21 digits.
std::string header_text(const Shape& shape) {
    std::string text =
        fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': {}, }}", sizeof(real), shape.str());
    if (shape.rank() > 0) text.append(21 - fmt::formatted_size("{}", shape[0]), ' ');
    const std::size_t before = 10 + text.size() + 1;             // including magic, length and newline
    text.append(data_alignment - before % data_alignment, ' ');  // NumPy adds 64 rather than none
    return text + '\n';
}

}  // namespace

Tensor detail::npy_data(const NpyHeader& header, const NextBytes& next, const std::string& file) {
    const Elements elements{header.number, header.big_endian, header.shape, header.data_offset, {}};
    const Tensor tensor = to_tensor(elements, next, file);
    return header.fortran_order && header.shape.rank() > 1 ? from_fortran(tensor, header.shape) : tensor;
}

Tensor parse_npy(ByteView bytes, const std::string& name, const ShapeCheck& check) {
    const NpyHeader header = parse_npy_header(bytes, bytes.size(), name);
    if (check) check(header.shape);
    ByteView rest = bytes.subspan(header.data_offset);
    const auto next = [&](std::span<std::byte> into) {
        std::copy_n(rest.begin(), into.size(), into.begin());
        rest = rest.subspan(into.size());
    };
    return npy_data(header, next, name);
}

Tensor read_npy(const std::filesystem::path& path, const ShapeCheck& check) {
    const std::string name = display_name(path);
    const auto at_start = [&](ByteView start, std::uint64_t file_bytes) {
        if (npy_header_end(start, file_bytes, name) > start.size())
            return;  // the header goes on after `start`: parse_npy checks it
        const NpyHeader header = parse_npy_header(start, file_bytes, name);
        if (check) check(header.shape);
    };
    return parse_npy(read_file(path, at_start), name, check);
}

Bytes format_npy(const Tensor& tensor) {
    const std::string header = header_text(tensor.shape());
    const std::vector<real> values = tensor.values();
    Bytes bytes;
    bytes.reserve(10 + header.size() + values.size() * sizeof(real));
    append_text(bytes, "\x93NUMPY");
    append_little_endian<std::uint16_t>(bytes, 0x0001);  // version 1.0
    append_little_endian(bytes, static_cast<std::uint16_t>(header.size()));
    append_text(bytes, header);
    const ByteView data = std::as_bytes(std::span(values));
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
    write_file_atomically(path, format_npy(tensor));
}

}  // namespace glassbox
