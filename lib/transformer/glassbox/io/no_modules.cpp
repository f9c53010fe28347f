#include <glassbox/io/module.h>

#include <glassbox/tensor/format.h>

// For a browser, and for a command linked statically: neither can load a module.
void* glassbox::function_of(const ModulePart& part, const std::string& missing) {
    fail("{}\n  {}: this program is one file that loads no modules", missing, part.file);
}
