#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace glassbox::tracer {

// The names of the students' folders in `folder`, in the order of their bytes. Hidden ones are left out.
std::vector<std::string> students_in(const std::filesystem::path& folder);

// A file that a student submitted. It is read once, and this copy is graded.
struct Submission {
    std::string bytes;
    std::string problem;  // why it is missing: "there is no exercise.cpp"; empty if it was read
    bool is_missing = false;
};
// Neither the student's folder nor the file may be a link: it could lead to another student's work.
Submission read_submission(const std::filesystem::path& folder, const std::string& student,
                           const std::string& file, double max_mib);

// Writes a file into a student's folder, whole or not at all. Neither the folder nor the file may be a link,
// also where they are exchanged for one meanwhile. Throws IoError.
void write_for_student(const std::filesystem::path& folder, const std::string& student,
                       const std::string& file, std::string_view bytes);

}  // namespace glassbox::tracer
