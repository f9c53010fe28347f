#pragma once
#include <span>
#include <string>
#include <vector>

#include "figures/figure.h"

namespace tracer {

// A file format for figures.
struct FigureFormat {
    const char* name;  // "png": files named *.png
    bool is_text;
    std::string (*draw)(const Figure& figure);
    void (*check)();  // Error where this build lacks the format
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

}  // namespace tracer
