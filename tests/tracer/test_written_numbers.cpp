// Numbers as programs print them, into tracer check.
#include <algorithm>
#include <cmath>

#include <glassbox/io/npz.h>

#include "command.h"
#include "support/has.h"
#include "tracer/subject/written_numbers.h"

using namespace glassbox_test;
using glassbox::index_t;
using glassbox::Shape;

namespace {

// The tutorial's values, to four decimals.
const std::vector<double> tutorial_values{0.3762, -0.1466, -0.4278, -0.5990, 0.4362, -0.1168};

std::vector<tracer::HandInArray> arrays_in(const std::string& text) {
    return tracer::parse_written(text, "mine.txt");
}

std::string why_not_read(const std::string& text) {
    try {
        (void)arrays_in(text);
        return "";
    } catch (const glassbox::FileError& error) {
        return error.what();
    }
}

// "(3, 2)", or what differs.
std::string read_as(const std::string& text, const std::vector<double>& expected = tutorial_values) {
    const std::string why = why_not_read(text);
    if (!why.empty()) return why;
    const auto arrays = arrays_in(text);
    if (arrays.size() != 1) return fmt::format("{} arrays", arrays.size());
    const std::vector<glassbox::real> numbers = arrays.front().value.values();
    const bool are_equal =
        std::equal(numbers.begin(), numbers.end(), expected.begin(), expected.end(),
                   [](glassbox::real a, double b) { return std::abs(static_cast<double>(a) - b) < 6e-4; });
    return are_equal ? arrays.front().value.shape().str()
                     : fmt::format("other numbers: {}", fmt::join(numbers, " "));
}

struct Printed {
    const char* of;
    std::string text;
};

// Of each print: read as the tutorial's values, whatever its own first reading is.
void check_right(const std::vector<Printed>& prints) {
    for (const Printed& print : prints) {
        INFO(print.of << ":\n" << print.text);
        const Ran ran = run_program(words("check attention --seq 3 --dk 2 -"), {.in = print.text});
        INFO(ran.out << ran.err);
        CHECK(ran.code == 0);
        CHECK(has(ran.out, "✓ values"));
    }
}

void check_read(const std::vector<Printed>& prints) {
    for (const Printed& print : prints) {
        INFO(print.of << ":\n" << print.text);
        CHECK(read_as(print.text) == "(3, 2)");
    }
}

const std::string numpy_rows = "[[ 0.3762 -0.1466]\n [-0.4278 -0.5990]\n [ 0.4362 -0.1168]]\n";

}  // namespace

