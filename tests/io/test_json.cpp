#include <glassbox/io/json.h>

#include <cmath>
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
    CHECK(JsonValue(Tensor(real(3))).text() == "3");
    CHECK(JsonValue(Tensor{1, 2}).text() == "[1, 2]");
    CHECK(JsonValue(Tensor{{1, 2}, {3, 4}}).text() == "[[1, 2], [3, 4]]");
    CHECK(JsonValue(Tensor({2, 1, 2}, {1, 2, 3, 4})).text() == "[[[1, 2]], [[3, 4]]]");
    CHECK(JsonValue(Tensor{{1, 2}, {3, 4}}.alias({2, 2}, {1, 2})).text() == "[[1, 3], [2, 4]]");
    CHECK(JsonValue(Tensor{std::numeric_limits<real>::infinity(), 1}).text() == "[\"Infinity\", 1]");
}

TEST_CASE("json: a tensor without elements is an empty list, however large its other axes") {
    CHECK(JsonValue(Tensor::zeros({2, 0})).text() == "[]");
    CHECK(JsonValue(Tensor::zeros({index_t{1} << 40, 0})).text() == "[]");
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

TEST_CASE("json: a value of every kind") {
    CHECK(JsonValue(nullptr).text() == "null");
    CHECK(JsonValue(true).text() == "true");
    CHECK(JsonValue(false).text() == "false");
    CHECK(JsonValue(-7).text() == "-7");
    CHECK(JsonValue(std::numeric_limits<std::uint64_t>::max()).text() == "18446744073709551615");
    CHECK(JsonValue(std::numeric_limits<index_t>::min()).text() == "-9223372036854775808");
    CHECK(JsonValue(0.25f).text() == "0.25");
    CHECK(JsonValue(0.1, 17).text() == "0.10000000000000001");
    CHECK(JsonValue(Tensor{real(1) / 3}, 3).text() == "[0.333]");
    CHECK(JsonValue(std::nan("")).text() == "\"NaN\"");
    CHECK(JsonValue("a \"b\"").text() == R"("a \"b\"")");
    CHECK(JsonValue(std::string("λ 漢 😀")).text() == "\"λ 漢 😀\"");
    CHECK(JsonValue(std::string_view("x\0y", 3)).text() == R"("x\u0000y")");
    CHECK(JsonValue(std::optional<double>()).text() == "null");
    CHECK(JsonValue(std::optional<index_t>(3)).text() == "3");
    CHECK(JsonValue(std::optional<std::string>("")).text() == "\"\"");
    CHECK(JsonValue::raw("{ }").text() == "{ }");
}

TEST_CASE("json: vectors") {
    CHECK(JsonValue(std::vector<index_t>{}).text() == "[]");
    CHECK(JsonValue(std::vector<index_t>{1, -2}).text() == "[1, -2]");
    CHECK(JsonValue(std::vector<double>{0.5, -1, INFINITY}).text() == R"([0.5, -1, "Infinity"])");
    CHECK(JsonValue(std::vector<double>{1.0 / 3}).text() ==
          (sizeof(real) == 4 ? "[0.333333333]" : "[0.33333333333333331]"));
    CHECK(JsonValue(std::vector<std::string>{"a", "\"", ""}).text() == R"(["a", "\"", ""])");
    CHECK(JsonValue(std::vector<std::vector<index_t>>{{1, 2}, {}}).text() == "[[1, 2], []]");
}

TEST_CASE("json: objects and lists, empty and inside one another") {
    CHECK(JsonObject().text() == "{}");
    CHECK(JsonObject{}.text() == "{}");
    CHECK(JsonList().text() == "[]");
    CHECK(JsonObject{{"a", "b"}}.text() == R"({"a": "b"})");
    CHECK(JsonObject{{"a", "b"}, {"c", "d"}}.text() == R"({"a": "b", "c": "d"})");
    CHECK(JsonList{"a", 1, nullptr, 0.5, false}.text() == R"(["a", 1, null, 0.5, false])");
    JsonObject json{{"\"key\"\n", JsonList()}, {"loss", {1.0 / 3, 3}}};
    CHECK(json.text() == R"({"\"key\"\n": [], "loss": 0.333})");
    json.add("list", JsonList{JsonObject(), JsonObject{{"deep", JsonList{1, JsonList{}}}}});
    CHECK(json.text() == R"({"\"key\"\n": [], "loss": 0.333, "list": [{}, {"deep": [1, []]}]})");
    CHECK(nlohmann::json::parse(json.text())["list"][1]["deep"][0] == 1);
    const std::vector<std::string> words = {"one", "three"};
    CHECK(JsonList(words, &std::string::size).text() == "[3, 5]");
    CHECK(JsonList(words, [](const auto& word) {
              return JsonObject{{"word", word}};
          }).text() == R"([{"word": "one"}, {"word": "three"}])");
}

TEST_CASE("json: all fields of another object") {
    JsonObject json{{"a", 1}};
    json.add_all(JsonObject()).add_all({{"b", 2}, {"c", "}"}}).add("d", 4);
    CHECK(json.text() == R"({"a": 1, "b": 2, "c": "}", "d": 4})");
    CHECK(JsonObject().add_all(json).text() == json.text());
    CHECK(JsonObject().add_all(JsonObject()).is_empty());
    CHECK_FALSE(json.is_empty());
}

TEST_CASE("json: layouts") {
    CHECK(JsonList({1, 2}, json_tight).text() == "[1,2]");
    CHECK(JsonObject({{"a", 1}, {"b", JsonList{2, 3}}}, json_tight).text() == R"({"a":1,"b":[2, 3]})");
    JsonList rows(json_rows);
    CHECK(rows.text() == "[\n]");
    CHECK(rows.add(1).text() == "[\n 1\n]");
    CHECK(rows.add("]").text() == "[\n 1,\n \"]\"\n]");
    CHECK(JsonList({1, 2}, JsonLayout{"\n  ", "\n  "}).text() == "[\n  1,\n  2]");
    CHECK(JsonList(JsonLayout{"\n  ", "\n  "}).text() == "[]");
    CHECK(JsonObject{{"a", 1}}.add_line("b", 2).add("c", 3).text() == "{\"a\": 1,\n \"b\": 2, \"c\": 3}");
}

TEST_CASE("json: the depth of lists and objects, brackets in texts left out") {
    CHECK(json_depth("3") == 0);
    CHECK(json_depth(R"([1, {"a": [2]}, []])") == 3);
    CHECK(json_depth(R"(["[[[", "\"[[", "\\", {}])") == 2);
    CHECK(json_depth("]]]]") == 0);
    CHECK(json_depth(std::string(1000, '[')) == 1000);
}
