#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include <glassbox/io/detail/zip_archive.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/observe/tape.h>
#include <glassbox/ops/ops.h>

#include "command.h"
#include "support/catch.h"
#include "tracer/report/spreadsheet/cell.h"
#include "tracer/report/spreadsheet/formula.h"
#include "tracer/report/spreadsheet/sheets.h"
#include "tracer/report/spreadsheet/workbook.h"

using namespace glassbox;
using namespace glassbox::tracer;
using namespace glassbox::tracer::spreadsheet;
using glassbox::named, glassbox::Trace;

namespace {

// The report of a computation, of its steps alone.
Report report_of(const Trace& trace, const glassbox::NamedTensors& parameters = {}, const Tensor& loss = {}) {
    Report report;
    report.title = "a title";
    for (const Trace::Step& step : trace.steps()) {
        report.steps.push_back({step.path, step.value});
        if (loss.defined()) report.steps.back().gradient = step.value;
    }
    report.computation =
        std::make_shared<glassbox::tracer::Computation>(computation_of(trace, parameters, loss));
    if (loss.defined()) report.scalar = "loss";
    return report;
}

// The cells of a sheet: "B8" → the formula with "=", the text, or the number.
std::map<std::string, std::string> cells(const Report& report, const std::string& name = "All steps") {
    std::map<std::string, std::string> all;
    for (const Worksheet& sheet : sheets_of(report, 4))
        for (const Filled& cell : sheet.cells)
            if (sheet.name == name)
                all[cell_name(cell.row, cell.column)] = !cell.formula.empty() ? "=" + cell.formula
                                                        : cell.number         ? number_text(*cell.number)
                                                                              : cell.text;
    return all;
}

std::map<std::string, std::string> cells(const Trace& trace) { return cells(report_of(trace)); }

std::vector<std::string> names_of(const Report& report) {
    std::vector<std::string> names;
    for (const Worksheet& sheet : sheets_of(report, 4)) names.push_back(sheet.name);
    return names;
}

Report::Step step_of(const std::string& path, const glassbox::Shape& shape) {
    return {path, Tensor(shape, std::vector<real>(static_cast<std::size_t>(shape.numel()), 1))};
}

template <class F>
std::string refusal(const F& f) {
    try {
        f();
    } catch (const glassbox::UsageError& error) {
        return error.what();
    }
    return "";
}

std::map<std::string, std::string> parts(const std::string& file) {
    const std::string bytes = glassbox_test::content(file);
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    glassbox::detail::ZipArchive zip(glassbox::Bytes(begin, begin + bytes.size()), "x.xlsx");
    std::map<std::string, std::string> all;
    for (std::size_t i = 0; i < zip.members().size(); ++i) {
        std::string content(zip.members()[i].content_bytes, '\0');
        glassbox::detail::ZipArchive::Stream stream(zip, i);
        stream.read(std::as_writable_bytes(std::span(content)));
        stream.finish();
        all[zip.members()[i].name] = content;
    }
    return all;
}

}  // namespace

TEST_CASE("spreadsheet: columns and cells have the names of a spreadsheet") {
    CHECK(column_name(0) == "A");
    CHECK(column_name(25) == "Z");
    CHECK(column_name(26) == "AA");
    CHECK(column_name(701) == "ZZ");
    CHECK(column_name(702) == "AAA");
    CHECK(column_name(max_columns - 1) == "XFD");
    CHECK(cell_name(7, 1) == "B8");
    CHECK(range_name({0, 7, 1}, {0, 9, 3}) == "B8:D10");
    CHECK(range_name({0, 7, 1}, {0, 7, 1}) == "B8");
}

