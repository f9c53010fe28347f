#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

// A little-endian number at `from`, which need not be aligned. The caller has checked the bounds.
template <class T>
T load_little_endian(const std::byte* from) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(from[i]) << (8 * i)));
    return value;
}

template <class T>
void append_little_endian(Bytes& bytes, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

inline void append_text(Bytes& bytes, std::string_view text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    bytes.insert(bytes.end(), first, first + text.size());
}

inline std::string_view as_text(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Throws FileError in the form shared by all readers: file, offset, reason.
template <class... Args>
[[noreturn]] void fail_at(const std::string& file, std::uint64_t offset, fmt::format_string<Args...> reason,
                          Args&&... args) {
    throw FileError(
        fmt::format("{}: at byte {}: {}", file, offset, fmt::format(reason, std::forward<Args>(args)...)));
}

constexpr std::uint64_t max_file_bytes = std::uint64_t{8} << 30;  // for a regular file, of known length
constexpr std::uint64_t max_pipe_bytes = std::uint64_t{1}
                                         << 30;  // for a pipe or device, which may be endless

// A file's name in messages: its path as given, "standard input" for "-".
std::string display_name(const std::filesystem::path& path);

// Whether the path leads to something. Throws IoError if that is unknown: a folder that may not be searched,
// or a disk that fails. (A file that cannot be seen must not be taken for missing and overwritten.)
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
// failure the old file is unchanged, the temporary file is removed, and IoError reports what failed and why;
// only if the folder's fsync fails has it been replaced, and the message reports it.
// Where the system supports it, the temporary file has no name until it is complete, so that a killed program
// leaves none. Symbolic links are followed; an existing file keeps its mode, and its owner where permitted; a
// new one follows the umask. Anything but a regular file (standard output as "-" or /dev/stdout, a pipe,
// /dev/full) is written to directly.
void write_file_atomically(const std::filesystem::path& path, ByteView bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

// ".glassbox-4711-1a2b3c4d.tmp": a unique name for a file that is being written; and whether a name is of
// this form.
std::string temporary_name();
bool is_temporary_name(std::string_view name);

// What the reader of a file seeks, which decides what to type instead.
enum class Sought { weights, arrays, text };

// A file as its first bytes name it.
struct FileKind {
    std::string what;      // "a Git LFS pointer to a file of 90868376 bytes"
    std::string advice;    // "git lfs pull fetches the file itself"; may be empty
    bool is_text = false;  // a reader of text could take it: an HTML page, JSON
    bool is_npz = false;   // or could be: a zip that is nothing else
};

// None for plain text, and for bytes of no kind that is known. `start` is the whole file or its first bytes,
// at least some 1,000 if it has as many; `file` its name, for the advice.
std::optional<FileKind> kind_of_file(ByteView start, const std::string& file, Sought sought);

// For a reader that has found that the file is not of its kind. Throws FileError if the kind is known:
// "model.safetensors: expected a .safetensors file, got a Git LFS pointer …: git lfs pull …".
// With Sought::text only for what no reader of text can take.
void refuse_other_kind(ByteView start, const std::string& file, Sought sought, std::string_view needed);

// For the start of what is read as text (a StartCheck): what no reader of text can take, and what a
// device or pipe gives more of than the start, with bytes of 0 in it: /dev/urandom has no end. With
// Sought::arrays only the latter.
std::function<void(ByteView start, std::uint64_t file_bytes)> text_check(const std::filesystem::path& file,
                                                                         std::string_view needed,
                                                                         Sought sought = Sought::text);

// The line that joins a model's shards, "model-00001-of-00004.safetensors", in a folder ("" or "models/").
std::string joined_shards(const std::string& folder);

// A name as a word of a shell, in quotes where it needs them.
std::string shell_word(const std::string& text);

// Throws IoError with the reason in errno: "x.npz: cannot open: No such file or directory".
[[noreturn]] void fail_with_errno(const std::string& file, const std::string& what);

// An open file descriptor: owned, and closed by the destructor, or borrowed from the process (standard
// output) and left open.
class Descriptor {
  public:
    static Descriptor owned(int number) { return Descriptor(number, true); }
    static Descriptor borrowed(int number) { return Descriptor(number, false); }
    Descriptor(Descriptor&& other) noexcept : number_(other.number_), owned_(other.owned_) {
        other.owned_ = false;
    }
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor();

    int number() const { return number_; }
    bool close();       // false, with errno set, if a delayed write fails
    bool sync() const;  // fsync; also true for files that cannot be synced, such as pipes

  private:
    Descriptor(int number, bool owned) : number_(number), owned_(owned) {}
    int number_;
    bool owned_;
};

// Writes all of `bytes`, in several calls if necessary. `file` is the name for errors.
void write_all(const Descriptor& to, ByteView bytes, const std::string& file);

// The open descriptor of this process that a path refers to: /dev/stdout is 1, /dev/fd/5 is 5.
std::optional<int> inherited_descriptor(const std::filesystem::path& path);

// A file to which complete records are appended, and which can be read at any time. Once append() returns,
// the operating system has the record: it is not lost if the program is killed.
class AppendFile {
  public:
    enum class Existing { replace, keep, refuse };

    // "-" and /dev/stdout mean standard output. Throws IoError: "run.jsonl: cannot open: Permission denied".
    AppendFile(const std::filesystem::path& path, Existing existing);

    // All or nothing: if the disk is full, the file is truncated to its old length and IoError is thrown.
    void append(ByteView record);
    void append(std::string_view record);
    // Flushes to disk, to survive a power failure; a no-op for pipes and terminals.
    void sync();

  private:
    std::string file_;
    Descriptor descriptor_;
};

// The cyclic redundancy check of RFC 3720 (Castagnoli's polynomial, 0x1EDC6F41).
std::uint32_t crc32c(ByteView bytes);
std::string checksum(const Tensor& tensor);  // of its numbers, on any device: "1a2b3c4d"

}  // namespace glassbox
