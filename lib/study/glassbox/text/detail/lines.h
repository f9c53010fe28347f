#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <glassbox/tensor/format.h>

namespace glassbox::detail {

struct TextLine {
    std::uint64_t number;   // from 1
    std::uint64_t at_byte;  // in the file
    std::string_view text;  // without its end
};

// Calls f with each line of a file of UTF-8 (see corpus.h). Throws FileError for invalid bytes.
void for_each_line(std::string_view bytes, const std::string& file,
                   const std::function<void(const TextLine&)>& f);

// "pairs.tsv: line 3, at byte 57: …"; `within` is the place in the line.
template <class... Args>
[[noreturn]] void fail_at(const std::string& file, const TextLine& line, std::size_t within,
                          fmt::format_string<Args...> reason, Args&&... args) {
    throw FileError(fmt::format("{}: line {}, at byte {}: {}", file, line.number, line.at_byte + within,
                                fmt::format(reason, std::forward<Args>(args)...)));
}

// What is known about a text that is not UTF-8, and how to convert it: "where it is Windows-1252 or Latin-1,
// iconv -f WINDOWS-1252 -t UTF-8 converts it". Encodings are named only as far as the bytes show them.
std::string way_to_utf8(std::string_view text);

// "UTF-7" or "ISO-2022-JP", which use only ASCII's bytes; else empty.
std::string encoding_in_ascii(std::string_view text);

}  // namespace glassbox::detail
