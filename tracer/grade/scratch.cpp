#include "grade/scratch.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <glassbox/tensor/format.h>

namespace tracer {

namespace fs = std::filesystem;
using glassbox::fail;
using glassbox::IoError;

ScratchFolder::ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "tracer-grade-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
        fail<IoError>("{}: cannot make a folder: {}", pattern, std::strerror(errno));
    path_ = pattern;
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
    fs::permissions(file, fs::perms(0644));  // whatever the umask: the sandbox's user reads it
}

}  // namespace tracer
