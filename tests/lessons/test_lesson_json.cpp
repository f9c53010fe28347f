// What is refused of a lesson.json, and with what message.
#include <nlohmann/json.hpp>

#include "lessons.h"

using namespace lesson_test;
using nlohmann::json;

namespace {

std::string refusal(const std::string& text) {
    const Folder folder;
    glassbox_test::write(folder / "lesson.json", text);
    try {
        lesson::read_lesson(fs::path(folder / "lesson.json").parent_path());
    } catch (const glassbox::FileError& error) {
        CHECK(has(error.what(), folder / "lesson.json"));
        return error.what();
    }
    return "nothing was thrown";
}

// Lesson 01's, changed.
template <class Change>
std::string refusal_of(Change change) {
    json good = json::parse(content((lesson_of("01").folder / "lesson.json").string()));
    change(good);
    return refusal(good.dump());
}

}  // namespace

TEST_CASE("a lesson.json that is damaged is refused with its name and the place") {
    CHECK(has(refusal("{\"title\": {]}"), "column 12"));
    CHECK(has(refusal(""), "column 1"));
    const std::string good = content((lesson_of("01").folder / "lesson.json").string());
    CHECK(refusal(good) == "nothing was thrown");
    CHECK(has(refusal(good.substr(0, good.size() / 2)), "parse error"));
}

TEST_CASE("a lesson.json that lacks something is refused with what it lacks") {
    for (const std::string key : {"title", "steps", "cases", "hints", "passed"})
        CHECK(has(refusal_of([&](json& lesson) { lesson.erase(key); }), "'" + key + "'"));
    CHECK(has(refusal_of([](json& lesson) { lesson["cases"][0].erase("name"); }), "'name'"));
    CHECK(has(refusal_of([](json& lesson) { lesson["title"] = 7; }), "must be string"));
    CHECK(has(refusal_of([](json& lesson) { lesson["steps"] = json::array(); }), "'steps' is empty"));
    CHECK(has(refusal_of([](json& lesson) { lesson["cases"] = json::array(); }), "'cases' is empty"));
    CHECK(has(refusal_of([](json& lesson) { lesson["hints"].erase("values"); }), "'hints' has no 'values'"));
    CHECK(has(refusal_of([](json& lesson) { lesson["hints"].erase("masked/missing"); }),
              "'hints' has no 'masked/missing'"));
}
