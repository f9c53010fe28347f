#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include <glassbox/tensor/words.h>

namespace glassbox::tracer {

class Options;

// Thrown when the reader of standard output has closed the pipe: the program exits with 0 and no message.
struct ClosedPipe {};

// All text output goes through the next three functions. They escape control characters that came from a file
// or an argument (glassbox/io/text.h); the only terminal sequences written are the colours of
// styled().

// Writes to standard output. Throws ClosedPipe, or IoError for a full disk or any other failure.
void write_out(std::string_view text);
// Writes a message to standard error, wrapped on a terminal. Failures are ignored: there is nowhere left to
// report them.
void say(std::string_view text);
// A message without characters to escape, and without allocating anything.
void say_plainly(std::string_view text) noexcept;
// Writes to the file given by -o, atomically; to standard output if `output` is "" or "-". It says
// so on a terminal's standard error.
void deliver(std::string_view text, const std::string& output);

// The same for binary data (npz, PNG).
void deliver_bytes(std::string_view bytes, const std::string& output);

// The file as the system knows it, whatever it is called, also where it does not exist yet.
std::filesystem::path place_of(const std::filesystem::path& file);
// Whether it lies in the folder, at any depth, or is the folder.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);
// Throws UsageError if what `option` writes, "" or "-" for nothing, is a file that is read.
void check_not_read(const std::string& option, const std::filesystem::path& written,
                    const std::filesystem::path& read);

// Throws UsageError where the file's name ends in something else, such as .bmp, which no format of the
// command has: what is written would not be that. A name without an ending is taken.
void check_known_ending(const std::filesystem::path& output, const std::vector<std::string>& endings);

// Replaces the progress line on standard error; "" removes it.
void show_line(std::string_view text);
// Of its parts, two spaces apart, those that fit the terminal whole.
void show_line(const std::vector<std::string>& parts);

enum class ColorWhen { automatic, always, never };
void declare_color(Options& options, ColorWhen& when);  // --color

// Whether output to `output` (as for deliver()) is coloured. In decreasing precedence: --color always|never,
// NO_COLOR, FORCE_COLOR, whether standard output is a terminal.
bool wants_color(ColorWhen option, const std::string& output = "");

// The number of colours available. The 16 basic ones are set by the user's theme, so none is used as a
// background; those of the 256-colour palette are fixed.
enum class Colors { none, sixteen, many, all };

// The colours of the terminal: all if COLORTERM is truecolor or 24bit, 256 if TERM ends in 256color,
// otherwise 16.
Colors terminal_colors();
// Whether messages on standard error are coloured: as wants_color(), without an option.
bool wants_color_in_messages();
// Colors::none unless wants_color().
Colors colors_for(ColorWhen option, const std::string& output = "");

// What a pager behind a pipe may have: the columns that the shell exports, at least 40, else 80.
int columns_behind_a_pipe();

// The width of the terminal in columns, at least 40; 80 for a file or a pipe.
int terminal_width(const std::string& output = "");

// The column at which lines of words are wrapped: the terminal's width; 0, for no wrapping, in a file or
// pipe.
int line_width(const std::string& output);

// The text with a terminal's SGR code ("1" bold, "31" red, "48;5;17" a background) if `color`. The only place
// where colour is added.
std::string styled(const std::string& text, const std::string& code, bool color);
inline constexpr const char *bold = "1", *dim = "2", *green_text = "32", *yellow_text = "33",
                            *red_text = "1;31";

}  // namespace glassbox::tracer

template <>
struct glassbox::EnumWords<glassbox::tracer::ColorWhen> {
    static constexpr const char* what = "color";
    static constexpr Word<glassbox::tracer::ColorWhen> all[] = {
        {glassbox::tracer::ColorWhen::automatic, "auto"},
        {glassbox::tracer::ColorWhen::always, "always"},
        {glassbox::tracer::ColorWhen::never, "never"}};
};
