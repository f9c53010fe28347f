#include <algorithm>
#include <cmath>
#include <map>

#include <glassbox/io/detail/zip_archive.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/observe/tape.h>
#include <glassbox/ops/ops.h>

#include "command.h"
#include "support/catch.h"
#include "tracer/report/spreadsheet/cell.h"
#include "tracer/report/spreadsheet/formula.h"
#include "tracer/report/spreadsheet/plan.h"
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

// The cells of all sheets: "Q!B8" → the formula with "=", the text, or the number.
std::map<std::string, std::string> cells(const Report& report) {
    std::map<std::string, std::string> all;
    for (const Worksheet& sheet : sheets_of(report, 4))
        for (const Filled& cell : sheet.cells)
            all[sheet.name + "!" + cell_name(cell.row, cell.column)] =
                !cell.formula.empty() ? "=" + cell.formula
                : cell.number         ? number_text(*cell.number)
                                      : cell.text;
    return all;
}

std::map<std::string, std::string> cells(const Trace& trace) { return cells(report_of(trace)); }

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

TEST_CASE("spreadsheet: products, softmax and masks are formulas of ranges") {
    Trace trace;
    const Tensor Q({{1, 2}, {3, 4}}), K({{1, 0}, {0, 1}, {1, 1}}), V({{1, 2}, {3, 4}, {5, 6}});
    (void)glassbox::scaled_dot_product(Q, K, V, glassbox::Mask::causal());
    auto found = cells(trace);
    CHECK(found["Q!C9"] == "4");
    CHECK(found["logits!D9"] == "=SUMPRODUCT(Q!B9:C9,K!B10:C10)");
    CHECK(found["scaled!B8"] == "=logits!B8/SQRT(2)");
    CHECK(found["masked!C8"] == "=IF(mask!C8=0,-9E+15,scaled!C8)");
    CHECK(found["mask!C8"] == "0");
    CHECK(found["attention!D9"] == "=EXP(masked!D9)/SUMPRODUCT(EXP(masked!B9:D9))");
    CHECK(found["values!C8"] == "=MMULT(attention!B8:D8,V!C8:C10)");
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
    CHECK(found["norm!F7"] == "μ");
    CHECK(found["norm!F8"] == "=SUM(x!B8:D8)/3");
    CHECK(found["norm!G8"] == "=SUMPRODUCT((x!B8:D8-F8)^2)/3");
    CHECK(found["norm!C8"] == "=(x!C8-F8)/SQRT(G8+0.5)*'γ'!C8+'β'!C8");
    CHECK(found["gelu!B8"] == "=x!B8*(1+ERF(x!B8/SQRT(2)))/2");
    CHECK(found["twice!B8"] == "=SQRT(x!B8+1)*EXP(-x!B8)");
    CHECK(found["joined!B8"] == "=x!B8");
    CHECK(found["joined!B9"] == "=x!B8*3");
}

TEST_CASE("spreadsheet: tables, positions and higher ranks") {
    Trace trace;
    const Tensor ids = named("ids", Tensor({2, 0})), table({{1, 2}, {3, 4}, {5, 6}});
    const Tensor embedded = named("embedded", glassbox::embedding(table, ids));
    (void)named("encoding", glassbox::sinusoidal_encoding(2, 4));
    (void)named("outer", glassbox::reshape(embedded, {2, 1, 2}) + glassbox::reshape(embedded, {1, 2, 2}));
    auto found = cells(report_of(trace, {{"table", table}}));
    CHECK(found["embedded!C8"] == "=INDEX(table!C8:C10,ids!B8+1)");
    CHECK(found["encoding!G9"] == "=1");  // t, beside its row
    CHECK(found["encoding!B8"] == "=SIN(G8*10000^(0/4))");
    CHECK(found["encoding!E9"] == "=COS(G9*10000^(-2/4))");
    CHECK(found["outer!A6"] == "outer[0]");
    CHECK(found["outer!B9"] == "=embedded!B8+embedded!B9");
    CHECK(found["outer!A11"] == "outer[1]");
    CHECK(found["outer!C13"] == "=embedded!C9+embedded!C8");
}

TEST_CASE("spreadsheet: gradients are sums over the uses, from the loss down") {
    Trace trace;
    glassbox::Tape tape;
    const Tensor x = named("x", Tensor({{1, -2}})), W({{1, 2}, {3, 4}});
    const Tensor y = named("y", glassbox::matmul(x, W));
    const Tensor r = named("r", glassbox::relu(y) + y);
    auto found = cells(report_of(trace, {{"W", W}}, glassbox::sum(r)));
    CHECK(found["loss!B8"] == "=SUM('r'!B8:C8)");
    CHECK(found["∂ r!B8"] == "=1");
    CHECK(found["∂ y!B8"] == "=IF(y!B8>0,'∂ r'!B8,0)+'∂ r'!B8");
    CHECK(found["∂ x!C8"] == "=SUMPRODUCT('∂ y'!B8:C8,W!B9:C9)");
    CHECK(found["∂ x!A1"] == "∂loss/∂x");
}

TEST_CASE("spreadsheet: what is too large is refused, with both sizes") {
    const auto message = [](const glassbox::Shape& shape) {
        Report report;
        report.steps.push_back(
            {"x", Tensor(shape, std::vector<real>(static_cast<std::size_t>(shape.numel())))});
        return refusal([&] { (void)sheets_of(report, 4); });
    };
    CHECK(message({1, 16'384}) ==
          "xlsx: x of shape (1, 16384) takes 16386 columns, a sheet has 16384: choose smaller sizes, or "
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
    CHECK(found["xl/workbook.xml"].find("<sheet name=\"∂ logits\"") != std::string::npos);
}

TEST_CASE("spreadsheet: xlsx is not written to a terminal, and a wrong ending is refused") {
    const auto refused = glassbox_test::tracer_run({"attention", "--format", "json", "-o", "x.xlsx"});
    CHECK(refused.code == 2);
    CHECK(refused.err.find("its extension says xlsx, but the output is json") != std::string::npos);
}
