#include <glassbox/runs/folder_lock.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <glassbox/io/file.h>

namespace glassbox {
namespace {

Descriptor open_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) fail<IoError>("{}: cannot create the folder: {}", display_name(folder), error.message());
    const int number = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (number < 0) fail_with_errno(display_name(folder), "cannot open the folder");
    return Descriptor::owned(number);
}

// Whether the path still refers to the folder that was opened: another run may have renamed it meanwhile.
bool is_still(const std::filesystem::path& folder, int number) {
    struct stat by_name {
    }, opened{};
    return ::stat(folder.c_str(), &by_name) == 0 && ::fstat(number, &opened) == 0 &&
           by_name.st_ino == opened.st_ino && by_name.st_dev == opened.st_dev;
}

// Best effort: on a file system without locks nothing is locked.
Descriptor locked(const std::filesystem::path& folder) {
    for (;;) {
        Descriptor opened = open_folder(folder);
        if (::flock(opened.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            fail<IoError>("{}: another run is writing there; --folder names another place",
                          display_name(folder));
        if (is_still(folder, opened.number())) return opened;
    }
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : folder_(locked(folder)) {}

}  // namespace glassbox
