#include "worksheet/sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/number.h"
#include "cli/option_value.h"
#include "cli/text_width.h"
#include "worksheet/latex_text.h"

namespace glassbox::tracer {

namespace {

// \withwork: a matrix, and beside it room to work of a least height; \work: room below what was set, of a
// height. \uni: a character that Knuth's fonts lack, and its substitute if the engine's font also lacks it.
// \straight: a straight quote of the typewriter font.
constexpr const char* preamble = R"(\documentclass[11pt,a4paper]{article}
\usepackage{amsmath}
\usepackage[margin=16mm,top=12mm,bottom=12mm,includefoot]{geometry}
\ifdefined\pdfinfoomitdate\pdfinfoomitdate=1 \pdftrailerid{}\fi
\ifdefined\Umathchar\newcommand{\straight}{\char39 }\else\newcommand{\straight}{\char13 }\fi
\setlength{\fboxsep}{1pt}
\newcommand{\blank}{\rule[-1.8ex]{0pt}{4.9ex}\framebox[3.6em]{\rule[-1.3ex]{0pt}{4.2ex}}}
\newcommand{\rowstrut}{\rule[-1.1ex]{0pt}{3.9ex}}
\newcommand{\boxstrut}{\rule[-0.7ex]{0pt}{3ex}}
\newcommand{\answer}[1]{\rowstrut\framebox[3.6em]{\boxstrut$\mathbf{#1}$}}
\newcommand{\longanswer}[1]{\rowstrut\framebox{\boxstrut$\mathbf{#1}$}}
\newcommand{\room}[2]{{\setlength{\fboxsep}{3pt}\setlength{\fboxrule}{0.2pt}\framebox{%
  \begin{minipage}[t][#2][t]{#1}\footnotesize\textit{\roomname}\end{minipage}}}}
\newcommand{\roomname}{Work}
\newcommand{\withwork}[2]{\sbox0{#2}\dimen0=\dimexpr\ht0+\dp0-8pt\relax\ifdim\dimen0<#1\dimen0=#1\relax\fi
  \noindent\usebox0\hfill$\vcenter{\hbox{\room{\dimexpr\linewidth-\wd0-2.5em\relax}{\dimen0}}}$\par}
\newcommand{\work}[1]{\nopagebreak\smallskip\noindent\room{\dimexpr\linewidth-7pt\relax}{#1}\par}
\newcommand{\points}[1]{ \hspace*{\fill}\mbox{\rule[-0.4ex]{2.5em}{0.4pt} of #1}}
\newcommand{\stephead}[3]{\textbf{#1.}\quad $\displaystyle #2$\hfill #3\par\nopagebreak\smallskip}
\newif\ifpartbegins
\newcommand{\modelpart}[1]{\par\filbreak\medskip{\footnotesize\texttt{#1}\ \hrulefill}\par\nopagebreak\partbeginstrue}
\newcommand{\beginstep}{\par\ifpartbegins\partbeginsfalse\else\filbreak\fi\medskip}
\newcommand{\step}{\beginstep\stephead}
\setlength{\parindent}{0pt}
\setlength{\arraycolsep}{4pt}
\renewcommand{\arraystretch}{1.1}
\raggedbottom
\raggedright
)";

constexpr const char* unicode_preamble = R"(\newif\ifunifound
\newcommand{\unitry}[2]{\ifunifound\else\iffontchar#1"#2 {#1\char"#2\relax}\unifoundtrue\fi\fi}
\newcommand{\unifonts}[1]{}
\ifdefined\XeTeXversion
  \suppressfontnotfounderror=1
  \font\unia="Noto Serif CJK SC" at 12pt
  \font\unib="Noto Sans CJK SC" at 12pt
  \font\unic="WenQuanYi Zen Hei" at 12pt
  \font\unid="PingFang SC" at 12pt
  \font\unie="Microsoft YaHei" at 12pt
  \font\unif="Noto Serif" at 12pt
  \font\unig="DejaVu Serif" at 12pt
  \font\unih="Times New Roman" at 12pt
  \font\unii="DejaVu Sans" at 12pt
  \renewcommand{\unifonts}[1]{\unitry\unia{#1}\unitry\unib{#1}\unitry\unic{#1}\unitry\unid{#1}\unitry\unie{#1}%
    \unitry\unif{#1}\unitry\unig{#1}\unitry\unih{#1}\unitry\unii{#1}}
\fi
\ifdefined\Umathchar
  \newcommand{\uni}[2]{\unifoundfalse\iffontchar\font"#1 \char"#1\relax\unifoundtrue\fi
    \unifonts{#1}\ifunifound\else #2\fi}
\else
  \newcommand{\uni}[2]{#2}
\fi
)";

// In em: the width of a line, and what is added to each column and around a matrix.
constexpr double line_width_em = 41, column_gap_em = 0.75, brackets_em = 1.5, blank_em = 3.6, digit_em = 0.52;
constexpr index_t max_rows = 24, max_rows_of_blanks = 18;  // of a page
constexpr double room_em = 14;                             // the least for arithmetic beside a matrix
constexpr int longest_word = 12;                           // characters

// Of a word with its position.
double word_em(const std::string& word) {
    constexpr double index_em = 0.8;
    return index_em + digit_em * std::min(longest_word, width_of(word));
}

// The width of a matrix's widest cell.
double cell_em(const SheetMatrix& matrix) {
    double widest = 0;
    for (const SheetMatrix::Cell& cell : matrix.cells)
        widest = std::max(
            {widest, cell.is_blank ? blank_em : 0, digit_em * static_cast<double>(cell.text.size())});
    for (const std::string& word : matrix.column_words) widest = std::max(widest, word_em(word));
    return widest + column_gap_em;
}

// The width of the words before its rows.
double row_words_em(const SheetMatrix& matrix) {
    double widest = 1;  // of a position alone
    for (const std::string& word : matrix.row_words) widest = std::max(widest, word_em(word));
    return widest;
}

std::string latex_cell(const SheetMatrix::Cell& cell, bool is_key) {
    const std::string number = latex_math(cell.text);
    if (!cell.is_blank) return number;
    if (!is_key) return "\\blank";
    constexpr std::size_t fits = 6;  // characters in a box of one width
    return fmt::format("\\{}{{{}}}", cell.text.size() > fits ? "longanswer" : "answer", number);
}

struct CellRange {
    index_t row, rows, column, columns;
    std::string words;  // "Q", of columns set apart
};

bool has_blanks(const SheetMatrix& matrix) {
    return std::any_of(matrix.cells.begin(), matrix.cells.end(),
                       [](const SheetMatrix::Cell& cell) { return cell.is_blank; });
}

// The parts of a matrix that fit a page, on a line after a label of `label_em`.
std::vector<CellRange> blocks_of(const SheetMatrix& matrix, double label_em) {
    constexpr double part_em = 13;  // "(rows 0–23, columns 11–19)"
    const index_t rows = has_blanks(matrix) ? max_rows_of_blanks : max_rows;
    const double space_em = line_width_em - label_em - brackets_em;
    const bool fits =
        matrix.rows <= rows && cell_em(matrix) * static_cast<double>(matrix.columns) <= space_em;
    const double left_em = fits || !matrix.parts.empty() ? space_em : space_em - part_em;
    const auto columns = std::max<index_t>(1, static_cast<index_t>(left_em / cell_em(matrix)));
    std::vector<SheetMatrix::ColumnPart> parts = matrix.parts;
    if (parts.empty()) parts.push_back({0, matrix.columns, ""});
    std::vector<CellRange> blocks;
    for (index_t row = 0; row < matrix.rows; row += rows)
        for (const SheetMatrix::ColumnPart& part : parts)
            for (index_t column = 0; column < part.columns; column += columns)
                blocks.push_back({row, std::min(rows, matrix.rows - row), part.column + column,
                                  std::min(columns, part.columns - column), part.words});
    return blocks;
}

// A word above a column or before a row, with its position as an index; the position alone without words.
std::string latex_word(const std::vector<std::string>& words, index_t i) {
    if (words.empty()) return fmt::format("{{\\scriptstyle {}}}", i);
    return fmt::format("\\text{{\\small {}}}_{{{}}}",
                       latex_text(shortened(words[static_cast<std::size_t>(i)], longest_word)), i);
}

// A table with what its rows and columns are: words, or their numbers, as places such as attention[0,1] name
// them.
std::string latex_block(const SheetMatrix& matrix, const CellRange& block, bool is_key) {
    if (matrix.cells.size() == 1) return latex_cell(matrix.cells[0], is_key);
    std::string text = fmt::format("\\;\\begin{{array}}{{r|{}}}\n",
                                   std::string(static_cast<std::size_t>(block.columns), 'r'));
    for (index_t j = block.column; j < block.column + block.columns; ++j)
        text += " & \\multicolumn{1}{c}{" + latex_word(matrix.column_words, j) + "}";
    text += " \\\\ \\hline\n";
    for (index_t i = block.row; i < block.row + block.rows; ++i) {
        if (matrix.rows > 1) text += latex_word(matrix.row_words, i);
        text += " & ";
        for (index_t j = block.column; j < block.column + block.columns; ++j)
            text += latex_cell(matrix.at(i, j), is_key) + (j + 1 < block.column + block.columns ? " & "
                                                           : i + 1 < block.row + block.rows     ? " \\\\\n"
                                                                                                : "\n");
    }
    return text + "\\end{array}";
}

// "columns 8–15", if a matrix is in parts
std::string part_words(const SheetMatrix& matrix, const CellRange& block) {
    const auto range = [](const char* what, index_t first, index_t n) {
        return n == 1 ? fmt::format("{} {}", what, first)
                      : fmt::format("{}s {}--{}", what, first, first + n - 1);
    };
    std::string text = block.words;
    if (block.rows < matrix.rows) text += (text.empty() ? "" : ", ") + range("row", block.row, block.rows);
    if (block.columns < matrix.columns)
        text += (text.empty() ? "" : ", ") + range("column", block.column, block.columns);
    return text;
}

// Columns that are set apart, one part after the other: name = [ … ] [ … ] [ … ], each below what it is.
std::vector<std::string> latex_parts(const std::string& label, const SheetMatrix& matrix, double label_em,
                                     bool is_key) {
    std::vector<std::string> all;
    for (const CellRange& block : blocks_of(matrix, label_em))
        all.push_back(
            fmt::format("$\\displaystyle {}\\overset{{\\rule{{0pt}}{{3.4ex}}\\text{{\\small {}}}}}{{{}}}$",
                        all.empty() ? latex_math(label) + " = " : "", part_words(matrix, block),
                        latex_block(matrix, block, is_key)));
    return all;
}

index_t rows_asked(const SheetStep& step) {
    index_t rows = 0;
    for (const SheetMatrix& matrix : step.matrices)
        for (index_t i = 0; i < matrix.rows; ++i) {
            const auto row = matrix.cells.begin() + static_cast<std::ptrdiff_t>(i * matrix.columns);
            rows += std::any_of(row, row + static_cast<std::ptrdiff_t>(matrix.columns),
                                [](const SheetMatrix::Cell& cell) { return cell.is_blank; });
        }
    return rows;
}

// The height that the arithmetic of a step's blanks takes, written as the worked one is.
int work_mm(const SheetStep& step) {
    constexpr double line_mm = 6, columns = 80, least = 8, most = 55;
    const double lines = std::max(0.25, static_cast<double>(step.worked.size()) / columns);
    // A mean and a variance are computed once for a row.
    const double of_rows =
        static_cast<double>(step.letters.size() * static_cast<std::size_t>(rows_asked(step)));
    return static_cast<int>(
        std::clamp(line_mm * (lines * static_cast<double>(step.blanks) + of_rows), least, most));
}

// name = [ … ], one matrix after the other as they fit on lines. `work`: the height of the room for the
// arithmetic, beside each matrix if it leaves some, else below all; 0: none.
std::string latex_matrices(const std::string& name, const std::vector<SheetMatrix>& matrices, bool is_key,
                           int work = 0) {
    std::vector<std::string> all;
    std::vector<bool> are_asked;
    bool has_room_beside = work > 0;
    for (const SheetMatrix& matrix : matrices) {
        const std::string label = name + matrix.place;
        const double label_em =
            digit_em * static_cast<double>(label.size() + matrix.words.size()) + 2 + row_words_em(matrix);
        if (!matrix.parts.empty()) {
            has_room_beside = false;
            for (std::string& part : latex_parts(label, matrix, label_em, is_key))
                all.push_back(std::move(part));
            continue;
        }
        for (const CellRange& block : blocks_of(matrix, label_em)) {
            const std::string part = part_words(matrix, block);
            std::string words = matrix.words + (matrix.words.empty() || part.empty() ? "" : ", ") + part;
            if (!words.empty()) words = "\\ \\text{\\small (" + words + ")}";
            all.push_back(fmt::format("$\\displaystyle {}{} = {}$", latex_math(label), words,
                                      latex_block(matrix, block, is_key)));
            are_asked.resize(all.size()), are_asked.back() = has_blanks(matrix);
            const double width_em = label_em + brackets_em + digit_em * static_cast<double>(part.size()) +
                                    cell_em(matrix) * static_cast<double>(block.columns);
            has_room_beside = has_room_beside && width_em + room_em <= line_width_em;
        }
    }
    const auto asked = std::max<std::ptrdiff_t>(1, std::count(are_asked.begin(), are_asked.end(), true));
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i)
        text += has_room_beside && are_asked[i]
                    ? fmt::format("\\withwork{{{}mm}}{{{}}}\\smallskip\n", work / asked, all[i])
                    : all[i] + "\\hspace{2em plus 0pt}\\penalty0\n";
    const bool is_below = work > 0 && !has_room_beside;
    return text + "\\par\n" + (is_below ? fmt::format("\\work{{{}mm}}\n", work) : "");
}

// Within its part of the model.
std::string name_of(const SheetStep& step) { return step.path.substr(step.path.rfind('/') + 1); }
std::string part_of(const SheetStep& step) {
    return step.path.substr(0, step.path.size() - name_of(step).size());
}

std::string heading(const SheetStep& step, std::size_t number) {
    const std::string is = step.formula.empty() ? "" : " = " + step.formula;
    std::string text = fmt::format("{{{}}}{{{}}}{{{}}}\n", number, latex_math(name_of(step) + is),
                                   step.shape.empty() ? "" : "$" + latex_math(step.shape) + "$");
    std::string says = step.sentence.empty() ? "" : latex_sentence(step.sentence), letters;
    for (const std::string& line : step.in_full)
        letters += (letters.empty() ? "" : ",\\quad ") + ("$" + latex_math(line) + "$");
    if (!step.x.empty())
        letters += (letters.empty() ? "" : ",\\quad ") + ("$" + latex_math("x = " + step.x) + "$");
    says += (says.empty() || letters.empty() ? "" : "\\quad ") + letters;
    return says.empty() ? text : text + says + "\\par\\nopagebreak\\smallskip\n";
}

index_t rows_of(const std::vector<SheetStep::Needed>& all) {
    index_t rows = 0;
    for (const SheetStep::Needed& each : all)
        for (const SheetMatrix& matrix : each.matrices) rows += matrix.rows;
    return rows;
}

// Much that is given may fill a page; little stays with what is asked.
std::string break_after(const std::vector<SheetStep::Needed>& given) {
    return rows_of(given) > max_rows / 2 ? "\\filbreak\n" : "";
}

std::string latex_step(const SheetStep& step, std::size_t number, bool is_key) {
    std::string text = "\\step" + heading(step, number);
    for (const SheetStep::Needed& each : step.needed) {
        const bool is_letter = !each.meaning.empty() && each.meaning.find(' ') == std::string::npos;
        text += "Given: " + (is_letter ? "$" + latex_math(each.meaning) + "$"
                                       : "\\texttt{" + latex_code(each.name) + "}");
        if (is_letter) text += "\\hfill{\\footnotesize\\texttt{" + latex_code(each.name) + "}}";
        else if (!each.meaning.empty()) text += ": " + latex_sentence(each.meaning);
        text += "\\par\\nopagebreak\\smallskip\n" +
                latex_matrices(is_letter ? each.meaning : each.name, each.matrices, is_key) + "\\smallskip\n";
    }
    if (step.blanks > 0) {
        const std::string decimals = step.decimals == 0 ? "" : counted(step.decimals, "decimal");
        const std::string comma = decimals.empty() ? "" : ", " + decimals,
                          points = counted(step.blanks, "point");
        text += break_after(step.needed);
        text += is_key ? fmt::format("\\textit{{Answer{}:}}\\hfill {}", comma, points)
                       : fmt::format("\\textit{{To do: {}{}.}}\\points{{{}}}", counted(step.blanks, "number"),
                                     comma, points);
        text += "\\par\\nopagebreak\\smallskip\n";
    }
    if (!step.copied.empty())
        text += fmt::format("{} \\texttt{{{}}}.\\par\n", copied_words(step), latex_code(step.copied));
    text +=
        latex_matrices(name_of(step), step.matrices, is_key, step.blanks > 0 && !is_key ? work_mm(step) : 0);
    if (is_key && !step.worked.empty()) {
        text += fmt::format("\\nopagebreak\\smallskip\n{}: ${}$\\par\n",
                            step.blanks == 1 ? "Worked" : "One of them", latex_math(step.worked));
        for (const std::string& letter : step.letters)
            text += "\\nopagebreak $" + latex_math(letter) + "$\\par\n";
    }
    return text;
}

// An input that leaves space beside it for another.
bool is_narrow_input(const SheetStep& step) {
    constexpr double width_em = 12;
    constexpr index_t rows = 12;
    if (!step.formula.empty() || step.blanks > 0 || step.matrices.size() != 1 || step.path.size() > 12)
        return false;
    const SheetMatrix& matrix = step.matrices[0];
    return matrix.rows <= rows && cell_em(matrix) * static_cast<double>(matrix.columns) +
                                          row_words_em(matrix) +
                                          digit_em * static_cast<double>(step.path.size()) + 2 <
                                      width_em;
}

std::string latex_steps(const Sheet& sheet) {
    constexpr int max_per_line = 3;
    std::string text;
    int beside = 0;  // inputs on this line
    for (std::size_t i = 0; i < sheet.steps.size(); ++i) {
        const SheetStep& step = sheet.steps[i];
        const std::string part = part_of(step), before = i > 0 ? part_of(sheet.steps[i - 1]) : "";
        if (part != before) {
            beside = 0;
            text += fmt::format("\\modelpart{{{}}}\n", latex_code(part.substr(0, part.rfind('/'))));
        }
        if (!is_narrow_input(step)) {
            beside = 0;
            text += latex_step(step, i + 1, sheet.is_key);
            continue;
        }
        text += beside % max_per_line == 0 ? "\\beginstep\n" : "\\hfill\n";
        ++beside;
        text += "\\begin{minipage}[t]{0.29\\linewidth}\\raggedright\\stephead" + heading(step, i + 1) +
                latex_matrices(name_of(step), step.matrices, sheet.is_key) + "\\end{minipage}";
        const bool ends = i + 1 == sheet.steps.size() || !is_narrow_input(sheet.steps[i + 1]) ||
                          part_of(sheet.steps[i + 1]) != part;
        if (ends) text += beside % max_per_line == 0 ? "\\par\n" : "\\hspace*{\\fill}\\par\n";
    }
    return text;
}

// Text with code between backticks.
std::string latex_marked(const std::string& text) {
    std::string result;
    bool is_code = false;
    for (const std::string& part : split_at(text, '`')) {
        result += is_code ? "\\texttt{" + latex_code(part) + "}" : latex_sentence(part);
        is_code = !is_code;
    }
    return result;
}

std::string latex_questions(const Sheet& sheet) {
    std::string text;
    for (std::size_t i = 0; i < sheet.questions.size(); ++i) {
        const SheetQuestion& each = sheet.questions[i];
        text += "\\par\\filbreak\\medskip\n";
        if (i == 0) text += "\\textbf{Questions}\\par\\nopagebreak\\smallskip\n";
        text += fmt::format("\\textbf{{{}.}}\\quad {}", i + 1, latex_marked(each.question));
        text += sheet.is_key
                    ? fmt::format(
                          "\\par\\nopagebreak\\smallskip\n\\textit{{Answer:}} {} "
                          "\\hspace*{{\\fill}}{} points\\par\n",
                          latex_marked(each.answer), Sheet::points_of_question)
                    : fmt::format(
                          "\\points{{{} points}}\\par{{\\renewcommand{{\\roomname}}{{}}\\work{{14mm}}}}\n",
                          Sheet::points_of_question);
    }
    return text;
}

}  // namespace

std::string latex_sheet(const Sheet& sheet) {
    const std::string name = !sheet.student.empty() ? "Name: \\textbf{" + latex_text(sheet.student) + "}"
                             : sheet.is_key         ? ""  // nobody fills it in
                                                    : "Name: \\rule[-0.4ex]{16em}{0.4pt}";
    std::string text = fmt::format("{{\\Large\\textbf{{{}{}}}}}\\hfill {}\\par\\medskip\n",
                                   latex_sentence(sheet.title), sheet.is_key ? ": key" : "", name);
    const std::string points = counted(sheet.points(), "point");
    text += sheet.is_key ? "\\hfill " + points : fmt::format("\\points{{{}}}", points);
    text += ", " + points_words(sheet) + "\\par\\smallskip\n";
    for (const std::string& line : sheet.header)
        text += (line.find(" = ") != std::string::npos && line.find(':') == std::string::npos
                     ? "$" + latex_math(line) + "$"
                     : latex_sentence(line)) +
                "\\par\n";
    text += "\\medskip\n" + latex_text(sheet.rounding) + "\\par\n";
    return text + latex_steps(sheet) + latex_questions(sheet) +
           fmt::format("\\par\\filbreak\\bigskip{{\\footnotesize {}{}\\par}}\n",
                       latex_sentence(footer_words(sheet)),
                       sheet.is_key ? "\\texttt{" + latex_code(sheet.command) + "}" : "");
}

std::string latex_document(const std::string& sheets) {
    const bool has_unicode = sheets.find("\\uni{") != std::string::npos;
    return fmt::format("{}{}\\begin{{document}}\n{}\\end{{document}}\n", preamble,
                       has_unicode ? unicode_preamble : "", sheets);
}

}  // namespace glassbox::tracer
