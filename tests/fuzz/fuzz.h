#pragma once
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include <glassbox/io/detail/bytes.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox_fuzz {

inline glassbox::ByteView bytes_of(const std::uint8_t* data, std::size_t size) {
    return std::as_bytes(std::span(data, size));
}

// Runs a reader, which must reject input with a FileError; any other exception ends the fuzzer.
template <class Read>
void refuse_or(Read read) {
    try {
        read();
    } catch (const glassbox::FileError&) {
    }
}

// A round trip must give the same bits (NaN included, whose payload a copy keeps).
inline void require_same(const glassbox::Tensor& a, const glassbox::Tensor& b) {
    const auto x = a.values(), y = b.values();
    if (a.shape() != b.shape() || x.size() != y.size()) std::abort();
    if (!x.empty() && std::memcmp(x.data(), y.data(), x.size() * sizeof(glassbox::real)) != 0) std::abort();
}

}  // namespace glassbox_fuzz
