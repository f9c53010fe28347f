#include <glassbox/io/named_tensors.h>

#include <set>
#include <string_view>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

void check_names(const char* op, const NamedTensors& tensors) {
    std::set<std::string_view> seen;
    for (const auto& [name, tensor] : tensors) {
        if (name.empty()) fail("{}: a tensor has an empty name", op);
        if (!is_utf8(name) || name.find('\0') != std::string::npos)
            fail("{}: the name '{}' is not UTF-8 text", op, printable(name));
        if (!seen.insert(name).second) fail("{}: two tensors are named '{}'", op, printable(name));
    }
}

}  // namespace glassbox
