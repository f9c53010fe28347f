// A step's numbers on a terminal.
#include <limits>

#include "command.h"
#include "support/catch.h"
#include "tracer/cli/text_width.h"
#include "tracer/report/matrix_text.h"

using namespace glassbox;
using namespace glassbox::tracer;

namespace {

constexpr auto number = Report::Kind::number, weight = Report::Kind::weight;

std::string shown(const Tensor& x, Report::Kind kind = number, MatrixStyle style = {}) {
    return matrix_text({}, x, kind, style);
}

Report::Step step_of(std::vector<Report::Axis> axes) {
    Report::Step step;
    step.axes = std::move(axes);
    return step;
}

// 1.23456, 2.23456, …
Tensor row_of(index_t n) {
    std::vector<real> values;
    for (index_t i = 0; i < n; ++i) values.push_back(static_cast<real>(i) + real(1.23456));
    return Tensor({1, n}, values);
}

int lines_in(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

TEST_CASE(
    "terminal matrix: four digits; what was rounded keeps its zeros, what was not has none, and whole ones "
    "stand at the right") {
    CHECK(shown(Tensor({{real(0.5), real(0.49999)}, {0, -1}})) ==
          "[[ 0.5     0.5000]\n"
          " [      0      -1]]\n");
    CHECK(shown(Tensor({real(-0.000012), real(0.25)})) == "[0.0000 0.25  ]\n");  // no -0.0000
    CHECK(shown(Tensor(real(2.5))) == "2.5\n");
    CHECK(shown(Tensor({3, 14}), Report::Kind::word) == "[ 3 14]\n");
    CHECK(shown(Tensor({real(-9e15), std::numeric_limits<real>::quiet_NaN(), real(0.125)})) ==
          "[-9e15   nan 0.125]\n");
}

TEST_CASE("terminal matrix: weights have no exponent, however small; other numbers do") {
    CHECK(shown(Tensor({{real(2.249e-15), real(0.99317741)}}), weight) == "[[0.0000 0.9932]]\n");
    CHECK(shown(Tensor({{real(1.234e-5), real(4e-6)}}), weight) == "[[0.000012 0.000004]]\n");
    CHECK(shown(Tensor({{real(1.25e-5), real(0.5e-5)}})) == "[[1.2500e-05 5.0000e-06]]\n");
    CHECK(shown(Tensor({{real(3e7), 1}})) == "[[3.0000e+07 1.0000e+00]]\n");
}

TEST_CASE("terminal matrix: fewer digits before a row is broken, but none fewer than were asked for") {
    const Tensor x = row_of(9);  // "1.2346": 62 columns with brackets and spaces, 44 with two digits
    CHECK(shown(x, number, {.width = 66, .shrinks = true}).find("[[1.2346 2.2346") == 0);
    CHECK(shown(x, number, {.width = 60, .shrinks = true}).find("[[1.235 2.235") == 0);
    CHECK(shown(x, number, {.width = 50, .shrinks = true}).find("[[1.23 2.23") == 0);
    CHECK(lines_in(shown(x, number, {.width = 50, .shrinks = true})) == 1);
    // Broken in any case: all digits, unless there are fewer lines with fewer; and the columns are numbered.
    const std::string broken = shown(x, number, {.width = 40, .shrinks = true});
    CHECK(broken.find("        0       1       2\n0  1.2346  2.2346  3.2346\n\n        3 ") == 0);
    CHECK(lines_in(shown(x, number, {.width = 50, .shrinks = false})) == 2);
    CHECK(shown(Tensor({{real(0.012345), real(0.01)}}), number, {.width = 15, .shrinks = true}) ==
          "[[0.012 0.01 ]]\n");  // two digits of the largest remain
}

TEST_CASE("terminal matrix: no line is wider than the terminal, for any width and shape") {
    for (const int width : {40, 64, 80, 100, 140})
        for (const index_t n : {1, 3, 7, 24, 64, 1500})
            for (const bool words : {false, true}) {
                CAPTURE(width, n, words);
                std::vector<std::string> names(static_cast<std::size_t>(n), "étudiant");
                Report::Step step =
                    step_of({{"head", {}}, {"query", {"un mot très long, trop long"}}, {"key", {}}});
                if (words) step.axes[2].words = names;
                const Tensor x =
                    Tensor({2, 1, n}, std::vector<real>(static_cast<std::size_t>(2 * n), real(-1.23456)));
                std::string line;
                for (const char c :
                     matrix_text(step, x, number, {.width = width, .shrinks = true, .indent = "   "})) {
                    if (c != '\n') {
                        line += c;
                        continue;
                    }
                    CAPTURE(line);
                    CHECK(width_of(line) <= width);
                    line.clear();
                }
            }
}

TEST_CASE("terminal matrix: heads are named, rows and columns have their words") {
    const Report::Step step =
        step_of({{"batch", {}}, {"head", {}}, {"query", {"je", "étudiant"}}, {"key", {"je", "étudiant"}}});
    const Tensor x({1, 2, 2, 2},
                   {real(0.25), real(0.75), real(0.5), real(0.5), 0, 1, real(0.125), real(0.875)});
    CHECK(matrix_text(step, x, weight, {.indent = "  "}) ==
          "  head 0\n"
          "                   je₀  étudiant₁\n"
          "  je₀            0.25       0.75 \n"
          "  étudiant₁      0.5        0.5  \n"
          "  head 1\n"
          "                   je₀  étudiant₁\n"
          "  je₀                0          1\n"
          "  étudiant₁      0.125      0.875\n");
    // A trained model's queries are named by what it answers there, classes by their names alone.
    CHECK(matrix_text(step_of({{"query", {"1", "∅"}, {"∅", "1"}}, {"class", {"no", "yes"}}}),
                      Tensor({{1, 0}, {0, 1}}), number, {}) ==
          "        no  yes\n"
          "0 → ∅    1    0\n"
          "1 → 1    0    1\n");
    CHECK(matrix_text(step_of({{"head", {}}, {"position", {}}, {"feature", {}}}), Tensor::ones({2, 1, 2}),
                      number, {}) ==
          "head 0\n"
          "[[1 1]]\n"
          "head 1\n"
          "[[1 1]]\n");
    CHECK(shown(Tensor::ones({2, 1, 2}))
              .starts_with("[0]\n[[1 1]]\n[1]\n"));  // nothing is known about the axes
}

TEST_CASE("terminal matrix: weights stand closer, and then without a 0, where a row then is one line") {
    std::vector<real> values(16, real(0.02));
    values[3] = real(0.68456);
    const Tensor x({1, 16}, values);
    const MatrixStyle at_80{.width = 80, .shrinks = true};
    CHECK(shown(x, weight, at_80).starts_with("[[.02 .02 .02 .68 .02"));
    CHECK(shown(x, weight, {.width = 90, .shrinks = true}).starts_with("[[0.02 0.02 0.02 0.68 0.02"));
    CHECK(lines_in(shown(x, weight, at_80)) == 1);
    CHECK(shown(x, number, at_80).find(" .68") == std::string::npos);
    const Tensor wide({1, 40}, std::vector<real>(40, real(0.025)));  // more lines in any case
    CHECK(shown(wide, weight, at_80).find("0.025") != std::string::npos);
}

TEST_CASE("terminal matrix: hidden weights are hatched, unless a mistake gave them a value") {
    Report::Step step = step_of({{"query", {}}, {"key", {}}});
    step.seen = Tensor({{1, 0}, {1, 0}});
    const Tensor x({{1, 0}, {real(0.7), real(0.3)}});
    CHECK(matrix_text(step, x, weight, {}) ==
          "[[  1 ╱╱╱]\n"
          " [0.7 0.3]]\n");
}

TEST_CASE("terminal matrix: a large one is summarised, with the words of what is shown") {
    std::vector<std::string> names;
    for (int i = 0; i < 40; ++i) names.push_back("w" + std::to_string(i));
    const std::string text = matrix_text(step_of({{"token", names}, {"token", names}}),
                                         Tensor::ones({40, 40}), number, {.width = 100});
    CHECK(
        text.starts_with("      w0   w1   w2  ...  w37  w38  w39\nw0     1    1    1  ...    1    1    1\n"));
    CHECK(text.find("\n...\nw37 ") != std::string::npos);
    CHECK(lines_in(text) == 8);
}