TEST_CASE("spreadsheet: names of sheets follow Excel's rules and differ whatever the case") {
    SheetNames names;
    CHECK(names.add("Q") == "Q");
    CHECK(names.add("q") == "q (2)");
    CHECK(names.add("encoder/0/norm1") == "encoder.0.norm1");
    CHECK(names.add("encoder.0.norm1") == "encoder.0.norm1 (2)");
    CHECK(names.add("values[0,1]") == "values(0,1)");
    CHECK(names.add("a*b?c\\d:e") == "a_b_c_d.e");
    CHECK(names.add("'x'") == "_x_");
    CHECK(names.add("History") == "step History");
    CHECK(names.add("") == "step ");
    CHECK(names.add("bell\x07") == "bell_x07");
    const std::string path = "encoder/layers/0/self_attn/in_proj_weight";
    CHECK(names.add(path) == "…ers.0.self_attn.in_proj_weight");
    CHECK(names.add(path) == "…0.self_attn.in_proj_weight (2)");
    CHECK(names.add(std::string(100, 'x')).size() == 3 + max_sheet_name - 1);
}

TEST_CASE("spreadsheet: names are quoted in formulas where they could be something else") {
    CHECK(sheet_prefix("logits") == "logits!");
    CHECK(sheet_prefix("W_Q") == "W_Q!");
    for (const std::string name : {"Q1", "abc12", "R", "c", "R1C1", "true", "2x", "∂ Q", "a.b", "residual 1"})
        CHECK(sheet_prefix(name) == "'" + name + "'!");
    CHECK(sheet_prefix("it's") == "'it''s'!");
    CHECK(sheet_prefix("norm1") == "norm1!");  // no column has four letters
}

TEST_CASE("spreadsheet: text is escaped for XML, and what Excel would decode too") {
    CHECK(xml_text("a < b & \"c\" > d") == "a &lt; b &amp; &quot;c&quot; &gt; d");
    CHECK(xml_text("_x0041_ _x004_") == "_x005F_x0041_ _x004_");
    CHECK(xml_text(std::string("\x1b[2J\0", 5)) == "\\x1b[2J\\x00");
    CHECK(xml_text("\xff") == "\\xff");
    CHECK(xml_text("∂ π 🙂") == "∂ π 🙂");
}

TEST_CASE("spreadsheet: a text has no more characters than a cell holds") {
    const auto written = [](const std::string& text) {
        const glassbox_test::Folder folder;
        glassbox_test::write(folder / "x.xlsx",
                             xlsx_bytes({{"one", {{.row = 0, .column = 0, .text = text}}}}, 4));
        const std::string xml = parts(folder / "x.xlsx").at("xl/worksheets/sheet1.xml");
        const std::size_t begin = xml.find("preserve\">") + 10;
        return xml.substr(begin, xml.find("</t>") - begin);
    };
    const std::string most(32767, 'a'), control(9000, '\x1b');
    CHECK(written(most) == most);
    CHECK(written(most + "b") == most.substr(1) + "…");
    CHECK(written(control).size() == 8191 * 4 + 2 + 3);  // "\\x1b" each, a part of one, and "…"
    std::string faces;                                   // two of UTF-16's units each
    for (int i = 0; i < 20000; ++i) faces += "🙂";
    CHECK(written(faces) == faces.substr(0, 4 * 16383) + "…");
}

TEST_CASE("spreadsheet: numbers in formulas are those of Excel, with all digits") {
    CHECK(number_text(0.1) == "0.1");
    CHECK(number_text(1e-5) == "1E-05");
    CHECK(number_text(-9e15) == "-9E+15");
    CHECK(number_text(-1e14) == "-1E+14");
    CHECK(number_text(1000000) == "1000000");
    CHECK(number_text(-0.0) == "0");
    CHECK(number_text(-INFINITY) == "-1E+300");
}

