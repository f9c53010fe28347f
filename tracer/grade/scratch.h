#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace tracer {

// A folder for what is needed while the program runs; nobody else can look into it.
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
};

// A plain file in it. Throws IoError.
void put_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace tracer
