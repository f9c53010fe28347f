#include "report/spreadsheet/workbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include <glassbox/io/numpy.h>
#include <glassbox/io/text.h>

#include "cli/text_width.h"
#include "report/spreadsheet/colors.h"
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

std::string view_xml(bool is_first, index_t frozen_rows) {
    const std::string pane = frozen_rows
                                 ? fmt::format(
                                       "<pane ySplit=\"{}\" topLeftCell=\"{}\" activePane=\"bottomLeft\" "
                                       "state=\"frozen\"/>",
                                       frozen_rows, cell_name(frozen_rows, 0))
                                 : "";
    return fmt::format(
        "<sheetViews><sheetView showGridLines=\"0\"{} workbookViewId=\"0\">{}</sheetView></sheetViews>",
        is_first ? " tabSelected=\"1\"" : "", pane);
}

std::string columns_xml(const std::vector<double>& widths) {
    std::string xml;
    for (std::size_t i = 0; i < widths.size(); ++i)
        xml +=
            fmt::format("<col min=\"{0}\" max=\"{0}\" width=\"{1}\" customWidth=\"1\"/>", i + 1, widths[i]);
    return xml.empty() ? "" : "<cols>" + xml + "</cols>";
}

// "$B$3:$C$5" of "B3:C5": a colour scale takes no relative ones.
std::string absolute(const std::string& range) {
    std::string text;
    for (std::size_t i = 0; i < range.size(); ++i) {
        const bool is_digit = range[i] >= '0' && range[i] <= '9', is_end = range[i] == ':';
        const bool begins =
            i == 0 || range[i - 1] == ':' || (is_digit && !(range[i - 1] >= '0' && range[i - 1] <= '9'));
        text += (begins && !is_end ? "$" : "") + std::string(1, range[i]);
    }
    return text;
}

// The largest magnitude in these ranges as they are now, so that a scale follows what is typed in; empty
// where that would be longer than a scale's end may be.
std::string largest_of(const Colored& colored) {
    std::vector<std::string> all;
    for (const std::string& each : colored.ranges) all.push_back(absolute(each));
    const std::string text = colored.all.empty() ? fmt::format("MAX(MAX({0}),-MIN({0}))", fmt::join(all, ","))
                                                 : fmt::format("SUMPRODUCT(MAX(ABS({0})*(ABS({0})&lt;1E9)))",
                                                               absolute(colored.all));
    constexpr std::size_t longest = 200;
    return text.size() <= longest ? text : "";
}

std::string colors_xml(const Colored& colored, int& priority) {
    std::string stops, colors;
    const std::string largest = colored.largest == 0 ? "" : largest_of(colored);
    for (const ColorStop& each : color_stops(colored.largest)) {
        const bool follows = !largest.empty() && each.value != 0;
        stops +=
            follows ? fmt::format("<cfvo type=\"formula\" val=\"{}{}\"/>", each.value < 0 ? "-" : "", largest)
                    : fmt::format("<cfvo type=\"num\" val=\"{}\"/>", number_text(each.value));
        colors += fmt::format("<color rgb=\"FF{}\"/>", each.color);
    }
    std::string rules =
        fmt::format("<cfRule type=\"colorScale\" priority=\"{}\"><colorScale>{}{}</colorScale></cfRule>",
                    priority++, stops, colors);
    if (colored.largest == 0)
        rules += fmt::format(
            "<cfRule type=\"cellIs\" dxfId=\"0\" priority=\"{}\" "
            "operator=\"lessThan\"><formula>{}</formula></cfRule>",
            priority++, number_text(dark_weights_below()));
    // Beside the colours: of rules that overlap elsewhere LibreOffice takes only the first.
    if (const auto& each = colored.differing)
        rules += fmt::format(
            "<cfRule type=\"expression\" dxfId=\"3\" "
            "priority=\"{0}\"><formula>ABS({1}-{2})&gt;{3}*MAX(1,ABS({2}))"
            "</formula></cfRule>",
            priority++, each->first, each->right, number_text(each->tolerance));
    return fmt::format("<conditionalFormatting sqref=\"{}\">{}</conditionalFormatting>\n",
                       fmt::join(colored.ranges, " "), rules);
}

// What differs from the look as delivered; before the colours, which what is hidden has none of.
std::string masked_xml(const Masked& masked, int& priority) {
    return fmt::format(
        "<conditionalFormatting sqref=\"{}\"><cfRule type=\"expression\" dxfId=\"{}\" priority=\"{}\" "
        "stopIfTrue=\"1\"><formula>{}{}0</formula></cfRule></conditionalFormatting>\n",
        masked.range, masked.is_hidden ? 2 : 1, priority++, masked.mask, masked.is_hidden ? "&lt;&gt;" : "=");
}

