#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <glassbox/io/detail/bytes.h>

namespace glassbox {

constexpr std::uint64_t max_file_bytes = std::uint64_t{8} << 30;  // for a regular file, of known length
constexpr std::uint64_t max_pipe_bytes = std::uint64_t{1}
                                         << 30;  // for a pipe or device, which may be endless

// A file's name in messages: its path as given, "standard input" for "-".
std::string display_name(const std::filesystem::path& path);

// Whether the path leads to something. Throws IoError where that cannot be told: a folder that may not be
// searched, or a disk that fails. (What cannot be seen must not be taken for what is not there, and be
// written over.)
bool is_there(const std::filesystem::path& path);
// Whether it leads to a folder. The same.
bool is_folder(const std::filesystem::path& path);

// Called with the first start_bytes of a file (or all, if it is shorter) and its length, before the rest is
// read. By throwing it rejects a file early, even a pipe or device that never ends.
constexpr std::size_t start_bytes = std::size_t{64} << 10;
constexpr std::uint64_t unknown_length = UINT64_MAX;  // for a pipe with more than start_bytes
using StartCheck = std::function<void(ByteView start, std::uint64_t file_bytes)>;

// All bytes of a regular file, a pipe, or standard input ("-"; "./-" is a file of that name).
// Throws IoError: "x.npz: cannot open: No such file or directory"; also for folders and above the limits.
Bytes read_file(const std::filesystem::path& path, std::uint64_t max_from_file = max_file_bytes,
                std::uint64_t max_from_pipe = max_pipe_bytes);
Bytes read_file(const std::filesystem::path& path, const StartCheck& check);

// Writes a file atomically: temporary file in the same folder, fsync, rename, fsync of the folder. On any
// failure the old file is unchanged, the temporary file is removed, and IoError says what failed and why;
// only where the folder's fsync fails has it been replaced, and the message says so.
// Where the system supports it, the temporary file has no name until it is complete, so that a killed program
// leaves none behind. Symbolic links are followed; an existing file keeps its mode, and its owner where
// permitted; a new one follows the umask. Anything but a regular file (standard output as "-" or /dev/stdout,
// a pipe, /dev/full) is written to directly.
void write_file_atomically(const std::filesystem::path& path, ByteView bytes);

// ".glassbox-4711-1a2b3c4d.tmp": a unique name for a file that is being written; and whether a name is of
// this form.
std::string temporary_name();
bool is_temporary_name(std::string_view name);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace glassbox
