// Numbers as programs print them, into tracer check.
#include <algorithm>
#include <cmath>

#include <glassbox/io/numpy.h>

#include "command.h"
#include "support/catch.h"
#include "tracer/subject/submitted_file.h"

using namespace glassbox_test;
using glassbox::index_t;
using glassbox::Shape;

namespace {

// The tutorial's values, to four decimals.
const std::vector<double> tutorial_values{0.3762, -0.1466, -0.4278, -0.5990, 0.4362, -0.1168};

std::vector<glassbox::tracer::SubmittedArray> arrays_in(const std::string& text) {
    return glassbox::tracer::parse_written(text, "mine.txt");
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
    CHECK(has(counts.out, "[0, 0] is 0, expected"));
    CHECK(!has(counts.out, "taken as"));
    // A word above is no proof that a column only counts.
    const Ran titled = run_program(words("check attention --seq 3 --dk 2 -"),
                                   {.in = "values\n0 -0.1466\n1 -0.5990\n2 -0.1168\n"});
    CHECK(titled.code == 1);
    CHECK(has(titled.out, "[0, 0] is 0, expected 0.376226"));
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

namespace {

const std::string plain_rows = "0.3762 -0.1466\n-0.4278 -0.5990\n0.4362 -0.1168\n";

// Of each: refused for this reason.
void check_refused(const std::vector<Printed>& prints) {
    for (const Printed& print : prints) {
        INFO(print.text);
        const std::string why = why_not_read(print.text);
        INFO(why);
        CHECK(has(why, print.of));
    }
}

}  // namespace

TEST_CASE("written numbers: a shape that a print says and its numbers do not have is refused, with both") {
    check_refused({
        {"the stated shape is (14, 2), but the numbers have (3, 2)", plain_rows + "[ CPUFloatType{14,2} ]\n"},
        {"the stated shape is (2, 3)", plain_rows + "[ CUDAFloatType{2,3} ]\n"},
        {"the stated shape is (9, 2)",
         "        0       1\n0  0.3762 -0.1466\n1 -0.4278 -0.5990\n2  0.4362 -0.1168\n\n[9 rows x 2 "
         "columns]\n"},
        {"the stated shape is (3, 4)",
         "tf.Tensor(\n[[0.3762 -0.1466]\n [-0.4278 -0.5990]\n [0.4362 -0.1168]], shape=(3, 4), "
         "dtype=float32)\n"},
        {"the stated shape is (3, 4)",
         "<tf.Tensor: shape=(3, 4), dtype=float32, numpy=\n" + numpy_rows + ">"},
        {"the stated shape is (3, 3)", "3×3 Matrix{Float64}:\n" + plain_rows},
        {"the stated shape is (4, …)", "4-element Vector{Vector{Float64}}:\n [0.5, 1.5]\n [2.5, 3.5]\n"},
        {"the stated shape is (2, 2)", "V =\n\n  2×2 single matrix\n\n" + plain_rows},
        {"the stated shape is (5, 2)",
         "# A tibble: 5 × 2\n      a      b\n  <dbl>  <dbl>\n1 0.5 0.6\n2 0.7 0.8\n"},
        {"the stated shape is (4, 2)", "# name: x\n# type: matrix\n# rows: 4\n# columns: 2\n" + plain_rows},
        {"the stated shape is (4, 2)", "values.shape: (4, 2)\n" + numpy_rows},
        {"the stated shape is (2, 3)", "(2, 3)\n" + numpy_rows},
        {"the stated shape is (4, 2)", "torch.Size([4, 2])\n" + numpy_rows},
        {"the stated shape is (3, 4)", numpy_rows + "<NDArray 3x4 @cpu(0)>\n"},
        {"the stated shape is (2, 3)", numpy_rows + "Tensor[[2, 3], f32]\n"},
        {"the stated shape is (3, 4)", "[[1, 2], [3, 4]], shape=[3, 4], strides=[2, 1], layout=Cc (0x5)\n"},
        {"the stated shape is (7, …)", " a | b\n---+---\n 0.5 | 0.6\n(7 rows)\n"},
        {"the stated shape is (3, 3)", "{\"shape\": [3, 3], \"data\": [0.5, 0.25]}"},
    });
    CHECK(read_as("{\"shape\": [3, 2], \"data\": [0.3762, -0.1466, -0.4278, -0.5990, 0.4362, -0.1168]}") ==
          "(3, 2)");
    CHECK(read_as("(3, 2)\n[0.3762 -0.1466 -0.4278 -0.5990 0.4362 -0.1168]\n") == "(3, 2)");
    CHECK(read_as("values (3, 2) float32\n" + numpy_rows) == "(3, 2)");
    CHECK(read_as("torch.Size([3, 2]) torch.float32\n" + numpy_rows) == "(3, 2)");
}

TEST_CASE("written numbers: labels out of order are refused, names in any order are names") {
    const std::string above = "        [,1]    [,2]\n";
    check_refused({
        {"row 2 is numbered 3", above + "[1,] 0.1 0.2\n[3,] 0.3 0.4\n[2,] 0.5 0.6\n"},
        {"row 1 is numbered 2", above + "[2,] 0.1 0.2\n[3,] 0.3 0.4\n"},
        {"columns that are not in the order", "     [,2] [,1]\n[1,]  0.1  0.2\n"},
        {"columns from 3 on, after 0 others", "     [,3] [,4]\n[1,]  0.1  0.2\n"},
        {"columns from 3 on, after 0 others", "ans =\n\n  Columns 3 through 4\n\n" + plain_rows},
        {"columns 1 to 3 are announced, but there are 2", "ans =\n\n  Columns 1 through 3\n\n" + plain_rows},
        {"the rows are numbered 0, 2, 1", "    0   1\n0 0.1 0.2\n2 0.3 0.4\n1 0.5 0.6\n"},
        {"the rows are numbered 2, 1", "   a   b\n2 0.1 0.2\n1 0.3 0.4\n"},
        {"the columns are named V2, V1", "   V2  V1\n1 0.1 0.2\n2 0.3 0.4\n"},
        {"the rows are named t0, t2, t1", "    a   b\nt0 0.1 0.2\nt2 0.3 0.4\nt1 0.5 0.6\n"},
        {"the rows are numbered 0, 2, 1", "Row 0: 0.1, 0.2\nRow 2: 0.3, 0.4\nRow 1: 0.5, 0.6\n"},
        {"the rows are numbered 4, 5, 996, …",
         "   V1 V2\n4: 0.1 0.2\n5: 0.3 0.4\n---\n996: 0.1 0.2\n997: 0.1 0.2\n"},
        {"cut off", "[1] 0.1 0.2 0.3\n[7] 0.4 0.5 0.6\n"},
        {"the rows are numbered 1, 0", "token 1: [0.1, 0.2]\ntoken 0: [0.3, 0.4]\n"},
        {"a record with the keys b, a, but the first has a, b",
         "[{\"a\":0.1,\"b\":0.2},{\"b\":0.3,\"a\":0.4}]"},
        {"the keys d1, d0 are not in the order", "[{\"d0\":0.1,\"d1\":0.2},{\"d1\":0.3,\"d0\":0.4}]"},
        {"the keys 1, 0 are not in the order", "{\"1\":{\"0\":0.1,\"1\":0.2},\"0\":{\"0\":0.3,\"1\":0.4}}"},
        {"index is 1, 0", "{\"columns\":[0,1],\"index\":[1,0],\"data\":[[0.1,0.2],[0.3,0.4]]}"},
        {"columns is 1, 0", "{\"columns\":[1,0],\"index\":[0,1],\"data\":[[0.1,0.2],[0.3,0.4]]}"},
    });
    // A column with a name of its own is one of numbers as long as the shape does not say otherwise.
    for (const char* text : {"query,a,b\n2,0.3762,-0.1466\n0,-0.4278,-0.5990\n1,0.4362,-0.1168\n",
                             "q v0 v1\n1 0.3762 -0.1466\n3 -0.4278 -0.5990\n2 0.4362 -0.1168\n"}) {
        const Ran ran = run_program(words("check attention --seq 3 --dk 2 --effort 0 -"), {.in = text});
        INFO(ran.out << ran.err);
        CHECK(ran.code == 3);
        CHECK(has(ran.err, "submit them in the order of their numbers"));
    }
    check_right({
        {"chosen rows", "        0       1\n2  0.3762 -0.1466\n5 -0.4278 -0.5990\n9  0.4362 -0.1168\n"},
        {"ids", "id,d0,d1\n7,0.3762,-0.1466\n3,-0.4278,-0.5990\n9,0.4362,-0.1168\n"},
        {"words", "       b      a\ny 0.3762 -0.1466\nz -0.4278 -0.5990\nx 0.4362 -0.1168\n"},
        {"a sentence", "the [0.3762 -0.1466]\ncat [-0.4278 -0.5990]\nsat [0.4362 -0.1168]\n"},
        {"numbers behind", "0.3762 -0.1466 1\n-0.4278 -0.5990 2\n0.4362 -0.1168 3\n"},
        {"dates",
         "           d0      d1\n2024-01-31 0.3762 -0.1466\n2024-02-29 -0.4278 -0.5990\n2024-03-31 0.4362 "
         "-0.1168\n"},
        {"German dates",
         "31.01.2024;0,3762;-0,1466\n01.02.2024;-0,4278;-0,5990\n02.02.2024;0,4362;-0,1168\n"},
    });
}

TEST_CASE(
    "written numbers: a first column 1, 2, 3 is data where the print has numbers or a shape of its own") {
    const auto shape = [](const std::string& text) {
        const glassbox::tracer::SubmittedArray array = arrays_in(text).front();
        return fmt::format("{} {}", array.value.shape(), array.others.size());
    };
    CHECK(shape("     [,1] [,2]\n[1,]    1    4\n[2,]    2    5\n") == "(2, 2) 0");
    CHECK(shape(" 1  4\n 2  5\n[ CPUFloatType{2,2} ]\n") == "(2, 2) 0");
    CHECK(shape("2×2 Matrix{Int64}:\n 1  4\n 2  5\n") == "(2, 2) 0");
    CHECK(shape("ans =\n\n     1     4\n     2     5\n\n") == "(2, 2) 0");
    CHECK(shape("2×2 DataFrame\n Row │ a  b\n─────┼─────\n   1 │ 4  5\n   2 │ 6  7\n") == "(2, 2) 0");
    CHECK(shape("1 4\n2 5\n") == "(2, 2) 1");  // or row numbers
}

TEST_CASE("written numbers: thousands of each country, where no other meaning is left") {
    const std::vector<double> numbers{1234.5, -20567.25, 1000000, 3.5};
    for (const char* text :
         {"\"1,234.50\",\"-20,567.25\"\n\"1,000,000.00\",\"3.50\"\n",
          "1,234.50\t-20,567.25\n1,000,000\t3.5\n", "1.234,50;-20.567,25\n1.000.000,00;3,50\n",
          "1.234,50\t-20.567,25\n1.000.000\t3,50\n", "1'234.50;-20'567.25\n1'000'000.00;3.50\n",
          "1’234.50;-20’567.25\n1’000’000;3.50\n", "1 234,50;-20 567,25\n1 000 000,00;3,50\n",
          "1\u202f234,50;-20\u202f567,25\n1\u202f000\u202f000;3,50\n",
          "1,234.50 -20,567.25\n1,000,000 3.50\n", "1_234.50 -20_567.25\n1_000_000 3.50\n"}) {
        INFO(text);
        CHECK(read_as(text, numbers) == "(2, 2)");
    }
    check_refused({
        {"mine.txt:1: '1,234' may be 1234 or 1.234: write 1234, or 1.2340 with a point",
         "\"1,234\",\"2,567\"\n"},
        {"'1,234' may be 1234 or 1.234", "1,234\t2,567\n"},
        {"'1,234' may be 1234 or 1.234", "1,234 2,567\n"},
        {"'1.234' may be 1234 or 1.234", "1.234;2.567\n"},
        {"'(0,1466)' may be a negative number", "0,3762;(0,1466)\n"},
        {"'(0.1466)' may be a negative number", "0.3762 (0.1466)\n"},
    });
    const std::vector<double> whole{123, 456, 789, 120};
    for (const char* text :
         {"123,456\n789,120\n", "[[123,456],[789,120]]", "\"\",\"a\",\"b\"\n\"1\",123,456\n\"2\",789,120\n",
          "(123,456)\n(789,120)\n", "a,b\n123,456\n789,120\n", "123.000;456.000\n789.000;120.000\n"}) {
        INFO(text);
        CHECK(read_as(text, whole) == "(2, 2)");
    }
    CHECK(read_as("\"\",\"x\"\n\"1\",1\n\"2\",2\n", {1, 2}) == "(2, 1)");
    CHECK(read_as("0,376;-0,147\n1,234;0,599\n", {0.376, -0.147, 1.234, 0.599}) == "(2, 2)");
    CHECK(read_as("0.376\t1.234\n", {0.376, 1.234}) == "(2,)");
}

TEST_CASE("written numbers: numbers beside their indices, and a first line of sizes") {
    check_right({
        {"C++",
         "out[0][0] = 0.3762\nout[0][1] = -0.1466\nout[1][0] = -0.4278\nout[1][1] = -0.5990\nout[2][0] = "
         "0.4362\nout[2][1] = -0.1168\n"},
        {"Python",
         "(0, 0) 0.3762\n(0, 1) -0.1466\n(1, 0) -0.4278\n(1, 1) -0.5990\n(2, 0) 0.4362\n(2, 1) -0.1168\n"},
        {"a colon", "0,0: 0.3762\n0,1: -0.1466\n1,0: -0.4278\n1,1: -0.5990\n2,0: 0.4362\n2,1: -0.1168\n"},
        {"from 1, column by column",
         "1 1 0.3762\n2 1 -0.4278\n3 1 0.4362\n1 2 -0.1466\n2 2 -0.5990\n3 2 -0.1168\n"},
        {"a long table",
         "i,j,x\n0,0,0.3762\n0,1,-0.1466\n1,0,-0.4278\n1,1,-0.5990\n2,0,0.4362\n2,1,-0.1168\n"},
        {"pandas' long table",
         "   i  j       x\n0  0  0  0.3762\n1  0  1 -0.1466\n2  1  0 -0.4278\n3  1  1 -0.5990\n4 "
         " 2  0  0.4362\n5  2  1 -0.1168\n"},
        {"sizes", "3 2\n" + plain_rows},
        {"sizes of one column", "3,2\n0.3762\n-0.1466\n-0.4278\n-0.5990\n0.4362\n-0.1168\n"},
        {"rows at their indices",
         "out[0] = [0.3762, -0.1466]\nout[1] = [-0.4278, -0.5990]\nout[2] = [0.4362, -0.1168]\n"},
        {"arrows", "0 -> [0.3762, -0.1466]\n1 -> [-0.4278, -0.5990]\n2 -> [0.4362, -0.1168]\n"},
    });
    CHECK(has(why_not_read("  (0, 3)\t1.0\n  (1, 0)\t1.0\n  (2, 3)\t1.0\n"),
              "3 numbers with their indices, of an array of (3, 4): print all of them, as x.toarray()"));
    CHECK(has(why_not_read("x[0] = 1\nx[0] = 2\n"), "of an array of (1,)"));
    CHECK(read_as("3 2\n1 5\n4 6\n", {3, 2, 1, 5, 4, 6}) == "(3, 2)");  // a size line of nothing
    CHECK(read_as("x[0][1] = 2\nx[0][0] = 1\nx[1][0] = 3\nx[1][1] = 4\n", {1, 2, 3, 4}) == "(2, 2)");
}

TEST_CASE("written numbers: what is no print of an array is told by what it looks like") {
    check_refused({
        {"a Matrix Market file",
         "%%MatrixMarket matrix array real general\n3 2\n0.1\n0.2\n0.3\n0.4\n0.5\n0.6\n"},
        {"an ARFF file", "@relation v\n@attribute a numeric\n@data\n0.1,0.2\n"},
        {"YAML", "- - 0.1\n  - 0.2\n"},
        {"LaTeX", "\\begin{bmatrix}\n0.1 & 0.2\n\\end{bmatrix}\n"},
        {"Rust's dbg!", "[src/main.rs:42:5] &out = [\n    0.5,\n]\n"},
        {"a warning of Python", "/usr/x.py:12: UserWarning: deprecated\n  warnings.warn()\n[[0.1 0.2]]\n"},
        {"JSON Lines", "{\"row\": 0, \"values\": [0.1]}\n{\"row\": 1, \"values\": [0.2]}\n"},
        {"expected numbers, got 'head': print the array alone", "batch 0 head 1\n0.1 0.2\n"},
    });
    CHECK(arrays_in("−∞ 0.5 ∞\n").front().value.values()[0] == -INFINITY);
    const Ran two = run_program(
        words("check attention --seq 3 --dk 2 -"),
        {.in = "attention weights:\n[[0.2796 0.5405 0.1799]\n [0.2219 0.0671 0.7110]\n [0.2798 0.5837 "
               "0.1365]]\noutput:\n" +
               numpy_rows});
    INFO(two.out << two.err);
    CHECK(two.code == 0);
    CHECK(has(two.out, "weights is identified by its shape"));
    CHECK(has(two.out, "✓ attention"));
}

TEST_CASE("check: what MATLAB's common factor leaves of small numbers is said") {
    const auto ran = [&](const std::string& text) {
        return run_program({"check", "attention", "--Q", "60 0;0 60", "--K", "60 0;0 60", "--V",
                            "1000000 3.5;-7 1500", "--effort", "0", "-"},
                           {.in = text});
    };
    CHECK(has(ran("ans =\n\n   1.0e+06 *\n\n    1.0000    0.0000\n   -0.0000    0.0015\n").out,
              "the common factor 1e+06 rounds to 100, and leaves 2 of 4 numbers less than two digits"));
    CHECK(!has(ran("ans =\n\n   1.0e+06 *\n\n    1.0000    0.5000\n   -0.7000    0.1500\n").out,
               "common factor"));
}

TEST_CASE("check: numbers column by column with one wrong are judged column by column") {
    const Ran ran = run_program(words("check attention --seq 3 --dk 2 --effort 0 -"),
                                {.in = "[0.3762, -0.4278, 0.4362, -0.1466, -0.7990, -0.1168]\n"});
    CHECK(ran.code == 1);
    CHECK(has(ran.out, "[1, 1] is -0.799, expected -0.598957 (1 of 6 numbers differ)"));
    CHECK(has(ran.out, "read as (3, 2), column by column"));
}

TEST_CASE("check: a small number that differs is not called unchanged beside a large one") {
    const auto ran = [&](const std::string& text) {
        return run_program({"check", "attention", "--Q", "60 0;0 60", "--K", "60 0;0 60", "--V",
                            "1000000 20567.25;-7 1500", "--as", "logits", "--effort", "0", "-"},
                           {.in = text});
    };
    CHECK(has(ran("1000000 20567.25\n-7 1500\n").out, "These are the numbers of V, an input, unchanged"));
    CHECK(!has(ran("1000000 20576.25\n-7 1500\n").out, "unchanged"));
}

TEST_CASE("check: numbers rounded so far that zeros pass are not judged, and not called wrong") {
    const Ran ran = run_program(words("check schedule --as after/0/rate --effort 0 -"), {.in = "0.00\n"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 3);
    CHECK(has(ran.err,
              "is rounded too coarsely to judge. With so few digits zeros would pass too: submit more "
              "digits"));
}

TEST_CASE("check: that one decimal shows little is said") {
    const Ran coarse = run_program(words("check attention --seq 3 --dk 2 -"),
                                   {.in = "[[0.4 -0.1] [-0.4 -0.6] [0.4 -0.1]]\n"});
    CHECK(coarse.code == 0);
    CHECK(has(coarse.out, "rounded to one decimal: two or more reveal more mistakes"));
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
