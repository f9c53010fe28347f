#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include <glassbox/io/detail/bytes.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// NumPy's .npy (numpy.lib.format), versions 1, 2 and 3. Numbers of every size, in both byte orders and both
// element orders, become `real`, row-major (see to_tensor in io/detail/elements.h on rounding). Strings,
// complex numbers, dates, objects (pickles), records and raw bytes are rejected with an error that names the
// type. Throws IoError when reading fails, FileError ("x.npy: at byte 10: …") when the content is invalid.
// `check` is called with the shape before the data are read, and may throw.
using ShapeCheck = std::function<void(const Shape& shape)>;
[[nodiscard]] Tensor read_npy(const std::filesystem::path& path, const ShapeCheck& check = {});
// The same from memory; `name` is used in messages.
[[nodiscard]] Tensor parse_npy(ByteView bytes, const std::string& name, const ShapeCheck& check = {});

// Version 1, row-major, little-endian float32 (float64 in a double build): the same bytes as numpy.save.
void write_npy(const std::filesystem::path& path, const Tensor& tensor);
[[nodiscard]] Bytes format_npy(const Tensor& tensor);

}  // namespace glassbox
