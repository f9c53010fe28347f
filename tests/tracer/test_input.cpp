#include <cmath>

#include <nlohmann/json.hpp>

#include "command.h"
#include "support/compare.h"
#include "support/errors.h"
#include "tracer/subject/attention_operands.h"
#include "tracer/subject/matrix_option.h"

using namespace glassbox;
using namespace glassbox::tracer;
using glassbox::Shape;
using glassbox::Tensor;
using glassbox::UsageError;
using glassbox_test::check_close;
using glassbox_test::check_error;
using glassbox_test::exact;
using glassbox_test::Ran;
using glassbox_test::tracer_run;
using glassbox_test::words;

TEST_CASE("input: a matrix typed in any of the usual ways") {
    const Tensor expected({{1, 0}, {glassbox::real(-0.5), 2}});
    for (const char* text : {"1 0; -0.5 2", "1,0;-.5,2", "[[1, 0], [-0.5, 2]]", "1 0;-5e-1 +2;",
                             " [1 0] [-0.5 2] ", "[[1. 0.]\n [-0.5 2.]]", "1\t0;;-0.5 2"})
        check_close(parse_matrix("--Q", text), expected, exact, text);
    CHECK(parse_matrix("--Q", "7").shape() == Shape{1, 1});
    CHECK(std::isnan(parse_matrix("--Q", "nan 1").at({0, 0})));
    CHECK(parse_matrix("--Q", "1 -inf").at({0, 1}) == -INFINITY);
}

TEST_CASE("input: a malformed matrix is refused by name") {
    const std::string cannot = "--Q: expected numbers, rows separated by ';', such as '1 0; 0 1', got ";
    const auto wrong = [](const std::string& text, const std::string& message) {
        INFO(text);
        check_error<UsageError>([&] { parse_matrix("--Q", text); }, message);
    };
    wrong("", "--Q: expected a matrix, such as '1 0; 0 1', got nothing");
    wrong(" ; ", "--Q: expected a matrix, such as '1 0; 0 1', got nothing");
    wrong("[[]]", "--Q: expected a matrix, such as '1 0; 0 1', got nothing");
    wrong("1 2; 3", "--Q: rows differ in length: row 0 has 2 numbers, row 1 has 1");
    wrong("1 x", cannot + "'x'");
    wrong("1-2", cannot + "'1-2'");
    wrong("--1", cannot + "'--1'");
    wrong("1e", cannot + "'1e'");
    wrong("0x10", cannot + "'0x10'");
    wrong("1:2", cannot + "'1:2'");
    for (const char* text : {"1 2]", "[1 2", "[[1], [2]", "[[[1]]]", "]1["})
        wrong(text,
              std::string("--Q: brackets do not match: expected rows such as '[[1, 0], [0, 1]]', got '") +
                  text + "'");
    wrong("1e999", "--Q: '1e999' is out of range for floating-point numbers");
}

TEST_CASE("input: absurd sizes are refused with the memory they would need") {
    const auto refused = [](AttentionSizes sizes) {
        try {
            check_memory(sizes, glassbox::Score::scaled, false);
        } catch (const UsageError& error) {
            return std::string(error.what()).find(" GB to show every step") != std::string::npos;
        }
        return false;
    };
    AttentionSizes sizes;
    CHECK_FALSE(refused(sizes));
    sizes.queries = sizes.keys = 9999999999;
    CHECK(refused(sizes));
    sizes = {};
    sizes.keys = INT64_MAX;
    CHECK(refused(sizes));
    sizes = {};
    sizes.leading = Shape{1000000, 1000000};
    CHECK(refused(sizes));
}

TEST_CASE("input: drawn arrays have the requested sizes, with weights where the score needs them") {
    const Ran ran =
        tracer_run(words("attention --batch 7 --seq 2 --keys 5 --dk 3 --dv 4 --da 6 --score additive "
                         "--rng torch --seed 1 --format json"));
    REQUIRE(ran.code == 0);
    const auto json = nlohmann::json::parse(ran.out);
    const auto shape = [&](const std::string& name) {
        for (const auto& step : json["steps"])
            if (step["name"] == name) return step["shape"].get<std::vector<int>>();
        return std::vector<int>{};
    };
    CHECK(shape("Q") == std::vector{7, 2, 3});
    CHECK(shape("K") == std::vector{7, 5, 3});
    CHECK(shape("V") == std::vector{7, 5, 4});
    CHECK(shape("W_q") == std::vector{3, 6});
    CHECK(shape("v") == std::vector{6});
    CHECK(json["rng"] == "torch");
    CHECK(json["seed"] == 1);
    CHECK(tracer_run(words("attention --rng torch --seed 1"))
              .out.find("random numbers as PyTorch draws them, seed 1") != std::string::npos);
    CHECK(tracer_run(words("attention")).out.find("W_q") == std::string::npos);
}

TEST_CASE("input: --step and --predict read lines, and refuse one that does not end") {
    const auto ran = [](const std::string& option, const std::string& in) {
        glassbox_test::Surroundings around;
        around.in = in;
        return tracer_run({"attention", "--seq", "2", option}, around);
    };
    const std::string refused =
        "error: standard input: a line of more than 4096 characters, expected a few numbers or an empty "
        "line\n";
    for (const std::string option : {"--step", "--predict"})
        for (const std::string& in :
             {std::string(4097, '\0'), std::string(4097, 'x'), "\n" + std::string(9000, ' ')}) {
            const Ran too_long = ran(option, in);
            CAPTURE(option, in.substr(0, 2));
            CHECK(too_long.code == 3);
            CHECK(too_long.err == refused);
        }
    for (const std::string& in :
         {std::string(4096, ' ') + "\nq\n", std::string("q"), std::string(), std::string("\n\n")})
        for (const std::string option : {"--step", "--predict"}) CHECK(ran(option, in).code == 0);
    CHECK(ran("--predict", "2 2").out.find("1 of 1 right") !=
          std::string::npos);  // the last line may be open
    const std::string all = ran("--step", std::string(99, '\n')).out;
    CHECK(all.find("  attention") != std::string::npos);
    CHECK(ran("--step", "\nq\n").out.size() < ran("--step", "\n\nq\n").out.size());
    CHECK(ran("--step", "\n").out == ran("--step", "\nq").out);
}
