// tracer worksheet: what is printed, what is blank, and that it can be solved.
#include <algorithm>
#include <cmath>
#include <regex>

#include "command.h"
#include "support/catch.h"
#include "support/errors.h"
#include "tracer/worksheet/blanks.h"
#include "tracer/worksheet/sheet.h"

using namespace glassbox_test;
using glassbox::real;
using glassbox::Tensor;

namespace {

Ran sheet(const std::string& options) { return tracer_run(words("worksheet " + options)); }

int count(const std::string& text, const std::string& part) {
    int n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
        ++n;
    return n;
}

using Rows = std::vector<std::vector<double>>;

// The numbers of the first table below the heading of a step, answers among them.
Rows table(const std::string& text, const std::string& step) {
    const std::size_t heading = text.find("`" + step);
    REQUIRE(heading != std::string::npos);
    const std::size_t rule = text.find("|---:", heading);
    std::istringstream lines(text.substr(text.find('\n', rule) + 1));
    Rows rows;
    for (std::string line; std::getline(lines, line) && line.starts_with("|");) {
        std::erase(line, '*');
        std::istringstream cells(line.substr(1));
        rows.emplace_back();
        std::string cell;
        std::getline(cells, cell, '|');  // the row's number
        while (std::getline(cells, cell, '|')) rows.back().push_back(std::stod(cell));
    }
    return rows;
}

double rounded_to(double x, int decimals) {
    const double unit = std::pow(10.0, decimals);
    return std::round(x * unit) / unit;
}

void check_equal(const Rows& a, const Rows& b, double within) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        REQUIRE(a[i].size() == b[i].size());
        for (std::size_t j = 0; j < a[i].size(); ++j) {
            INFO(i << ", " << j);
            CHECK(std::abs(a[i][j] - b[i][j]) <= within);
        }
    }
}

std::vector<std::string> wanted(const std::string& text) {
    const std::string option = "--blank";
    const glassbox::tracer::OptionInfo about{.help = ""};
    return glassbox::tracer::OptionValue<glassbox::tracer::Blanks>::parse({option, text, about}).wanted;
}

}  // namespace

TEST_CASE("worksheet: the steps to compute are blank, all others printed, and nothing of the answers") {
    const Ran ran = sheet("attention --seq 3 --dk 2 --blank scaled,attention");
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    CHECK(count(ran.out, "____ |") == 18);
    CHECK(has(ran.out, "Name: ______"));
    CHECK(has(ran.out, "## 5. `scaled = logits / √d_k` (3 × 3)\n"));
    CHECK(has(ran.out, "**To do**: 9 numbers, 2 decimals."));
    CHECK(has(ran.out, "|  0 | -0.66 |  0.70 |"));
    for (const char* begun : {"exp(-", "exp(0.", "exp(1."}) CHECK(!has(ran.out, begun));  // with numbers
    CHECK(!has(ran.out, "0.54"));                                                         // attention[0,1]
}

TEST_CASE("worksheet: a student who computes with the printed numbers gets the key's") {
    for (const int decimals : {1, 2, 4})
        for (const int seed : {42, 7, 8, 9}) {
            const std::string key =
                sheet(fmt::format(
                          "attention --seq 3 --dk 2 --blank scaled,attention --precision {} --seed {} --key",
                          decimals, seed))
                    .out;
            const Rows logits = table(key, "logits");
            Rows scaled = logits, weights = logits;
            for (std::size_t i = 0; i < 3; ++i) {
                double sum = 0;
                for (std::size_t j = 0; j < 3; ++j) {
                    scaled[i][j] = logits[i][j] / std::sqrt(2.0);
                    sum += std::exp(scaled[i][j]);
                }
                for (std::size_t j = 0; j < 3; ++j) weights[i][j] = std::exp(scaled[i][j]) / sum;
            }
            for (Rows* rows : {&scaled, &weights})
                for (auto& row : *rows)
                    for (double& x : row) x = rounded_to(x, decimals);
            check_equal(table(key, "scaled"), scaled, 1e-9);
            check_equal(table(key, "attention = "), weights, 1e-9);
            // What is given behind a blank follows from the exact answers.
            CHECK(table(key, "values").size() == 3);
        }
}

