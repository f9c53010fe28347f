#pragma once
#include <filesystem>
#include <string>

#include <glassbox/io/detail/bytes.h>
#include <glassbox/io/detail/descriptor.h>

namespace glassbox {

// A file to which complete records are appended, and which can be read at any time. Once append() returns,
// the operating system has the record: it is not lost if the program is killed.
class AppendFile {
  public:
    enum class Existing { replace, keep, refuse };

    // "-" and /dev/stdout mean standard output. Throws IoError: "run.jsonl: cannot open: Permission denied".
    AppendFile(const std::filesystem::path& path, Existing existing);

    // All or nothing: if the disk is full, the file is truncated to its old length and IoError is thrown.
    void append(ByteView record);
    void append(std::string_view record);
    // Flushes to disk, to survive a power failure; a no-op for pipes and terminals.
    void sync();

  private:
    std::string file_;
    Descriptor descriptor_;
};

}  // namespace glassbox
