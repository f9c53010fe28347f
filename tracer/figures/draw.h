#pragma once
#include <span>
#include <string>
#include <vector>

#include "cli/output.h"
#include "figures/figure.h"
#include "figures/moving_scene.h"

namespace glassbox::tracer {

// A file format for figures.
struct FigureFormat {
    const char* name;  // "png": files named *.png
    bool is_text;
    std::string (*draw)(const Figure& figure);
    void (*check)();  // Error if this build lacks the format
};
std::span<const FigureFormat> figure_formats();
std::vector<std::string> figure_endings();                      // ".svg", ".png", ".pdf"
const FigureFormat* figure_format_of(const std::string& file);  // by its ending; null if unknown

// Called before computing: UsageError unless the file's ending is one of these, Error for a format that this
// build lacks.
void check_figure_file(const std::string& file);

// Writes the figure atomically in the format of the file's ending. Throws UsageError, IoError.
void write_figure(const Figure& figure, const std::string& file);
// The same to the file of -o; "" is standard output.
void deliver_figure(const Figure& figure, const FigureFormat& format, const std::string& output);

// UsageError for --play with a format that stands still; `example` is a name for a file.
[[noreturn]] void refuse_to_play(const std::string& format, const std::string& example);

// The formats, each the contents of a file. UsageError for a figure too large to be viewed, with its size;
// Error for a format that this build lacks.
std::string draw_svg(const Figure& figure);
// Figures of one layout that follow each other in time; not empty.
constexpr double play_seconds = 0.6, last_play_seconds = 2.5;  // for each, for the last
constexpr double poster_seconds = 1;  // for the last before the first: where it leads
// As they are drawn: all of one size, with a bar at the foot of how far they have come.
std::vector<Scene> scenes_of_play(const std::vector<Figure>& figures);
std::string draw_svg_play(const std::vector<Figure>& frames);
std::string draw_png(const Figure& figure);  // draw_cairo.cpp
std::string draw_pdf(const Figure& figure);
std::string draw_png(const Scene& scene);
std::string draw_pdf(const Scene& scene);
// Called before computing: Error if this build lacks the format.
void check_png();
void check_pdf();
void check_gif();
// Frames that follow each other, each for its time, again and again.
std::string draw_gif(const std::vector<SceneFrame>& frames);
// Figures of one layout that follow each other in time, as draw_svg_play() shows them; not empty.
std::vector<SceneFrame> frames_of(const std::vector<Figure>& figures);
// UsageError for a figure with too many cells for viewers of `format`, which has an element for each.
void check_cells(const Figure& figure, const char* format);

// For a terminal of `width` columns: in the palettes' colours, or in shades where it has fewer than 256.
// Panels that do not fit side by side are stacked; wider ones are cut, with a note.
std::string draw_terminal(const Figure& figure, Colors colors, int width = 80);

}  // namespace glassbox::tracer
