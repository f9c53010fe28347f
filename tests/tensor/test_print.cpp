#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include <glassbox/tensor/print.h>

#include "support/catch.h"
#include "support/compare.h"

using namespace glassbox;

TEST_CASE("print: output matches NumPy's") {
    std::ifstream file(GLASSBOX_GOLDEN "/tracer_numpy.json");
    const nlohmann::json numpy = nlohmann::json::parse(file);
    std::size_t compared = 0;
    for (const auto& entry : numpy["cases"]) {
        INFO(entry["name"].get<std::string>() << ", precision " << entry["precision"]);
        std::vector<real> values;
        for (const auto& text : entry["values"])
            values.push_back(static_cast<real>(std::strtod(text.get<std::string>().c_str(), nullptr)));
        const Tensor x(Shape(entry["shape"].get<std::vector<index_t>>()), values);
        PrintStyle style;
        style.precision = entry["precision"];
        const std::string expected = entry[glassbox_test::in_double ? "float64" : "float32"];
        CHECK(to_text(x, style, "") == expected);
        ++compared;
    }
    CHECK(compared >= 90);
}

TEST_CASE("print: a hidden score does not make the others scientific") {
    const Tensor x({{real(-0.63082), real(-9e15)}, {real(1.5), real(-0.25)}});
    CHECK(to_text(x) == "[[-0.63082   -9e+15]\n [ 1.5     -0.25   ]]");
    CHECK(to_text(Tensor({real(-1e14), real(-1e14)})) == "[-1e+14 -1e+14]");
}

TEST_CASE("print: a large negative number keeps its digits, as a positive one does") {
    CHECK(to_text(Tensor{real(1.253906e20)}) == "[1.253906e+20]");
    CHECK(to_text(Tensor{real(-1.253906e20)}) == "[-1.253906e+20]");
    CHECK(to_text(Tensor{real(-1.253906e20), real(2.5)}) == "[-1.253906e+20  2.500000e+00]");
}

TEST_CASE("print: the indent is added to every line and does not count for the width") {
    std::vector<real> values(60);
    for (std::size_t i = 0; i < 60; ++i) values[i] = static_cast<real>(i);
    const Tensor x(Shape{60}, values);
    const std::string plain = to_text(x), indented = to_text(x, {}, "   ");
    std::string expected = "   ";
    for (const char c : plain) expected += c == '\n' ? std::string("\n   ") : std::string(1, c);
    CHECK(indented == expected);
}

TEST_CASE("print: a style without −0 prints no sign for a number that rounds to 0, and keeps its columns") {
    PrintStyle style;
    style.minus_zero = false;
    style.precision = 2;
    CHECK(to_text(Tensor({real(-0.0), real(-0.004), real(1.5)}), style) == "[0.  0.  1.5]");
    CHECK(to_text(Tensor({real(-0.0), real(-0.25)}), style) == "[ 0.   -0.25]");
    CHECK(to_text(Tensor({real(-0.0), real(1e-7)}), style) == "[0.e+00 1.e-07]");
    CHECK(to_text(Tensor({real(-0.0), real(1.5)})) == "[-0.   1.5]");  // as NumPy
}

TEST_CASE("print: fmt and streams print a tensor like to_text, with optional digits") {
    const Tensor x = {{1, real(-0.123456789)}, {real(2.5), 3}};
    CHECK(fmt::format("{}", x) == to_text(x));
    CHECK(fmt::format("{:.3}", x) == "[[ 1.    -0.123]\n [ 2.5    3.   ]]");
    CHECK(fmt::format("x = {:.0}", Tensor{1, 2}) == "x = [1. 2.]");
    std::ostringstream out;
    out << x;
    CHECK(out.str() == to_text(x));
    CHECK(fmt::format("{}", Tensor()) == "(an undefined tensor)");
    CHECK(fmt::format("{}", x[1]) == "[2.5 3. ]");
    for (const char* wrong : {"{:d}", "{:.3f}", "{:8}"})
        CHECK_THROWS_WITH(fmt::format(fmt::runtime(wrong), x),
                          "a tensor's format is {}, or {:.3} for 3 digits after the point");
}

TEST_CASE("print: no elements and no axes") {
    CHECK(to_text(Tensor::zeros({0, 2}), {}, " ") == " []  (no elements, shape (0, 2))");
    CHECK(to_text(Tensor(real(1.5))) == "1.5");
}

TEST_CASE("print: integers without a point, if requested and all are integers") {
    glassbox::PrintStyle style;
    style.whole = true;
    CHECK(glassbox::to_text(glassbox::Tensor{{3, -14}, {0, 2}}, style) == "[[  3 -14]\n [  0   2]]");
    CHECK(glassbox::to_text(glassbox::Tensor{1, 2.5}, style) == "[1.  2.5]");
    CHECK(glassbox::to_text(glassbox::Tensor{1, NAN}, style) == "[ 1. nan]");
}
