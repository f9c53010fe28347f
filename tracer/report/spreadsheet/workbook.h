#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/spreadsheet/cell.h"

namespace glassbox::tracer::spreadsheet {

// A workbook as it is written to a file: text, numbers and formulas, with no knowledge of steps.
enum class Look {
    plain,
    title,
    heading,  // of numbers
    label,    // of text
    note,
    link,
    input,  // a number of this many decimals
    input_whole,
    input_general,  // of any size: −9E+15
    computed,
    computed_whole,
    computed_general,
    check
};

struct Filled {
    index_t row = 0, column = 0;
    Look look = Look::plain;
    std::string text{};  // as it is, whatever it begins with
    std::optional<double>
        number{};           // of a formula: what it gives, for programs that do not compute; NaN: #N/A
    std::string formula{};  // without "="
    std::string link{};     // a cell of another sheet: "'∂ Q'!A1"
};

// Cells coloured by their numbers: from red below 0 to blue above, or for weights from white at 0 to blue
// at 1.
struct Colored {
    index_t first_row, last_row, last_column;  // from column 1 on
    double largest;                            // 0: weights
};

struct Worksheet {
    std::string name;
    std::vector<Filled> cells{};   // from left to right, then downwards
    std::vector<double> widths{};  // of the first columns, in characters
    index_t frozen_rows = 0, frozen_columns = 0;
    std::vector<Colored> colored{};
};

// The bytes of an .xlsx file. `precision` is the number of decimals shown. The same workbook gives the same
// bytes.
std::string xlsx_bytes(const std::vector<Worksheet>& sheets, int precision);

// Text of XML, with what XML or Excel would take for something else escaped: "<", "_x0041_", control
// characters.
std::string xml_text(const std::string& text);

}  // namespace glassbox::tracer::spreadsheet
