#include <glassbox/io/numpy.h>

#include <algorithm>

#include <glassbox/io/detail/zip_writer.h>

#include "fuzz/fuzz.h"

namespace {

void read_each(const glassbox::Npz& npz) {
    for (const std::string& name : npz.names()) glassbox_fuzz::refuse_or([&] { return npz.read(name); });
}

// Every array of a readable zip must survive a round trip.
void round_trip(const glassbox::Npz& npz) {
    const glassbox::NpzContent content = glassbox::read_all(npz);
    for (const auto& [name, tensor] : content.arrays) {  // some names can be read but are not written
        const bool control = std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20; });
        if (name.empty() || control) return;
    }
    const glassbox::Npz again = glassbox::Npz::parse(
        glassbox::format_npz(content.arrays, glassbox::Compression::deflated), "again.npz");
    for (const auto& [name, tensor] : content.arrays) glassbox_fuzz::require_same(tensor, again.read(name));
}

}  // namespace

// Bytes that start like a zip are used as one. Others become a member's content in a valid zip, since a
// fuzzer does not find a CRC-32 by chance.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const glassbox::ByteView view = glassbox_fuzz::bytes_of(data, size);
    glassbox::Bytes bytes(view.begin(), view.end());
    if (!glassbox::as_text(view).starts_with("PK"))
        bytes = glassbox::detail::format_zip(
            {{"a.npy", bytes}}, size % 2 ? glassbox::detail::zip_deflated : glassbox::detail::zip_stored);
    glassbox_fuzz::refuse_or([&] {
        const glassbox::Npz npz = glassbox::Npz::parse(std::move(bytes), "fuzz.npz");
        read_each(npz);
        round_trip(npz);
    });
    return 0;
}