TEST_CASE("spreadsheet: parentheses and signs are those that spreadsheets need") {
    const Formula x{"A1", Formula::atom, Formula::single, false, {}},
        y{"B1", Formula::atom, Formula::single, false, {}};
    CHECK((-call("square", {x})).text == "-(A1^2)");  // −A1^2 is (−A1)^2 there
    CHECK(call("square", {-x}).text == "(-A1)^2");
    CHECK((x - (y - x)).text == "A1-(B1-A1)");
    CHECK((x / (y * x)).text == "A1/(B1*A1)");
    CHECK((x * -y).text == "A1*(-B1)");
    CHECK((x + number(-1)).text == "A1+(-1)");
    CHECK((x * (y + x)).text == "A1*(B1+A1)");
    CHECK(call("sigmoid", {x}).text == "1/(1+EXP(-A1))");
    CHECK(choice(greater(x, number(0)), y, number(0)).text == "IF(A1>0,B1,0)");
    const Formula row{"A1:C1", Formula::atom, Formula::row, true, {}},
        column{"E1:E3", Formula::atom, Formula::column, true, {}};
    CHECK(product_sum(row, row, 3).text == "SUMPRODUCT(A1:C1,A1:C1)");
    CHECK(product_sum(column, row, 3).text == "MMULT(A1:C1,E1:E3)");
    CHECK(product_sum(row * x, column, 3).text == "SUMPRODUCT(MMULT(A1:C1*A1,E1:E3))");
    CHECK(sum_of(row, 3).text == "SUM(A1:C1)");
    CHECK(sum_of(call("exp", {row}), 3).text == "SUMPRODUCT(EXP(A1:C1))");
    CHECK(sum_of(x, 3).text == "3*A1");
    CHECK(sum_of(choice(greater(row, number(0)), row, number(0)), 3).text == "SUMPRODUCT((A1:C1>0)*A1:C1)");
    CHECK_THROWS_AS(row + column, NotARange);
    CHECK_THROWS_AS(call("erf", {row}), NotARange);
    CHECK_THROWS_WITH(call("gamma", {x}), "xlsx: there is no spreadsheet function for gamma");
}

TEST_CASE("spreadsheet: Kᵀ stands above and Q left of their product, and what follows to the right") {
    Trace trace;
    const Tensor Q({{1, 2}, {3, 4}}), K({{1, 0}, {0, 1}, {1, 1}}), V({{1, 2}, {3, 4}, {5, 6}});
    (void)glassbox::scaled_dot_product(Q, K, V, glassbox::Mask::causal());
    auto found = cells(trace);
    CHECK(found["A8"] == "Q");
    CHECK(found["C11"] == "2");
    CHECK(found["D5"] == "Kᵀ");
    CHECK(found["G6"] == "1");  // K[2,0], of a row that is a column here
    CHECK(found["D8"] == "logits");
    CHECK(found["G12"] == "=MMULT(B12:C12,G6:G7)");
    CHECK(found["I11"] == "=E11/SQRT(2)");
    CHECK(found["R11"] == "=IF(N11=0,-9E+15,J11)");
    CHECK(found["N11"] == "0");
    CHECK(found["W12"] == "=EXP(S12-X12)/SUMPRODUCT(EXP(Q12:S12-X12))");
    CHECK(found["X12"] == "=MAX(Q12:S12)");
    CHECK(found["C22"] == "=MMULT(U11:W11,C16:C18)");  // values, with V above
}

TEST_CASE("spreadsheet: a factor that is a product itself stands above as a copy, which the formulas read") {
    Trace trace;
    const Tensor x({{1, 2}, {3, 4}, {5, 6}}), W({{1, 0}, {2, 1}}), Q({{1, 0}, {0, 1}});
    (void)glassbox::scaled_dot_product(Q, glassbox::matmul(x, W), x);
    auto found = cells(trace);
    CHECK(found["F13"] == "=MMULT(B13:C13,F6:F7)");  // K = x W
    CHECK(found["D17"] == "Kᵀ");
    CHECK(found["G19"] == "=F13");
    CHECK(found["G23"] == "=MMULT(B23:C23,G18:G19)");
}