TEST_CASE("written numbers: the numbers of rows and columns are told from the table's own") {
    check_right({
        {"pandas", "        0       1\n0  0.3762 -0.1466\n1 -0.4278 -0.5990\n2  0.4362 -0.1168\n"},
        {"pandas, columns named",
         "        a       b\n0  0.3762 -0.1466\n1 -0.4278 -0.5990\n2  0.4362 -0.1168\n"},
        {"pandas, rows named",
         "        0       1\nx  0.3762 -0.1466\ny -0.4278 -0.5990\nz  0.4362 -0.1168\n"},
        {"R's data.frame", "       V1      V2\n1  0.3762 -0.1466\n2 -0.4278 -0.5990\n3  0.4362 -0.1168\n"},
        {"R's data.table",
         "        V1      V2\n1:  0.3762 -0.1466\n2: -0.4278 -0.5990\n3:  0.4362 -0.1168\n"},
        {"to_csv()", ",0,1\n0,0.3762,-0.1466\n1,-0.4278,-0.5990\n2,0.4362,-0.1168\n"},
        {"to_csv(index=False)", "0,1\n0.3762,-0.1466\n-0.4278,-0.5990\n0.4362,-0.1168\n"},
        {"to_csv(header=False)", "0,0.3762,-0.1466\n1,-0.4278,-0.5990\n2,0.4362,-0.1168\n"},
        {"to_csv(index_label)", "row,0,1\n0,0.3762,-0.1466\n1,-0.4278,-0.5990\n2,0.4362,-0.1168\n"},
        {"write.csv",
         "\"\",\"V1\",\"V2\"\n\"1\",0.3762,-0.1466\n\"2\",-0.4278,-0.5990\n\"3\",0.4362,-0.1168\n"},
        {"write.table", "\"V1\" \"V2\"\n\"7\" 0.3762 -0.1466\n\"3\" -0.4278 -0.5990\n\"9\" 0.4362 -0.1168\n"},
        {"a Series",
         "0    0.3762\n1   -0.1466\n2   -0.4278\n3   -0.5990\n4    0.4362\n5   -0.1168\ndtype: float64\n"},
        {"to_json()",
         "[{\"0\":0.3762,\"1\":-0.1466},{\"0\":-0.4278,\"1\":-0.5990},{\"0\":0.4362,\"1\":-0.1168}]"},
        {"to_json(split)",
         "{\"columns\":[0,1],\"index\":[0,1,2],\"data\":[[0.3762,-0.1466],[-0.4278,-0.5990],[0.4362,-0.1168]]"
         "}"},
        {"console.table",
         "┌─────────┬────────┬─────────┐\n│ (index) │   0    │    1    │\n├─────────┼────────┼─────────┤\n│  "
         "  0    │ "
         "0.3762 │ -0.1466 │\n│    1    │ -0.4278 │ -0.5990 │\n│    2    │ 0.4362 │ -0.1168 │\n"},
        {"Markdown",
         "|    |      0 |       1 |\n|---:|-------:|--------:|\n|  0 | 0.3762 | -0.1466 |\n|  1 | -0.4278 "
         "| -0.5990 |\n|  2 | 0.4362 | -0.1168 |\n"},
    });
    const Ran said =
        run_program(words("check attention --seq 3 --dk 2 -"),
                    {.in = "       V1      V2\n1  0.3762 -0.1466\n2 -0.4278 -0.5990\n3  0.4362 -0.1168\n"});
    CHECK(has(said.out, "the first column 1, 2, 3 is taken as row numbers"));
    const Ran wrong =
        run_program(words("check attention --seq 3 --dk 2 -"),
                    {.in = "        0       1\n0  0.3467 -0.1410\n1 -0.2356 -0.4582\n2  0.4021 -0.1099\n"});
    CHECK(wrong.code == 1);
    CHECK(has(wrong.out, "scaled/no-root: "));
}

TEST_CASE("written numbers: numbers that count keep their row and column where they fit") {
    const auto shape = [](const std::string& text) { return arrays_in(text).front().value.shape().str(); };
    CHECK(shape("0 1\n1 2\n2 0\n") == "(3, 2)");
    CHECK(shape("0,0.3762\n1,-0.4278\n") == "(2, 2)");
    CHECK(shape("1,2\n3,4\n") == "(2, 2)");
    CHECK(shape("(1, 2)\n(3, 4)\n") == "(2, 2)");
    // Tokens, of which one is 0, 1, 2 by chance: the steps of a computation tell.
    const Ran counts =
        run_program(words("check attention --seq 3 --dk 2 --as logits -"), {.in = "0 1 2\n1 0 2\n2 1 0\n"});
    CHECK(counts.code == 1);
    CHECK(has(counts.out, "[0, 0] is 0, right is"));
    CHECK(!has(counts.out, "taken as"));
    // A word above is no proof that a column only counts.
    const Ran titled = run_program(words("check attention --seq 3 --dk 2 -"),
                                   {.in = "values\n0 -0.1466\n1 -0.5990\n2 -0.1168\n"});
    CHECK(titled.code == 1);
    CHECK(has(titled.out, "[0, 0] is 0, right is 0.376226"));
}