TEST_CASE("worksheet: the weights, biases and masks that a blank needs are printed, and are what is used") {
    const std::string key = sheet("multihead --seq 2 --dmodel 4 --heads 2 --blank output --key").out;
    CHECK(has(key, "Given: `o_proj.weight`, `W_O`"));
    CHECK(has(key, "Given: `o_proj.bias`, `b_O`"));
    CHECK(!has(key, "qkv_proj"));  // nothing blank needs it
    const Rows concat = table(key, "concat"), W = table(key, "o_proj.weight"), b = table(key, "o_proj.bias");
    Rows output(concat.size(), std::vector<double>(W.size()));
    for (std::size_t i = 0; i < concat.size(); ++i)
        for (std::size_t j = 0; j < W.size(); ++j) {
            output[i][j] = b[0][j];
            for (std::size_t c = 0; c < W[j].size(); ++c) output[i][j] += concat[i][c] * W[j][c];
        }
    const std::size_t answer = key.find("**Answer**", key.find("`output = "));
    REQUIRE(answer != std::string::npos);
    check_equal(table("`output" + key.substr(answer), "output"), output, 0.0050001);
    const std::string masked = sheet("attention --mask causal --blank masked").out;
    CHECK(has(masked, "Given: `mask`: 0 hides a score, 1 does not"));
    CHECK(has(masked, "|  0 |  1 |  0 |  0 |"));
}

TEST_CASE("worksheet: single places can be blank, and a name fits every step that ends in it") {
    const Ran ran = sheet("attention --blank attention[0,1],values[-1,0]");
    CHECK(ran.code == 0);
    CHECK(count(ran.out, "____ |") == 2);
    CHECK(has(ran.out, "|  0 | 0.28 | ____ | 0.18 |"));
    CHECK(has(ran.out, "**To do**: 1 number, 2 decimals."));
    CHECK(has(sheet("attention --blank attention[0,1] --key").out,
              "Worked: `attention[0,1] = exp(0.04) / (exp(-0.63) + exp(0.04) + exp(-1.07)) ≈ "
              "1.0408 / (0.5326 + 1.0408 + 0.343) = 0.54"));
    const Ran block = sheet("encoder-block --blank residual1,self_attn/output");
    CHECK(block.code == 0);
    CHECK(count(block.out, "**To do**") == 2);
}

TEST_CASE("worksheet: without --blank about 30 numbers are blank, some of every step, and with --all each") {
    CHECK(count(sheet("attention").out, "____ |") == 3 * 9 + 6);  // few enough
    for (const std::string model :
         {"attention --seq 5", "multihead", "encoder-block", "predictor", "adam --seed 3"}) {
        INFO(model);
        const std::string some = sheet(model).out, all = sheet(model + " --all").out;
        const int points = std::stoi(some.substr(some.find("Points: ____ of ") + 16));
        CHECK(points >= 24);
        CHECK(points <= 50);
        CHECK(count(some, "**To do**") == count(all, "**To do**"));
        CHECK(count(all, "____ |") >= count(some, "____ |"));
    }
    CHECK(count(sheet("multihead --seq 2 --all --questions 0").out, "**To do**") == 6);
    const Ran both = sheet("attention --all --blank scaled");
    CHECK(both.code == 2);
    CHECK(has(both.err, "--all: cannot be combined with --blank scaled"));
    CHECK(has(sheet("multihead --all --key").out, "tracer worksheet multihead --all --seed 42 --key`"));
}

TEST_CASE("worksheet: the numbers asked are whole rows, the last ones first, to follow a query") {
    const std::string text = sheet("attention --seq 3 --mask causal --precision 4").out;
    for (const std::string step : {"logits", "scaled", "attention"}) {
        INFO(step);
        const std::string rows = text.substr(text.find("`" + step + " = "));
        const std::size_t first = rows.find("|  0 |"), second = rows.find("|  1 |"),
                          third = rows.find("|  2 |");
        CHECK(count(rows.substr(first, second - first), "____") == 0);
        CHECK(count(rows.substr(second, third - second), "____") == 3);
        CHECK(count(rows.substr(third, rows.find("\n", third) - third), "____") == 3);
    }
}

