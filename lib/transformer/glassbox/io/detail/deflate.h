#pragma once
#include <memory>
#include <string>

#include <glassbox/io/file.h>

namespace glassbox::detail {

// Deflate (RFC 1951) and the checksum of zips, by zlib. A browser has none: there tracer/web/deflate.cpp,
// which does not deflate, replaces deflate.cpp.
class Inflation {
  public:
    explicit Inflation(ByteView deflated);
    ~Inflation();
    struct Got {
        std::size_t bytes;  // fewer than requested only at the end
        std::string error;  // what is wrong with the data; empty: nothing
    };
    Got read(std::span<std::byte> into);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

bool can_deflate();
void append_deflated(Bytes& bytes, ByteView content);

// The CRC-32 of bytes that follow those whose CRC-32 is `before`.
std::uint32_t crc32_of(ByteView bytes, std::uint32_t before = 0);

}  // namespace glassbox::detail
