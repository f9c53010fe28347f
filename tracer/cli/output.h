#pragma once
#include <string>
#include <string_view>

#include <glassbox/tensor/words.h>

namespace tracer {

// Thrown when the reader of standard output has gone away: the program ends quietly with 0.
struct ClosedPipe {};

// The three ways in which text leaves the program. Whatever a file or an argument has put into it, nothing
// goes out that a terminal would obey but the colours of styled(), and those where colours are wanted
// (glassbox/io/detail/text.h says what is escaped).

// To standard output. Throws ClosedPipe, or IoError for a full disk and every other failure.
void write_out(std::string_view text);
// To standard error: messages. Where that takes nothing either, nobody can be told.
void say(std::string_view text);
// To the file that -o names, whole or not at all; to standard output where it is "" or "-".
void deliver(std::string_view text, const std::string& output);

// The same for bytes that are no text: npz, PNG; and for what is one or the other by its format.
void deliver_bytes(std::string_view bytes, const std::string& output);
void deliver_as(const std::string& format, std::string_view content, const std::string& output);

// What is written is `format`: UsageError where the ending of -o says another, `--format json -o steps.npz`.
void check_ending(const std::string& format, const std::string& output);

// The line on standard error that changes: in place of what it was. Empty: it is gone.
void show_line(std::string_view text);

// --color: over NO_COLOR, over FORCE_COLOR, over whether it is a terminal.
enum class ColorWhen { automatic, always, never };

// Whether what goes to `output` (as deliver() takes it) is coloured: --color always|never|auto over NO_COLOR
// over FORCE_COLOR over "it is a terminal".
bool wants_color(ColorWhen option, const std::string& output = "");

// The colours that there are: none; those 16 that each user has made dark or light to taste, so that no
// background of theirs is safe; the fixed 256; all.
enum class Colors { none, sixteen, many, all };

// The colours of a terminal: all where COLORTERM is truecolor or 24bit, 256 where TERM ends in 256color, else
// 16.
Colors terminal_colors();
// These where wants_color() says so.
Colors colors_for(ColorWhen option, const std::string& output = "");

// Columns of the terminal that standard output is, at least 40; 80 of what goes to `output` or through a
// pipe.
int terminal_width(const std::string& output = "");

// Columns after which a long line of words is broken: those of the terminal, or 0, never, in a file or pipe.
int line_width(const std::string& output);

// The text in a terminal's colours or weight ("1" bold, "31" red, "48;5;17" a background), or as it is. All
// that is ever coloured is coloured here.
std::string styled(const std::string& text, const std::string& code, bool color);

}  // namespace tracer

template <>
struct glassbox::EnumWords<tracer::ColorWhen> {
    static constexpr const char* what = "color";
    static constexpr Word<tracer::ColorWhen> all[] = {{tracer::ColorWhen::automatic, "auto"},
                                                      {tracer::ColorWhen::always, "always"},
                                                      {tracer::ColorWhen::never, "never"}};
};
