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
    name,     // of a matrix
    heading,  // of rows and columns
    label,    // of a list
    note,
    link,
    input,  // a number of this many decimals
    input_whole,
    input_small,    // with more decimals where they are needed
    input_general,  // of any size: −9E+15
    computed,
    computed_whole,
    computed_small,
    computed_general,
    hidden,         // a number that a mask hides
    hidden_sample,  // the same in a wide column: −9.00E+15
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

// Frames cells that differ from others by more than rounding: from `right` on, of which `first` has the
// place.
struct Differing {
    std::string first, right;
    double tolerance;
};

// Cells coloured by their numbers, as on the page and in figures: signed numbers from −largest to largest, or
// weights from 0 to 1.
struct Colored {
    std::vector<std::string> ranges;
    double largest;     // 0: weights
    std::string all{};  // the range with what a mask hides, which is far beyond what a number can be
    std::optional<Differing> differing{};
};

// Cells that are hatched where those of a mask are 0, as is typed into it. `mask` is the first one's.
struct Masked {
    std::string range, mask;
    bool is_hidden;  // as delivered
};

// Said beside the cells when one of them is chosen.
struct CellNote {
    std::string cells;  // ranges
    std::string title, text;
};

struct Worksheet {
    std::string name;
    std::vector<Filled> cells{};   // from left to right, then downwards
    std::vector<double> widths{};  // of the first columns, in characters
    std::vector<Colored> colored{};
    std::vector<Masked> masked{};
    std::vector<CellNote> notes{};
    std::vector<index_t> page_breaks{};  // rows that begin a page
    index_t frozen_rows = 0;             // that stay when one scrolls
};

// The bytes of an .xlsx file. `precision` is the number of decimals shown. The same workbook gives the same
// bytes.
std::string xlsx_bytes(const std::vector<Worksheet>& sheets, int precision);

// Text of XML, with what XML or Excel would take for something else escaped: "<", "_x0041_", control
// characters.
std::string xml_text(const std::string& text);

}  // namespace glassbox::tracer::spreadsheet
