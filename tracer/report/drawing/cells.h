#pragma once
#include <string>
#include <vector>

#include "report/drawing/layout.h"

namespace glassbox::tracer::drawing {

// "−0.6613", "12", "3.2e+09", "−∞"
std::string cell_text(real value, const Numbers& of, int decimals);

// One cell: its colour, hatched where a mask hides it, and its number; pale where it does not matter.
enum class Emphasis { full, pale };
void draw_cell(std::vector<Mark>& marks, const Source& source, const Place& place, const CellLook& look,
               double x, double y, Emphasis emphasis);
// A cell for a number that is to come.
void draw_empty_cell(std::vector<Mark>& marks, const CellLook& look, double x, double y);
// What should have been there, and whether it is the same to the digits that are shown.
void draw_expected_cell(std::vector<Mark>& marks, const Numbers& numbers, real expected, const CellLook& look,
                        double x, double y);

constexpr Color light_color{214, 86, 0}, wrong_color{200, 30, 60};
// Within a cell that differs; around cells that are lit.
void draw_mark(std::vector<Mark>& marks, double x, double y, double width, double height, Color color);
void draw_ring(std::vector<Mark>& marks, double x, double y, double width, double height, Color color);

// What the colours mean, from the left; returns its height.
double draw_legend(std::vector<Mark>& marks, const Source& source, const std::vector<Strip>& strips, double x,
                   double y, double width);

}  // namespace glassbox::tracer::drawing
