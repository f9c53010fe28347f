#include <glassbox/io/numpy.h>

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    glassbox_fuzz::refuse_or([&] {
        const glassbox::Tensor tensor = glassbox::parse_npy(glassbox_fuzz::bytes_of(data, size), "fuzz.npy");
        glassbox_fuzz::require_same(tensor, glassbox::parse_npy(glassbox::format_npy(tensor), "again.npy"));
    });
    return 0;
}