TEST_CASE("spreadsheet: letters stand beside the rows, constants and unnamed values in the formulas") {
    Trace trace;
    const Tensor x = named("x", Tensor({{1, 2, 4}})), scale({1, 1, 1}), shift({0, 0, 0});
    (void)named("norm", glassbox::layer_norm(x, scale, shift, 0.5, glassbox::Moments::two_pass));
    (void)named("gelu", glassbox::gelu(x));
    (void)named("twice", glassbox::sqrt(x + 1) * glassbox::exp(-x));
    (void)named("joined", glassbox::concat({x, x * 3}, 0));
    const glassbox::NamedTensors parameters{{"γ", scale}, {"β", shift}};
    auto found = cells(report_of(trace, parameters));
    CHECK(found["I11"] == "μ");
    CHECK(found["I12"] == "=SUM(B12:D12)/3");
    CHECK(found["J12"] == "=SUMPRODUCT((B12:D12-I12)^2)/3");
    CHECK(found["E5"] == "γ");
    CHECK(found["G12"] == "=(C12-I12)/SQRT(J12+0.5)*G6+G8");
    CHECK(found["L12"] == "=B12*(1+ERF(B12/SQRT(2)))/2");
    CHECK(found["P12"] == "=SQRT(B12+1)*EXP(-B12)");
    CHECK(found["B18"] == "=B12");
    CHECK(found["B19"] == "=B12*3");
}

TEST_CASE("spreadsheet: tables, positions and higher ranks") {
    Trace trace;
    const Tensor ids = named("ids", Tensor({2, 0})), table({{1, 2}, {3, 4}, {5, 6}});
    const Tensor embedded = named("embedded", glassbox::embedding(table, ids));
    (void)named("encoding", glassbox::sinusoidal_encoding(2, 4));
    (void)named("outer", glassbox::reshape(embedded, {2, 1, 2}) + glassbox::reshape(embedded, {1, 2, 2}));
    auto found = cells(report_of(trace, {{"table", table}}));
    CHECK(found["C22"] == "=INDEX(C14:C16,B8+1)");
    CHECK(found["F43"] == "=1");  // t, beside its row
    CHECK(found["B42"] == "=SIN(F42*10000^(0/4))");
    CHECK(found["E43"] == "=COS(F43*10000^(-2/4))");
    CHECK(found["A26"] == "outer[0]");
    CHECK(found["B30"] == "=B22+B23");
    CHECK(found["A32"] == "outer[1]");
    CHECK(found["C35"] == "=C23+C22");
}

TEST_CASE("spreadsheet: gradients are sums over the uses, below their tensors, in the same places") {
    Trace trace;
    glassbox::Tape tape;
    const Tensor x = named("x", Tensor({{1, -2}})), W({{1, 2}, {3, 4}});
    const Tensor y = named("y", glassbox::matmul(x, W));
    const Tensor r = named("r", glassbox::relu(y) + y);
    auto found = cells(report_of(trace, {{"W", W}}, glassbox::sum(r)));
    CHECK(found["E11"] == "=MMULT(B11:C11,E6:E7)");
    CHECK(found["K11"] == "=SUM(H11:I11)");
    CHECK(found["H22"] == "=1");
    CHECK(found["E22"] == "=IF(E11>0,H22,0)+H22");
    CHECK(found["C22"] == "=SUMPRODUCT(E22:F22,E7:F7)");
    CHECK(found["A19"] == "∂x");
    CHECK(found["A20"] == "= ∂y Wᵀ");
    CHECK(found["D20"] == "= (∂r where y > 0, else 0) + ∂r");
    CHECK(found["A14"].starts_with("Gradients: how much loss changes"));
}

TEST_CASE("spreadsheet: 2000 numbers are on one sheet, of more each block has one") {
    Report report;
    report.steps = {step_of("encoder/0/x", {40, 40}), step_of("encoder/1/x", {20, 10}),
                    step_of("logits", {200})};
    CHECK(names_of(report) == std::vector<std::string>{"All steps", "Read me"});
    report.steps.push_back(step_of("encoder/0/mlp/y", {1}));
    CHECK(names_of(report) == std::vector<std::string>{"Read me", "encoder.0", "encoder.1", "Model"});
    CHECK(cells(report, "encoder.0")["A5"] == "x");  // in the block's own words
    Report alone;                                    // one block is all there is
    alone.steps = {step_of("x", {3000})};
    CHECK(names_of(alone) == std::vector<std::string>{"All steps", "Read me"});
}