std::string links_xml(const std::vector<Filled>& cells) {
    std::string xml;
    for (const Filled& cell : cells)
        if (!cell.link.empty())
            xml += fmt::format("<hyperlink ref=\"{}\" location=\"{}\"/>", cell_name(cell.row, cell.column),
                               xml_text(cell.link));
    return xml.empty() ? "" : "<hyperlinks>" + xml + "</hyperlinks>\n";
}

// As messages of an input that anything is allowed in.
std::string notes_xml(const std::vector<CellNote>& notes) {
    if (notes.empty()) return "";
    constexpr int longest_title = 32, longest_text = 255;  // of Excel
    std::string xml;
    for (const CellNote& each : notes)
        xml += fmt::format(
            "<dataValidation allowBlank=\"1\" showInputMessage=\"1\" sqref=\"{}\" promptTitle=\"{}\" "
            "prompt=\"{}\"/>",
            each.cells, xml_text(shortened(each.title, longest_title)),
            xml_text(shortened(each.text, longest_text)));
    return fmt::format("<dataValidations count=\"{}\">{}</dataValidations>\n", notes.size(), xml);
}

std::string breaks_xml(const std::vector<index_t>& rows) {
    if (rows.empty()) return "";
    std::string xml;
    for (const index_t row : rows)
        xml += fmt::format("<brk id=\"{}\" max=\"{}\" man=\"1\"/>", row, max_columns - 1);
    return fmt::format("<rowBreaks count=\"{0}\" manualBreakCount=\"{0}\">{1}</rowBreaks>", rows.size(), xml);
}

// The numbers of rows and columns are texts, and no mistake.
constexpr const char* ignored_xml =
    "<ignoredErrors><ignoredError sqref=\"A1:XFD1048576\" numberStoredAsText=\"1\"/></ignoredErrors>";

// Printed across a page of A4, as many down as it takes.
constexpr const char* page_xml =
    "<pageMargins left=\"0.4\" right=\"0.4\" top=\"0.5\" bottom=\"0.6\" header=\"0.3\" footer=\"0.3\"/>"
    "<pageSetup paperSize=\"9\" orientation=\"landscape\" fitToHeight=\"0\"/>"
    "<headerFooter><oddFooter>&amp;L&amp;A&amp;R&amp;P / &amp;N</oddFooter></headerFooter>";

std::string sheet_xml(const Worksheet& sheet, bool is_first) {
    std::string xml = fmt::format(
        "{}<worksheet xmlns=\"{}\"><sheetPr><pageSetUpPr fitToPage=\"1\"/></sheetPr>{}"
        "<sheetFormatPr defaultRowHeight=\"15\"/>{}\n<sheetData>\n{}</sheetData>\n",
        declaration, main_namespace, view_xml(is_first, sheet.frozen_rows), columns_xml(sheet.widths),
        rows_xml(sheet.cells));
    int priority = 1;
    for (const Masked& each : sheet.masked) xml += masked_xml(each, priority);
    for (const Colored& each : sheet.colored) xml += colors_xml(each, priority);
    return xml + notes_xml(sheet.notes) + links_xml(sheet.cells) + page_xml + breaks_xml(sheet.page_breaks) +
           ignored_xml + "</worksheet>\n";
}

std::string decimals(int count) {
    return "0" + (count ? "." + std::string(static_cast<std::size_t>(count), '0') : "");
}

// Formats of one section: of those with conditions programs disagree about the sign.
std::string formats_xml(int precision) {
    constexpr int digits = 7;  // what a float has behind the zeros of a small number
    return fmt::format(
        "<numFmts count=\"2\"><numFmt numFmtId=\"164\" formatCode=\"{}\"/><numFmt numFmtId=\"165\" "
        "formatCode=\"{}\"/></numFmts>",
        decimals(precision),
        decimals(precision) + (precision ? "" : ".") +
            std::string(digits - std::min(precision, digits), '#'));
}

std::string fonts_xml() {
    struct Font {
        const char* mark;
        int size;
        const char* color;
    };
    constexpr Font fonts[] = {{"", 11, "000000"},     {"<b/>", 14, "000000"}, {"", 11, "595959"},
                              {"<i/>", 11, "595959"}, {"", 11, "0000C0"},     {"<u/>", 11, "0563C1"},
                              {"<b/>", 11, "000000"}};
    std::string xml;
    for (const Font& each : fonts)
        xml += fmt::format(
            "<font>{}<sz val=\"{}\"/><color rgb=\"FF{}\"/><name val=\"Calibri\"/><family val=\"2\"/></font>",
            each.mark, each.size, each.color);
    return fmt::format("<fonts count=\"{}\">{}</fonts>", std::size(fonts), xml);
}

