#include "report/spreadsheet/workbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include <glassbox/io/numpy.h>
#include <glassbox/io/text.h>

#include "report/spreadsheet/formula.h"

// The parts of an Office Open XML workbook (ECMA-376, part 1, chapter 18): a zip of XML files.
namespace glassbox::tracer::spreadsheet {
namespace {

constexpr const char* declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
constexpr const char* main_namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
constexpr const char* relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
constexpr const char* package = "http://schemas.openxmlformats.org/package/2006";
constexpr const char* content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml";

// A cell holds 32,767 characters, as UTF-16 counts them; a workbook with a longer text is called damaged.
std::string text_of_cell(const std::string& text) {
    constexpr std::size_t max_units = 32767;
    std::size_t units = 0, kept = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0) == 0x80) continue;  // within a character
        if (units < max_units) kept = i;      // so far there is room for a "…" from here on
        units += byte >= 0xF0 ? 2 : 1;
    }
    return units <= max_units ? text : text.substr(0, kept) + "…";
}

std::string cell_xml(const Filled& cell) {
    const std::string start =
        fmt::format("<c r=\"{}\" s=\"{}\"", cell_name(cell.row, cell.column), static_cast<int>(cell.look));
    const bool is_nan = cell.number && std::isnan(*cell.number);
    if (!cell.formula.empty() || is_nan)
        return fmt::format("{}{}><f>{}</f>{}</c>", start, is_nan ? " t=\"e\"" : "",
                           is_nan ? "NA()" : xml_text(cell.formula),
                           is_nan        ? "<v>#N/A</v>"
                           : cell.number ? "<v>" + number_text(*cell.number) + "</v>"
                                         : "");
    if (cell.number) return fmt::format("{}><v>{}</v></c>", start, number_text(*cell.number));
    return fmt::format("{} t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>", start,
                       xml_text(text_of_cell(printable_lines(cell.text))));
}

std::string rows_xml(const std::vector<Filled>& cells) {
    std::string xml;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool is_first = i == 0 || cells[i].row != cells[i - 1].row;
        if (is_first) xml += fmt::format("{}<row r=\"{}\">", i ? "</row>\n" : "", cells[i].row + 1);
        xml += cell_xml(cells[i]);
    }
    return cells.empty() ? "" : xml + "</row>\n";
}

std::string view_xml(const Worksheet& sheet, bool is_first) {
    const std::string view = fmt::format("<sheetViews><sheetView showGridLines=\"0\"{} workbookViewId=\"0\"",
                                         is_first ? " tabSelected=\"1\"" : "");
    if (sheet.frozen_rows == 0 && sheet.frozen_columns == 0) return view + "/></sheetViews>";
    const std::string columns =
                          sheet.frozen_columns ? fmt::format(" xSplit=\"{}\"", sheet.frozen_columns) : "",
                      rows = sheet.frozen_rows ? fmt::format(" ySplit=\"{}\"", sheet.frozen_rows) : "";
    const char* pane = sheet.frozen_columns && sheet.frozen_rows ? "bottomRight"
                       : sheet.frozen_rows                       ? "bottomLeft"
                                                                 : "topRight";
    return fmt::format(
        "{}><pane{}{} topLeftCell=\"{}\" activePane=\"{}\" state=\"frozen\"/></sheetView></sheetViews>", view,
        columns, rows, cell_name(sheet.frozen_rows, sheet.frozen_columns), pane);
}

std::string columns_xml(const std::vector<double>& widths) {
    std::string xml;
    for (std::size_t i = 0; i < widths.size(); ++i)
        xml +=
            fmt::format("<col min=\"{0}\" max=\"{0}\" width=\"{1}\" customWidth=\"1\"/>", i + 1, widths[i]);
    return xml.empty() ? "" : "<cols>" + xml + "</cols>";
}

std::string colors_xml(const Colored& colored, std::size_t priority) {
    const bool is_weights = colored.largest == 0;
    std::string stops, colors;
    const auto add = [&](double value, const char* color) {
        stops += fmt::format("<cfvo type=\"num\" val=\"{}\"/>", number_text(value));
        colors += fmt::format("<color rgb=\"FF{}\"/>", color);
    };
    if (!is_weights) add(-colored.largest, "F4A582");
    add(0, is_weights ? "FFFFFF" : "FAFAFA");
    add(is_weights ? 1 : colored.largest, "92C5DE");
    return fmt::format(
        "<conditionalFormatting sqref=\"{}:{}\"><cfRule type=\"colorScale\" priority=\"{}\"><colorScale>{}{}"
        "</colorScale></cfRule></conditionalFormatting>\n",
        cell_name(colored.first_row, 1), cell_name(colored.last_row, colored.last_column), priority, stops,
        colors);
}

