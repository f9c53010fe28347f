#include "figures/draw.h"

#include <algorithm>
#include <cctype>

#include <glassbox/io/detail/bytes.h>

#include "cli/output.h"

namespace tracer {
namespace {

std::string ending_of(const std::string& file) {
    const std::size_t dot = file.find_last_of("./");
    std::string ending = dot == std::string::npos || file[dot] == '/' ? "" : file.substr(dot);
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
}

}  // namespace

void check_figure_file(const std::string& file) {
    const std::string ending = ending_of(file);
    if (ending != ".svg" && ending != ".png")
        glassbox::fail<glassbox::UsageError>(
            "--map: a file whose name ends in .svg or .png expected, got '{}'", glassbox::printable(file));
}

void write_figure(const Figure& figure, const std::string& file) {
    check_figure_file(file);
    if (ending_of(file) == ".svg") deliver(draw_svg(figure), file);
    else deliver_bytes(glassbox::as_text(draw_png(figure)), file);
}

}  // namespace tracer
