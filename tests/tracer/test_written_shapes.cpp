// What printed numbers say of their shape, their order and their precision, into tracer check.
#include <glassbox/io/npz.h>

#include "command.h"
#include "support/has.h"
#include "tracer/subject/written_numbers.h"

using namespace glassbox_test;

namespace {

const std::string rows = "0.3762 -0.1466\n-0.4278 -0.5990\n0.4362 -0.1168\n";
const std::string numpy = "[[ 0.3762 -0.1466]\n [-0.4278 -0.5990]\n [ 0.4362 -0.1168]]\n";
const std::string flat = "0.3762, -0.1466, -0.4278, -0.5990, 0.4362, -0.1168";
const std::string by_columns = "0.3762, -0.4278, 0.4362, -0.1466, -0.5990, -0.1168";
const std::string braces = "{{0.3762, -0.1466}, {-0.4278, -0.5990}, {0.4362, -0.1168}}";
const std::string lists = "[[0.3762, -0.1466], [-0.4278, -0.5990], [0.4362, -0.1168]]";

Ran checked(const std::string& text, const std::string& more = "") {
    return run_program(words("check attention --seq 3 --dk 2 --seconds 0 " + more + "-"), {.in = text});
}

void check_right(const std::vector<std::string>& prints) {
    for (const std::string& print : prints) {
        INFO(print);
        const Ran ran = checked(print);
        INFO(ran.out << ran.err);
        CHECK(ran.code == 0);
        CHECK(has(ran.out, "✓ values"));
    }
}

// Exit code 3 and this reason.
void check_asked(const std::string& reason, const std::vector<std::string>& prints) {
    for (const std::string& print : prints) {
        INFO(print);
        const Ran ran = checked(print);
        INFO(ran.out << ran.err);
        CHECK(ran.code == 3);
        CHECK(has(ran.err, reason));
    }
}

std::string in(const std::string& before, const std::string& text, const std::string& after = "") {
    return before + text + after;
}

}  // namespace

TEST_CASE("written shapes: what source code declares is the shape, or contradicts it") {
    check_asked(
        "the shape (2, 3) is said",
        {in("float out[2][3] = ", braces, ";"), in("std::array<std::array<float, 3>, 2> out = ", braces, ";"),
         in("let out: [[f32; 3]; 2] = ", lists, ";"), in("out := [2][3]float32", braces),
         in("float[2,3] ", braces), "shape = 2x3\n" + numpy});
    // Numbers in a row are in the declared rows, in which they are not right.
    check_asked(
        "the shape (2, 3) is said, and values needs (3, 2)",
        {in("float out[2][3] = {", flat, "};"), in("np.array([", flat, "]).reshape(2, 3)"),
         in("torch.tensor([", flat, "]).view(2, 3)"), in("np.reshape([", flat, "], (2, 3))"),
         in("matrix(c(", flat, "), nrow = 2, byrow = TRUE)"), in("reshape([", by_columns, "], 2, 3)")});
    check_asked("do not fit 6 numbers",
                {in("matrix(c(", by_columns, "), nrow = 5)"), in("matrix(c(", by_columns, "), 3, 3)"),
                 in("array(c(", by_columns, "), c(3, 3))")});
    check_right({in("float out[3][2] = ", braces, ";"), in("const double out[3][2] = {", flat, "};"),
                 in("float out[][2] = {", flat, "};"), in("float[][] out = ", braces, ";"),
                 in("std::array<std::array<float, 2>, 3> out = {", braces, "};"),
                 in("std::vector<std::array<float, 2>> out = ", braces, ";"),
                 in("let out: [[f32; 2]; 3] = ", lists, ";"), in("out := [3][2]float32", braces),
                 in("np.array([", flat, "]).reshape(3, 2)"), in("np.array([", flat, "]).reshape((3, -1))"),
                 in("torch.tensor([", flat, "]).view(-1, 2)"), in("np.reshape([", flat, "], (3, 2))"),
                 in("reshape(Float32[", by_columns, "], 3, 2)"), in("matrix(c(", by_columns, "), nrow = 3)"),
                 in("matrix(c(", by_columns, "), 3, 2)"), in("matrix(c(", flat, "), ncol = 2, byrow = TRUE)"),
                 in("array(c(", by_columns, "), c(3, 2))")});
}