TEST_CASE("spreadsheet: what a mask hides is hatched, and takes no part in the scale of colours") {
    Report report;
    report.steps.push_back({"scores", Tensor({{1, 2}, {3, 4}})});
    report.steps[0].seen = Tensor({{1, 0}, {1, 1}});
    const Worksheet sheet = sheets_of(report, 4)[0];
    for (const Filled& cell : sheet.cells)
        if (cell.number) CHECK((cell.look == Look::hidden) == (*cell.number == 2));
}

TEST_CASE("spreadsheet: a mask has the words of the scores that it hides") {
    const glassbox_test::Folder folder;
    REQUIRE(glassbox_test::tracer_run({"attention", "--text", "je suis ici", "--dk", "2", "--mask", "causal",
                                       "-o", folder / "a.xlsx"})
                .code == 0);
    const std::string sheet = parts(folder / "a.xlsx")["xl/worksheets/sheet1.xml"];
    std::size_t words = 0;
    for (std::size_t at = 0; (at = sheet.find(">suis₁<", at + 1)) != sheet.npos;) ++words;
    CHECK(words == 14);  // rows of 8 matrices, columns of 6, of which one stands above its product
    CHECK(sheet.find("numberStoredAsText=\"1\"") != sheet.npos);
}

TEST_CASE("spreadsheet: hatches follow the mask's cells") {
    const glassbox_test::Folder folder;
    CHECK(glassbox_test::tracer_run(
              {"attention", "--seq", "3", "--dk", "2", "--mask", "causal", "-o", folder / "a.xlsx"})
              .code == 0);
    const std::string xml = parts(folder / "a.xlsx").at("xl/worksheets/sheet1.xml");
    const std::regex rule(
        "<cfRule type=\"expression\" dxfId=\"(\\d)\"[^>]*><formula>([A-Z]+\\d+)(=0|&lt;&gt;0)</formula>");
    std::map<std::string, int> count;  // by what is done and when
    for (std::sregex_iterator each(xml.begin(), xml.end(), rule), end; each != end; ++each)
        ++count[(*each)[1].str() + (*each)[3].str()];
    CHECK(count == std::map<std::string, int>{{"1=0", 6}, {"2&lt;&gt;0", 4}});  // runs of two matrices
}

TEST_CASE("spreadsheet: what a block takes stands once, and can be typed in") {
    const glassbox_test::Folder folder;
    CHECK(glassbox_test::tracer_run({"encoder-block", "-o", folder / "a.xlsx"}).code == 0);
    const std::string xml = parts(folder / "a.xlsx").at("xl/worksheets/sheet1.xml");
    CHECK(xml.find(">self_attn/x<") != std::string::npos);
    CHECK(xml.find(">x<") == std::string::npos);
}

TEST_CASE("spreadsheet: pages begin between matrices, and gradients begin one") {
    const glassbox_test::Folder folder;
    CHECK(glassbox_test::tracer_run({"encoder-block", "--grad", "-o", folder / "a.xlsx"}).code == 0);
    const std::string xml = parts(folder / "a.xlsx").at("xl/worksheets/sheet1.xml");
    const std::regex page("<brk id=\"(\\d+)\"");
    int pages = 0;
    bool has_gradients = false;
    for (std::sregex_iterator each(xml.begin(), xml.end(), page), end; each != end; ++each, ++pages) {
        const int row = std::stoi((*each)[1]);  // from 1 on, the last of a page
        INFO(row);
        CHECK(xml.find(fmt::format("<row r=\"{}\"", row)) == std::string::npos);  // empty
        const std::size_t first = xml.find(fmt::format("<row r=\"{}\"", row + 1));
        REQUIRE(first != std::string::npos);
        has_gradients = has_gradients || xml.find("Gradients: how much", first) < xml.find("</row>", first);
    }
    CHECK(pages >= 3);
    CHECK(has_gradients);
}

