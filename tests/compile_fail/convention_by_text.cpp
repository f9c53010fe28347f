// error: Convention
#include <glassbox/glassbox.h>
#include <glassbox/study.h>
using namespace glassbox;

int main() { const BlockConfig config = Convention{"paper"}.encoder_block({}); }
