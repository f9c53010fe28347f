#pragma once
#include <nlohmann/json.hpp>

#include "../tracer/command.h"
#include "support/catch.h"
#include "tracer/grade/run_code.h"
#include "tracer/grade/sandbox.h"

// A class in a temporary folder, and what tracer grade says of it.
namespace glassbox_test {

namespace fs = std::filesystem;

// A system without what a test is about is skipped, and counted as such.
inline void need_sandbox() {
    if (const std::string why = glassbox::tracer::Sandbox::problem(); !why.empty()) SKIP(why);
}
inline void need_numpy() {
    need_sandbox();
    try {
        glassbox::tracer::try_python(glassbox::tracer::Sandbox::find(false), glassbox::tracer::Limits{});
    } catch (const glassbox::IoError& error) {
        SKIP(error.what());
    }
}

class Class {
  public:
    explicit Class(const std::string& course = "") {
        if (!course.empty()) write(folder_ / "course.json", course);
    }

    std::string path() const { return folder_ / "."; }
    std::string operator/(const std::string& name) const { return folder_ / name; }
    void submit(const std::string& student, const std::string& file, const std::string& bytes) const {
        fs::create_directories(folder_ / student);
        write(folder_ / student + "/" + file, bytes);
    }

    Ran grade(const std::string& options = "") const {
        std::vector<std::string> all{"grade", path()};
        for (const std::string& word : words(options)) all.push_back(word);
        return run_program(all);
    }
    // By the student's name, then by the task's.
    nlohmann::json graded(const std::string& options = "") const {
        const Ran ran = grade("--format json " + options);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        const nlohmann::json all = nlohmann::json::parse(ran.out);
        nlohmann::json found;
        for (const auto& student : all["students"])
            for (const auto& task : student["tasks"])
                found[student["student"].get<std::string>()][task["task"].get<std::string>()] = task;
        return found;
    }

  private:
    Folder folder_;
};

}  // namespace glassbox_test
