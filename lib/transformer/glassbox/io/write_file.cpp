#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <random>

#include <glassbox/io/file.h>

namespace glassbox {
namespace {

// A file that is removed unless it is kept under its final name. Where the system supports it, it has no name
// until then, so that it also disappears if the program is killed.
class TemporaryFile {
  public:
    TemporaryFile(const std::filesystem::path& folder, const std::string& file);
    ~TemporaryFile() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const Descriptor& descriptor() const { return descriptor_; }
    // Makes the written file `target`, replacing any existing one. `file` is the name for errors.
    void keep_as(const std::filesystem::path& target, const std::string& file);

  private:
    Descriptor create(const std::filesystem::path& folder, const std::string& file);

    std::filesystem::path path_;  // empty for a file without a name
    Descriptor descriptor_;
};

TemporaryFile::TemporaryFile(const std::filesystem::path& folder, const std::string& file)
    : descriptor_(create(folder, file)) {}

#ifdef O_TMPFILE
constexpr bool has_unnamed_files = true;
constexpr int unnamed = O_TMPFILE;
#else
constexpr bool has_unnamed_files = false;
constexpr int unnamed = 0;
#endif
constexpr const char* open_files = "/proc/self/fd";  // the path of a file without a name

// Created with mode 0666, so that the umask and the folder's ACL apply, which mkstemp would bypass.
Descriptor TemporaryFile::create(const std::filesystem::path& folder, const std::string& file) {
    if (has_unnamed_files && ::access(open_files, X_OK) == 0)
        if (const int number = ::open(folder.c_str(), unnamed | O_WRONLY | O_CLOEXEC, 0666); number >= 0)
            return Descriptor::owned(number);
    for (int attempt = 0; attempt < 100; ++attempt) {
        std::filesystem::path path = folder / temporary_name();
        const int number = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (number >= 0) {
            path_ = std::move(path);
            return Descriptor::owned(number);
        }
        if (errno != EEXIST) break;
    }
    fail_with_errno(file, fmt::format("cannot create a file in {}", display_name(folder)));
}

// linkat cannot replace an existing file, rename can: if there is one, the unnamed file is first linked under
// a temporary name.
void TemporaryFile::keep_as(const std::filesystem::path& target, const std::string& file) {
    const auto link_as = [&](const std::filesystem::path& name) {
        const std::string opened = fmt::format("{}/{}", open_files, descriptor_.number());
        return ::linkat(AT_FDCWD, opened.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (path_.empty()) {
        if (link_as(target)) return;
        std::filesystem::path name = target.parent_path() / temporary_name();
        if (errno != EEXIST || !link_as(name)) fail_with_errno(file, "cannot link the temporary file");
        path_ = std::move(name);  // a copy might find no memory, and the file would stay
    }
    if (::rename(path_.c_str(), target.c_str()) != 0)
        fail_with_errno(file, "cannot replace it with the temporary file");
    path_.clear();
}

void sync_folder(const std::filesystem::path& folder, const std::string& file) {
    const int number = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (number < 0) return;  // a folder that is writable but not readable
    const Descriptor opened = Descriptor::owned(number);
    if (!opened.sync()) fail_with_errno(file, "was written, but its folder cannot be synced");
}

// Resolves a chain of symbolic links, to a file that need not exist. Stops early at /dev/stdout and similar.
std::filesystem::path resolve_links(std::filesystem::path path, const std::string& file) {
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

// Gives the new file the owner and mode of the one it replaces. The owner first: changing it clears mode
// bits. Only root may change the owner, so failing to is not an error.
void copy_owner_and_mode(int number, const struct stat& old, const std::string& file) {
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
    if (old) copy_owner_and_mode(temporary.descriptor().number(), *old, file);
    write_all(temporary.descriptor(), bytes, file);
    if (!temporary.descriptor().sync()) fail_with_errno(file, "cannot write");
    temporary.keep_as(target, file);
    sync_folder(folder, file);
}

void write_directly(Descriptor to, ByteView bytes, const std::string& file) {
    write_all(to, bytes, file);
    if (!to.close()) fail_with_errno(file, "cannot write");
}

void write_to_inherited(int number, ByteView bytes, const std::string& file) {
    std::cout.flush();  // keeps the order of earlier output
    std::fflush(nullptr);
    write_directly(Descriptor::borrowed(number), bytes, file);
}

constexpr std::string_view temporary_prefix = ".glassbox-", temporary_suffix = ".tmp";

}  // namespace

std::string temporary_name() {
    static std::atomic<unsigned> counter{std::random_device{}()};
    return fmt::format("{}{}-{:08x}{}", temporary_prefix, ::getpid(), ++counter, temporary_suffix);
}

bool is_temporary_name(std::string_view name) {
    return name.starts_with(temporary_prefix) && name.ends_with(temporary_suffix);
}

void write_file_atomically(const std::filesystem::path& path, ByteView bytes) {
    if (path == "-") return write_to_inherited(1, bytes, "standard output");
    const std::string file = display_name(path);
    const std::filesystem::path target = resolve_links(path, file);
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
