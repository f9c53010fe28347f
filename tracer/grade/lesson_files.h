#pragma once
#include <filesystem>
#include <string>

namespace glassbox::tracer {

// A lesson, the program that checks it, and the one that only calls an exercise.
struct LessonFiles {
    std::filesystem::path folder;   // lessons/01-scaled-dot-product
    std::filesystem::path support;  // lessons/support
    std::filesystem::path check;    // build/release/lessons/01/check
    std::filesystem::path collect;  // and 01/collect beside it: no right number is in it
};

// Where lessons are: the folder with 01-… and support, and that with 01/check. Empty: next to this program,
// as in a build of the repository.
struct LessonPlaces {
    std::filesystem::path lessons, checks;
};

// Throws UsageError with what is missing and how it is built.
LessonFiles lesson_files(const LessonPlaces& places, const std::string& number);

// This program's own path.
std::string own_program();

}  // namespace glassbox::tracer
