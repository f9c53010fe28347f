#pragma once
#include <string>
#include <string_view>

namespace tracer {

// Writes to standard output. A reader that has gone away (a closed pipe) ends the program quietly with 0; a
// full disk and every other failure throws IoError.
void write_out(std::string_view text);

// To the file that -o names, whole or not at all; to standard output where it is "" or "-".
void deliver(std::string_view bytes, const std::string& output);

// Whether standard output is a terminal that wants colour: --color always|never|auto over NO_COLOR over
// FORCE_COLOR over "it is a terminal". Throws UsageError for another word.
bool wants_color(const std::string& option);

}  // namespace tracer
