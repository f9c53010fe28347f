#include "grade/hand_in.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <glassbox/io/detail/file.h>
#include <glassbox/tensor/format.h>

namespace tracer {

namespace fs = std::filesystem;
using glassbox::fail;
using glassbox::IoError;

namespace {

class Opened {
  public:
    explicit Opened(int descriptor) : descriptor_(descriptor) {}
    ~Opened() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    int get() const { return descriptor_; }

  private:
    int descriptor_;
};

// What is the student's own doing. Anything else, a disk that fails say, is not, and costs no points.
std::string why_not_opened(int error, const fs::path& path, const std::string& name) {
    if (error == ENOENT) return "there is no " + name;
    if (error == ELOOP || error == ENOTDIR) return name + " is a link, and a link is not followed";
    if (error == EACCES || error == EPERM || error == ENXIO || error == ENAMETOOLONG)
        return name + " cannot be read: " + std::strerror(error);
    fail<IoError>("{}: cannot open: {}", glassbox::display_name(path), std::strerror(error));
}

std::string all_bytes(int descriptor, std::size_t most, const fs::path& path) {
    std::string bytes;
    char part[65536];
    for (ssize_t n; bytes.size() <= most && (n = ::read(descriptor, part, sizeof part)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail<IoError>("{}: cannot read: {}", glassbox::display_name(path), std::strerror(errno));
        bytes.append(part, static_cast<std::size_t>(n));
    }
    return bytes;
}

}  // namespace

std::vector<std::string> students_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        // A link to a folder is listed, too: its owner is told why it was not read.
        std::error_code unknown;
        if (!name.starts_with(".") && entry->is_directory(unknown)) names.push_back(name);
        if (unknown == std::errc::io_error || unknown == std::errc::not_enough_memory)
            fail<IoError>("{}: cannot be looked at: {}", glassbox::display_name(entry->path()),
                          unknown.message());
    }
    if (error) fail<IoError>("{}: cannot be listed: {}", glassbox::display_name(folder), error.message());
    std::sort(names.begin(), names.end());
    return names;
}

HandInFile read_hand_in_file(const fs::path& folder, const std::string& student, const std::string& file,
                             double most_mib) {
    const Opened own(::open((folder / student).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (own.get() < 0) return {"", why_not_opened(errno, folder / student, "the student's folder")};
    // A pipe would wait for a writer.
    const Opened opened(::openat(own.get(), file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (opened.get() < 0) return {"", why_not_opened(errno, folder / student / file, file), errno == ENOENT};
    struct stat about {};
    if (::fstat(opened.get(), &about) != 0)
        fail<IoError>("{}: cannot read: {}", glassbox::display_name(folder / student / file),
                      std::strerror(errno));
    if (!S_ISREG(about.st_mode))
        return {"", file + (S_ISDIR(about.st_mode) ? " is a folder, not a file" : " is no file")};
    const auto most = static_cast<std::size_t>(most_mib * 1048576);
    if (static_cast<std::uint64_t>(about.st_size) > most)
        return {"", fmt::format("{} has {:.1f} MiB, and {} are allowed", file,
                                static_cast<double>(about.st_size) / 1048576, most_mib)};
    HandInFile hand_in{all_bytes(opened.get(), most, folder / student / file), ""};
    if (hand_in.bytes.empty()) return {"", file + " is empty"};
    return hand_in;
}

}  // namespace tracer
