#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <glassbox/io/detail/bytes.h>

namespace glassbox {

constexpr std::uint64_t max_file_bytes = std::uint64_t{8} << 30;  // of a regular file, whose length is known
constexpr std::uint64_t max_pipe_bytes = std::uint64_t{1} << 30;  // of a pipe or device, which may never end

// How messages name a file: its path as given, "standard input" for "-".
std::string shown_name(const std::filesystem::path& path);

// Sees the first bytes of a file, start_bytes of them or as many as there are, and its length, before
// anything else is read: what throws here is refused at once, a pipe or device that never ends too.
constexpr std::size_t start_bytes = std::size_t{64} << 10;
constexpr std::uint64_t unknown_length = UINT64_MAX;  // of a pipe that has more than these
using StartCheck = std::function<void(ByteView start, std::uint64_t file_bytes)>;

// All bytes of a regular file, a pipe, or standard input ("-"; "./-" is a file of that name).
// Throws IoError: "x.npz: cannot open: No such file or directory"; also for a folder, and beyond the limits.
Bytes read_file_whole(const std::filesystem::path& path, std::uint64_t most_from_file = max_file_bytes,
                      std::uint64_t most_from_pipe = max_pipe_bytes);
Bytes read_file_whole(const std::filesystem::path& path, const StartCheck& check);

// Writes a file whole or not at all: a temporary file beside it, fsync, rename, fsync of the folder. When
// anything fails the old file is still there, unchanged, the temporary one is gone, and IoError says what
// failed and why. Where the system can, the temporary file has no name until it is whole: a program that is
// killed leaves none behind. A symbolic link stays one and its target is written; an existing file keeps its
// mode, and its owner where permitted; a new one follows the umask. What is no regular file (standard output
// as "-" or /dev/stdout, a pipe, /dev/full) is written to directly.
void write_file_whole(const std::filesystem::path& path, ByteView bytes);

// ".glassbox-4711-1a2b3c4d.tmp": a name that nobody else uses, of a file that is being written; and whether a
// name is one of these.
std::string temporary_name();
bool is_temporary_name(std::string_view name);
void write_file_whole(const std::filesystem::path& path, std::string_view text);

}  // namespace glassbox