std::string links_xml(const std::vector<Filled>& cells) {
    std::string xml;
    for (const Filled& cell : cells)
        if (!cell.link.empty())
            xml += fmt::format("<hyperlink ref=\"{}\" location=\"{}\"/>", cell_name(cell.row, cell.column),
                               xml_text(cell.link));
    return xml.empty() ? "" : "<hyperlinks>" + xml + "</hyperlinks>\n";
}

std::string sheet_xml(const Worksheet& sheet, bool is_first) {
    std::string xml = fmt::format(
        "{}<worksheet xmlns=\"{}\"><sheetPr><pageSetUpPr fitToPage=\"1\"/></sheetPr>{}"
        "<sheetFormatPr defaultRowHeight=\"15\"/>{}\n<sheetData>\n{}</sheetData>\n",
        declaration, main_namespace, view_xml(sheet, is_first), columns_xml(sheet.widths),
        rows_xml(sheet.cells));
    for (std::size_t i = 0; i < sheet.colored.size(); ++i) xml += colors_xml(sheet.colored[i], i + 1);
    return xml + links_xml(sheet.cells) +
           "<pageSetup orientation=\"landscape\" fitToHeight=\"0\"/></worksheet>\n";
}

// Formats of one section: of those with conditions programs disagree about the sign.
std::string formats_xml(int precision) {
    const auto decimals = [](int count) {
        return "0" + (count ? "." + std::string(static_cast<std::size_t>(count), '0') : "");
    };
    constexpr int exact = 12;
    return fmt::format(
        "<numFmts count=\"2\"><numFmt numFmtId=\"164\" formatCode=\"{}\"/><numFmt numFmtId=\"165\" "
        "formatCode=\"{}\"/>"
        "</numFmts>",
        decimals(precision), decimals(exact));
}

std::string fonts_xml() {
    struct Font {
        const char* mark;
        int size;
        const char* color;
    };
    constexpr Font fonts[] = {{"", 11, "000000"},     {"<b/>", 14, "000000"}, {"", 11, "595959"},
                              {"<i/>", 11, "595959"}, {"", 11, "0000C0"},     {"<u/>", 11, "0563C1"}};
    std::string xml;
    for (const Font& each : fonts)
        xml += fmt::format(
            "<font>{}<sz val=\"{}\"/><color rgb=\"FF{}\"/><name val=\"Calibri\"/><family val=\"2\"/></font>",
            each.mark, each.size, each.color);
    return fmt::format("<fonts count=\"{}\">{}</fonts>", std::size(fonts), xml);
}

std::string fills_xml() {
    std::string xml =
        "<fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill>";
    for (const char* color : {"FFF2CC", "EDEDED"})
        xml += fmt::format(
            "<fill><patternFill patternType=\"solid\"><fgColor rgb=\"FF{}\"/></patternFill></fill>", color);
    return "<fills count=\"4\">" + xml + "</fills>";
}

std::string looks_xml() {
    struct Style {  // numbers of a format, a font and a fill
        Look look;
        int format, font, fill;
    };
    constexpr int general = 0, whole = 1, rounded = 164, exact = 165;
    constexpr int plain = 0, yellow = 2, grey = 3;
    constexpr Style styles[] = {{Look::plain, general, 0, plain},
                                {Look::title, general, 1, plain},
                                {Look::heading, general, 2, grey},
                                {Look::label, general, 2, grey},
                                {Look::note, general, 3, plain},
                                {Look::link, general, 5, plain},
                                {Look::input, rounded, 4, yellow},
                                {Look::input_whole, whole, 4, yellow},
                                {Look::input_general, general, 4, yellow},
                                {Look::computed, rounded, 0, plain},
                                {Look::computed_whole, whole, 0, plain},
                                {Look::computed_general, general, 0, plain},
                                {Look::check, exact, 3, plain}};
    std::string xml;
    for (std::size_t i = 0; i < std::size(styles); ++i)
        xml += fmt::format(
            "<xf numFmtId=\"{}\" fontId=\"{}\" fillId=\"{}\" borderId=\"0\" xfId=\"0\" "
            "applyNumberFormat=\"1\" "
            "applyFont=\"1\" applyFill=\"1\"{}",
            styles[i].format, styles[i].font, styles[i].fill,
            styles[i].look == Look::heading ? " applyAlignment=\"1\"><alignment horizontal=\"right\"/></xf>"
                                            : "/>");
    return fmt::format("<cellXfs count=\"{}\">{}</cellXfs>", std::size(styles), xml);
}

