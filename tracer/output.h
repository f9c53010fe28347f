#pragma once
#include <string>
#include <string_view>

namespace tracer {

// Thrown when the reader of standard output has gone away: the program ends quietly with 0.
struct ClosedPipe {};

// Writes to standard output. Throws ClosedPipe, or IoError for a full disk and every other failure.
void write_out(std::string_view text);

// To the file that -o names, whole or not at all; to standard output where it is "" or "-".
void deliver(std::string_view bytes, const std::string& output);

// Whether what goes to `output` (as deliver() takes it) is coloured: --color always|never|auto over NO_COLOR
// over FORCE_COLOR over "it is a terminal".
bool wants_color(const std::string& option, const std::string& output = "");

// Columns of the terminal that standard output is, at least 40; 80 of what goes to `output` or through a
// pipe.
int terminal_width(const std::string& output = "");

// The text in a terminal's colour or weight ("1" bold, "31" red), or as it is.
std::string styled(const std::string& text, const char* code, bool color);

}  // namespace tracer
