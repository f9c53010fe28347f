#include "grade/submission.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>

#include "grade/scratch.h"

namespace glassbox::tracer {

namespace fs = std::filesystem;

namespace {

// Errors caused by the student. Any other, such as a failing disk or the grader's own rights, costs no
// points.
std::string why_not_opened(int error, const fs::path& path, const std::string& name) {
    if (error == ENOENT) return "there is no " + name;
    if (error == ELOOP || error == ENOTDIR) return name + " is a link, which is not followed";
    if (error == ENXIO || error == ENAMETOOLONG) return name + " cannot be read: " + std::strerror(error);
    fail<IoError>("{}: cannot open: {}", display_name(path), std::strerror(error));
}

std::string all_bytes(int descriptor, std::size_t max_bytes, const fs::path& path) {
    std::string bytes;
    char part[8192];
    for (ssize_t n; bytes.size() <= max_bytes && (n = ::read(descriptor, part, sizeof part)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail<IoError>("{}: cannot read: {}", display_name(path), std::strerror(errno));
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
        // A link to a folder is also listed: the report states why it was not read.
        std::error_code unknown;
        const bool is_of_archive = name == "__MACOSX";  // beside the folders that macOS packs
        if (!name.starts_with(".") && !is_of_archive && entry->is_directory(unknown)) names.push_back(name);
        if (unknown == std::errc::io_error || unknown == std::errc::not_enough_memory)
            fail<IoError>("{}: cannot be inspected: {}", display_name(entry->path()), unknown.message());
    }
    if (error) fail<IoError>("{}: cannot be listed: {}", display_name(folder), error.message());
    std::sort(names.begin(), names.end());
    return names;
}

Submission read_submission(const fs::path& folder, const std::string& student, const std::string& file,
                           double max_mib) {
    const Descriptor own = open_folder(folder / student);
    if (own.number() < 0 && errno == ENOENT)  // it was there when the class was listed
        fail<IoError>("{}: the student's folder was removed in the meantime", display_name(folder / student));
    if (own.number() < 0) return {"", why_not_opened(errno, folder / student, "the student's folder")};
    // A pipe would wait for a writer.
    const Descriptor opened = Descriptor::owned(
        ::openat(own.number(), file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (opened.number() < 0) {
        const int error = errno;
        struct stat about {};
        if (error == ENOENT && ::fstat(own.number(), &about) == 0 && about.st_nlink == 0)
            fail<IoError>("{}: the student's folder was removed in the meantime",
                          display_name(folder / student));
        return {"", why_not_opened(error, folder / student / file, file), error == ENOENT};
    }
    struct stat about {};
    if (::fstat(opened.number(), &about) != 0)
        fail<IoError>("{}: cannot read: {}", display_name(folder / student / file), std::strerror(errno));
    if (!S_ISREG(about.st_mode))
        return {"", file + (S_ISDIR(about.st_mode) ? " is a folder, not a file" : " is not a file")};
    const auto max_bytes = static_cast<std::size_t>(max_mib * 1048576);
    if (static_cast<std::uint64_t>(about.st_size) > max_bytes)
        return {"", fmt::format("{} has {:.1f} MiB, and at most {} are allowed", file,
                                static_cast<double>(about.st_size) / 1048576, max_mib)};
    Submission submission{all_bytes(opened.number(), max_bytes, folder / student / file), ""};
    if (submission.bytes.empty()) return {"", file + " is empty"};
    return submission;
}

void write_for_student(const fs::path& folder, const std::string& student, const std::string& file,
                       std::string_view bytes) {
    const std::string path = display_name(folder / student / file);
    const auto failed = [&](const char* what) {
        fail<IoError>("{}: {}: {}", path, what, std::strerror(errno));
    };
    const Descriptor own = open_folder(folder / student);
    struct stat about {};
    const bool is_there =
        own.number() >= 0 && ::fstatat(own.number(), file.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0;
    if ((own.number() < 0 && (errno == ELOOP || errno == ENOTDIR)) || (is_there && S_ISLNK(about.st_mode)))
        fail<IoError>("{}: it is a link, which is not followed", path);
    if (own.number() < 0) failed("cannot open the folder");
    // From here on the folder may be exchanged for a link: it stays this one.
    const std::string unfinished = temporary_name();
    Descriptor out = Descriptor::owned(::openat(own.number(), unfinished.c_str(),
                                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (out.number() < 0) failed("cannot write");
    try {
        write_all(out, std::as_bytes(std::span(bytes.data(), bytes.size())), path);
        if (is_there && ::fchmod(out.number(), about.st_mode & 0777) != 0) failed("cannot write");
        if (!out.sync() || !out.close()) failed("cannot write");
        if (::renameat(own.number(), unfinished.c_str(), own.number(), file.c_str()) != 0)
            failed("cannot write");
    } catch (const IoError&) {
        ::unlinkat(own.number(), unfinished.c_str(), 0);
        throw;
    }
}

}  // namespace glassbox::tracer
