// Models made by a convention. Each case is compiled by itself: see check.
#include <glassbox/glassbox.h>
#include <glassbox/study.h>

using namespace glassbox;

#ifdef CASE_convention_by_text
// error: Convention
int main() { const BlockConfig config = Convention{"paper"}.encoder_block({}); }
#endif

#ifdef CASE_member_misspelt_in_choices
// error: LayerTraits<Layer>::Choices& choices
EncoderBlock block(Stream& stream) { return made<EncoderBlock>({.d_model = 32, .head = 4}, stream); }
#endif

#ifdef CASE_pointer_for_a_stream
// error: Stream& stream
auto block(const std::unique_ptr<Stream>& stream) { return made<Encoder>({.layers = 2}, stream); }
#endif
