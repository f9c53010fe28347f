#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <random>

#include <glassbox/io/descriptor.h>
#include <glassbox/io/file.h>

namespace glassbox {
namespace {

// A file that disappears again unless it is kept under its final name.
class TemporaryFile {
  public:
    TemporaryFile(const std::filesystem::path& folder, const std::string& file);
    ~TemporaryFile() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    Descriptor& descriptor() { return descriptor_; }
    void rename_to(const std::filesystem::path& target, const std::string& file) {
        if (::rename(path_.c_str(), target.c_str()) != 0)
            fail_with_errno(file, "cannot replace it by what was written");
        path_.clear();
    }

  private:
    Descriptor create(const std::filesystem::path& folder, const std::string& file);

    std::filesystem::path path_;
    Descriptor descriptor_;
};

TemporaryFile::TemporaryFile(const std::filesystem::path& folder, const std::string& file)
    : descriptor_(create(folder, file)) {}

// Made with mode 0666, so that the umask and the folder's rules decide, which mkstemp does not let them do.
Descriptor TemporaryFile::create(const std::filesystem::path& folder, const std::string& file) {
    static std::atomic<unsigned> counter{std::random_device{}()};
    for (int attempt = 0; attempt < 100; ++attempt) {
        std::filesystem::path path = folder / fmt::format(".glassbox-{}-{:08x}.tmp", ::getpid(), ++counter);
        const int number = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (number >= 0) {
            path_ = std::move(path);
            return Descriptor::owned(number);
        }
        if (errno != EEXIST) break;
    }
    fail_with_errno(file, fmt::format("cannot create a file in {}", shown_name(folder)));
}

// Some file systems cannot fsync, and say EINVAL: that is no failure.
bool synced(int number) { return ::fsync(number) == 0 || errno == EINVAL || errno == ENOTSUP; }

void sync_folder(const std::filesystem::path& folder, const std::string& file) {
    const int number = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (number < 0) return;  // a folder one may write but not list
    const Descriptor opened = Descriptor::owned(number);
    if (!synced(number)) fail_with_errno(file, "was written, but its folder cannot be synced");
}

// The file at the end of a chain of symbolic links; it need not exist. Stops early at /dev/stdout and its
// like.
std::filesystem::path end_of_links(std::filesystem::path path, const std::string& file) {
    for (int link = 0; link < 40; ++link) {
        std::error_code error;
        if (inherited_descriptor(path)) return path;
        const std::filesystem::path next = std::filesystem::read_symlink(path, error);
        if (error) return path;
        path = path.parent_path() / next;
    }
    errno = ELOOP;
    fail_with_errno(file, "cannot open");
}

// Numbers of a file that replaces `old` as if it had been written in place. The owner first: a change of
// owner clears bits of the mode. Only root may give files away, so a refusal is no error.
void take_owner_and_mode(int number, const struct stat& old, const std::string& file) {
    if (::fchown(number, old.st_uid, old.st_gid) != 0 &&
        ::fchown(number, static_cast<uid_t>(-1), old.st_gid) != 0)
        errno = 0;
    if (::fchmod(number, old.st_mode & 07777) != 0) fail_with_errno(file, "cannot set the mode");
}

void replace(const std::filesystem::path& target, const struct stat* old, ByteView bytes,
             const std::string& file) {
    if (old && ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0)
        fail_with_errno(file, "cannot write");
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
    TemporaryFile temporary(folder, file);
    if (old) take_owner_and_mode(temporary.descriptor().number(), *old, file);
    write_all(temporary.descriptor(), bytes, file);
    if (!synced(temporary.descriptor().number())) fail_with_errno(file, "cannot write");
    if (!temporary.descriptor().close()) fail_with_errno(file, "cannot write");
    temporary.rename_to(target, file);
    sync_folder(folder, file);
}

void write_directly(Descriptor to, ByteView bytes, const std::string& file) {
    write_all(to, bytes, file);
    if (!to.close()) fail_with_errno(file, "cannot write");
}

void write_to_inherited(int number, ByteView bytes, const std::string& file) {
    std::cout.flush();  // what was printed before comes before
    std::fflush(nullptr);
    write_directly(Descriptor::borrowed(number), bytes, file);
}

}  // namespace

void write_file_whole(const std::filesystem::path& path, ByteView bytes) {
    if (path == "-") return write_to_inherited(1, bytes, "standard output");
    const std::string file = shown_name(path);
    const std::filesystem::path target = end_of_links(path, file);
    if (const auto number = inherited_descriptor(target)) return write_to_inherited(*number, bytes, file);

    struct stat old {};
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) fail_with_errno(file, "cannot open");
    if (exists && S_ISDIR(old.st_mode)) fail<IoError>("{}: cannot write: it is a folder", file);
    if (!exists || S_ISREG(old.st_mode)) return replace(target, exists ? &old : nullptr, bytes, file);

    const int number = ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (number < 0) fail_with_errno(file, "cannot open");
    write_directly(Descriptor::owned(number), bytes, file);
}

}  // namespace glassbox
