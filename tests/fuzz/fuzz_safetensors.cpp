#include <glassbox/io/safetensors.h>

#include "fuzz/fuzz.h"

namespace {

bool writable(const glassbox::Safetensors& content) {
    for (const auto& [name, tensor] : content.tensors)
        if (name.empty() || name.find('\0') != std::string::npos) return false;
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    glassbox_fuzz::refuse_or([&] {
        const auto content =
            glassbox::parse_safetensors(glassbox_fuzz::bytes_of(data, size), "fuzz.safetensors");
        if (!writable(content)) return;
        const auto again = glassbox::parse_safetensors(
            glassbox::format_safetensors(content.tensors, content.metadata), "again.safetensors");
        if (again.metadata != content.metadata || again.tensors.size() != content.tensors.size())
            std::abort();
        for (const auto& [name, tensor] : content.tensors) glassbox_fuzz::require_same(tensor, again[name]);
    });
    return 0;
}
