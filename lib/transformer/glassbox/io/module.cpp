#include <glassbox/io/module.h>

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// Where to look: the variable's path, then the build folder, then where it is installed.
std::vector<std::string> candidates(const ModulePart& part) {
    std::vector<std::string> result;
    if (const char* path = std::getenv(part.variable)) result.push_back(path);
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error && error != std::errc::no_such_file_or_directory)
        fail<IoError>("/proc/self/exe: cannot be read: {}", error.message());
    for (const char* folder : {"", "../lib/glassbox", "../lib64/glassbox"})
        result.push_back((program.parent_path() / folder / part.file).lexically_normal().string());
    return result;
}

}  // namespace

void* function_of(const ModulePart& part, const std::string& missing) {
    std::string reasons;
    for (const std::string& path : candidates(part)) {
        void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (!module) {
            if (std::filesystem::exists(path)) reasons += fmt::format("\n  {}", ::dlerror());
            continue;
        }
        if (void* const symbol = ::dlsym(module, part.function)) return symbol;
        reasons += fmt::format("\n  {} is not a Glassbox module", path);
    }
    fail("{}{}", missing, reasons);
}

}  // namespace glassbox
