#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include <glassbox/io/file.h>

namespace glassbox::tracer {

// A folder for files needed while the program runs, private to this user. Those that a killed program left
// are removed before the first one is made.
class ScratchFolder {
  public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    void give_to(unsigned user) const;

  private:
    std::filesystem::path path_;
    Descriptor lock_;  // held as long as the folder is in use
};

// To read in it, or to reach what is in it. No link is followed; −1, with errno, if that is what it is.
Descriptor open_folder(const std::filesystem::path& folder);

// A plain file in it. Throws IoError.
void put_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace glassbox::tracer
