#pragma once
#include <optional>
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

// A worksheet as data: the steps of a computation, some of their numbers left blank. Made in make_sheet.h;
// here are also its numbers as they are printed, and the sheet as Markdown, as LaTeX and as a PDF.
namespace glassbox::tracer {

struct SheetMatrix {
    struct Cell {
        std::string text;       // "-0.66"; of a blank the answer
        bool is_blank = false;  // to be filled in
    };
    struct ColumnPart {
        index_t column, columns;
        std::string words;  // "Q"
    };
    std::string place;  // of a matrix in a tensor of more axes: "[0]"; empty for the only one
    std::string words;  // what the place means: "head 0"
    index_t rows = 0, columns = 0;
    std::vector<Cell> cells;                               // row by row
    std::vector<ColumnPart> parts{};                       // set apart, from left to right; empty: it is one
    std::vector<std::string> row_words{}, column_words{};  // of a sentence; empty: none

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
    int decimals = 0;                    // of its numbers
    std::string worked;                  // the arithmetic of one blank: "scaled[0,0] = -0.89 / √2 = -0.629"
    std::vector<std::string> letters{};  // of `worked`, with numbers: "μ = (1 + 2) / 2 = 1.5"
    // What its formula does not say, of one blank: "norm1[0,0] = (x[0,0] - μ) / √(σ² + ε) · γ[0] + β[0]", "μ
    // = …".
    std::vector<std::string> in_full{};
    std::string copied{};  // where its numbers stand that are to be computed there: "qkv"; empty: nowhere
    bool is_copied_in_part = false;  // others are given
    std::string x{};  // which step the x of its formula is: "norm1"; empty: it says so, or has none
};

// What takes a thought, not arithmetic alone. Code stands between backticks.
struct SheetQuestion {
    std::string question, answer;
};

struct Sheet {
    std::string title;                // "Scaled dot-product attention"
    std::vector<std::string> header;  // formula and sizes
    std::string student;              // empty: a line to write on
    std::string number;               // by which sheet and key find each other: "4821"
    std::string origin;               // "random numbers as JAX draws them, seed 42": on the key
    std::string command;              // that makes this sheet again: on the key
    std::string rounding;             // what to round to, and how far the last digit may be off
    bool is_key = false;              // with the answers
    std::vector<SheetStep> steps;
    std::vector<SheetQuestion> questions{};

    static constexpr index_t points_of_question = 2;  // a number has one
    index_t points() const {
        index_t total = points_of_question * static_cast<index_t>(questions.size());
        for (const SheetStep& each : steps) total += each.blanks;
        return total;
    }
};

// How many digits after the point a tensor's numbers are given with: none if all are whole; more than
// `wanted` if even the largest would have fewer digits than that, such as Adam's averages of squares.
int decimals_of(const Tensor& x, int wanted);
// "-0.66", "0.00" for -0, "-9e15" for a hidden score, "∞". A half is rounded away from 0, as in school:
// products of numbers with few decimals often end in one.
std::string sheet_number(real value, int decimals);
// Each number as sheet_number() shows it, so that it can be computed with what is printed. Returns x itself
// where nothing changes.
Tensor rounded(const Tensor& x, int decimals);

// "Sheet 4821", and on a key also where its numbers are from.
std::string footer_words(const Sheet& sheet);

// "one for each number, two for each question"
std::string points_words(const Sheet& sheet);

// Where the numbers of a step stand that are to be computed in another: "Nothing to compute: its numbers
// stand in"; empty: they do not.
std::string copied_words(const SheetStep& step);

// The sheet as Markdown, with tables for matrices, that can also be read as it is.
std::string markdown_sheet(const Sheet& sheet);

// Between two sheets.
inline constexpr const char* markdown_page_break = "\n<div style=\"page-break-after: always\"></div>\n\n";

// The sheet as a part of a LaTeX document.
std::string latex_sheet(const Sheet& sheet);

// Between two sheets: each begins a page.
inline constexpr const char* latex_page_break = "\\clearpage\\setcounter{page}{1}\n";

// The document of these sheets, for pdflatex, xelatex, lualatex and tectonic, with no packages but amsmath
// and geometry.
std::string latex_document(const std::string& sheets);

// The LaTeX that typeset() would run: "pdflatex". With `needs_fonts` those with Unicode fonts come first.
// Throws IoError that names what to install if it is missing.
std::string installed_latex(bool needs_fonts);

// The PDF of a LaTeX document, made in a temporary folder, in which it cannot start programs. Throws IoError
// with LaTeX's own message if that fails; Interrupted once a signal was caught (cli/failure.h).
std::string typeset(const std::string& document, const std::string& latex);

}  // namespace glassbox::tracer
