#pragma once
#include <span>
#include <string>
#include <vector>

#include "figures/figure.h"

namespace tracer {

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

}  // namespace tracer
