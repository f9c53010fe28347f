// What printed numbers say of their shape, their order and their precision, into tracer check.
#include <glassbox/io/numpy.h>

#include "command.h"
#include "support/catch.h"
#include "tracer/subject/submitted_file.h"

using namespace glassbox_test;

namespace {

const std::string rows = "0.3762 -0.1466\n-0.4278 -0.5990\n0.4362 -0.1168\n";
const std::string numpy = "[[ 0.3762 -0.1466]\n [-0.4278 -0.5990]\n [ 0.4362 -0.1168]]\n";
const std::string flat = "0.3762, -0.1466, -0.4278, -0.5990, 0.4362, -0.1168";
const std::string by_columns = "0.3762, -0.4278, 0.4362, -0.1466, -0.5990, -0.1168";
const std::string braces = "{{0.3762, -0.1466}, {-0.4278, -0.5990}, {0.4362, -0.1168}}";
const std::string lists = "[[0.3762, -0.1466], [-0.4278, -0.5990], [0.4362, -0.1168]]";

Ran checked(const std::string& text, const std::string& more = "") {
    return run_program(words("check attention --seq 3 --dk 2 --effort 0 " + more + "-"), {.in = text});
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
        "the stated shape is (2, 3)",
        {in("float out[2][3] = ", braces, ";"), in("std::array<std::array<float, 3>, 2> out = ", braces, ";"),
         in("let out: [[f32; 3]; 2] = ", lists, ";"), in("out := [2][3]float32", braces),
         in("float[2,3] ", braces), "shape = 2x3\n" + numpy});
    // Numbers in a row are in the declared rows, in which they are not right.
    check_asked(
        "the stated shape is (2, 3), but values needs (3, 2)",
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
        "the stated shape is (2, 3)",
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
        "the coordinates of query are 1, 0, 2: submit them in the order of their numbers",
        {xarray + "  * query    (query) int64 24B 1 0 2\n", xarray + "  * query    (query) int64 1 0 2\n"});
    check_asked(
        "the coordinates of query are q1, q0, q2",
        {xarray + "  * query    (query) <U2 24B 'q1' 'q0' 'q2'\nDimensions without coordinates: d\n"});
    check_asked("the rows are numbered 2, 1, …",
                {"[[2]]\n[1]  0.3762 -0.1466\n\n[[1]]\n[1] -0.4278 -0.5990\n\n[[3]]\n[1]  0.4362 -0.1168\n"});
    check_asked("the rows are numbered 2, 1, 3", {"2,0.3762,-0.1466\n1,-0.4278,-0.5990\n3,0.4362,-0.1168\n"});
    check_asked("1, 2, 4, without 3: submit all, or drop these numbers",
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
    const std::string line = "check attention --effort 0 --input " + folder / "in.npz" + " ";
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
    CHECK(has(beside.out, "x_train is not a step, and is ignored"));
}

TEST_CASE(
    "check: numbers a thousandth of the expected ones that may have marks of thousands are asked about") {
    const Folder folder;
    glassbox::write_npz(folder / "in.npz", {{"Q", glassbox::Tensor({{100, 0}, {0, 100}})},
                                            {"K", glassbox::Tensor({{100, 0}, {0, 100}})},
                                            {"V", glassbox::Tensor({{1234, 5678}, {2345, 6789}})}});
    const Ran ran = run_program(words("check attention --effort 0 --input " + folder / "in.npz" + " -"),
                                {.in = "1.234\t5.678\n2.345\t6.789\n"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 3);
    CHECK(has(ran.err, "'1.234' may be 1234 or 1.234"));
}

TEST_CASE("written calls: a function around the numbers is asked about by its name") {
    const std::vector<std::string> functions = {
        "np.exp",    "np.log",        "np.abs",    "np.negative",      "np.cumsum", "np.transpose",
        "np.flipud", "np.linalg.inv", "torch.exp", "torch.zeros_like", "softmax",   "sorted",
        "reversed",  "tf.math.sqrt",  "F.softmax", "Base.reverse",     "transpose", "log",
        "exp.",      "my_array",      "f",         "np.stack",         "square2",   "int",
        "np.int32",  "Softmax",       "√"};
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const std::string& function = functions[i];
        const std::vector<std::string> forms = {
            function + "(" + lists + ")", function + "(np.array(" + lists + "))",
            "values = " + function + "(tensor(" + lists + "), axis=0)\n",
            "print(" + function + "(" + lists + "))", "[" + function + "(0.5), 0.25]"};
        const std::string why = function + "(…) is around the numbers: submit what it returns";
        if (i == 0) check_asked(why, forms);  // the others in one form each, in turn
        else check_asked(why, {forms[i % forms.size()]});
    }
    check_asked("t(…) is around the numbers", {in("t(matrix(c(", by_columns, "), nrow = 3))"),
                                               in("t(structure(c(", flat, "), dim = 2:3))")});
    check_asked("rev(…) is around the numbers", {in("rev(c(", flat, "))"), in("c(rev(c(", flat, ")))")});
    check_asked("exp.(…) is around the numbers", {in("exp.(Float64", lists, ")")});
    check_asked("cbind(…) is around the numbers", {"cbind(c(0.3762, -0.4278), c(-0.1466, -0.5990))"});
    check_asked("Transpose(…) is around the numbers", {in("Transpose[", braces, "]")});
    check_asked("Sqrt(…) is around the numbers", {in("Sqrt[N[", braces, "]]")});
    check_asked("as.vector(…) is around the numbers",
                {in("as.vector(matrix(c(", by_columns, "), nrow = 3))")});
    check_asked("reverse(…) is around the numbers", {in("(reverse ", lists, ")")});
    check_asked("np.c_[…] is around the numbers", {in("np.c_", lists)});
    check_asked("sqrt(…) is around the numbers", {"[[sqrt(2), 0.5], [0.25, 1]]"});
    check_asked("a function after |> changes the numbers",
                {in("c(", flat, ") |> rev()"), in("", lists, " |> transpose")});
    check_asked("' after the numbers transposes them: submit what it returns",
                {"[0.3762 -0.1466; -0.4278 -0.5990; 0.4362 -0.1168]'", in("", lists, ".'"),
                 in("a = (", lists, ")'; b = 'x'")});
    for (const std::string method : {".T", ".t()", ".transpose()", ".exp()", "[::-1]", " * 2", " @ W", "**2"})
        check_asked("expected numbers, got", {in("np.array(", lists, ")" + method)});
}

TEST_CASE("written calls: what only makes an array or prints it, may stand around it") {
    for (const std::string name : {"np.array",    "numpy.asarray", "jnp.array",      "Array",
                                   "DeviceArray", "tensor",        "torch.tensor",   "torch.FloatTensor",
                                   "tf.constant", "tf.Variable",   "matrix",         "Matrix",
                                   "list",        "tuple",         "print",          "np.float32",
                                   "Float32.",    "single",        "print(np.array", "np.round",
                                   "torch.round", "round."})
        check_right({name + "(" + lists + (name.starts_with("print(") ? "))" : ")")});
    check_right({in("np.round(np.array(", lists, "), 4)"), in("np.around(", lists, ", decimals=4)"),
                 in("matrix(round(c(", by_columns, "), 4), nrow = 3)"), in("MatrixForm[", braces, "]"),
                 in("MatrixXf(", braces, ")"), in("Matrix2d(", braces, ")"),
                 in("MatrixForm[N[", braces, ", 4]]"),
                 "rbind(c(0.3762, -0.1466), c(-0.4278, -0.5990), c(0.4362, -0.1168))",
                 "[[np.float32(0.3762), np.float32(-0.1466)], [np.float32(-0.4278), np.float32(-0.5990)], "
                 "[np.float32(0.4362), np.float32(-0.1168)]]",
                 "Output(values=" + lists + ")", "attention(Q, K, V)\n" + numpy,
                 "Dropout(p=0.1, inplace=False)\n" + numpy, "print(out.mean(dim))\n" + numpy,
                 "OrderedDict([('values', tensor(" + lists + "))])", "# softmax([0.5])\n" + numpy});
}

TEST_CASE("written numbers: what may be labels, factors or units is asked about, and never judged") {
    const auto numbered = [](const std::vector<std::string>& names, const std::string& between) {
        return names[0] + between + "0.3762 -0.1466\n" + names[1] + between + "-0.4278 -0.5990\n" + names[2] +
               between + "0.4362 -0.1168\n";
    };
    check_asked("the first column 2, 3, 4 may name the rows: submit the numbers without it",
                {numbered({"2", "3", "4"}, " "), numbered({"2", "3", "4"}, "\t")});
    check_asked("the first column 0, 10, 20 may name the rows", {numbered({"0", "10", "20"}, " ")});
    check_asked("the first column 101, 7, 55 may name the rows", {numbered({"101", "7", "55"}, "  ")});
    check_right({numbered({"0", "1", "2"}, " "), numbered({"1", "2", "3"}, " ")});
    // A column of ones beside the numbers names nothing.
    CHECK(checked(numbered({"1", "1", "1"}, " ")).code != 3);
    check_asked("expected numbers, got '376m'", {"376m -147m\n-428m -599m\n436m -117m\n"});
    check_asked("expected numbers, got '376200u'",
                {"376200u -146600u\n-427800u -599000u\n436200u -116800u\n"});
    check_asked("'×10⁻¹' may be a factor of the numbers", {"values ×10⁻¹\n" + rows, "3.762×10⁻¹ -1.466\n"});
    const std::string tenfold = "3.762 -1.466\n-4.278 -5.990\n4.362 -1.168\n";
    check_right({"×10⁻¹\n" + tenfold, "x 10^-1\n" + tenfold, "× 10^{-1}\n" + tenfold, "*1e-1\n" + tenfold,
                 "decimal[,] v = {{0.3762m, -0.1466m}, {-0.4278m, -0.5990m}, {0.4362m, -0.1168m}};",
                 "{\"shape\": [3, 2], \"order\": \"F\", \"data\": [" + by_columns + "]}",
                 "{\"data\": [" + by_columns + "], \"order\": \"column-major\", \"shape\": [3, 2]}",
                 "{\"shape\": [3, 2], \"order\": \"C\", \"data\": [" + flat + "]}"});
    CHECK(checked("{\"shape\": [3, 2], \"order\": \"F\", \"data\": [" + flat + "]}").code == 1);
}

TEST_CASE("written numbers: other texts and digits are refused by their names") {
    check_asked(
        "what PHP's print_r writes",
        {"Array\n(\n    [0] => Array\n        (\n            [0] => 0.3762\n            [1] => -0.1466\n"
         "        )\n\n)\n"});
    check_asked("an HTML table",
                {"<table><tr><td>0.1</td></tr></table>\n", "<table>\n<tr>\n<td>0.1</td>\n</tr>\n</table>\n"});
    check_asked("YAML", {"values:\n  - [0.3762, -0.1466]\n  - [-0.4278, -0.5990]\n"});
    check_asked("digits of another script, such as '０': write them as 0 to 9", {"０.３７ -０.１４\n"});
    check_asked("digits of another script, such as '٠'", {"٠.٣٧ -٠.١٤\n"});
}

TEST_CASE("written numbers: tables of Markdown and of MySQL, with what stands in and under them") {
    const std::string head = "| a | b |\n|-|-|\n";
    check_right({head + "| 0.3762 | -0.1466 |\n| -0.4278 | -0.5990 |\n| 0.4362 | -0.1168 |\n",
                 "| a | b |\n|:-|-:|\n| **0.3762** | -0.1466 |\n| -0.4278 | *-0.5990* |\n| **0.4362** | "
                 "**-0.1168** |\n",
                 "+---+---+\n| a | b |\n+---+---+\n| 0.3762 | -0.1466 |\n| -0.4278 | -0.5990 |\n| 0.4362 | "
                 "-0.1168 |\n+---+---+\n3 rows in set (0.00 sec)\n"});
    check_asked("the stated shape is (7, …)", {"| a | b |\n" + rows + "7 rows in set (0.00 sec)\n"});
    check_asked("expected numbers, got '*'", {head + "| 0.3762* | -0.1466 |\n"});
}

TEST_CASE("written numbers: an index that pandas leaves out is that of the row before") {
    const std::string first = "0  0    0.3762\n", last = "2  0    0.4362\n   1   -0.1168\ndtype: float64\n";
    check_right({first + "   1   -0.1466\n1  0   -0.4278\n   1   -0.5990\n" + last});
    check_asked("rows differ in length", {first + "   1   -0.1466\n1  0   -0.4278\n" + last,
                                          first + "   1   -0.1466\n   0   -0.4278\n   1   -0.5990\n" + last});
}

TEST_CASE("written numbers: matrices under their numbers are one array, in the order of these") {
    const std::string one = "[[0.5 0.25]\n [0.75 1.5]]\n", two = "[[1.25 2.5]\n [3.5 4.75]]\n";
    const auto parsed = [](const std::string& text) {
        return glassbox::tracer::parse_written(text, "mine.txt");
    };
    for (const std::string name : {"Head ", "head ", "Batch ", "Row "}) {
        const auto arrays = parsed(name + "0:\n" + one + "\n" + name + "1:\n" + two);
        REQUIRE(arrays.size() == 1);
        CHECK(arrays[0].value.shape() == glassbox::Shape{2, 2, 2});
        CHECK(arrays[0].value.at({1, 0, 1}) == 2.5f);
    }
    check_asked("the rows are numbered 2, 1", {"Head 2:\n" + one + "Head 1:\n" + two});
}