TEST_CASE("worksheet: rows and columns of words have them, with their positions") {
    const Ran ran = tracer_run({"worksheet", "attention", "--text", "the cat\\dog <b>", "--dk", "2"});
    INFO(ran.out);
    CHECK(has(ran.out, " the₀ | cat\\\\dog₁ | \\<b\\>₂ |\n"));
    const Ran two = tracer_run({"worksheet", "attention", "--text", "the cat|a dog"});  // words of the first
    const std::size_t second = two.out.find("entry 1");
    CHECK(count(two.out.substr(0, second), "the₀") == 1);
    CHECK(count(two.out.substr(second, two.out.find("## 2") - second), "the₀") == 0);
    const Folder folder;
    const std::string file = folder / "sheet.tex";
    REQUIRE(tracer_run({"worksheet", "attention", "--text", "the cat_1", "-o", file}).code == 0);
    CHECK(has(content(file), "\\text{\\small cat\\_1}_{1}"));
}

TEST_CASE("worksheet: questions are answered on the key alone, from the numbers of the pass") {
    const std::string sheet_ = sheet("attention").out, key = sheet("attention --key").out;
    CHECK(count(sheet_, "\n**4.** ") == 1);
    CHECK(has(sheet_, "**1.** To which key does query 1 attend most, and which score makes it so?\n"));
    CHECK(!has(sheet_, "**Answer**"));
    CHECK(!has(sheet_, "0.71"));
    CHECK(has(key, "To key 2. Its score `scaled[1,2] = 0.81` is the largest of the row"));
    CHECK(has(key, "`attention[1,2] = 0.71`"));
    // exp(-0.35) and exp(-1.54) alone
    CHECK(has(key,
              "softmax of its scores to keys 0 to 1 alone: 0.77, 0.23, 0.00, in place of 0.22, 0.07, 0.71."));
    const std::string masked = sheet("attention --mask causal --key").out;
    CHECK(has(masked, "softmax of row 0 of `scaled`: 0.28, 0.54, 0.18, in place of 1.00, 0.00, 0.00."));
    CHECK(!has(masked, "under a causal mask"));
    CHECK(
        has(sheet("layer-norm --key").out, "Row 0: -0.86 + 1.60 + 0.08 + (-0.83) = -0.01, by the rounding"));
    CHECK(has(sheet("clip --key").out, "-0.19, as before."));
    CHECK(has(sheet("linear --key").out, "1.46, in place of 0.73: it doubles, too."));
    CHECK(has(sheet("attention --questions 1").out,
              "Points: ____ of 35, one for each number, two for each question\n"));
    CHECK(!has(sheet("attention --questions 0").out, "## Questions"));
    CHECK(!has(sheet("shift").out, "## Questions"));  // nothing to ask
    CHECK(has(sheet("attention --seq 1 --key").out, "## Questions") ==
          has(sheet("attention --seq 1").out, "## Questions"));
}

TEST_CASE("worksheet: scores that a mask hides are given, and a variance is defined") {
    const std::string masked = sheet("attention --mask causal --blank masked").out;
    CHECK(count(masked, "____ |") == 6);
    CHECK(count(masked, "-9e15") == 3 + 1);  // and what they are set to
    CHECK(has(sheet("layer-norm").out, "σ² = Σ_j x[0,j]² / 4 - μ²"));
}

TEST_CASE("worksheet: of a tensor with more axes each matrix has its place and its head") {
    const Ran ran = sheet("multihead --seq 3 --heads 2 --batch 2 --blank attention");
    CHECK(has(ran.out, "`attention[1,0]`, entry 1, head 0\n"));
    CHECK(has(ran.out, "`concat[1]`, entry 1\n"));
}

