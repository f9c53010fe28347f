#include "cli/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <system_error>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/heartbeat.h"
#include "cli/options.h"
#include "cli/text_width.h"

namespace glassbox::tracer {

namespace {

bool is_file(const std::string& output) { return !output.empty() && output != "-"; }

}  // namespace

std::filesystem::path place_of(const std::filesystem::path& file) {
    std::error_code error;
    const std::filesystem::path from_root = std::filesystem::absolute(file, error);
    const std::filesystem::path place = error ? file : std::filesystem::weakly_canonical(from_root, error);
    const std::filesystem::path known = error ? file.lexically_normal() : place;
    return known.has_filename() || !known.has_parent_path() ? known
                                                            : known.parent_path();  // without a last /
}

bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder) {
    const std::filesystem::path inner = place_of(file), outer = place_of(folder);
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

void check_not_read(const std::string& option, const std::filesystem::path& written,
                    const std::filesystem::path& read) {
    if (is_file(written.string()) && place_of(written) == place_of(read))
        fail<UsageError>("{}: {} is read, and would be overwritten", option, display_name(written));
}

void check_known_ending(const std::filesystem::path& output, const std::vector<std::string>& endings) {
    const std::string ending = output.extension().string();
    if (!ending.empty() && std::find(endings.begin(), endings.end(), ending) == endings.end())
        fail<UsageError>("-o {}: expected a name that ends in {}, got {}", display_name(output),
                         either(endings), printable(ending));
}

namespace {

// The codes that styled() has added to some text. Another thread may be reporting progress.
class OwnColors {
  public:
    void add(const std::string& code) {
        const std::lock_guard<std::mutex> lock(mutex_);
        codes_.insert(code);
    }
    bool has(std::string_view code) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return codes_.contains(code);
    }
    bool empty() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return codes_.empty();
    }

  private:
    mutable std::mutex mutex_;
    std::set<std::string, std::less<>> codes_;
};
OwnColors own_colors;

// The length of our own colour sequence at the start of `text`: a file or an option may hold others. 0
// without one.
std::size_t color_length(std::string_view text) {
    if (!text.starts_with("\x1b[")) return 0;
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    if (end == std::string_view::npos || text[end] != 'm') return 0;
    const std::string_view code = text.substr(2, end - 2);
    return code == "0" || own_colors.has(code) ? end + 1 : 0;
}

// Escapes control characters, but not colour sequences.
std::string escaped(std::string_view text) {
    if (own_colors.empty()) return printable_lines(text);
    std::string result;
    while (!text.empty()) {
        const std::size_t color = color_length(text);
        const std::size_t end = color ? color : std::min(text.find('\x1b', 1), text.size());
        result += color ? std::string(text.substr(0, end)) : printable_lines(text.substr(0, end));
        text.remove_prefix(end);
    }
    return result;
}

void write_bytes(std::string_view bytes) {
    Heartbeat::note_output();
    while (!bytes.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EPIPE) {
            throw ClosedPipe();
        } else if (errno != EINTR) {
            fail<IoError>("standard output: cannot write: {}", std::strerror(errno));
        }
    }
}

// 0: not a terminal.
int columns_of(int descriptor) {
    winsize size{};
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::atomic<bool> has_line = false;  // a progress line is shown on standard error

}  // namespace

void write_out(std::string_view text) { write_bytes(escaped(text)); }

void say(std::string_view text) {
    Heartbeat::note_output();
    show_line("");
    std::fputs(wrapped_lines(escaped(text), columns_of(STDERR_FILENO)).c_str(), stderr);
}

void say_plainly(std::string_view text) noexcept {
    if (has_line.exchange(false)) std::fputs("\r\x1b[K", stderr);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

void show_line(std::string_view text) {
    if (!text.empty()) Heartbeat::note_output();
    if (has_line) std::fputs("\r\x1b[K", stderr);
    has_line = !text.empty();
    const int width = columns_of(STDERR_FILENO);
    const std::string line = printable(text, text.size());
    std::fputs((width > 0 ? shortened(line, width - 1) : line).c_str(), stderr);
}

void show_line(const std::vector<std::string>& parts) {
    const int width = columns_of(STDERR_FILENO);
    std::string line;
    for (const std::string& part : parts) {
        const std::string longer = line + (line.empty() ? "" : "  ") + part;
        if (width > 0 && !line.empty() && width_of(longer) >= width) break;
        line = longer;
    }
    show_line(line);
}

namespace {

// That it went well, and what to do with a page: a beginner may not know. In a script nobody asks.
void say_written(const std::string& file) {
    const bool is_for_browser = file.ends_with(".html") || file.ends_with(".svg");
    if (::isatty(STDERR_FILENO))
        say(fmt::format("{}: written{}\n", display_name(file),
                        is_for_browser ? "; open it in a browser" : ""));
}

}  // namespace

void deliver_bytes(std::string_view bytes, const std::string& output) {
    if (!is_file(output)) return write_bytes(bytes);
    write_file_atomically(output, bytes);
    say_written(output);
}

void deliver(std::string_view text, const std::string& output) { deliver_bytes(escaped(text), output); }

void declare_color(Options& options, ColorWhen& when) {
    options.value("--color", when, {.help = "When to use colours", .value_name = "WHEN"});
}

namespace {

bool is_colored_terminal(int descriptor) {
    const auto is_set = [](const char* name) {
        const char* value = std::getenv(name);
        return value && *value;
    };
    if (is_set("NO_COLOR")) return false;
    if (is_set("FORCE_COLOR")) return true;
    const char* term = std::getenv("TERM");
    return ::isatty(descriptor) && !(term && std::strcmp(term, "dumb") == 0);
}

}  // namespace

bool wants_color(ColorWhen option, const std::string& output) {
    if (option != ColorWhen::automatic) return option == ColorWhen::always;
    return !is_file(output) && is_colored_terminal(STDOUT_FILENO);
}

bool wants_color_in_messages() { return is_colored_terminal(STDERR_FILENO); }

Colors terminal_colors() {
    const auto value_of = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    const std::string colors = value_of("COLORTERM");
    if (colors == "truecolor" || colors == "24bit") return Colors::all;
    return value_of("TERM").ends_with("256color") ? Colors::many : Colors::sixteen;
}

Colors colors_for(ColorWhen option, const std::string& output) {
    return wants_color(option, output) ? terminal_colors() : Colors::none;
}

namespace {

constexpr int min_width = 40, default_width = 80;

}  // namespace

int columns_behind_a_pipe() {
    const char* columns = std::getenv("COLUMNS");
    const int width = columns ? std::atoi(columns) : 0;
    return width > 0 ? std::max(width, min_width) : default_width;
}

int line_width(const std::string& output) {
    const int width = is_file(output) ? 0 : columns_of(STDOUT_FILENO);
    return width > 0 ? std::max(width, min_width) : 0;
}

int terminal_width(const std::string& output) {
    const int width = line_width(output);
    return width > 0 ? width : default_width;
}

std::string styled(const std::string& text, const std::string& code, bool color) {
    if (!color) return text;
    own_colors.add(code);
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace glassbox::tracer
