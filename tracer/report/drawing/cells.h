#pragma once
#include <string>
#include <vector>

#include "report/drawing/layout.h"

namespace glassbox::tracer::drawing {

// "−0.6613", "0.00025", "12", "−9·10¹⁵", "−∞": below 0.01 digits count from the first that is not 0.
std::string cell_text(real value, const Numbers& of, int decimals);

// "9·10¹⁵", "10⁻⁶"
std::string power_of_ten(const std::string& digits, int power);

// One cell: its colour, hatched where a mask hides it, and its number; pale where it does not matter.
enum class Emphasis { full, pale };
void draw_cell(std::vector<Mark>& marks, const Source& source, const Place& place, const CellLook& look,
               double x, double y, Emphasis emphasis);
// A number on the way to the one that its cell is for.
void draw_passing(std::vector<Mark>& marks, double value, const CellLook& look, double x, double y);
// A cell for a number that is to come.
void draw_empty_cell(std::vector<Mark>& marks, const CellLook& look, double x, double y);
// What should have been there; how far off it is.
void draw_expected_cell(std::vector<Mark>& marks, const Numbers& numbers, real expected, const CellLook& look,
                        double x, double y);
void draw_difference(std::vector<Mark>& marks, const Numbers& numbers, real difference, const CellLook& look,
                     double x, double y);

constexpr Color light_color{214, 86, 0};
// Within a cell that differs; around cells that are lit.
void draw_mark(std::vector<Mark>& marks, double x, double y, double width, double height, Color color);
void draw_ring(std::vector<Mark>& marks, double x, double y, double width, double height, Color color);
void draw_frame(std::vector<Mark>& marks, double x, double y, double width, double height, Color color);

// What the colours mean, from the left; returns its height.
double draw_legend(std::vector<Mark>& marks, const Source& source, const std::vector<Strip>& strips, double x,
                   double y, double width);

}  // namespace glassbox::tracer::drawing
