#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <glassbox/io/detail/deflate.h>
#include <glassbox/io/detail/zip_directory.h>
#include <glassbox/io/file.h>

namespace glassbox::detail {

// A zip in memory, validated by read_zip_directory.
class ZipArchive {
  public:
    ZipArchive(Bytes bytes, std::string file)  // throws FileError
        : bytes_(std::move(bytes)), file_(std::move(file)), members_(read_zip_directory(bytes_, file_)) {}
    ZipArchive(const ZipArchive&) = delete;
    ZipArchive& operator=(const ZipArchive&) = delete;

    const std::string& file() const { return file_; }
    const std::vector<ZipMember>& members() const { return members_; }

    // Decompresses one member from its beginning. Throws FileError if the compressed data are damaged.
    class Stream {
      public:
        Stream(const ZipArchive& archive, std::size_t index);
        void read(std::span<std::byte> into);  // fills `into`
        void finish();                         // checks that the content ends here, and its CRC-32

      private:
        std::size_t read_some(std::span<std::byte> into);
        [[noreturn]] void fail_damaged(const std::string& reason) const;

        const ZipArchive& archive_;
        const ZipMember& member_;
        ByteView unread_;                     // of a stored member
        std::optional<Inflation> inflation_;  // of a deflated one
        std::uint64_t done_ = 0;
        std::uint32_t crc_ = 0;
    };

  private:
    const Bytes bytes_;
    const std::string file_;
    const std::vector<ZipMember> members_;
};

}  // namespace glassbox::detail
