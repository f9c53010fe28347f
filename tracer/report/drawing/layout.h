#pragma once
#include <string>
#include <vector>

#include "figures/scene.h"
#include "report/drawing/strips.h"

namespace glassbox::tracer::drawing {

// A grid in its place on the paper.
struct PlacedGrid {
    const Grid* grid;
    CellLook look;
    double x, y;
    std::size_t strip;
    bool is_result = false;

    double width() const { return static_cast<double>(grid->columns) * look.width; }
    double height() const { return static_cast<double>(grid->rows) * look.height; }
};

// A result with the grids that it was made from, as numbers in Layout::grids.
struct PlacedResult {
    const Panel* panel;
    std::size_t strip = 0, own = 0;
    std::vector<std::size_t> beside{}, above{};
};

// Below a step with a mistake the expected numbers, then how far off they are.
struct PlacedExpected {
    const Panel* panel;
    CellLook look;
    double x, y;        // of its first number
    std::size_t own;    // the grid of the step, in Layout::grids
    double difference;  // y of the first difference
};

// Where everything is, and the texts and arrows, which stay as they are.
struct Layout {
    std::vector<PlacedGrid> grids;
    std::vector<PlacedResult> results;
    std::vector<PlacedExpected> expected;
    std::vector<Mark> texts;
    std::vector<double> lefts;  // x of each strip's column
    std::vector<double> tops;   // y of each strip
    std::vector<double> notes;  // y of the first line below each strip
    double width = 0, height = 0;
    std::vector<double> heights{}, widths{};  // of the strips, with the gap to the next
    bool is_overview = false;                 // maps of a whole model
};

constexpr double page_margin = 20;
constexpr double note_height = 17;

// `note_lines`: how many lines are to be left below each strip. A tall picture that may has two columns or
// three, as a slide holds it. The strips must outlive the layout.
enum class Columns { one, as_on_slide };
Layout laid_out(const Source& source, const std::vector<Strip>& strips, const std::vector<int>& note_lines,
                double top, Columns columns = Columns::one);

// What a row or a column is called: a word with its position, "cat₁"; the position with what a model answers
// there, "15 → 2"; else a word alone, "<end>" of a vocabulary, or its number.
std::string name_at(const Report::Axis& axis, std::size_t place);

// The same with its mathematics typeset: d_k with a k below the line, -9e+15 as −9·10¹⁵.
TextMark math_at(double x, double y, const std::string& text, Color color = ink, bool is_bold = false,
                 double size = 1);
// A text that is drawn in full, in units of the common font.
TextMark text_at(double x, double y, const std::string& text, Anchor anchor = Anchor::start,
                 Color color = ink, bool is_bold = false, double size = 1);

}  // namespace glassbox::tracer::drawing