TEST_CASE("spreadsheet: the worked example fits a screen, and is printed across a page") {
    const glassbox_test::Folder folder;
    CHECK(glassbox_test::tracer_run({"attention", "--seq", "3", "--dk", "2", "-o", folder / "a.xlsx"}).code ==
          0);
    const std::string xml = parts(folder / "a.xlsx").at("xl/worksheets/sheet1.xml");
    double pixels = 0;
    const std::regex column(R"re(<col [^>]* width="([\d.]+)")re");
    for (std::sregex_iterator each(xml.begin(), xml.end(), column), end; each != end; ++each)
        pixels += 7 * std::stod((*each)[1]) + 5;
    CHECK(pixels > 800);
    CHECK(pixels < 1280);
    const std::regex row(R"re(<row r="(\d+)")re");
    std::string last;
    for (std::sregex_iterator each(xml.begin(), xml.end(), row), end; each != end; ++each) last = (*each)[1];
    CHECK(std::stoi(last) < 30);
    CHECK(xml.find("orientation=\"landscape\" fitToHeight=\"0\"") != std::string::npos);
    CHECK(xml.find("paperSize=\"9\"") != std::string::npos);
    CHECK(xml.find("<conditionalFormatting sqref=\"M16:O18\">") != std::string::npos);  // attention
}

TEST_CASE("spreadsheet: what is too large is refused, with both sizes") {
    const auto message = [](const glassbox::Shape& shape) {
        Report report;
        report.steps.push_back(
            {"x", Tensor(shape, std::vector<real>(static_cast<std::size_t>(shape.numel())))});
        return refusal([&] { (void)sheets_of(report, 4); });
    };
    CHECK(message({1, 16'384}) ==
          "xlsx: x of shape (1, 16384) takes 16385 columns, a sheet has 16384: choose smaller sizes, or "
          "fewer steps with --only");
    CHECK(message({1'048'576, 0}) == "");
    CHECK(message({700, 300}) ==
          "xlsx: the steps have 210000 numbers, at most 200000 are written: choose smaller sizes, or write "
          "npz");
    Trace trace;  // a sum without a range: its terms stand in blocks
    const Tensor x = named("x", Tensor({2000, 1, 1}, std::vector<real>(2000, 1)));
    (void)named("total", glassbox::sum(x));
    CHECK(refusal([&] { (void)cells(trace); }) ==
          "xlsx: the formula of total[] has more than 8192 characters, which is all a cell holds: choose "
          "smaller sizes");
}

TEST_CASE("spreadsheet: the file is a zip with the parts of a workbook, the same every time") {
    const glassbox_test::Folder folder;
    for (const std::string name : {"a.xlsx", "b.xlsx"})
        CHECK(glassbox_test::tracer_run(
                  {"attention", "--text", "=1+1 <b> \x1b[2J", "--grad", "-o", folder / name})
                  .err == "");
    CHECK(glassbox_test::content(folder / "a.xlsx") == glassbox_test::content(folder / "b.xlsx"));
    auto found = parts(folder / "a.xlsx");
    for (const char* name : {"[Content_Types].xml", "_rels/.rels", "xl/workbook.xml",
                             "xl/_rels/workbook.xml.rels", "xl/styles.xml", "xl/worksheets/sheet1.xml"})
        CHECK(found.contains(name));
    for (const auto& [name, xml] : found) {
        INFO(name);
        CHECK(xml.starts_with("<?xml "));
        CHECK(xml.find('\x1b') == std::string::npos);
        CHECK(xml.find("<f>=") == std::string::npos);
        CHECK(xml.find("<f>1+1") == std::string::npos);
    }
    CHECK(found["xl/workbook.xml"].find("fullCalcOnLoad=\"1\"") != std::string::npos);
    CHECK(found["xl/workbook.xml"].find("<sheet name=\"All steps\"") != std::string::npos);
}

TEST_CASE("spreadsheet: xlsx is not written to a terminal, and a wrong ending is refused") {
    const auto refused = glassbox_test::tracer_run({"attention", "--format", "json", "-o", "x.xlsx"});
    CHECK(refused.code == 2);
    CHECK(refused.err.find("its extension says xlsx, but the output is json") != std::string::npos);
}
