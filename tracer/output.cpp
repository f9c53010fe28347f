#include "output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>

namespace tracer {

void write_out(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EPIPE) {
            throw ClosedPipe();
        } else if (errno != EINTR) {
            glassbox::fail<glassbox::IoError>("standard output: cannot write: {}", std::strerror(errno));
        }
    }
}

void deliver(std::string_view bytes, const std::string& output) {
    if (output.empty() || output == "-") write_out(bytes);
    else glassbox::write_file_whole(output, bytes);
}

bool wants_color(const std::string& option, const std::string& output) {
    if (option == "always") return true;
    if (option == "never") return false;
    if (!output.empty() && output != "-") return false;
    const auto is_set = [](const char* name) {
        const char* value = std::getenv(name);
        return value && *value;
    };
    if (is_set("NO_COLOR")) return false;
    if (is_set("FORCE_COLOR")) return true;
    const char* term = std::getenv("TERM");
    return ::isatty(STDOUT_FILENO) && !(term && std::strcmp(term, "dumb") == 0);
}

int terminal_width(const std::string& output) {
    constexpr int usual = 80, least = 40;
    winsize size{};
    const bool is_file = !output.empty() && output != "-";
    if (is_file || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
    return std::max<int>(size.ws_col, least);
}

std::string styled(const std::string& text, const char* code, bool color) {
    return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

}  // namespace tracer
