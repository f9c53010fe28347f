#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/io/detail/bytes.h>
#include <glassbox/io/named_tensors.h>

namespace glassbox {

// NumPy's .npz: a zip of .npy files, stored or deflated, ZIP64 or not. Opening reads the directory only; each
// array is unpacked when asked for, so one that cannot be read does not stand in the way of the others.
class Npz {
  public:
    // Throws IoError when reading fails, FileError when the zip is damaged or two members have one name.
    explicit Npz(const std::filesystem::path& path);
    [[nodiscard]] static Npz parse(Bytes bytes,
                                   std::string name);  // the same from memory; `name` for messages

    // The arrays' names in the file's order: members' names without ".npy"; "encoder/0/Q" keeps its slashes.
    [[nodiscard]] const std::vector<std::string>& names() const;
    [[nodiscard]] bool contains(std::string_view name) const;
    // Throws FileError when there is no such array (and says which there are), when its checksum, size or
    // header is wrong, and when its elements are no numbers ("x.npz: member 'Q.npy': at byte 10: …", counted
    // in the member).
    [[nodiscard]] Tensor read(std::string_view name) const;
    // What read(name) would have: only the array's header is unpacked, whatever its size. Throws as read
    // does, but for what is damaged behind the header.
    [[nodiscard]] Shape shape(std::string_view name) const;

  private:
    class Archive;
    explicit Npz(std::shared_ptr<Archive> archive) : archive_(std::move(archive)) {}
    std::shared_ptr<Archive> archive_;
};

// All arrays of numbers. Members whose elements are not numbers (text, dates, objects) are left out and
// listed with the reason in `skipped`; anything damaged throws, as above.
struct NpzContent {
    NamedTensors arrays;
    std::vector<std::string> skipped;
};
[[nodiscard]] NpzContent read_npz(const std::filesystem::path& path);
[[nodiscard]] NpzContent read_all(const Npz& npz);

// Writes what numpy.load reads. The same tensors give the same bytes: members are dated 1980-01-01.
// Throws Error on two equal names and on control characters in one, IoError when writing fails (the old file
// is intact then).
enum class Compression { stored, deflated };
void write_npz(const std::filesystem::path& path, const NamedTensors& arrays,
               Compression compression = Compression::stored);
[[nodiscard]] Bytes format_npz(const NamedTensors& arrays, Compression compression = Compression::stored);

}  // namespace glassbox
