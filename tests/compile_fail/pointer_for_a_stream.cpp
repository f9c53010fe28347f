// error: Stream& stream
#include <glassbox/glassbox.h>
#include <glassbox/study.h>

using namespace glassbox;

auto block(const std::unique_ptr<Stream>& stream) { return made<Encoder>({.layers = 2}, stream); }
