#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/tensor/words.h>

#include "grade/mark.h"

namespace glassbox::tracer {

enum class MarksFormat { text, csv, json, junit };

// The format of --format, else by the extension of -o (.csv, .json, .xml), else text.
MarksFormat marks_format(std::optional<MarksFormat> format, const std::filesystem::path& output);

// A class's marks: a table and the mistakes that were made; a row a student; everything; a test case for each
// step.
std::string marks_text(const Course& course, const std::vector<StudentMarks>& marks);
std::string marks_csv(const Course& course, const std::vector<StudentMarks>& marks);
std::string marks_json(const Course& course, const std::vector<StudentMarks>& marks);
std::string marks_junit(const Course& course, const std::vector<StudentMarks>& marks);
std::string marks_in(MarksFormat format, const Course& course, const std::vector<StudentMarks>& marks);

// What the submissions of grade_trial() earn (grade/trial.h); `drawn`: what functions are called with.
std::string trial_text(const Course& course, const std::vector<StudentMarks>& trial,
                       const std::string& drawn = "");

// The report for one student: each task, its steps and its mistakes.
std::string feedback_text(const StudentMarks& student);
// The same for Gradescope: its results.json.
std::string gradescope_json(const StudentMarks& student);

}  // namespace glassbox::tracer

template <>
struct glassbox::EnumWords<glassbox::tracer::MarksFormat> {
    static constexpr const char* what = "format";
    static constexpr Word<glassbox::tracer::MarksFormat> all[] = {
        {glassbox::tracer::MarksFormat::text, "text"},
        {glassbox::tracer::MarksFormat::csv, "csv"},
        {glassbox::tracer::MarksFormat::json, "json"},
        {glassbox::tracer::MarksFormat::junit, "junit"}};
};