std::string styles_xml(int precision) {
    return fmt::format(
        "{}<styleSheet xmlns=\"{}\">{}{}{}"
        "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
        "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" "
        "borderId=\"0\"/></cellStyleXfs>{}"
        "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" "
        "builtinId=\"0\"/></cellStyles></styleSheet>\n",
        declaration, main_namespace, formats_xml(precision), fonts_xml(), fills_xml(), looks_xml());
}

struct PackagePart {
    std::string name, type, xml;
};

std::vector<PackagePart> sheet_parts(const std::vector<Worksheet>& sheets) {
    std::vector<PackagePart> parts;
    for (std::size_t i = 0; i < sheets.size(); ++i)
        parts.push_back(
            {fmt::format("xl/worksheets/sheet{}.xml", i + 1), "worksheet", sheet_xml(sheets[i], i == 0)});
    return parts;
}

// Everything is computed again when the file is opened.
PackagePart workbook_part(const std::vector<Worksheet>& sheets) {
    std::string listed;
    for (std::size_t i = 0; i < sheets.size(); ++i)
        listed += fmt::format("<sheet name=\"{}\" sheetId=\"{}\" r:id=\"rId{}\"/>\n",
                              xml_text(sheets[i].name), i + 1, i + 1);
    return {"xl/workbook.xml", "sheet.main",
            fmt::format("{}<workbook xmlns=\"{}\" "
                        "xmlns:r=\"{}\"><bookViews><workbookView/></bookViews><sheets>\n{}</sheets>"
                        "<calcPr calcId=\"191029\" fullCalcOnLoad=\"1\"/></workbook>\n",
                        declaration, main_namespace, relationships, listed)};
}

std::string relationships_xml(
    const std::vector<std::pair<std::string, std::string>>& targets) {  // type, file
    std::string xml = fmt::format("{}<Relationships xmlns=\"{}/relationships\">", declaration, package);
    for (std::size_t i = 0; i < targets.size(); ++i)
        xml += fmt::format("<Relationship Id=\"rId{}\" Type=\"{}/{}\" Target=\"{}\"/>", i + 1, relationships,
                           targets[i].first, targets[i].second);
    return xml + "</Relationships>\n";
}

std::string content_types_xml(const std::vector<PackagePart>& parts) {
    std::string xml = fmt::format(
        "{}<Types xmlns=\"{}/content-types\"><Default Extension=\"rels\" "
        "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
        "<Default Extension=\"xml\" ContentType=\"application/xml\"/>",
        declaration, package);
    for (const PackagePart& part : parts)
        xml += fmt::format("<Override PartName=\"/{}\" ContentType=\"{}.{}+xml\"/>", part.name, content_type,
                           part.type);
    return xml + "</Types>\n";
}

Bytes bytes_of(const std::string& text) {
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
}

}  // namespace

std::string xml_text(const std::string& text) {
    std::string xml;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = printable_length(text, at);
        if (length == 0) {
            xml += glassbox::escaped(text, at);
            continue;
        }
        const auto is_hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
        const bool is_code = text[at] == '_' && at + 6 < text.size() && text[at + 1] == 'x' &&
                             text[at + 6] == '_' &&
                             std::all_of(&text[at + 2], &text[at + 6], is_hex);  // Excel's own escape
        if (is_code) xml += "_x005F_";
        else if (text[at] == '&') xml += "&amp;";
        else if (text[at] == '<') xml += "&lt;";
        else if (text[at] == '>') xml += "&gt;";
        else if (text[at] == '"') xml += "&quot;";
        else xml += text.substr(at, length);
        at += length;
    }
    return xml;
}

std::string xlsx_bytes(const std::vector<Worksheet>& sheets, int precision) {
    std::vector<PackagePart> parts = sheet_parts(sheets);
    std::vector<std::pair<std::string, std::string>> targets;
    for (const PackagePart& part : parts) targets.emplace_back("worksheet", part.name.substr(3));
    targets.emplace_back("styles", "styles.xml");
    parts.insert(parts.begin(), workbook_part(sheets));
    parts.push_back({"xl/styles.xml", "styles", styles_xml(precision)});
    std::vector<std::pair<std::string, Bytes>> members{
        {"[Content_Types].xml", bytes_of(content_types_xml(parts))},
        {"_rels/.rels", bytes_of(relationships_xml({{"officeDocument", "xl/workbook.xml"}}))},
        {"xl/_rels/workbook.xml.rels", bytes_of(relationships_xml(targets))}};
    for (const PackagePart& part : parts) members.emplace_back(part.name, bytes_of(part.xml));
    const Bytes bytes = format_zip(members, Compression::deflated);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace glassbox::tracer::spreadsheet