TEST_CASE("written shapes: what programs say beside the numbers is the shape, or contradicts it") {
    const std::string xarray = "array(" + lists + ")\n";
    check_asked(
        "the shape (2, 3) is said",
        {"<xarray.DataArray (query: 2, d: 3)> Size: 24B\n" + xarray,
         "<xarray.DataArray 'values' (a: 2, b: 3)>\n" + xarray + "Dimensions without coordinates: a, b\n",
         "rows=2 cols=3\n" + rows, "2 rows, 3 columns\n" + rows, rows + "nrow: 2, ncol: 3\n",
         "out (2, 3) float32\n" + numpy, "out (2, 3)\n" + numpy, "out = 2×3 Matrix{Float32}:\n" + rows,
         "out =\n\n  2×3 single matrix\n\n" + rows,
         "[1] 2 3\n        [,1]    [,2]\n[1,]  0.3762 -0.1466\n"
         "[2,] -0.4278 -0.5990\n[3,]  0.4362 -0.1168\n",
         "2 by 3 matrix\n" + rows});
    check_right({"<xarray.DataArray (query: 3, d: 2)> Size: 24B\n" + xarray, "rows=3 cols=2\n" + rows,
                 "3 rows and 2 columns\n" + rows, "out (3, 2) float32\n" + numpy, "out (3, 2)\n" + numpy,
                 "out = 3×2 Matrix{Float32}:\n" + rows, "out = 3×2\n\n" + rows, "3 by 2 matrix\n" + rows,
                 "[1] 3 2\n        [,1]    [,2]\n[1,]  0.3762 -0.1466\n[2,] -0.4278 -0.5990\n"
                 "[3,]  0.4362 -0.1168\n",
                 "[3, 2]\n" + numpy});
}

TEST_CASE("written shapes: rows and columns that count in another order, or not all, are asked about") {
    const std::string xarray = "<xarray.DataArray (query: 3, d: 2)>\narray(" + lists + ")\nCoordinates:\n";
    check_asked(
        "the coordinates of query are 1, 0, 2: hand them in in the order of their numbers",
        {xarray + "  * query    (query) int64 24B 1 0 2\n", xarray + "  * query    (query) int64 1 0 2\n"});
    check_asked(
        "the coordinates of query are q1, q0, q2",
        {xarray + "  * query    (query) <U2 24B 'q1' 'q0' 'q2'\nDimensions without coordinates: d\n"});
    check_asked("the rows are numbered 2, 1, …",
                {"[[2]]\n[1]  0.3762 -0.1466\n\n[[1]]\n[1] -0.4278 -0.5990\n\n[[3]]\n[1]  0.4362 -0.1168\n"});
    check_asked("the rows are numbered 2, 1, 3", {"2,0.3762,-0.1466\n1,-0.4278,-0.5990\n3,0.4362,-0.1168\n"});
    check_asked("1, 2, 4, without 3: hand in all, or without these numbers",
                {"row,a,b\n1,0.3762,-0.1466\n2,-0.4278,-0.5990\n4,0.4362,-0.1168\n",
                 "\"\",\"a\",\"b\"\n\"1\",0.3762,-0.1466\n\"2\",-0.4278,-0.5990\n\"4\",0.4362,-0.1168\n",
                 "1,0.3762,-0.1466\n2,-0.4278,-0.5990\n4,0.4362,-0.1168\n"});
    check_asked("0, 1, 1, 1 twice", {"row,a,b\n0,0.3762,-0.1466\n1,-0.4278,-0.5990\n1,0.4362,-0.1168\n"});
    check_right({xarray + "  * query    (query) int64 24B 0 1 2\n  * d        (d) int64 16B 0 1\n",
                 xarray + "  * query    (query) <U5 60B 'je' 'suis' 'ici'\n",
                 xarray + "  * query    (query) int64 24B 20 10 30\n",
                 "[[1]]\n[1]  0.3762 -0.1466\n\n[[2]]\n[1] -0.4278 -0.5990\n\n[[3]]\n[1]  0.4362 -0.1168\n",
                 "year,a,b\n2021,0.3762,-0.1466\n2020,-0.4278,-0.5990\n2019,0.4362,-0.1168\n",
                 "row,a,b\n0,0.3762,-0.1466\n5,-0.4278,-0.5990\n9,0.4362,-0.1168\n"});
}

