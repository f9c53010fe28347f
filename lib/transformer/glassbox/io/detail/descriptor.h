#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <glassbox/io/detail/bytes.h>

namespace glassbox {

// Throws IoError with the reason in errno: "x.npz: cannot open: No such file or directory".
[[noreturn]] void fail_with_errno(const std::string& file, const std::string& what);

// An open file descriptor: owned, and closed by the destructor, or borrowed from the process (standard
// output) and left open.
class Descriptor {
  public:
    static Descriptor owned(int number) { return Descriptor(number, true); }
    static Descriptor borrowed(int number) { return Descriptor(number, false); }
    Descriptor(Descriptor&& other) noexcept : number_(other.number_), owned_(other.owned_) {
        other.owned_ = false;
    }
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor();

    int number() const { return number_; }
    bool close();       // false, with errno set, if a delayed write fails
    bool sync() const;  // fsync; also true for files that cannot be synced, such as pipes

  private:
    Descriptor(int number, bool owned) : number_(number), owned_(owned) {}
    int number_;
    bool owned_;
};

// Writes all of `bytes`, in several calls if necessary. `file` is the name for errors.
void write_all(const Descriptor& to, ByteView bytes, const std::string& file);

// The open descriptor of this process that a path refers to: /dev/stdout is 1, /dev/fd/5 is 5.
std::optional<int> inherited_descriptor(const std::filesystem::path& path);

}  // namespace glassbox
