#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <glassbox/io/detail/bytes.h>

namespace glassbox {

// Throws IoError with the reason in errno: "x.npz: cannot open: No such file or directory".
[[noreturn]] void fail_with_errno(const std::string& file, const std::string& what);

// An open file, closed at the end of its scope; or one that belongs to the process (standard output) and
// stays open.
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
    bool close();       // false, with errno set, when a write that was put off fails only now
    bool sync() const;  // what was written would survive a power cut; true as well where there is no disk

  private:
    Descriptor(int number, bool owned) : number_(number), owned_(owned) {}
    int number_;
    bool owned_;
};

// Writes all of it, however many calls that takes. `file` names it in an error.
void write_all(const Descriptor& to, ByteView bytes, const std::string& file);

// Which open descriptor of this process a path stands for: /dev/stdout is 1, /dev/fd/5 is 5.
std::optional<int> inherited_descriptor(const std::filesystem::path& path);

}  // namespace glassbox