TEST_CASE("worksheet: columns that are taken apart are set apart, and named by what they become") {
    const auto headings = [](const std::string& text) {  // "`qkv`, Q |  0 |  1 |  2 |  3 |"
        std::vector<std::string> found;
        for (std::size_t at = text.find("\n`qkv"); at != text.npos; at = text.find("\n`qkv", at + 1)) {
            const std::size_t end = text.find('\n', at + 1), head = text.find("|    |", end);
            std::string line = text.substr(head, text.find('\n', head) - head);
            std::erase(line, ' ');
            found.push_back(text.substr(at + 1, end - at - 1) + " " + line);
        }
        return found;
    };
    const std::string model = "multihead --seq 2 --dmodel 4 --heads 2 --blank qkv";
    for (const std::string& key : {std::string(), std::string(" --key")}) {
        CHECK(headings(sheet(model + " --convention uva-torch" + key).out) ==
              std::vector<std::string>{"`qkv`, Q of head 0 ||0|1|", "`qkv`, K of head 0 ||2|3|",
                                       "`qkv`, V of head 0 ||4|5|", "`qkv`, Q of head 1 ||6|7|",
                                       "`qkv`, K of head 1 ||8|9|", "`qkv`, V of head 1 ||10|11|"});
        CHECK(
            headings(sheet(model + " --convention paper" + key).out) ==
            std::vector<std::string>{"`qkv`, Q ||0|1|2|3|", "`qkv`, K ||4|5|6|7|", "`qkv`, V ||8|9|10|11|"});
    }
    CHECK(count(sheet(model + ",concat").out, "____ |") == 2 * 12 + 2 * 4);  // not again as Q, K and V
    CHECK(count(sheet("encoder-block --blank hidden").out, "\n`hidden`") == 0);
}

TEST_CASE(
    "worksheet: what is only moved from a blank step is neither asked nor shown, and keeps its formula") {
    const std::string qkv = sheet("multihead --seq 2 --dmodel 4 --heads 2 --blank qkv").out;
    CHECK(has(qkv, "\nPoints: ____ of 32, one for each number, two for each question\n"));
    const std::size_t Q = qkv.find("`Q = "), logits = qkv.find("`logits = ");
    REQUIRE(Q < logits);
    CHECK(count(qkv.substr(Q, logits - Q), "|") == 0);
    CHECK(!has(qkv.substr(Q, logits - Q), "To do"));
    // Without --blank: qkv, logits, scaled, attention, values and output.
    CHECK(has(sheet("multihead --seq 2 --dmodel 4 --heads 2 --all --questions 0").out,
              "\nPoints: ____ of 64, one for each number\n"));
}

TEST_CASE("worksheet: every number is a point, of its step and of the sheet, and a sheet has room to work") {
    const std::string blank = sheet("attention --blank scaled,attention[0,1] --questions 0").out;
    CHECK(has(blank, "\nPoints: ____ of 10, one for each number\n"));
    CHECK(has(blank, "**To do**: 9 numbers, 2 decimals. Points: ____ of 9\n"));
    CHECK(has(blank, "**To do**: 1 number, 2 decimals. Points: ____ of 1\n"));
    CHECK(count(blank, "\nWork:\n") == 2);
    const std::string key = sheet("attention --blank scaled,attention[0,1] --key --questions 0").out;
    CHECK(has(key, "\n10 points, one for each number\n"));
    CHECK(has(key, "**Answer**, 2 decimals, 1 point:\n"));
    CHECK(!has(key, "Work:"));
}

TEST_CASE("worksheet: a key has the answers in bold and the arithmetic of one number of each step") {
    const Ran ran = sheet("attention --blank scaled,attention --key");
    CHECK(has(ran.out, "# Scaled dot-product attention: key"));
    CHECK(has(ran.out, "| **0.28** | **0.54** | **0.18** |"));
    CHECK(has(ran.out, "One of them: `scaled[0,0] = -0.89 / √2 = -0.6293`"));
    CHECK(!has(ran.out, "____ |"));
}