std::string fills_xml() {
    std::string xml;
    const auto add = [&](const std::string& pattern, const std::string& color) {
        xml += fmt::format("<fill><patternFill patternType=\"{}\"{}</fill>", pattern,
                           color.empty() ? "/>" : "><fgColor rgb=\"FF" + color + "\"/></patternFill>");
    };
    add("none", "");
    add("gray125", "");
    add("solid", input_color);
    add("solid", list_color);
    add("lightUp", hidden_color);
    return "<fills count=\"5\">" + xml + "</fills>";
}

std::string borders_xml() {
    std::string sides;
    for (const char* side : {"left", "right", "top", "bottom"})
        sides += fmt::format("<{0} style=\"thin\"><color rgb=\"FF{1}\"/></{0}>", side, line_color);
    return "<borders count=\"2\"><border><left/><right/><top/><bottom/><diagonal/></border><border>" + sides +
           "<diagonal/></border></borders>";
}

std::string looks_xml() {
    struct Style {  // numbers of a format, a font, a fill and a border
        Look look;
        int format, font, fill, border;
        const char* align = "";
    };
    constexpr int general = 0, whole = 1, scientific = 11, rounded = 164, small = 165;
    constexpr int plain = 0, yellow = 2, grey = 3, hatched = 4;
    constexpr Style styles[] = {{Look::plain, general, 0, plain, 0},
                                {Look::title, general, 1, plain, 0},
                                {Look::name, general, 6, plain, 0},
                                {Look::heading, general, 2, plain, 0, "right"},
                                {Look::label, general, 2, grey, 0},
                                {Look::note, general, 3, plain, 0},
                                {Look::link, general, 5, plain, 0},
                                {Look::input, rounded, 4, yellow, 1},
                                {Look::input_whole, whole, 4, yellow, 1},
                                {Look::input_small, small, 4, yellow, 1},
                                {Look::input_general, general, 4, yellow, 1},
                                {Look::computed, rounded, 0, plain, 1},
                                {Look::computed_whole, whole, 0, plain, 1},
                                {Look::computed_small, small, 0, plain, 1},
                                {Look::computed_general, general, 0, plain, 1},
                                {Look::hidden, general, 2, hatched, 1},
                                {Look::hidden_sample, scientific, 2, hatched, 1},
                                {Look::check, rounded, 3, plain, 0}};
    std::string xml;
    for (std::size_t i = 0; i < std::size(styles); ++i) {
        const Style& style = styles[i];
        const std::string align = style.align;
        xml += fmt::format(
            "<xf numFmtId=\"{}\" fontId=\"{}\" fillId=\"{}\" borderId=\"{}\" xfId=\"0\" "
            "applyNumberFormat=\"1\" "
            "applyFont=\"1\" applyFill=\"1\" applyBorder=\"1\"{}",
            style.format, style.font, style.fill, style.border,
            align.empty() ? "/>" : " applyAlignment=\"1\"><alignment horizontal=\"" + align + "\"/></xf>");
    }
    return fmt::format("<cellXfs count=\"{}\">{}</cellXfs>", std::size(styles), xml);
}

std::string styles_xml(int precision) {
    return fmt::format(
        "{}<styleSheet xmlns=\"{}\">{}{}{}"
        "{}"
        "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" "
        "borderId=\"0\"/></cellStyleXfs>{}"
        "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles>"
        "<dxfs count=\"4\"><dxf><font><color rgb=\"FFFFFFFF\"/></font></dxf>"
        "<dxf><font><color rgb=\"FF595959\"/></font><numFmt numFmtId=\"166\" formatCode=\"General\"/><fill>"
        "<patternFill patternType=\"lightUp\"><fgColor rgb=\"FF{}\"/></patternFill></fill></dxf>"
        "<dxf><font><color rgb=\"FF000000\"/></font><numFmt numFmtId=\"164\" formatCode=\"{}\"/><fill>"
        "<patternFill patternType=\"solid\"><bgColor rgb=\"FFFFFFFF\"/></patternFill></fill></dxf>"
        "<dxf><font><b/></font><border><left style=\"thin\"/><right style=\"thin\"/><top "
        "style=\"thin\"/><bottom style=\"thin\"/></border></dxf></dxfs>"
        "</styleSheet>\n",
        declaration, main_namespace, formats_xml(precision), fonts_xml(), fills_xml(), borders_xml(),
        looks_xml(), hidden_color, decimals(precision));
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
