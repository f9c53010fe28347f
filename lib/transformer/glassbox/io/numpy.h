#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <glassbox/io/file.h>
#include <glassbox/io/named_tensors.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// An element type that a tensor cannot hold, in an otherwise well-formed file.
class UnsupportedElements : public FileError {
  public:
    using FileError::FileError;
};

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

// NumPy's .npz: a zip of .npy files, stored or deflated, ZIP64 or not. Opening it parses only the directory;
// each array is decompressed on request, so one that cannot be read does not affect the others.
class Npz {
  public:
    // Throws IoError when reading fails, FileError when the zip is damaged or two members have the same name.
    explicit Npz(const std::filesystem::path& path);
    [[nodiscard]] static Npz parse(Bytes bytes,
                                   std::string name);  // the same from memory; `name` is used in messages

    // The arrays' names in file order: members' names without ".npy"; "encoder/0/Q" keeps its slashes.
    [[nodiscard]] const std::vector<std::string>& names() const;
    [[nodiscard]] bool contains(std::string_view name) const;
    // Throws FileError when there is no such array (the message lists the names), when its checksum, size or
    // header is wrong, and when its elements are not numbers ("x.npz: member 'Q.npy': at byte 10: …", with
    // the offset in the member).
    [[nodiscard]] Tensor read(std::string_view name) const;
    // Whether its elements are whole numbers of 8 bits, as quantised weights are. Throws as shape does.
    [[nodiscard]] bool is_of_bytes(std::string_view name) const;
    // The shape of read(name), for which only the array's header is decompressed. Throws as read does, except
    // for damage after the header.
    [[nodiscard]] Shape shape(std::string_view name) const;

  private:
    class Archive;
    explicit Npz(std::shared_ptr<Archive> archive) : archive_(std::move(archive)) {}
    std::shared_ptr<Archive> archive_;
};

// All numeric arrays. Members with other elements (text, dates, objects) are left out and listed in `skipped`
// with the reason; damaged ones throw, as above.
struct NpzContent {
    NamedTensors arrays;
    std::vector<std::string> skipped;
    std::vector<std::string> of_bytes{};  // the arrays of int8 or uint8
};
[[nodiscard]] NpzContent read_npz(const std::filesystem::path& path);
[[nodiscard]] NpzContent read_all(const Npz& npz);

// Writes a file for numpy.load. The same tensors give the same bytes: members are dated 1980-01-01.
// Throws Error for duplicate names and for control characters in a name, IoError when writing fails (see
// write_file_atomically).
enum class Compression { stored, deflated };
void write_npz(const std::filesystem::path& path, const NamedTensors& arrays,
               Compression compression = Compression::stored);
[[nodiscard]] Bytes format_npz(const NamedTensors& arrays, Compression compression = Compression::stored);

// A zip of any files, in this order, dated 1980-01-01. Names must be UTF-8 and distinct, else IoError.
[[nodiscard]] Bytes format_zip(const std::vector<std::pair<std::string, Bytes>>& files,
                               Compression compression);

}  // namespace glassbox
