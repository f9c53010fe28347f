#pragma once
#include <string>
#include <string_view>

namespace glassbox {

// What is known of a text that is not UTF-8, and what converts it: "where it is Windows-1252 or Latin-1,
// iconv -f WINDOWS-1252 -t UTF-8 converts it". Encodings are named only as far as the bytes show them.
std::string way_to_utf8(std::string_view text);

// "UTF-7" or "ISO-2022-JP", which are of ASCII's bytes alone; else empty.
std::string encoding_in_ascii(std::string_view text);

}  // namespace glassbox