TEST_CASE("written shapes: a column or key that is called an index numbers the rows") {
    check_right({
        "[{\"index\":0,\"a\":0.3762,\"b\":-0.1466},{\"index\":1,\"a\":-0.4278,\"b\":-0.5990},"
        "{\"index\":2,\"a\":0.4362,\"b\":-0.1168}]",
        "[{\"i\":0,\"j\":0,\"v\":0.3762},{\"i\":0,\"j\":1,\"v\":-0.1466},{\"i\":1,\"j\":0,\"v\":-0.4278},"
        "{\"i\":1,\"j\":1,\"v\":-0.5990},{\"i\":2,\"j\":0,\"v\":0.4362},{\"i\":2,\"j\":1,\"v\":-0.1168}]",
        "shape: (3, 3)\n┌───────┬──────────┬──────────┐\n│ index ┆ column_0 ┆ column_1 │\n│ ---   ┆ ---      "
        "┆ "
        "---      │\n│ u32   ┆ f32      ┆ f32      │\n╞═══════╪══════════╪══════════╡\n│ 0     ┆ 0.3762   ┆ "
        "-0.1466  │\n│ 1     ┆ -0.4278  ┆ -0.5990  │\n│ 2     ┆ 0.4362   ┆ -0.1168  "
        "│\n└───────┴──────────┴──────────┘\n",
        // A column of words counts for who printed it.
        "shape: (3, 3)\n│ tok  ┆ d0      ┆ d1      │\n│ str  ┆ f32     ┆ f32     │\n│ je   ┆ 0.3762  ┆ "
        "-0.1466 │\n"
        "│ suis ┆ -0.4278 ┆ -0.5990 │\n│ la   ┆ 0.4362  ┆ -0.1168 │\n",
    });
    check_asked("the rows are numbered 1, 0, 2",
                {"[{\"index\":1,\"a\":0.3762,\"b\":-0.1466},{\"index\":0,\"a\":-0.4278,\"b\":-0.5990},"
                 "{\"index\":2,\"a\":0.4362,\"b\":-0.1168}]"});
}

TEST_CASE("check: float16 and bfloat16 are right in the digits that they are printed with") {
    const std::string half = "[[ 0.3762  -0.1466 ]\n [-0.4277  -0.599  ]\n [ 0.4363  -0.11676]]";
    check_right(
        {"array(" + half + ", dtype=float16)",
         half,  // as print() writes it, without its type
         "tensor([[ 0.3762, -0.1466],\n        [-0.4277, -0.5991],\n        [ 0.4363, -0.1168]], "
         "dtype=torch.float16)",
         "3×2 Matrix{Float16}:\n  0.3762  -0.1466\n -0.4277  -0.599\n  0.4363  -0.11676\n",
         "Array([[0.376953, -0.146484],\n       [-0.427734, -0.597656],\n       [0.435547, -0.116699]], "
         "dtype=bfloat16)",
         "tensor([[ 0.3770, -0.1465],\n        [-0.4277, -0.5977],\n        [ 0.4355, -0.1167]], "
         "dtype=torch.bfloat16)"});
    CHECK(has(checked(half).out, "float16"));
    // A number that is none of the format, and one that is far from right.
    const Ran other = checked(
        "tensor([[0.3762, -0.1466], [-0.4279, -0.5990], [0.4362, -0.1168]], "
        "dtype=torch.float16)");
    CHECK(other.code == 1);
    const Ran wrong =
        checked("array([[0.3762, -0.1466], [-0.4277, -0.599], [0.4463, -0.11676]], dtype=float16)");
    CHECK(wrong.code == 1);
    CHECK(has(wrong.out, "[2, 0]"));
    // Four decimals of float32 are not taken for float16.
    CHECK(checked("0.3762 -0.1466\n-0.4275 -0.5990\n0.4362 -0.1168\n").code == 1);
}

