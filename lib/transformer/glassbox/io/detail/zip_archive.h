#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/io/detail/zip_directory.h>
#include <glassbox/io/file.h>

// libzip's; without libzip those of own_zip/.
struct zip;
struct zip_file;

namespace glassbox::detail {

// A zip in memory, validated by read_zip_directory and decompressed by libzip, or without it by own_zip/.
class ZipArchive {
  public:
    ZipArchive(Bytes bytes, std::string file);  // throws FileError
    ZipArchive(const ZipArchive&) = delete;
    ZipArchive& operator=(const ZipArchive&) = delete;

    const std::string& file() const { return file_; }
    const std::vector<ZipMember>& members() const { return members_; }

    // Decompresses one member from its beginning. Throws FileError if the compressed data are damaged.
    class Stream {
      public:
        Stream(ZipArchive& archive, std::size_t index);
        void read(std::span<std::byte> into);  // fills `into`
        void finish();                         // checks that the content ends here, and its CRC-32

      private:
        void check_is_supported() const;
        [[noreturn]] void fail_damaged(const std::string& reason) const;
        [[noreturn]] void fail_ended() const;
        [[noreturn]] void fail_to_read() const;  // with libzip only
        [[noreturn]] void fail_continued() const;
        struct Close {
            void operator()(zip_file* stream) const;
        };
        std::unique_lock<std::mutex> lock_;  // a libzip archive is not thread-safe
        const ZipArchive& archive_;
        const ZipMember& member_;
        std::uint64_t done_ = 0;
        std::unique_ptr<zip_file, Close> stream_;
    };

  private:
    void check_same_members() const;

    struct Discard {
        void operator()(zip* archive) const;
    };
    Bytes bytes_;
    std::string file_;
    std::vector<ZipMember> members_;
    std::unique_ptr<zip, Discard> zip_;
    std::mutex mutex_;
};

// A zip of these members, in this order, dated 1980-01-01. Names must be UTF-8 and distinct.
Bytes format_zip(const std::vector<std::pair<std::string, Bytes>>& members, unsigned method);

}  // namespace glassbox::detail
