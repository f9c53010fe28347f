#pragma once
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace glassbox_test {

// A file of this text that exists as long as this object.
class TextFile {
  public:
    TextFile(const std::string& name, const std::string& text)
        : path_(std::filesystem::temp_directory_path() / fmt::format("glassbox-{}-{}", ::getpid(), name)) {
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~TextFile() { std::filesystem::remove(path_); }
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

}  // namespace glassbox_test
