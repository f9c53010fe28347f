#pragma once
#include <filesystem>
#include <string>

#include <glassbox/io/detail/bytes.h>
#include <glassbox/io/detail/descriptor.h>

namespace glassbox {

// A file that grows by whole records and can be read at any time. What append() has returned from is in the
// hands of the operating system: a program that is killed afterwards loses nothing of it.
class AppendFile {
  public:
    enum class Existing { replace, keep, refuse };

    // "-" and /dev/stdout are standard output, whatever it is. Throws IoError: "run.jsonl: cannot open:
    // Permission denied".
    AppendFile(const std::filesystem::path& path, Existing existing);

    // All of it or nothing: when the disk is full, the file ends where it ended before and IoError is thrown.
    void append(ByteView record);
    void append(std::string_view record);
    // Until what was appended would survive a power cut; does nothing where there is no disk.
    void sync();

  private:
    std::string file_;
    Descriptor descriptor_;
};

}  // namespace glassbox
