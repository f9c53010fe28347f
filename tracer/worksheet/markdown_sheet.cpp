#include "worksheet/sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/io/text.h>

#include "cli/number.h"
#include "cli/option_value.h"
#include "cli/text_width.h"

namespace glassbox::tracer {

namespace {

const char* const blank = "____";

// Whether this place of a text makes a link or an image of what is around it.
bool makes_link(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at + 1);
    const char next = rest.empty() ? '\0' : rest[0];
    if (text[at] == ']') return next == '(' || next == '[' || next == ':';
    if (text[at] == ':') return rest.starts_with("//");
    return text[at] == '.' && text.substr(0, at).ends_with("www");
}

// Text of the library with words from the data: only these can have an unintended meaning.
std::string markdown_words(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (std::string_view("<*`\\").find(text[i]) != std::string_view::npos || makes_link(text, i))
            result += '\\';
        result += text[i];
    }
    return result;
}

// Any text.
std::string markdown_text(const std::string& text) {
    std::string result;
    for (const char c : printable_lines(text)) {
        if (c == '\n' || c == '\t') {
            result += ' ';
            continue;
        }
        if (std::string_view("\\`*_{}[]()<>#+-.!|~&$:").find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
    return result;
}

// Between more backticks than there are in a row in it.
std::string markdown_code(const std::string& text) {
    std::size_t most = 0, row = 0;
    for (const char c : text) most = std::max(most, row = c == '`' ? row + 1 : 0);
    const std::string fence(most + 1, '`');
    return most == 0 ? fence + text + fence : fence + " " + text + " " + fence;
}

std::string cell_text(const SheetMatrix::Cell& cell, bool is_key) {
    if (!cell.is_blank) return cell.text;
    return is_key ? "**" + cell.text + "**" : blank;
}

std::string padded(const std::string& text, int width) {
    return std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ') + text;
}

// "cat₁"; "1" without words.
std::string place_name(const std::vector<std::string>& words, index_t i) {
    if (words.empty()) return std::to_string(i);
    return markdown_text(at_position(words[static_cast<std::size_t>(i)], static_cast<std::size_t>(i)));
}

// Text with code between backticks.
std::string markdown_marked(const std::string& text) {
    std::string result;
    bool is_code = false;
    for (const std::string& part : split_at(text, '`')) {
        result += is_code ? markdown_code(part) : markdown_words(part);
        is_code = !is_code;
    }
    return result;
}

// A table with the numbers of rows and columns, as places such as attention[0,1] name them.
std::string table(const SheetMatrix& matrix, const SheetMatrix::ColumnPart& part, bool is_key) {
    const auto columns = static_cast<std::size_t>(part.columns);
    std::vector<std::vector<std::string>> lines{{""}};
    for (index_t j = 0; j < part.columns; ++j)
        lines[0].push_back(place_name(matrix.column_words, part.column + j));
    for (index_t i = 0; i < matrix.rows; ++i) {
        lines.push_back({matrix.rows > 1 ? place_name(matrix.row_words, i) : ""});
        for (index_t j = 0; j < part.columns; ++j)
            lines.back().push_back(cell_text(matrix.at(i, part.column + j), is_key));
    }
    std::vector<int> widths(columns + 1, 2);
    for (const auto& line : lines)
        for (std::size_t j = 0; j <= columns; ++j) widths[j] = std::max(widths[j], width_of(line[j]));
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        for (std::size_t j = 0; j <= columns; ++j) text += "| " + padded(lines[i][j], widths[j]) + " ";
        text += "|\n";
        if (i > 0) continue;
        for (std::size_t j = 0; j <= columns; ++j)
            text += "|" + std::string(static_cast<std::size_t>(widths[j]) + 1, '-') + ":";
        text += "|\n";
    }
    return text;
}

std::string tables(const std::string& name, const std::vector<SheetMatrix>& matrices, bool is_key) {
    std::string text;
    for (const SheetMatrix& matrix : matrices) {
        std::vector<SheetMatrix::ColumnPart> parts = matrix.parts;
        if (parts.empty()) parts.push_back({0, matrix.columns, ""});
        for (const SheetMatrix::ColumnPart& part : parts) {
            std::string words = matrix.words;
            if (!part.words.empty()) words += (words.empty() ? "" : ", ") + part.words;
            text += "\n";
            if (!matrix.place.empty() || !words.empty())
                text += fmt::format("`{}{}`{}\n\n", name, matrix.place,
                                    words.empty() ? "" : ", " + markdown_words(words));
            text += table(matrix, part, is_key);
        }
    }
    return text;
}

// An empty box, and empty lines where the text is read as it is.
constexpr const char* room_to_work = "\nWork:\n\n```\n\n\n\n\n```\n";
constexpr const char* room_to_answer = "\n```\n\n\n\n```\n";

std::string markdown_step(const SheetStep& step, std::size_t number, bool is_key) {
    const std::string is = step.formula.empty() ? "" : " = " + step.formula;
    std::string text = fmt::format("\n## {}. {}{}\n", number, markdown_code(step.path + is),
                                   step.shape.empty() ? "" : " (" + step.shape + ")");
    if (!step.sentence.empty()) text += "\n" + markdown_words(step.sentence) + "\n";
    for (const std::string& line : step.in_full) text += "\n" + markdown_code(line) + "\n";
    if (!step.x.empty()) text += "\nHere " + markdown_code("x = " + step.x) + ".\n";
    for (const SheetStep::Needed& each : step.needed) {
        const bool is_letter = each.meaning.find(' ') == std::string::npos;
        text += fmt::format("\nGiven: {}{}\n", markdown_code(each.name),
                            each.meaning.empty() ? ""
                            : is_letter          ? ", " + markdown_code(each.meaning)
                                                 : ": " + markdown_words(each.meaning));
        text += tables(each.name, each.matrices, is_key);
    }
    if (step.blanks > 0) {
        const std::string decimals = step.decimals == 0 ? "" : ", " + counted(step.decimals, "decimal");
        text += is_key ? fmt::format("\n**Answer**{}, {}:\n", decimals, counted(step.blanks, "point"))
                       : fmt::format("\n**To do**: {}{}. Points: {} of {}\n", counted(step.blanks, "number"),
                                     decimals, blank, step.blanks);
    }
    if (!step.copied.empty())
        text += fmt::format("\n{} {}.\n", copied_words(step), markdown_code(step.copied));
    text += tables(step.path, step.matrices, is_key);
    if (step.blanks > 0 && !is_key) text += room_to_work;
    if (is_key && !step.worked.empty()) {
        text += fmt::format("\n{}: {}\n", step.blanks == 1 ? "Worked" : "One of them",
                            markdown_code(step.worked));
        for (const std::string& letter : step.letters) text += "\n" + markdown_code(letter) + "\n";
    }
    return text;
}

std::string markdown_questions(const Sheet& sheet) {
    if (sheet.questions.empty()) return "";
    std::string text = "\n## Questions\n";
    for (std::size_t i = 0; i < sheet.questions.size(); ++i) {
        const SheetQuestion& each = sheet.questions[i];
        text += fmt::format("\n**{}.** {}\n", i + 1, markdown_marked(each.question));
        text += sheet.is_key
                    ? fmt::format("\n**Answer**, {} points: {}\n", Sheet::points_of_question,
                                  markdown_marked(each.answer))
                    : fmt::format("\nPoints: {} of {}\n{}", blank, Sheet::points_of_question, room_to_answer);
    }
    return text;
}

}  // namespace

std::string markdown_sheet(const Sheet& sheet) {
    std::string text = fmt::format("# {}{}\n\n", markdown_words(sheet.title), sheet.is_key ? ": key" : "");
    if (!sheet.student.empty()) text += fmt::format("Name: **{}**\n\n", markdown_text(sheet.student));
    else if (!sheet.is_key) text += "Name: ______________________________\n\n";
    text += sheet.is_key ? fmt::format("{}, {}\n", counted(sheet.points(), "point"), points_words(sheet))
                         : fmt::format("Points: {} of {}, {}\n", blank, sheet.points(), points_words(sheet));
    for (const std::string& line : sheet.header)
        text += "\n" + markdown_words(line.substr(std::min(line.find_first_not_of(' '), line.size()))) + "\n";
    text += "\n" + sheet.rounding + "\n";
    for (std::size_t i = 0; i < sheet.steps.size(); ++i)
        text += markdown_step(sheet.steps[i], i + 1, sheet.is_key);
    text += markdown_questions(sheet);
    return text + fmt::format("\n---\n\n{}{}\n", markdown_words(footer_words(sheet)),
                              sheet.is_key ? markdown_code(sheet.command) : "");
}

}  // namespace glassbox::tracer
