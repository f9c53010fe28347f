// error: Convention
#include <glassbox/glassbox.h>
using namespace glassbox;

int main() { const BlockConfig config = Convention{"paper"}.encoder_block({}); }
