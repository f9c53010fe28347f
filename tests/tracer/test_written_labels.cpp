// The words around printed numbers: names of axes, of rows and columns, and what they change, into tracer
// check.
#include <glassbox/io/numpy.h>
#include <glassbox/ops/ops.h>

#include "command.h"
#include "support/catch.h"

using namespace glassbox_test;
using glassbox::real;
using glassbox::Tensor;

namespace {

constexpr int n = 3;

// The weights of three tokens, (query, key), which are not their transpose.
const std::vector<real>& weights() {
    static const std::vector<real> all = [] {
        const Folder folder;
        (void)tracer_run({"attention", "--seq", "3", "--dk", "4", "--seed", "7", "-o", folder / "a.npz"});
        return glassbox::Npz(std::filesystem::path(folder / "a.npz")).read("attention").values();
    }();
    return all;
}

double weight(int row, int column, bool is_turned) {
    const auto at = static_cast<std::size_t>(is_turned ? n * column + row : n * row + column);
    return static_cast<double>(weights()[at]);
}

// A line for each row, the words of each before it.
std::string matrix(bool is_turned, const std::vector<std::string>& labels, const char* between = "  ") {
    std::string text;
    for (int row = 0; row < n; ++row) {
        text += labels.empty() ? "" : labels[static_cast<std::size_t>(row)] + between;
        for (int column = 0; column < n; ++column)
            text += fmt::format("{}{:.6f}", column ? between : "", weight(row, column, is_turned));
        text += "\n";
    }
    return text;
}

// A line for each number, behind its two indices.
std::string long_table(const std::string& header, bool is_turned, const std::string& first = "",
                       const std::string& second = "") {
    std::string text = header + "\n";
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column)
            text +=
                fmt::format("{}{},{}{},{:.6f}\n", first, row, second, column, weight(row, column, is_turned));
    return text;
}

std::string lists(bool is_turned) {
    std::string text;
    for (int row = 0; row < n; ++row)
        text += fmt::format("{}[{:.6f}, {:.6f}, {:.6f}]", row ? ", " : "[", weight(row, 0, is_turned),
                            weight(row, 1, is_turned), weight(row, 2, is_turned));
    return text + "]";
}

Ran checked(const std::string& text) {
    return run_program(words("check attention --seq 3 --dk 4 --seed 7 --as attention --effort 0 -"),
                       {.in = text});
}

const std::vector<std::string> q{"q0", "q1", "q2"}, k{"k0", "k1", "k2"}, numbers{"0", "1", "2"};

// Prints whose labels say that a row is a query's, or a key's.
std::vector<std::string> prints(bool has_keys_first, bool is_turned) {
    const std::string a = has_keys_first ? "key" : "query", b = has_keys_first ? "query" : "key";
    const std::string i = has_keys_first ? "j" : "i", j = has_keys_first ? "i" : "j";
    const std::vector<std::string>&rows = has_keys_first ? k : q, &columns = has_keys_first ? q : k;
    const std::string header = fmt::format("{}", fmt::join(columns, "  "));
    const std::string letter = rows[0].substr(0, 1), other = columns[0].substr(0, 1);
    return {
        long_table(a + "," + b + ",weight", is_turned),
        long_table(i + "," + j + ",weight", is_turned),
        long_table(has_keys_first ? "col,row,weight" : "row,col,weight", is_turned),
        long_table(a + "," + b + ",weight", is_turned, letter, other),
        long_table(a + "_idx," + b + "_idx,w", is_turned),
        "      " + header + "\n" + matrix(is_turned, rows),
        b + "  0  1  2\n" + a + "\n" + matrix(is_turned, numbers),
        b + "  " + header + "\n" + a + "\n" + matrix(is_turned, rows),
        "     " + b + "\n" + a + "   " + header + "\n" + matrix(is_turned, rows),
        a + "/" + b + "," + fmt::format("{}", fmt::join(columns, ",")) + "\n" + matrix(is_turned, rows, ","),
        a + "\\" + b + ",0,1,2\n" + matrix(is_turned, numbers, ","),
        fmt::format("<xarray.DataArray ({}: 3, {}: 3)>\narray({})\n", a, b, lists(is_turned)),
        fmt::format("<xarray.DataArray 'attention' ({}: 3, {}: 3)> Size: 72B\narray({})\n", a, b,
                    lists(is_turned)),
        fmt::format("{{'dims': ('{}', '{}'), 'attrs': {{}}, 'data': {}, 'coords': {{}}}}\n", a, b,
                    lists(is_turned)),
        fmt::format("tensor({}, names=('{}', '{}'))\n", lists(is_turned), a, b),
    };
}

}  // namespace

