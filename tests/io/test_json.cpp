#include <glassbox/io/json.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "support/catch.h"

using namespace glassbox;

TEST_CASE("json: numbers have 9 significant digits, enough to restore every float") {
    CHECK(json_number(0.1f) == "0.100000001");
    CHECK(json_number(-2) == "-2");
    CHECK(json_number(-0.0) == "-0.0");  // Python and nlohmann/json read -0 as an integer, without its sign
    CHECK(json_number(1e20) == "1e+20");
    CHECK(json_number(0.1, 17) == "0.10000000000000001");
    for (const float value : {1.f / 3, 16777216.f, std::numeric_limits<float>::max(),
                              std::numeric_limits<float>::denorm_min(), -0.37622601f})
        CHECK(nlohmann::json::parse(json_number(value)).get<float>() == value);
}

TEST_CASE("json: values that JSON numbers cannot represent are written as text") {
    CHECK(json_number(std::numeric_limits<double>::quiet_NaN()) == "\"NaN\"");
    CHECK(json_number(-std::numeric_limits<double>::quiet_NaN()) == "\"NaN\"");
    CHECK(json_number(std::numeric_limits<double>::infinity()) == "\"Infinity\"");
    CHECK(json_number(-std::numeric_limits<double>::infinity()) == "\"-Infinity\"");
}

TEST_CASE("json: tensors are nested by their axes") {
    CHECK(json_array(Tensor(real(3))) == "3");
    CHECK(json_array(Tensor{1, 2}) == "[1, 2]");
    CHECK(json_array(Tensor{{1, 2}, {3, 4}}) == "[[1, 2], [3, 4]]");
    CHECK(json_array(Tensor({2, 1, 2}, {1, 2, 3, 4})) == "[[[1, 2]], [[3, 4]]]");
    CHECK(json_array(Tensor{{1, 2}, {3, 4}}.alias({2, 2}, {1, 2})) == "[[1, 3], [2, 4]]");
    CHECK(json_array(Tensor{std::numeric_limits<real>::infinity(), 1}) == "[\"Infinity\", 1]");
}

TEST_CASE("json: a tensor without elements is an empty list, however large its other axes") {
    CHECK(json_array(Tensor::zeros({2, 0})) == "[]");
    CHECK(json_array(Tensor::zeros({index_t{1} << 40, 0})) == "[]");
}

TEST_CASE("json: every text becomes a string that JSON readers restore") {
    std::string all;
    for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
    all += "λ 漢 😀 \u0085 \U000E0001";
    CHECK(nlohmann::json::parse(json_string(all)).get<std::string>() == all);
    CHECK(json_string("a\"b\\c\n\x01") == R"("a\"b\\c\n\u0001")");
    CHECK(json_string("\U000E0001") == R"("\udb40\udc01")");         // invisible, of two UTF-16 units
    CHECK(json_string("a\xFF\xC3") == "\"a\uFFFD\uFFFD\"");          // not UTF-8
    CHECK(json_string("\xED\xA0\x80") == "\"\uFFFD\uFFFD\uFFFD\"");  // a surrogate
}

TEST_CASE("json: the depth of lists and objects, brackets in texts left out") {
    CHECK(json_depth("3") == 0);
    CHECK(json_depth(R"([1, {"a": [2]}, []])") == 3);
    CHECK(json_depth(R"(["[[[", "\"[[", "\\", {}])") == 2);
    CHECK(json_depth("]]]]") == 0);
    CHECK(json_depth(std::string(1000, '[')) == 1000);
}