TEST_CASE("written numbers: decimal commas, with tabs, blanks, semicolons or in quotes") {
    check_right({
        {"tabs", "0,3762\t-0,1466\n-0,4278\t-0,5990\n0,4362\t-0,1168\n"},
        {"blanks", "0,3762 -0,1466\n-0,4278 -0,5990\n0,4362 -0,1168\n"},
        {"a comma and a blank", "0,3762, -0,1466\n-0,4278, -0,5990\n0,4362, -0,1168\n"},
        {"quotes", "\"0,3762\",\"-0,1466\"\n\"-0,4278\",\"-0,5990\"\n\"0,4362\",\"-0,1168\"\n"},
        {"semicolons", "0;1\n0,3762;-0,1466\n-0,4278;-0,5990\n0,4362;-0,1168\n"},
        {"semicolons and an index", ";0;1\n0;0,3762;-0,1466\n1;-0,4278;-0,5990\n2;0,4362;-0,1168\n"},
        {"semicolons and points", "0;1\n0.3762;-0.1466\n-0.4278;-0.5990\n0.4362;-0.1168\n"},
    });
    const auto shape = [](const std::string& text) { return arrays_in(text).front().value.shape().str(); };
    CHECK(shape("1,2\n3,4\n") == "(2, 2)");          // whole numbers of a CSV
    CHECK(shape("1, 2, 3\n4, 5, 6\n") == "(2, 3)");  //
    CHECK(shape("0,05 1,2\n") == "(2,)");            // 05 is no number of its own
    CHECK(arrays_in("0,3762 1,1466\n0,4278 0,5990\n").front().others.back().how ==
          "commas are taken as decimal points");
}

TEST_CASE("written numbers: as R prints and writes them") {
    check_read({
        {"a matrix",
         "        [,1]    [,2]\n[1,]  0.3762 -0.1466\n[2,] -0.4278 -0.5990\n[3,]  0.4362 -0.1168\n"},
        {"wrapped",
         "        [,1]\n[1,]  0.3762\n[2,] -0.4278\n[3,]  0.4362\n        [,2]\n[1,] -0.1466\n[2,] "
         "-0.5990\n[3,] -0.1168\n"},
        {"names", "        x       y\na  0.3762 -0.1466\nb -0.4278 -0.5990\nc  0.4362 -0.1168\n"},
        {"names, wrapped",
         "        x\na  0.3762\nb -0.4278\nc  0.4362\n        y\na -0.1466\nb -0.5990\nc -0.1168\n"},
        {"a list",
         "$values\n        [,1]    [,2]\n[1,]  0.3762 -0.1466\n[2,] -0.4278 -0.5990\n[3,]  0.4362 "
         "-0.1168\n\n"},
        {"a session",
         "> values\n        [,1]    [,2]\n[1,]  0.3762 -0.1466\n[2,] -0.4278 -0.5990\n[3,]  0.4362 "
         "-0.1168\n> \n"},
        {"a tibble",
         "# A tibble: 3 × 2\n       V1      V2\n    <dbl>   <dbl>\n1  0.3762 -0.1466\n2 -0.4278 -0.5990\n3 "
         " 0.4362 -0.1168\n"},
        {"dput", "structure(c(0.3762, -0.4278, 0.4362, -0.1466, \n-0.5990, -0.1168), dim = 3:2)\n"},
        {"dput with names",
         "structure(c(0.3762, -0.4278, 0.4362, -0.1466, -0.5990, -0.1168), dim = c(3L, 2L), "
         "dimnames = list(NULL, c(\"a\", \"b\")))\n"},
        {"matrix(nrow)", "matrix(c(0.3762, -0.4278, 0.4362, -0.1466, -0.5990, -0.1168), nrow = 3)\n"},
    });
    CHECK(read_as("[1]  0.3762 -0.1466 -0.4278 -0.5990\n[5]  0.4362 -0.1168\n") == "(6,)");
    const std::string array =
        ", , 1\n\n     [,1] [,2]\n[1,] 0.11 0.21\n[2,] 0.31 0.41\n[3,] 0.51 0.61\n\n"
        ", , 2\n\n     [,1] [,2]\n[1,] 0.12 0.22\n[2,] 0.32 0.42\n[3,] 0.52 0.62\n\n";
    const std::vector<double> numbers{0.11, 0.12, 0.21, 0.22, 0.31, 0.32, 0.41, 0.42, 0.51, 0.52, 0.61, 0.62};
    CHECK(read_as(array, numbers) == "(3, 2, 2)");
    CHECK(has(why_not_read(", , 1\n\n0.1 0.2\n\n, , 3\n\n0.1 0.2\n"),
              "2 slices of an array, and its indices name 3"));
}

