#include "lesson_json.h"

#include <nlohmann/json.hpp>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace lesson {

using glassbox::fail;
using glassbox::FileError;

namespace {

void read_fields(const nlohmann::json& json, Lesson& lesson) {
    json.at("title").get_to(lesson.title);
    json.at("steps").get_to(lesson.steps);
    for (const nlohmann::json& one : json.at("cases"))
        lesson.cases.push_back({one.at("name"), one.at("title")});
    json.at("hints").get_to(lesson.hints);
    if (json.contains("python")) json.at("python").get_to(lesson.python_hints);
    json.at("passed").get_to(lesson.passed);
}

}  // namespace

const std::string& Lesson::hint(const std::string& key) const {
    const std::size_t slash = std::min(key.rfind('/'), key.size() - 1);
    for (const std::string& name : {key, key.substr(0, slash), key.substr(slash + 1)})
        if (const auto found = hints.find(name); found != hints.end()) return found->second;
    fail("{}: there is no hint '{}'", (folder / "lesson.json").string(), key);
}

Lesson read_lesson(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / "lesson.json";
    const glassbox::Bytes bytes = glassbox::read_file(file);
    Lesson lesson;
    lesson.folder = folder;
    lesson.number = folder.filename().string().substr(0, 2);
    try {
        read_fields(nlohmann::json::parse(bytes.begin(), bytes.end()), lesson);
    } catch (const nlohmann::json::exception& error) {
        fail<FileError>("{}: {}", file.string(), glassbox::printable(error.what()));
    }
    if (lesson.steps.empty()) fail<FileError>("{}: 'steps' is empty", file.string());
    if (lesson.cases.empty()) fail<FileError>("{}: 'cases' is empty", file.string());
    for (const std::string& step : lesson.steps)
        for (const std::string& key : {step, step + "/missing"})
            if (!lesson.hints.count(key))
                fail<FileError>("{}: 'hints' has no '{}'", file.string(), glassbox::printable(key));
    return lesson;
}

}  // namespace lesson
