#include <glassbox/io/detail/module.h>

#include <glassbox/tensor/format.h>

void* glassbox::function_of(const ModulePart& part, const std::string& missing) {
    fail("{}\n  {}: a browser loads no modules", missing, part.file);
}