TEST_CASE("written numbers: as Julia, MATLAB, Octave and LibTorch print them") {
    const std::string lines = "  0.3762  -0.1466\n -0.4278  -0.5990\n  0.4362  -0.1168\n";
    check_read({
        {"Julia", "3×2 Matrix{Float32}:\n" + lines},
        {"Julia's prompt", "julia> values\n3×2 Matrix{Float64}:\n" + lines + "\njulia> \n"},
        {"Julia, transposed", "3×2 adjoint(::Matrix{Float32}) with eltype Float32:\n" + lines},
        {"Julia's vectors",
         "3-element Vector{Vector{Float64}}:\n [0.3762, -0.1466]\n [-0.4278, -0.5990]\n [0.4362, -0.1168]\n"},
        {"Julia's Float32", "Float32[3762.0f-4 -1466.0f-4; -0.4278f0 -0.5990f0; 0.4362f0 -0.1168f0]"},
        {"MATLAB's factor",
         "values =\n\n   1.0e-01 *\n\n    3.762   -1.466\n   -4.278   -5.990\n    4.362   -1.168\n\n"},
        {"MATLAB's type", "values =\n\n  3×2 single matrix\n\n" + lines},
        {"MATLAB's columns",
         "values =\n\n  Column 1\n\n    0.3762\n   -0.4278\n    0.4362\n\n  Column 2\n\n   -0.1466\n   "
         "-0.5990\n   -0.1168\n\n"},
        {"Octave's columns",
         "values =\n\n Columns 1 through 1:\n\n   0.3762\n  -0.4278\n   0.4362\n\n Column 2:\n\n  "
         "-0.1466\n  -0.5990\n  -0.1168\n\n"},
        {"Octave's save -text",
         "# Created by Octave 7.3.0\n# name: values\n# type: matrix\n# rows: 3\n# columns: 2\n" + lines +
             "\n\n"},
        {"Octave's prompt", "octave:3> values\nvalues =\n\n" + lines + "\n"},
        {"LibTorch", lines + "[ CPUFloatType{3,2} ]\n"},
        {"LibTorch's factor",
         "0.1 *\n  3.762  -1.466\n -4.278  -5.990\n  4.362  -1.168\n[ CUDAFloatType{3,2} ]\n"},
        {"LibTorch's columns",
         "Columns 1 to 1 0.3762\n -0.4278\n  0.4362\n\nColumns 2 to 2-0.1466\n -0.5990\n -0.1168\n[ "
         "CPUFloatType{3,2} ]\n"},
    });
    const std::vector<double> numbers{0.11, 0.12, 0.21, 0.22, 0.31, 0.32, 0.41, 0.42};
    for (const char* text : {"ans(:,:,1) =\n\n   0.11   0.21\n   0.31   0.41\n\nans(:,:,2) =\n\n   0.12   "
                             "0.22\n   0.32   0.42\n",
                             "values =\n\nans(:,:,1) =\n\n   0.11   0.21\n   0.31   0.41\n\nans(:,:,2) =\n\n "
                             "  0.12   0.22\n   0.32   0.42\n",
                             "2×2×2 Array{Float64, 3}:\n[:, :, 1] =\n 0.11  0.21\n 0.31  0.41\n\n[:, :, 2] "
                             "=\n 0.12  0.22\n 0.32  0.42\n",
                             "# name: values\n# type: matrix\n# ndims: 3\n 2 2 2\n 0.11\n 0.31\n 0.21\n "
                             "0.41\n 0.12\n 0.32\n 0.22\n 0.42\n",
                             "(1,.,.) = \n  0.11  0.12\n  0.21  0.22\n\n(2,.,.) = \n  0.31  0.32\n  0.41  "
                             "0.42\n[ CPUFloatType{2,2,2} ]\n"}) {
        INFO(text);
        CHECK(read_as(text, numbers) == "(2, 2, 2)");
    }
}

