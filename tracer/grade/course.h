#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/options.h"

namespace glassbox::tracer {

// The limits of a submission. There is always one; a course may set others.
struct Limits {
    double seconds = 10;    // from its start to its end, compiling included, waiting for a processor not
    double memory = 1024;   // MiB, of all its processes together
    double file_size = 16;  // MiB, of a submission and of any file that it writes
    double processes = 64;
    double output = 64;  // KiB, of what is kept of what it prints; after 17 times as much it is stopped
};

// One thing that every student submits.
struct CourseTask {
    enum class Kind { lesson_cpp, lesson_python, arrays, function };

    std::string name;
    double points = 1;
    Kind kind = Kind::arrays;
    std::string file;                       // the submission's name in the student's folder
    std::string lesson;                     // "01"
    Arguments layer;                        // "multihead", "--heads", "2"
    std::string function;                   // of a Python file
    std::vector<std::string> returns;       // the steps that it returns; empty: the layer's result
    bool only_last = false;                 // only the last step counts
    std::map<std::string, double> weights;  // of the steps that count; empty: all equal
    double at_most = 1;                     // the share of the points where the result is wrong

    bool runs_code() const { return kind != Kind::arrays; }
    bool runs_python() const { return runs_code() && kind != Kind::lesson_cpp; }
};

struct Course {
    std::string file;  // as messages name it; empty for a single lesson
    std::string title;
    std::uint64_t seed = 1;
    Limits limits;
    std::vector<CourseTask> tasks;
};

// From a course.json. Throws FileError with the file, the key, the rule and what it has.
Course read_course(const std::filesystem::path& file);
// A single lesson, submitted as this file. Throws UsageError for another number or file.
Course course_of_lesson(const std::string& number, const std::string& file);

// The student's own seed for this task's inputs, below `seeds`.
inline constexpr std::uint64_t seeds = 1000000000;
std::uint64_t seed_of(const Course& course, const CourseTask& task, const std::string& student);

}  // namespace glassbox::tracer