TEST_CASE("check: large numbers that were printed as whole ones, or in four digits, were rounded") {
    const Folder folder;
    glassbox::write_npz(folder / "in.npz",
                        {{"Q", glassbox::Tensor({{1, 0}, {0, 1}})},
                         {"K", glassbox::Tensor({{1, 0}, {0, 1}})},
                         {"V", glassbox::Tensor({{12345.25, -7.5}, {-54321.75, 1234.5}})}});
    const std::string line = "check attention --seconds 0 --input " + folder / "in.npz" + " ";
    CHECK(
        run_program(words("attention --format npz --input " + folder / "in.npz" + " -o " + folder / "o.npz"))
            .code == 0);
    const auto right = glassbox::read_npz(folder / "o.npz");
    std::vector<glassbox::real> values;
    for (const auto& [name, value] : right.arrays)
        if (name == "values") values = value.values();
    REQUIRE(values.size() == 4);
    for (const char* form : {"{:.0f}", "{:.4g}", "{:.6g}", "{:.2e}"}) {
        std::string text;
        for (std::size_t i = 0; i < 4; ++i)
            text += fmt::format(fmt::runtime(form), static_cast<double>(values[i])) + (i % 2 ? "\n" : " ");
        INFO(text);
        const Ran ran = run_program(words(line + "-"), {.in = text});
        INFO(ran.out << ran.err);
        CHECK(ran.code == 0);
    }
    std::string wrong;
    for (std::size_t i = 0; i < 4; ++i)
        wrong +=
            fmt::format("{:.0f}{}", static_cast<double>(values[i]) + (i == 3 ? 3 : 0), i % 2 ? "\n" : " ");
    CHECK(run_program(words(line + "-"), {.in = wrong}).code == 1);
}

TEST_CASE("check: far more numbers than all steps have are refused before they are read") {
    const Folder folder;
    std::string many;
    for (int i = 0; i < 150000; ++i) many += "0.25 0.5\n";
    write(folder / "many.txt", many);
    const Ran text = run_program(words("check attention --seq 3 --dk 2 " + folder / "many.txt"));
    CHECK(text.code == 3);
    CHECK(has(text.err, "300000 numbers, and all steps together have"));
    // Few bytes that unpack to many.
    glassbox::write_npz(
        folder / "large.npz",
        {{"values", glassbox::Tensor::zeros({2000, 2000})}, {"x_train", glassbox::Tensor::zeros({2})}},
        glassbox::Compression::deflated);
    const Ran packed = run_program(words("check attention --seq 3 --dk 2 " + folder / "large.npz"));
    CHECK(packed.code == 3);
    CHECK(has(packed.err, "values has the shape (2000, 2000), and values needs (3, 2)"));
    glassbox::write_npz(
        folder / "beside.npz",
        {{"x_train", glassbox::Tensor::zeros({2000, 2000})},
         {"values",
          glassbox::Tensor({{0.376226, -0.1465618}, {-0.42778558, -0.5989566}, {0.43624768, -0.11678301}})}},
        glassbox::Compression::deflated);
    const Ran beside = run_program(words("check attention --seq 3 --dk 2 " + folder / "beside.npz"));
    CHECK(beside.code == 0);
    CHECK(has(beside.out, "x_train is no step, and is left out"));
}

TEST_CASE("check: numbers a thousandth of the right ones that may have marks of thousands are asked about") {
    const Folder folder;
    glassbox::write_npz(folder / "in.npz", {{"Q", glassbox::Tensor({{100, 0}, {0, 100}})},
                                            {"K", glassbox::Tensor({{100, 0}, {0, 100}})},
                                            {"V", glassbox::Tensor({{1234, 5678}, {2345, 6789}})}});
    const Ran ran = run_program(words("check attention --seconds 0 --input " + folder / "in.npz" + " -"),
                                {.in = "1.234\t5.678\n2.345\t6.789\n"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 3);
    CHECK(has(ran.err, "'1.234' may be 1234 or 1.234"));
}