TEST_CASE("written numbers: as programming languages write them") {
    check_read({
        {"C++",
         "float values[3][2] = {\n  {0.3762f, -0.1466f},\n  {-0.4278f, -0.5990f},\n  {0.4362f, "
         "-0.1168f}\n};\n"},
        {"C++'s vectors",
         "std::vector<std::vector<float>> values = {{0.3762F, -0.1466F}, {-0.4278F, -0.5990F}, "
         "{0.4362F, -0.1168F}};\n"},
        {"Rust",
         "vec![vec![0.3762_f32, -0.1466_f32], vec![-0.4278f32, -0.5990f32], vec![0.4362, -0.1168]]\n"},
        {"Rust's ndarray",
         "[[0.3762, -0.1466],\n [-0.4278, -0.5990],\n [0.4362, -0.1168]], shape=[3, 2], strides=[2, 1], "
         "layout=Cc (0x5), const ndim=2\n"},
        {"candle", "[[0.3762, -0.1466],\n [-0.4278, -0.5990],\n [0.4362, -0.1168]]\nTensor[[3, 2], f32]\n"},
        {"JavaScript",
         "[\n  Float32Array(2) [ 0.3762, -0.1466 ],\n  Float32Array(2) [ -0.4278, -0.5990 ],\n  "
         "Float32Array(2) [ 0.4362, -0.1168 ]\n]\n"},
        {"Java", "float[][] values = {{0.3762f, -0.1466f}, {-0.4278f, -0.5990f}, {0.4362f, -0.1168f}};\n"},
        {"Fortran", "3.762D-01 -1.466D-01\n-4.278D-01 -5.990D-01\n4.362D-01 -1.168D-01\n"},
        {"Wolfram", "{{376.2*^-3, -146.6*^-3}, {-0.4278, -0.5990}, {0.4362, -0.1168}}\n"},
        {"TensorFlow",
         "<tf.Tensor: shape=(3, 2), dtype=float32, numpy=\narray([[ 0.3762, -0.1466],\n       [-0.4278, "
         "-0.5990],\n       [ 0.4362, -0.1168]], dtype=float32)>\n"},
        {"MXNet", "\n" + numpy_rows + "<NDArray 3x2 @cpu(0)>\n"},
        {"xarray",
         "<xarray.DataArray (q: 3, d: 2)> Size: 48B\narray([[ 0.3762, -0.1466],\n       [-0.4278, "
         "-0.5990],\n "
         "      [ 0.4362, -0.1168]])\nCoordinates:\n  * q        (q) int64 24B 0 1 2\nDimensions without "
         "coordinates: d\n"},
        {"Polars",
         "shape: (3, 2)\n┌──────────┬──────────┐\n│ column_0 ┆ column_1 │\n│ ---      ┆ ---      │\n│ f64    "
         "  ┆ "
         "f64      │\n╞══════════╪══════════╡\n│ 0.3762   ┆ -0.1466  │\n│ -0.4278  ┆ -0.5990  │\n│ 0.4362   "
         "┆ "
         "-0.1168  │\n└──────────┴──────────┘\n"},
        {"gonum", "⎡ 0.3762  -0.1466⎤\n⎢-0.4278  -0.5990⎥\n⎣ 0.4362  -0.1168⎦\n"},
        {"a loop over rows", "[ 0.3762 -0.1466]\n[-0.4278 -0.5990]\n[ 0.4362 -0.1168]\n"},
        {"a loop with numbers", "0 [ 0.3762 -0.1466]\n1 [-0.4278 -0.5990]\n2 [ 0.4362 -0.1168]\n"},
        {"NumPy, masked nowhere",
         "masked_array(\n  data=[[ 0.3762, -0.1466],\n        [-0.4278, -0.5990],\n        [ 0.4362, "
         "-0.1168]],\n  mask=[[False, False],\n        [False, False],\n        [False, "
         "False]],\n  fill_value=1e+20)\n"},
    });
    CHECK(read_as("{\"0\":0.3762,\"1\":-0.1466,\"2\":-0.4278,\"3\":-0.5990,\"4\":0.4362,\"5\":-0.1168}") ==
          "(6,)");
    CHECK(arrays_in("1.0f-5 2.5d0 0.25f 3L\n").front().half_width[0] == Approx(0.5e-6));
}

