#pragma once
#include <set>
#include <string>

#include <glassbox/tensor/shape.h>

namespace glassbox::tracer::spreadsheet {

// A cell of a workbook; all counted from 0.
struct Cell {
    std::size_t sheet = 0;
    index_t row = 0, column = 0;
    bool operator==(const Cell&) const = default;
};

std::string column_name(index_t column);               // A, Z, AA
std::string cell_name(index_t row, index_t column);    // B8
std::string range_name(const Cell& a, const Cell& b);  // B8:D8; B8 where they are the same

// What Excel and LibreOffice can hold.
constexpr index_t max_rows = 1'048'576, max_columns = 16'384;
constexpr std::size_t max_sheet_name = 31, max_formula = 8192;

// Names for sheets by Excel's rules: at most 31 characters, none of []:*?/\, no apostrophe at an end, not
// "History", all different ignoring case.
class SheetNames {
  public:
    std::string add(const std::string& wanted);  // "encoder/0/norm1" → "encoder.0.norm1"

  private:
    std::set<std::string> taken_;  // in lower case
};

// In a formula, quoted where it could be taken for something else: Q!, 'mlp.hidden'!, 'R1'!
std::string sheet_prefix(const std::string& name);

}  // namespace glassbox::tracer::spreadsheet
