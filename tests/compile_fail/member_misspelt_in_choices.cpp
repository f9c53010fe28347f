// error: LayerTraits<Layer>::Choices& choices
#include <glassbox/glassbox.h>
#include <glassbox/study.h>

using namespace glassbox;

EncoderBlock block(Stream& stream) { return made<EncoderBlock>({.d_model = 32, .head = 4}, stream); }