TEST_CASE("written numbers: what stands around an array is left out") {
    check_read({
        {"its shape before", "(3, 2)\n" + numpy_rows},
        {"its shape after", numpy_rows + "(3, 2)\n"},
        {"torch.Size", "torch.Size([3, 2])\n" + numpy_rows},
        {"print(shape, x)", "(3, 2) " + numpy_rows},
        {"shape, in words", "values.shape: (3, 2)\n" + numpy_rows},
        {"its type", "<class 'numpy.ndarray'>\n" + numpy_rows + "dtype: float32\n"},
        {"Jupyter", "In [7]: values\nOut[7]:\n" + numpy_rows},
        {"a time stamp", "2026-11-28 10:22:01,123 INFO values:\n" + numpy_rows},
        {"savetxt's header", "# the values, 3 by 2\n0.3762 -0.1466\n-0.4278 -0.5990\n0.4362 -0.1168\n"},
        {"comments", "0.3762 -0.1466  # first\n-0.4278 -0.5990  # 2nd\n0.4362 -0.1168\n"},
    });
    const auto two = arrays_in("attention (2, 2)\n[[1 2]\n [3 4]]\nvalues (2, 1)\n[[0.5]\n [0.25]]\n");
    REQUIRE(two.size() == 2);
    CHECK(two[0].step == "attention");
    CHECK(two[1].step == "values");
    CHECK(arrays_in("Q.shape: (2,)\n[1 2]\nK.shape: (1,)\n[3]\n")[1].step == "K");
    CHECK(arrays_in("attention\n[[1 2]]\nvalues\n[[0.5]]\n")[1].step == "values");
    CHECK(read_as("(3, 2)\n[0.3762 -0.1466]\n[-0.4278 -0.5990]\n[0.4362 -0.1168]\n") == "(3, 2)");
    CHECK(read_as("(3, 2)\n", {3, 2}) == "(2,)");  // alone it is an array
}

TEST_CASE("written numbers: marks, colours, blanks and encodings that are not seen") {
    const std::string csv = "0.3762,-0.1466\n-0.4278,-0.5990\n0.4362,-0.1168\n";
    std::string little = "\xFF\xFE", big = "\xFE\xFF";
    for (const char c : csv) little += c, little += '\0', big += '\0', big += c;
    check_read({
        {"a byte order mark", "\xEF\xBB\xBF" + csv},
        {"UTF-16", little},
        {"UTF-16, the larger byte first", big},
        {"Windows-1252",
         "\xE9t\xE9\n0.3762\xA0\x96"
         "0.1466\n-0.4278 -0.5990\n0.4362 -0.1168\n"},
        {"colours", "\x1b[1m[[\x1b[32m0.3762 -0.1466\x1b[0m]\n [-0.4278 -0.5990]\n [0.4362 -0.1168]]\n"},
        {"blanks of typesetters", "0.3762\u00a0-0.1466\n-0.4278\u2009-0.5990\n0.4362\u202f\u22120.1168\n"},
        {"an old Mac", "0.3762 -0.1466\r-0.4278 -0.5990\r0.4362 -0.1168\r"},
    });
    const Folder folder;
    write(folder / "mine.txt", little);
    CHECK(run_program(words("check attention --seq 3 --dk 2 " + folder / "mine.txt")).code == 0);
}

