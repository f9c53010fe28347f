#include "manifest.h"

#include <nlohmann/json.hpp>

#include <glassbox/io/detail/file.h>
#include <glassbox/tensor/format.h>

namespace lesson {

using glassbox::fail;
using glassbox::FileError;

namespace {

Lesson lesson_of(const nlohmann::json& entry) {
    Lesson lesson;
    entry.at("number").get_to(lesson.number);
    entry.at("title").get_to(lesson.title);
    entry.at("folder").get_to(lesson.folder);
    entry.at("steps").get_to(lesson.steps);
    entry.at("hints").get_to(lesson.hints);
    entry.at("passed").get_to(lesson.passed);
    for (const nlohmann::json& check : entry.at("checks"))
        lesson.cases.push_back({check.at("case"), check.at("title")});
    return lesson;
}

}  // namespace

const std::string& Lesson::hint(const std::string& key) const {
    const std::size_t slash = std::min(key.rfind('/'), key.size() - 1);
    for (const std::string& name : {key, key.substr(0, slash), key.substr(slash + 1)})
        if (const auto found = hints.find(name); found != hints.end()) return found->second;
    fail("lesson {}: the manifest has no hint '{}'", number, key);
}

std::vector<Lesson> read_manifest(const std::filesystem::path& file) {
    const glassbox::Bytes bytes = glassbox::read_file_whole(file);
    std::vector<Lesson> lessons;
    try {
        const nlohmann::json manifest = nlohmann::json::parse(bytes.begin(), bytes.end());
        for (const nlohmann::json& entry : manifest.at("lessons")) lessons.push_back(lesson_of(entry));
    } catch (const nlohmann::json::exception& error) {
        fail<FileError>("{}: {}", file.string(), error.what());
    }
    return lessons;
}

const Lesson& find_lesson(const std::vector<Lesson>& lessons, const std::string& name) {
    std::string list;
    for (const Lesson& lesson : lessons) {
        if (name == lesson.number || "0" + name == lesson.number || name == lesson.folder) return lesson;
        list += fmt::format("\n  {}  {}", lesson.number, lesson.title);
    }
    fail<glassbox::UsageError>("there is no lesson '{}'; the lessons are{}", name, list);
}

}  // namespace lesson