TEST_CASE("labels: an axis of keys is one of keys wherever it stands", "[exhaustive]") {
    for (const bool has_keys_first : {false, true}) {
        for (const std::string& print : prints(has_keys_first, has_keys_first)) {
            INFO(print);
            const Ran ran = checked(print);
            INFO(ran.out << ran.err);
            CHECK(ran.code == 0);
            CHECK(has(ran.out, "and taken as (") == has_keys_first);
        }
        for (const std::string& print : prints(has_keys_first, !has_keys_first)) {
            INFO(print);
            const Ran ran = checked(print);
            INFO(ran.out << ran.err);
            CHECK(ran.code == 1);
        }
    }
}

TEST_CASE("labels: names that count name axes, and other words do not") {
    // The rows of a matrix without names of its axes, under any words, are those of the queries.
    for (const std::vector<std::string>& labels :
         {std::vector<std::string>{}, numbers, q, {"the", "cat", "sat"}, {"x0", "x1", "x2"}}) {
        INFO(matrix(false, labels));
        CHECK(checked(matrix(false, labels)).code == 0);
        CHECK(checked("a b c\n" + matrix(false, labels)).code == 0);
    }
    for (const char* names : {"dim_0", "axis0", "level_0"}) {
        const std::string other = std::string(names, std::string_view(names).size() - 1) + "1";
        const std::string print =
            fmt::format("<xarray.DataArray ({}: 3, {}: 3)>\narray({})\n", names, other, lists(false));
        INFO(print);
        CHECK(checked(print).code == 0);
    }
    CHECK(checked("<xarray.DataArray (dim_1: 3, dim_0: 3)>\narray(" + lists(true) + ")\n").code == 0);
}

TEST_CASE("labels: what the words of one axis alone say is asked") {
    const Ran ran = checked("key,0,1,2\n" + matrix(false, numbers, ","));
    INFO(ran.out << ran.err);
    CHECK(ran.code == 3);
    CHECK(has(ran.err, "and attention has a row for each query: submit its transpose, or name both axes"));
    CHECK(checked("query,0,1,2\n" + matrix(false, numbers, ",")).code == 0);
}

TEST_CASE("labels: rows and columns with the same names in two orders are asked about") {
    const Ran ran = checked("      cat  the  sat\n" + matrix(false, {"the", "cat", "sat"}));
    INFO(ran.out << ran.err);
    CHECK(ran.code == 3);
    CHECK(has(ran.err,
              "the rows are named the, cat, sat, and the columns cat, the, sat: submit them in one order"));
    CHECK(checked("      the  cat  sat\n" + matrix(false, {"the", "cat", "sat"})).code == 0);
}

TEST_CASE(
    "labels: letters in another order than the alphabet's, units and sums are not numbers as they stand") {
    const auto asked = [&](const std::string& text, const std::string& why) {
        const Ran ran = checked(text);
        INFO(text << ran.out << ran.err);
        CHECK(ran.code == 3);
        CHECK(has(ran.err, why));
    };
    asked("a c b\n" + matrix(false, {}), "the columns are named a, c, b");
    asked("d0 (x1000),d1 (x1000),d2 (x1000)\n" + matrix(false, {}, ","),
          "the header says (x1000) of each column");
    asked("d0 (mV),d1 (mV),d2 (mV)\n" + matrix(false, {}, ","), "the header says (mV) of each column");
    const Ran sums = checked(matrix(false, {}) + "sum 0.9224 0.7440 1.3330\n");
    INFO(sums.out << sums.err);
    CHECK(sums.code == 0);
    CHECK(has(sums.out, "the last row, named sum, is left out"));
}

TEST_CASE("labels: the length that pandas says of a series is its own") {
    const std::string series = "0 0.5\n1 0.25\n2 0.125\nName: values, Length: 4, dtype: float64\n";
    const Ran ran = checked(series);
    CHECK(ran.code == 3);
    CHECK(has(ran.err, "the stated shape is (4,)"));
}

TEST_CASE("labels: prompts and the marks of logs before the numbers are no part of them") {
    const std::string braces = fmt::format(
        "{{{{{:.6f}, {:.6f}, {:.6f}}}, {{{:.6f}, {:.6f}, {:.6f}}}, {{{:.6f}, "
        "{:.6f}, {:.6f}}}}}",
        weight(0, 0, false), weight(0, 1, false), weight(0, 2, false), weight(1, 0, false),
        weight(1, 1, false), weight(1, 2, false), weight(2, 0, false), weight(2, 1, false),
        weight(2, 2, false));
    for (const std::string& print :
         {"Out[7]= " + braces, "Out[12]//N= " + braces, "Out[7]: " + lists(false), "[rank0]: " + lists(false),
          "INFO:root:" + lists(false), "INFO attn.py:42 - " + lists(false),
          "$ python3 mine.py\n" + matrix(false, {}), "anna@box:~/class$ ./mine 3 4\n" + matrix(false, {}),
          "PS C:\\class> .\\mine.exe\n" + matrix(false, {}), "C:\\class>mine.exe\n" + matrix(false, {})}) {
        INFO(print);
        const Ran ran = checked(print + "\n");
        INFO(ran.out << ran.err);
        CHECK(ran.code == 0);
    }
}
