#pragma once
#include <span>
#include <string>
#include <vector>

#include "cli/output.h"
#include "figures/figure.h"

namespace tracer {

// For a terminal of `width` columns: the palettes' colours, or shades where it has fewer than 256.
// Panels that do
// not fit beside each other stand below each other; what is wider still is cut, and it says so.
std::string draw_terminal(const Figure& figure, Colors colors, int width = 80);

// The files' contents. UsageError for a figure too large to be looked at, with its size; Error for a format
// that this build has not.
std::string draw_svg(const Figure& figure);
std::string draw_png(const Figure& figure);
std::string draw_pdf(const Figure& figure);

// A format of files that figures are written in.
struct FigureFormat {
    const char* name;  // "png": the files' names end in ".png"
    bool is_text;
    std::string (*draw)(const Figure& figure);
    void (*check)();  // Error where this build has it not
};
std::span<const FigureFormat> figure_formats();
std::vector<std::string> figure_endings();                      // ".svg", ".png", ".pdf"
const FigureFormat* figure_format_of(const std::string& file);  // by its ending; null for another

// For a command to ask before it computes: UsageError unless the name's ending is one of them, Error for one
// that this build has not.
void check_figure_file(const std::string& file);

// Writes the figure, whole or not at all, in the format of the name's ending. Throws UsageError, IoError.
void write_figure(const Figure& figure, const std::string& file);
// The same, to where -o says, "" being standard output.
void deliver_figure(const Figure& figure, const FigureFormat& format, const std::string& output);

// The parts of the table that stand in files of their own.
void check_png();
void check_pdf();
// UsageError for a figure of more cells than a viewer of `format`, which has a mark for each, opens well.
void check_cells(const Figure& figure, const char* format);

}  // namespace tracer
