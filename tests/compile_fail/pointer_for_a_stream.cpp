// error: Stream& stream
#include <glassbox/glassbox.h>

using namespace glassbox;

auto block(const std::unique_ptr<Stream>& stream) { return made<Encoder>({.layers = 2}, stream); }
