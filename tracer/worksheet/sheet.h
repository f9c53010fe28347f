#pragma once
#include <optional>
#include <string>
#include <vector>

#include <glassbox/tensor/shape.h>

// A worksheet as data: the steps of a computation, some of their numbers left blank. Made in make_sheet.h,
// and written in markdown_sheet.h and latex_sheet.h.
namespace tracer {

using glassbox::index_t;

struct SheetMatrix {
    struct Cell {
        std::string text;       // "-0.66"; of a blank the answer
        bool is_blank = false;  // to be filled in
    };
    std::string place;  // of a matrix in a tensor of more axes: "[0]"; empty for the only one
    std::string words;  // what the place means: "head 0"
    index_t rows = 0, columns = 0;
    std::vector<Cell> cells;  // row by row

    const Cell& at(index_t row, index_t column) const {
        return cells[static_cast<std::size_t>(row * columns + column)];
    }
};

struct SheetStep {
    // What a blank step needs besides other steps: a weight, a bias, a mask.
    struct Needed {
        std::string name, meaning;  // "qkv_proj.weight", "W_qkv"
        std::vector<SheetMatrix> matrices;
    };
    std::string path, formula, sentence, shape;
    std::vector<Needed> needed;
    std::vector<SheetMatrix> matrices;
    index_t blanks = 0;
    int decimals = 0;    // of its numbers
    std::string worked;  // the arithmetic of one blank: "scaled[0,0] = -0.89 / √2 = -0.629"
};

struct Sheet {
    std::string title;                // "Scaled dot-product attention"
    std::vector<std::string> header;  // formula and sizes
    std::string student;              // empty: a line to write on
    std::string origin;               // "random numbers as JAX draws them, seed 42"
    std::string command;              // that makes this sheet again
    std::string rounding;             // what to round to, and how far the last digit may be off
    bool is_key = false;              // with the answers
    std::vector<SheetStep> steps;
};

}  // namespace tracer