TEST_CASE("written numbers: what cannot be read is told by its name") {
    CHECK(has(why_not_read("[[0.37+0.1j -0.14+0.j]]"), "got the imaginary part '+0.1j' of a complex one"));
    CHECK(has(why_not_read("0.3762 + 0.1000i\n"), "the imaginary part '0.1000i'"));
    CHECK(has(why_not_read("# name: x\n# type: complex matrix\n(0.3,0.1)\n"), "of a complex one"));
    CHECK(has(why_not_read("[[0.37 --]\n [0.1 0.2]]"), "'--' is a masked number"));
    CHECK(has(why_not_read("tensor([0.1, ..., 0.3])"), "as torch.set_printoptions(profile=\"full\") does"));
    CHECK(has(why_not_read("     0  ...    9\n0  0.1  ...  0.3\n"), "as frame.to_string() of pandas"));
    CHECK(has(why_not_read("3×1 Matrix{Float64}:\n 0.1\n ⋮\n 0.3\n"), "cut off"));
    CHECK(has(why_not_read("(3) [Array(2), Array(2)]"), "stands for numbers that are not printed"));
    CHECK(has(why_not_read("structure(c(0.1, 0.2, 0.3), dim = c(2L, 2L))"),
              "the sizes (2, 2) do not fit 3 numbers"));
    const Folder folder;
    const auto told = [&](const std::string& text) {
        write(folder / "mine.npy", text);
        const Ran ran = run_program(words("check attention --seq 3 --dk 2 " + folder / "mine.npy"));
        CHECK(ran.code == 3);
        return ran.err;
    };
    CHECK(has(told("version https://git-lfs.github.com/spec/v1\nsize 3\n"), "a Git LFS pointer"));
    CHECK(has(told("<!DOCTYPE html>\n<html></html>\n"), "an HTML page"));
    CHECK(has(told("[1 2]\n[3 4]\n"),
              "several arrays without names, which are not the rows of values, (3, 2)"));
}

TEST_CASE("check: that one decimal shows little is said") {
    const Ran coarse = run_program(words("check attention --seq 3 --dk 2 -"),
                                   {.in = "[[0.4 -0.1] [-0.4 -0.6] [0.4 -0.1]]\n"});
    CHECK(coarse.code == 0);
    CHECK(has(coarse.out, "rounded to one decimal: two or more show more mistakes"));
    CHECK(run_program(words("check attention --seq 3 --dk 2 -"),
                      {.in = "[[0.38 -0.15] [-0.43 -0.60] [0.44 -0.12]]\n"})
              .code == 0);
}

TEST_CASE("check: numbers column by column are right, and said to be so") {
    const Ran ran = run_program(words("check attention --seq 3 --dk 2 -"),
                                {.in = "0.3762\n-0.4278\n0.4362\n-0.1466\n-0.5990\n-0.1168\n"});
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "read as (3, 2), column by column"));
    const Ran strict = run_program(words("check attention --seq 3 --dk 2 --layout ordered -"),
                                   {.in = "0.3762\n-0.4278\n0.4362\n-0.1466\n-0.5990\n-0.1168\n"});
    CHECK(strict.code == 1);
    CHECK(has(strict.out, "The numbers would be right read as (3, 2), column by column"));
}

TEST_CASE("check: a single number is the loss, or another of the layer's single numbers") {
    const Folder folder;
    REQUIRE(tracer_run({"loss", "-o", folder / "right.npz"}).code == 0);
    const double loss = glassbox::Npz(std::filesystem::path(folder / "right.npz")).read("loss").values()[0];
    for (const char* print :
         {"tensor({:.4f})\n", "[1] {:.6f}\n", "np.float32({:.5f})\n", "loss {:.4f}\n", "Loss: {:.4f}\n"}) {
        const Ran ran = run_program(words("check loss -"), {.in = fmt::format(fmt::runtime(print), loss)});
        INFO(print << ran.out << ran.err);
        CHECK(ran.code == 0);
        CHECK(run_program(words("check loss -"), {.in = fmt::format(fmt::runtime(print), loss * 1.2)}).code ==
              1);
    }
}
