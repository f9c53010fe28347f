// What the digits of printed numbers say of their rounding, and variables' names of their step, into tracer
// check.
#include <cmath>

#include <glassbox/io/numpy.h>

#include "command.h"
#include "support/catch.h"
#include "tracer/subject/written_array.h"

using namespace glassbox_test;

namespace {

Ran checked(const std::string& layer, const std::string& text) {
    return run_program(words("check " + layer + " --effort 0 -"), {.in = text});
}

void check_code(int code, const std::string& layer, const std::string& text) {
    const Ran ran = checked(layer, text);
    INFO(layer << "\n" << text << "\n" << ran.out << ran.err);
    CHECK(ran.code == code);
}

std::vector<double> widths_of(const std::vector<const char*>& words) {
    std::vector<glassbox::tracer::WrittenNumber> numbers;
    for (const char* word : words) numbers.push_back(glassbox::tracer::number_of(word).value());
    return glassbox::tracer::half_widths_of(numbers);
}

void check_widths(const std::vector<const char*>& words, const std::vector<double>& expected) {
    const std::vector<double> widths = widths_of(words);
    INFO(fmt::format("{}: {}", fmt::join(words, " "), fmt::join(widths, " ")));
    REQUIRE(widths.size() == expected.size());
    for (std::size_t i = 0; i < widths.size(); ++i)
        CHECK(std::abs(widths[i] - expected[i]) <= 1e-6 * expected[i]);
}

// The output of multi-head attention, of which a number is rounded to 0 and others to 1.
const std::string multihead = "multihead --seq 3 --dmodel 4 --heads 2 --seed 2";
std::string rounded(const char* zero) {
    return fmt::format("[[ {}, 0.71, 0.78, 0.9 ]\n [ 0.14, 0.16, 0.03, 0.14]\n [ 0.25, 0.12, -0.1, -0.04]]\n",
                       zero);
}

}  // namespace

TEST_CASE("digits: a whole number beside decimals was rounded as they were") {
    for (const char* zero : {"0.", "0", "0.0", "-0."}) check_code(0, multihead, rounded(zero));
    for (const char* zero : {"1.", "1", "0.1", "0.02"}) check_code(1, multihead, rounded(zero));
    // NumPy, Python and JavaScript, to two decimals.
    check_widths({"0.", "0.71", "1."}, {0.005, 0.005, 0.005});
    check_widths({"0", "12.34", "1"}, {0.005, 0.005, 0.005});
    check_widths({"0.0", "0.71", "12.3", "-3.0"}, {0.005, 0.005, 0.05, 0.005});
    // %.3g: digits, not decimals. Where both can be meant, those that are fewer.
    check_widths({"1", "0.0123", "0.123", "12.3", "0"}, {0.005, 0.00005, 0.0005, 0.05, 0.00005});
    check_widths({"1", "0.123", "0.456"}, {0.005, 0.0005, 0.0005});
    // Whole numbers alone, and those of a language that writes all digits.
    check_widths({"0.0", "1.0", "0.0"}, {0.5e-4, 0.5e-4, 0.5e-4});
    CHECK(widths_of({"1", "2", "3"}).empty());
    check_widths({"0.0", "1e-05", "0.12345"}, {0.5e-5, 0.5e-5, 0.5e-5});
}

TEST_CASE("digits: an exponent behind a whole number has its digits") {
    check_code(0, "loss --seq 3 --classes 4 --seed 5 --as loss", "14733e-4\n");
    check_code(0, "loss --seq 3 --classes 4 --seed 5 --as loss", "1473.3e-3\n");
    check_code(1, "loss --seq 3 --classes 4 --seed 5 --as loss", "14743e-4\n");
}

TEST_CASE("digits: a decimal comma of a single number, and commas for two things") {
    const std::string loss = "loss --seq 3 --classes 4 --seed 5 --as ";
    check_code(0, loss + "loss", "1,4733\n");
    check_code(1, loss + "loss", "1,5733\n");
    check_code(0, loss + "loss", "1.4733\n");
    const Ran ran = checked(loss + "losses", "0,5580,1,9608,1,9013\n");
    INFO(ran.out << ran.err);
    CHECK(ran.code == 3);
    CHECK(has(ran.err, "'0,5580,1,9608' may be 0.5580 and 1.9608: write points before decimals"));
    check_code(0, loss + "losses", "0.5580,1.9608,1.9013\n");
    const Ran uncertain = checked(loss + "losses", "0.5580(1) 1.9608(1) 1.9013(1)\n");
    CHECK(uncertain.code == 3);
    CHECK(has(uncertain.err, "'0.5580(1)' is followed by its uncertainty: submit the number alone, 0.5580"));
}

TEST_CASE("digits: numbers of float16 as NumPy prints them are right") {
    const std::string block = "encoder-block --seq 3 --dmodel 4 --seed 20";
    const std::string half =
        "[[ 0.9497  0.2644  0.4634 -1.678 ]\n [ 1.648  -0.509  -1.003  -0.1365]\n [ 1.406   0.1163 -1.413  "
        "-0.1093]]\n";
    check_code(0, block, half);
    std::string wrong = half;
    wrong.replace(wrong.find("0.2644"), 6, "0.3644");
    check_code(1, block, wrong);
    // The same error beside numbers that are not all of float16.
    std::string longer = half;
    longer.replace(longer.find("0.4634"), 6, "0.4635");
    check_code(1, block, longer);
}

TEST_CASE("names: a single array under a variable's name is the result, where it is no other step") {
    const std::string layer = "multihead --seq 4 --dmodel 6 --heads 2 --seed 5";
    const std::string values =
        "0.5687 -1.1066 -1.1201 -0.8159 0.0309 0.9899\n0.8005 -0.9511 -0.5481 -0.6892 0.0743 0.4427\n"
        "0.4829 -1.0470 -1.0450 -0.7584 0.0296 0.9430\n0.6543 -0.9602 -0.7592 -0.6854 -0.0098 0.6487\n";
    const std::string flat = [&] {
        std::string text;
        for (const char c : values) text += c == ' ' || c == '\n' ? ',' : c;
        return text.substr(0, text.size() - 1);
    }();
    for (const std::string& print :
         {"values =\n\n" + values, "{\"values\": [" + flat + "]}", "float values[4][6] = {" + flat + "};",
          "x = np.array([" + flat + "]).reshape(4, 6)", "attention:\n" + values, "Q = [" + flat + "]"}) {
        const Ran ran = checked(layer, print);
        INFO(print << ran.out << ran.err);
        CHECK(ran.code == 0);
        CHECK(has(ran.out, "is taken as output: these are its numbers"));
    }
    std::string wrong = values;
    wrong.replace(0, 6, "0.7687");
    const Ran ran = checked(layer, "values =\n\n" + wrong);
    INFO(ran.out << ran.err);
    CHECK(ran.code == 1);
    CHECK(has(ran.out, "values is taken as output: it has its shape"));
    // What a step is asked for is judged as that step, and so is what has its numbers.
    CHECK(checked(layer + " --as values", "values =\n\n" + values).code == 1);
    const Folder folder;
    REQUIRE(tracer_run({"multihead", "--seq", "4", "--dmodel", "6", "--heads", "2", "--seed", "5", "-o",
                        folder / "a.npz"})
                .code == 0);
    const glassbox::Tensor own = glassbox::Npz(std::filesystem::path(folder / "a.npz")).read("values");
    glassbox::write_npz(folder / "values.npz", {{"values", own}});
    const Ran step = tracer_run(words("check " + layer + " " + folder / "values.npz"));
    CHECK(step.code == 0);
    CHECK(has(step.out, "✓ values"));
}