TEST_CASE("worksheet: the command on the key makes the key again, and the sheet has its number") {
    const Folder folder;
    write(folder / "names.txt", "Anna\n\n  Zo\xc3\xab O'Brien \r\n");
    const Ran all = tracer_run({"worksheet", "multihead", "--seq", "2", "--blank", "attention[0,0,1]",
                                "--precision", "3", "--students", folder / "names.txt", "--key"});
    REQUIRE(all.code == 0);
    const std::string page_break = "\n<div style=\"page-break-after: always\"></div>\n\n";
    const std::size_t second = all.out.find(page_break);
    REQUIRE(second != std::string::npos);
    const std::vector<std::string> sheets = {all.out.substr(0, second),
                                             all.out.substr(second + page_break.size())};
    for (const std::string& each : sheets) {
        const std::size_t begin = each.find("To print this key again: `") + 26;
        const std::string line = each.substr(begin, each.rfind('`') - begin);
        INFO(line);
        REQUIRE(line.starts_with("tracer worksheet multihead "));
        Surroundings shell;
        shell.program = "sh";
        const Ran again = run_program({"-c", GLASSBOX_TRACER + line.substr(6)}, shell);
        CHECK(again.out == each);
    }
    REQUIRE(tracer_run({"worksheet", "attention", "--key", "-o", folder / "mine.md"}).code == 0);
    CHECK(has(content(folder / "mine.md"), "tracer worksheet attention --seed 42 -o mine.md --key`"));
    const auto footer = [](const std::string& text) { return text.substr(text.rfind("\nSheet ") + 1, 12); };
    const std::string blank = sheet("attention").out;
    CHECK(footer(blank) == footer(sheet("attention --key").out));
    CHECK(footer(blank) != footer(sheet("attention --seed 43").out));
    CHECK(!has(blank, "seed"));
    CHECK(!has(blank, "worksheet"));
    CHECK(has(sheets[0], "Name: **Anna**"));
    CHECK(has(sheets[0], "--seed 42 --name Anna"));
    CHECK(has(sheets[1], "--seed 43 --name "));
    CHECK(has(sheets[1], "Name: **Zoë O'Brien**"));
}

TEST_CASE("worksheet: each student has other numbers, and it is said where that cannot be") {
    const Ran three = sheet("attention --students 3 --key");
    CHECK(count(three.out, "page-break-after") == 2);
    CHECK(has(three.out, "seed 44"));
    CHECK(three.err.empty());
    const Ran same = tracer_run({"worksheet", "attention", "--Q", "1 0; 0 1", "--K", "1 0; 0 1", "--V",
                                 "1 2; 3 4", "--students", "2"});
    CHECK(same.code == 0);
    CHECK(has(same.err, "every student has the same"));
}

TEST_CASE("worksheet: small numbers have as many digits as large ones") {
    CHECK(glassbox::tracer::decimals_of(Tensor{0.5, 0.01}, 2) == 2);
    CHECK(glassbox::tracer::decimals_of(Tensor{0.05, 0.01}, 2) == 3);
    CHECK(glassbox::tracer::decimals_of(Tensor{0.000123}, 2) == 5);
    CHECK(glassbox::tracer::decimals_of(Tensor{3, -2, 0}, 2) == 0);
    CHECK(glassbox::tracer::decimals_of(Tensor{real(-9e15), 0.5}, 2) == 2);
    CHECK(glassbox::tracer::sheet_number(real(-0.001), 2) == "0.00");
    CHECK(glassbox::tracer::sheet_number(real(0.125), 2) == "0.13");  // halves, as a student rounds them
    CHECK(glassbox::tracer::sheet_number(real(-0.145), 2) == "-0.15");
    CHECK(glassbox::tracer::sheet_number(real(0.1449), 2) == "0.14");
    CHECK(glassbox::tracer::sheet_number(real(2.5), 0) == "3");
    CHECK(glassbox::tracer::sheet_number(real(-9e15), 2) == "-9e15");
    CHECK(glassbox::tracer::sheet_number(-INFINITY, 2) == "-∞");
    for (const double largest : {0.0996, 0.00999, 9.996, 0.0949, 0.1})  // rounding again changes nothing
        for (const int wanted : {1, 2, 3}) {
            const Tensor x{largest, largest / 7, -largest / 3};
            const Tensor once = glassbox::tracer::rounded(x, glassbox::tracer::decimals_of(x, wanted));
            const Tensor twice = glassbox::tracer::rounded(once, glassbox::tracer::decimals_of(once, wanted));
            INFO(largest << ", " << wanted);
            CHECK(once.values() == twice.values());
        }
}

