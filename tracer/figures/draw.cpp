#include "figures/draw.h"

#include <algorithm>
#include <cctype>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/options.h"
#include "cli/output.h"
#include "figures/panel_box.h"

namespace glassbox::tracer {
namespace {

constexpr FigureFormat formats[] = {
    {"svg", true, draw_svg, [] {}}, {"png", false, draw_png, check_png}, {"pdf", false, draw_pdf, check_pdf}};
constexpr std::size_t max_cells = 300000;  // some 30 MB of SVG

const FigureFormat& require_format(const std::string& file) {
    if (const FigureFormat* format = figure_format_of(file)) return *format;
    fail<UsageError>("--map: expected a file whose name ends in {}, got '{}'", either(figure_endings()),
                     printable(file));
}

}  // namespace

std::span<const FigureFormat> figure_formats() { return formats; }

std::vector<std::string> figure_endings() {
    std::vector<std::string> endings;
    for (const FigureFormat& format : formats) endings.push_back(std::string(".") + format.name);
    return endings;
}

// Case-insensitive.
const FigureFormat* figure_format_of(const std::string& file) {
    const std::size_t dot = file.find_last_of("./");
    std::string ending = dot == std::string::npos || file[dot] == '/' ? "" : file.substr(dot + 1);
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const FigureFormat& format : formats)
        if (format.name == ending) return &format;
    return nullptr;
}

void check_figure_file(const std::string& file) { require_format(file).check(); }

void refuse_to_play(const std::string& format, const std::string& example) {
    fail<UsageError>("--play: only SVG and GIF move, got {0}: -o {1}.svg, or -o {1}.gif", format, example);
}

void check_cells(const Figure& figure, const char* format) {
    std::size_t all = 0;
    for (const std::vector<Panel>& row : figure.rows)
        for (const Panel& panel : row)
            if (const HeatMap* drawn = std::get_if<HeatMap>(&panel)) all += drawn->values.size();
    if (all > max_cells)
        fail<UsageError>(
            "--map: {} of {} cells is too large for a viewer (at most {}): write a .png, or choose fewer "
            "layers or heads with --only, or a shorter sequence",
            format, all, max_cells);
}

void deliver_figure(const Figure& figure, const FigureFormat& format, const std::string& output) {
    const std::string content = format.draw(figure);
    if (format.is_text) deliver(content, output);
    else deliver_bytes(content, output);
}

void write_figure(const Figure& figure, const std::string& file) {
    deliver_figure(figure, require_format(file), file);
}

std::vector<Scene> scenes_of_play(const std::vector<Figure>& figures) {
    constexpr double bar = 3, margin = 8;
    std::vector<Scene> scenes;
    double width = 0, height = 0;
    for (const Figure& figure : figures) {
        scenes.push_back(lay_out(figure));
        width = std::max(width, scenes.back().width), height = std::max(height, scenes.back().height);
    }
    for (std::size_t n = 0; n < scenes.size(); ++n) {
        const double whole = width - 2 * margin,
                     done = whole * static_cast<double>(n + 1) / static_cast<double>(scenes.size());
        scenes[n].marks.push_back(RectMark{margin, height + 2, whole, bar, grid_color});
        scenes[n].marks.push_back(RectMark{margin, height + 2, done, bar, pale_ink});
        scenes[n].width = width, scenes[n].height = height + bar + margin;
    }
    return scenes;
}

}  // namespace glassbox::tracer
