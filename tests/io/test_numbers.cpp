#include <glassbox/io/text.h>

#include <string>

#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("numbers: an integer within its range and nothing else") {
    CHECK(parse_integer("--n", "17", 1) == 17);
    CHECK(parse_integer("--n", "-17", -20) == -17);
    CHECK(parse_integer("--n", "9223372036854775807", 1) == INT64_MAX);
    const auto wrong = [](const std::string& text, const std::string& message) {
        INFO(text);
        check_error<UsageError>([&] { parse_integer("--n", text, 1, 100); }, message);
    };
    for (const char* text : {"", "x", "1e3", "3.0", " 3", "3 ", "+3", "0x10", "--3", "１"})
        wrong(text, std::string("--n: expected a whole number, got '") + text + "'");
    wrong("\x1b[2J\n", "--n: expected a whole number, got '\\x1b[2J\\x0a'");  // it may be from a file
    wrong("0", "--n: expected at least 1, got 0");
    wrong("-99999999999999999999", "--n: expected at least 1, got -99999999999999999999");
    wrong("101", "--n: expected at most 100, got 101");
    wrong("99999999999999999999", "--n: expected at most 100, got 99999999999999999999");
}

TEST_CASE("numbers: a number, finite and within its range") {
    CHECK(parse_real("--rate", "5e-4", 0) == 5e-4);
    CHECK(parse_real("--rate", "-.5", -1) == -0.5);
    for (const char* text : {"", "x", "1x", " 1", "nan", "inf", "1e999", "1,5"})
        check_error<UsageError>([&] { parse_real("--rate", text, 0); },
                                std::string("--rate: expected a number, got '") + text + "'");
    check_error<UsageError>([] { parse_real("--rate", "-1", 0); }, "--rate: expected at least 0, got -1");
}

TEST_CASE("numbers: a seed has 64 bits and no sign") {
    CHECK(parse_seed("--seed", "18446744073709551615") == UINT64_MAX);
    for (const char* text : {"", "-1", "18446744073709551616", "4.2", "x"})
        check_error<UsageError>([&] { parse_seed("--seed", text); },
                                std::string("--seed: expected a whole number from 0 to 18446744073709551615, "
                                            "got '") +
                                    text + "'");
}