TEST_CASE("worksheet: numbers that are written with an exponent are the ones to compute with, too") {
    const Tensor x = glassbox::tracer::rounded(Tensor{12345678, 2, real(-9e15)}, 0);
    CHECK(glassbox::tracer::sheet_number(x.values()[0], 0) == "1.23457e07");
    CHECK(x.values() == std::vector<real>{12345700, 2, real(-9e15)});
}

TEST_CASE("worksheet: numbers that would all be printed as 0 are refused") {
    CHECK(glassbox::tracer::decimals_of(Tensor{1e-17}, 2) == 17);
    check_error<glassbox::UsageError>(
        [] {
            glassbox::tracer::decimals_of(Tensor{1e-20, 2e-20}, 2);
        },
        "worksheet: numbers below 5e-18 would be printed as 0, and of a tensor "
        "the largest is 2e-20");
    CHECK(tracer_run(words("worksheet schedule --rate 1e-20")).code == 2);
}

TEST_CASE("worksheet: the logits of a model are no head's") {
    const std::string sheet = tracer_run(words("worksheet predictor --batch 2 --blank logits")).out;
    CHECK(has(sheet, "entry 1"));
    const std::size_t own = sheet.find(". `logits = h"), end = sheet.find("\n## ", own);
    REQUIRE(own != sheet.npos);
    CHECK(!has(sheet.substr(own, end - own), "head"));
}

TEST_CASE("worksheet: blanks are separated by the commas outside of brackets") {
    CHECK(wanted("a,b[0,1],c") == std::vector<std::string>{"a", "b[0,1]", "c"});
    CHECK(wanted("b[0,1]") == std::vector<std::string>{"b[0,1]"});
    check_error<glassbox::UsageError>([] { wanted("a,"); }, "--blank: an empty name in 'a,'");
    check_error<glassbox::UsageError>([] { wanted("a[0,b"); }, "--blank: a bracket is not closed in 'a[0,b'");
}

TEST_CASE("worksheet: what cannot be made is refused by name, and nothing is written") {
    const Folder folder;
    const auto refused = [&](const std::string& options, int code, const std::string& message) {
        const std::string file = folder / "sheet.md";
        const Ran ran = sheet(options + (has(options, "-o ") ? "" : " -o " + file));
        INFO(options << ": " << ran.err);
        CHECK(ran.code == code);
        CHECK(has(ran.err, message));
        CHECK(!std::filesystem::exists(file));
    };
    refused("attention --blank scald", 2, "--blank: no step 'scald'");
    refused("attention --blank scald", 2, "did you mean 'scaled'?");
    refused("attention --blank scald[0,0]", 2, "did you mean 'scaled'?");
    refused("attention --blank scaled[0,7]", 2,
            "--blank: scaled[0,7] is outside scaled, which has shape (3, 3)");
    refused("attention --blank scaled[0]", 2, "expected 2 indices, got 1");
    refused("attention --blank Q", 2, "--blank Q: Q is an input, and is given");
    refused("encoder-block --dropout 0.5 --blank dropout1", 2, "drawn at random");
    refused("encoder --scope encodr/0", 2, "--scope: no part 'encodr/0'");
    refused("encoder --scope 0/mlp --blank attention", 2, "--scope");
    refused("attention --students 0", 2, "--students");
    refused("attention --students 1001", 2, "--students");
    refused("attention --students 2 --name Anna", 2, "--name: cannot be combined with --students");
    refused("attention --students " + folder / "none.txt", 4, "none.txt: cannot open");
    write(folder / "blank.txt", " \n\n");
    refused("attention --students " + folder / "blank.txt", 3, "expected names, one on each line, got none");
    write(folder / "latin1.txt", "Anna\nJos\xe9\n");
    refused("attention --students " + folder / "latin1.txt", 3, "latin1.txt:2: a name that is not UTF-8");
    refused("attention --seed 18446744073709551615 --students 2", 2,
            "--seed 18446744073709551615: too large");
    refused("attention --seq 200 --dk 2", 2, "more than 20000 numbers");
    refused("attention --precision 9", 2, "--precision");
    refused("attention --students 2 --input -", 2,
            "--input -: can be read only once, but there are 2 students");
    refused("attention -o sheet.doc", 2, "-o sheet.doc: a worksheet is written as .md, .tex or .pdf");
    refused("attention -o sheet", 2, ".md, .tex or .pdf");
    refused("attention -o " + folder / "none/sheet.md", 4, "none/sheet.md");
    refused("atention", 2, "did you mean 'attention'?");
    refused("", 2, "expected a layer or model first");
}

