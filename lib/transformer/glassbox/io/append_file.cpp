#include <glassbox/io/file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace glassbox {
namespace {

Descriptor open_to_append(const std::filesystem::path& path, AppendFile::Existing existing) {
    if (path == "-") return Descriptor::borrowed(STDOUT_FILENO);
    if (const auto number = inherited_descriptor(path)) return Descriptor::borrowed(*number);
    const int mode = existing == AppendFile::Existing::replace  ? O_TRUNC
                     : existing == AppendFile::Existing::refuse ? O_EXCL
                                                                : 0;
    const int number =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | mode, 0666);
    if (number < 0) fail_with_errno(display_name(path), "cannot open");
    return Descriptor::owned(number);
}

}  // namespace

AppendFile::AppendFile(const std::filesystem::path& path, Existing existing)
    : file_(path == "-" ? "standard output" : display_name(path)),
      descriptor_(open_to_append(path, existing)) {}

void AppendFile::append(ByteView record) {
    struct stat before {};
    const bool is_regular = ::fstat(descriptor_.number(), &before) == 0 && S_ISREG(before.st_mode);
    try {
        write_all(descriptor_, record, file_);
    } catch (const IoError&) {
        // Best effort: a pipe cannot be truncated, and if ftruncate fails there is nothing left to try.
        if (is_regular && ::ftruncate(descriptor_.number(), before.st_size) != 0) errno = 0;
        throw;
    }
}

void AppendFile::sync() {
    if (!descriptor_.sync()) fail_with_errno(file_, "cannot write");
}

void AppendFile::append(std::string_view record) {
    append(ByteView(reinterpret_cast<const std::byte*>(record.data()), record.size()));
}

}  // namespace glassbox
