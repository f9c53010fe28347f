#include <glassbox/io/detail/own_zip/deflate.h>

// A browser's program has no zlib: it reads and writes members that are stored as they are.
namespace glassbox {

struct Inflation::State {};
Inflation::Inflation(ByteView) {}
Inflation::~Inflation() = default;
Inflation::Got Inflation::read(std::span<std::byte>) {
    return {0, "it is deflated, and in the browser only stored members are read"};
}

bool can_deflate() { return false; }
Bytes deflated(ByteView) { fail<IoError>("zip: the browser's program does not deflate"); }

}  // namespace glassbox
