#include "fuzz/fuzz.h"
#include "grade/course.h"
#include "grade/run_code.h"

using namespace glassbox::tracer;

namespace {

void read(std::string_view json) {
    const Course course = read_course(glassbox_fuzz::folder().put("course.json", json));
    for (const CourseTask& task : course.tasks) {
        const bool leads_out = task.file.find('/') != task.file.npos || task.file.starts_with(".");
        if (leads_out) glassbox_fuzz::broken("a submission is in its student's folder", task.file);
        if (seed_of(course, task, "student") >= seeds)
            glassbox_fuzz::broken("a seed is too large", task.name);
    }
}

// What a student's code sent back from the sandbox.
void hear(std::string_view sent) {
    CourseTask task;
    task.file = "exercise.cpp";
    for (const char* lesson : {"", "01"}) {
        task.lesson = lesson;
        RunResult ran;
        ran.result = ran.printed = sent;
        const CodeResult result = result_of(ran, task);
        if (result.arrays.size() + result.other_arrays.size() + result.stopped.size() > sent.size())
            glassbox_fuzz::broken("no more than was sent", sent);
    }
}

}  // namespace

// A course.json, or what code sent: "C" and its arrays.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = glassbox_fuzz::text_of(data, size);
    if (text.starts_with('C')) hear(text);
    else glassbox_fuzz::refuse_or([&] { read(text); });
    return 0;
}