TEST_CASE("worksheet: --scope prints a part, and what its blanks need") {
    const std::string part = sheet("encoder --layers 2 --scope encoder/1/mlp --blank relu").out;
    const std::string all = sheet("encoder --layers 2 --blank relu").out;
    INFO(part);
    CHECK(count(part, "\n## ") < count(all, "\n## "));
    CHECK(count(part, "**To do**") == 1);
}

TEST_CASE("worksheet: every model command has one, and its key has a number for every blank") {
    for (const std::string model :
         {"attention --score additive --mask causal", "attention --text a_b", "multihead --memory 4",
          "encoder-block", "encoder --layers 2", "decoder-block", "decoder", "positional", "time2vec",
          "predictor --pooling cls", "transformer", "loss", "clip", "adam", "schedule", "shift"}) {
        INFO(model);
        const Ran blank = sheet(model), key = sheet(model + " --key");
        CHECK(blank.code == 0);
        CHECK(key.code == 0);
        CHECK(count(blank.out, "____ |") > 0);
        CHECK(count(key.out, "____ |") == 0);
        CHECK(count(key.out, "**") >= 2 * count(blank.out, "____ |"));
        CHECK(!has(blank.out, "Given: `constants`"));
        CHECK(!has(key.out, "nan"));
    }
}

TEST_CASE("worksheet: --name is text, whatever it says") {
    const Ran ran = tracer_run({"worksheet", "attention", "--name", "# *a* <b>`c` | [d](e)\x1b[31m"});
    CHECK(has(ran.out, "Name: **\\# \\*a\\* \\<b\\>\\`c\\` \\| \\[d\\]\\(e\\)\\\\x1b\\[31m**"));
}

TEST_CASE("worksheet: words of a text make no link and no image") {
    const Ran ran = tracer_run(
        {"worksheet", "transformer", "--text", "![x](http://a.b/c) [x](javascript:1) [x][y] [x]:z www.a.b"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    std::istringstream lines(ran.out.substr(0, ran.out.find("\n---")));  // then comes the command, as code
    int found = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!has(line, "javascript")) continue;
        ++found;
        INFO(line);
        const std::string unescaped =
            std::regex_replace(line, std::regex(R"(\\.)"), " ");  // these stand for themselves
        for (const char* link : {"](", "][", "]:", "://", "www."}) CHECK(!has(unescaped, link));
    }
    CHECK(found > 0);
}

TEST_CASE("worksheet: a step of numbers that stand in another says so") {
    const std::string text = sheet("multihead --all").out;
    CHECK(count(text, "\nNothing to compute: its numbers stand in `qkv`.\n") == 3);
    CHECK(count(text, "\nNothing to compute: ") == 4);
    CHECK(count(sheet("multihead --blank qkv[0,0]").out,
                "\nTo copy, for no points: the empty places have their numbers in `qkv`.\n") == 1);
    const Folder folder;
    const std::string file = folder / "sheet.tex";
    REQUIRE(sheet("multihead --all -o " + file).code == 0);
    const std::string latex = content(file);
    CHECK(count(latex, "Nothing to compute: its numbers stand in \\texttt{qkv}.") == 3);
}
