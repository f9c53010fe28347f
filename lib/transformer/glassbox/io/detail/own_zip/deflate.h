#pragma once
#include <memory>
#include <string>

#include <glassbox/io/file.h>

namespace glassbox::detail {

// Deflate (RFC 1951), by zlib; a browser has none, where both fail with a message that says so.
class Inflation {
  public:
    explicit Inflation(ByteView deflated);
    ~Inflation();
    struct Got {
        std::size_t bytes;  // fewer than asked for only at the end
        std::string error;  // what is wrong with the data; empty: nothing
    };
    Got read(std::span<std::byte> into);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

bool can_deflate();
Bytes deflated(ByteView content);

}  // namespace glassbox::detail
