#include <glassbox/io/file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace glassbox {
namespace {

Descriptor open_to_read(const std::filesystem::path& path, const std::string& file) {
    if (path == "-") return Descriptor::borrowed(0);
    const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (number < 0) fail_with_errno(file, "cannot open");
    return Descriptor::owned(number);
}

// Reads until `into` is full or the file ends; returns the number of bytes read.
std::size_t read_up_to(const Descriptor& from, std::span<std::byte> into, const std::string& file) {
    constexpr std::size_t max_chunk = std::size_t{1} << 30;
    std::size_t done = 0;
    while (done < into.size()) {
        const ssize_t got =
            ::read(from.number(), into.data() + done, std::min(into.size() - done, max_chunk));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_with_errno(file, "cannot read");
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

// The length is known from the file system, so that one allocation is enough.
void read_regular(const Descriptor& from, std::uint64_t length, Bytes& bytes, const std::string& file) {
    const std::size_t before = bytes.size();
    bytes.resize(std::max(before, static_cast<std::size_t>(length) + 1));  // one extra, to see the file grow
    const std::size_t got = before + read_up_to(from, std::span(bytes).subspan(before), file);
    if (got > length) fail<IoError>("{}: the file grew while it was being read", file);
    bytes.resize(got);
}

// Whether all is one piece again and again. An array's file begins with what is not repeated.
void refuse_repetition(ByteView bytes, const std::string& file) {
    constexpr std::size_t compared = 64;
    const std::string_view text = as_text(bytes);
    const std::size_t period = text.find(text.substr(0, compared), 1);
    if (period == std::string_view::npos || period > text.size() / 16) return;
    if (text.substr(period) != text.substr(0, text.size() - period)) return;
    fail<FileError>("{}: the same {} again and again, {} MiB of them so far: an input without an end", file,
                    period == 1 ? "byte" : fmt::format("{} bytes", period), text.size() >> 20);
}

// A pipe's length is unknown: it is read in growing chunks.
void read_pipe(const Descriptor& from, std::uint64_t limit, Bytes& bytes, const std::string& file) {
    constexpr std::size_t suspicious = std::size_t{16} << 20;
    bool ended = bytes.size() < start_bytes;
    for (std::size_t chunk = start_bytes; !ended; chunk = std::min(chunk * 2, std::size_t{64} << 20)) {
        const std::size_t before = bytes.size();
        bytes.resize(before + chunk);
        const std::size_t got = read_up_to(from, std::span(bytes).subspan(before), file);
        bytes.resize(before + got);
        ended = got < chunk;
        if (before < suspicious && bytes.size() >= suspicious) refuse_repetition(bytes, file);
        if (bytes.size() > limit) break;
    }
    if (bytes.size() > limit) fail<IoError>("{}: more than {} bytes, the limit for a pipe", file, limit);
}

Bytes read_checked(const std::filesystem::path& path, const StartCheck& check, std::uint64_t max_from_file,
                   std::uint64_t max_from_pipe) {
    const std::string file = display_name(path);
    const Descriptor from = open_to_read(path, file);
    struct stat about {};
    if (::fstat(from.number(), &about) != 0) fail_with_errno(file, "cannot read");
    if (S_ISDIR(about.st_mode)) fail<IoError>("{}: cannot read: it is a folder", file);
    if (S_ISBLK(about.st_mode)) fail<IoError>("{}: cannot read: it is a block device", file);
    // Virtual files, as in /proc, report a size of 0 without being empty.
    const bool is_known = S_ISREG(about.st_mode) && about.st_size > 0;
    const std::uint64_t length = is_known ? static_cast<std::uint64_t>(about.st_size) : unknown_length;
    if (is_known && length > max_from_file)
        fail<IoError>("{}: {} bytes exceed the limit of {}", file, length, max_from_file);
    try {
        Bytes bytes(start_bytes);
        bytes.resize(read_up_to(from, bytes, file));
        if (check) check(bytes, bytes.size() < start_bytes ? bytes.size() : length);
        if (is_known) read_regular(from, length, bytes, file);
        else read_pipe(from, max_from_pipe, bytes, file);
        return bytes;
    } catch (const std::bad_alloc&) {
        fail<IoError>("{}: cannot read: it does not fit in memory", file);
    }
}

}  // namespace

std::string display_name(const std::filesystem::path& path) {
    if (path == "-") return "standard input";
    return printable(path.string(), 4096);
}

namespace {

std::filesystem::file_type type_of(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::file_type type = std::filesystem::status(path, error).type();
    if (type == std::filesystem::file_type::none)
        fail<IoError>("{}: cannot be inspected: {}", display_name(path), error.message());
    return type;
}

}  // namespace

bool is_there(const std::filesystem::path& path) {
    return type_of(path) != std::filesystem::file_type::not_found;
}

bool is_folder(const std::filesystem::path& path) {
    return type_of(path) == std::filesystem::file_type::directory;
}

Bytes read_file(const std::filesystem::path& path, std::uint64_t max_from_file, std::uint64_t max_from_pipe) {
    return read_checked(path, {}, max_from_file, max_from_pipe);
}

Bytes read_file(const std::filesystem::path& path, const StartCheck& check) {
    return read_checked(path, check, max_file_bytes, max_pipe_bytes);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
    write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace glassbox
