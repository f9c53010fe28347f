#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <glassbox/io/file.h>
#include <glassbox/io/named_tensors.h>

namespace glassbox {

// The safetensors format (huggingface/safetensors): 8 bytes of header length, a JSON header, the numbers.
struct Safetensors {
    NamedTensors tensors;                         // in the order of their data in the file
    std::map<std::string, std::string> metadata;  // the header's "__metadata__", without the checksums
    std::vector<std::string> of_bytes;            // the tensors of type I8 or U8, as quantised weights are
    bool has_checksums = false;                   // written by Glassbox; all checksums have been verified

    const Tensor& operator[](std::string_view name) const;  // throws Error without one
};

// F16, BF16, F32, F64, I8 … I64, U8 … U64 and BOOL become `real` (see to_tensor in io/detail/elements.h on
// rounding); complex numbers and floats of 8 bits or fewer are rejected with an error that names the type.
// Throws IoError when reading fails; FileError ("x.safetensors: at byte 17: …") unless the header is UTF-8
// JSON of at most 16 MB within the file, no key is duplicated, and the tensors' data match their shapes and
// fill the rest of the file without gap or overlap; also FileError, with the tensor's name, if its data do
// not match the checksum in the metadata (see io/detail/safetensors_checksum.h).
[[nodiscard]] Safetensors read_safetensors(const std::filesystem::path& path);
[[nodiscard]] Safetensors parse_safetensors(ByteView bytes,
                                            const std::string& name);  // from memory; `name` is for messages

// Writes F32 (F64 in a double build), the tensors in the given order, with checksums in the metadata. Throws
// Error for duplicate names and for the name "__metadata__", IoError when writing fails (see
// write_file_atomically).
void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata = {});
[[nodiscard]] Bytes format_safetensors(const NamedTensors& tensors,
                                       const std::map<std::string, std::string>& metadata = {});

}  // namespace glassbox
