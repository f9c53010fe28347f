#include "grade/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <mutex>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "grade/process.h"

namespace glassbox::tracer {

namespace fs = std::filesystem;

Descriptor open_folder(const fs::path& folder) {
    return Descriptor::owned(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

namespace {

const std::string begin_of_names = "tracer-grade-";
constexpr std::size_t random_letters = 6;

fs::path temporary_folder() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (!error) return folder;
    for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
        if (const char* const asked = std::getenv(variable))
            fail<IoError>("{} is {}, expected a folder: {}", variable, printable(asked), error.message());
    fail<IoError>("/tmp, the folder for temporary files: {}", error.message());
}

// Owned by this user, or handed over by root; not just made, before its lock could be taken; and not locked.
bool is_left(const Descriptor& folder) {
    struct stat about {};
    if (folder.number() < 0 || ::fstat(folder.number(), &about) != 0) return false;
    const bool is_ours = about.st_uid == ::geteuid() || (::geteuid() == 0 && about.st_uid == nobody);
    return is_ours && std::time(nullptr) - about.st_mtime > 60 &&
           ::flock(folder.number(), LOCK_EX | LOCK_NB) == 0;
}

// (By readdir: where memory is short, the library's iterator would end the program.)
void remove_left(const fs::path& temporary) {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(temporary.c_str()), ::closedir);
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
        const std::string name = entry->d_name;
        if (!name.starts_with(begin_of_names) || name.size() != begin_of_names.size() + random_letters)
            continue;
        std::error_code unremoved;
        if (is_left(open_folder(temporary / name))) fs::remove_all(temporary / name, unremoved);
    }
}

fs::path make_folder() {
    const fs::path temporary = temporary_folder();
    static std::once_flag once;
    std::call_once(once, [&] { remove_left(temporary); });
    std::string pattern = (temporary / (begin_of_names + std::string(random_letters, 'X'))).string();
    if (!::mkdtemp(pattern.data()))
        fail<IoError>("{}: cannot make a folder: {}", printable(pattern), std::strerror(errno));
    return pattern;
}

}  // namespace

ScratchFolder::ScratchFolder() : path_(make_folder()), lock_(open_folder(path_)) {
    if (lock_.number() >= 0) ::flock(lock_.number(), LOCK_SH | LOCK_NB);
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void ScratchFolder::give_to(unsigned user) const {
    if (::chown(path_.c_str(), user, user) != 0)
        fail<IoError>("{}: cannot be handed over: {}", path_.string(), std::strerror(errno));
}

void put_file(const fs::path& file, std::string_view bytes) {
    std::ofstream out(file, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) fail<IoError>("{}: cannot be written: {}", file.string(), std::strerror(errno));
    std::error_code error;
    fs::permissions(file, fs::perms(0644), error);  // whatever the umask: the sandbox's user reads it
    if (error) fail<IoError>("{}: cannot be written: {}", file.string(), error.message());
}

}  // namespace glassbox::tracer
