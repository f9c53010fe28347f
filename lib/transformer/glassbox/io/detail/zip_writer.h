#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/io/detail/zip_directory.h>
#include <glassbox/io/file.h>

namespace glassbox::detail {

// Makes a zip in memory: its members in the order in which they are added, dated 1980-01-01. ZIP64's fields
// are written only where numbers need them. (PKWARE's APPNOTE, 4.3 and 4.5.3.)
class ZipWriter {
  public:
    explicit ZipWriter(std::size_t expected_bytes = 0) { bytes_.reserve(expected_bytes); }
    // Throws IoError for a name that is not UTF-8, is longer than 65,535 bytes, or that another member has.
    void add(const std::string& name, ByteView content, unsigned method);
    Bytes finish();

  private:
    Bytes bytes_;
    std::vector<ZipMember> members_;
    std::set<std::string> names_;
};

Bytes format_zip(const std::vector<std::pair<std::string, Bytes>>& members, unsigned method);

// The parts of a zip beside the members' data: what comes before a member's, and the directory, which begins
// at byte `offset`, with the end record.
Bytes zip_header(const ZipMember& member);
Bytes zip_directory(const std::vector<ZipMember>& members, std::uint64_t offset);

}  // namespace glassbox::detail
