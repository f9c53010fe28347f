#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/catch.h"

namespace glassbox_test {

// A temporary folder for one test.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "glassbox-test-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) FAIL("no temporary folder");
        path_ = pattern;
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }
    std::size_t files() const {  // including hidden ones
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
    }

  private:
    std::filesystem::path path_;
};

// A file of this text that exists as long as this object.
class TextFile {
  public:
    explicit TextFile(const std::string& text) : TextFile("text.txt", text) {}
    TextFile(const std::string& name, const std::string& text) : path_((folder_ / name).string()) {
        std::ofstream(path_, std::ios::binary) << text;
    }
    const std::string& path() const { return path_; }

  private:
    TemporaryFolder folder_;
    std::string path_;
};

}  // namespace glassbox_test
