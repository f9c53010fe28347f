#include "grade/grade_class.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <mutex>
#include <optional>
#include <thread>

#include <glassbox/backend/parallel.h>
#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/failure.h"
#include "cli/heartbeat.h"
#include "cli/nearest.h"
#include "grade/judge.h"
#include "grade/scratch.h"

namespace glassbox::tracer {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> students_of(const GradeRequest& request) {
    std::vector<std::string> all = students_in(request.folder);
    if (all.empty())
        fail<IoError>("{}: contains no folders, and each student's work is in one", request.folder.string());
    if (request.student.empty()) return all;
    if (std::find(all.begin(), all.end(), request.student) == all.end())
        fail<UsageError>("--student: {} has no folder '{}'{}", request.folder.string(),
                         printable(request.student), did_you_mean(request.student, all));
    return {request.student};
}

// The lesson's exercise in the other language, if it was submitted.
std::string instead_of(const GradeRequest& request, const CourseTask& task, const std::string& student) {
    if (task.lesson.empty()) return "";
    fs::path other = task.file;
    other.replace_extension(task.kind == CourseTask::Kind::lesson_python ? ".cpp" : ".py");
    std::error_code error;
    return fs::is_regular_file(fs::symlink_status(request.folder / student / other, error)) ? other.string()
                                                                                            : "";
}

// A student's files by their names below the folder, also one folder down: as course systems unpack
// submissions.
std::vector<std::string> files_of(const fs::path& folder) {
    constexpr std::size_t max_files = 200;
    std::vector<std::string> names;
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error), end;
    for (; !error && entry != end && names.size() < max_files; entry.increment(error)) {
        if (entry.depth() > 0) entry.disable_recursion_pending();
        std::error_code unknown;
        if (fs::is_regular_file(entry->symlink_status(unknown)))
            names.push_back(entry->path().lexically_relative(folder).string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

// "attention.py" of "hw1/Attention (2).py.txt".
std::string plain_name(const std::string& file) {
    std::string name = fs::path(file).filename().string();
    if (name.ends_with(".txt")) name.resize(name.size() - 4);
    const std::size_t bracket = name.find(" ("), after = name.find(')');
    if (bracket != name.npos && after != name.npos && after > bracket)
        name.erase(bracket, after + 1 - bracket);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
}

// "; is it Attention.py?", of a file with nearly this name.
std::string near_file(const fs::path& folder, const std::string& file) {
    const std::vector<std::string> files = files_of(folder);
    const std::string wanted = plain_name(file);
    for (const std::string& each : files)
        if (plain_name(each) == wanted) return fmt::format("; is it {}?", printable(each));
    std::vector<std::string> names;
    for (const std::string& each : files)
        if (fs::path(each).extension() == fs::path(file).extension()) names.push_back(plain_name(each));
    const std::string near = nearest(wanted, names);
    for (const std::string& each : files)
        if (!near.empty() && plain_name(each) == near) return fmt::format("; is it {}?", printable(each));
    const fs::path notebook = fs::path(file).stem().string() + ".ipynb";
    if (std::any_of(files.begin(), files.end(), [&](const std::string& each) {
            return plain_name(each) == plain_name(notebook.string());
        }))
        return fmt::format("; there is {}, and a notebook is not read: export it as {}", notebook.string(),
                           file);
    return "";
}

Judged missing(const GradeRequest& request, const CourseTask& task, const std::string& student,
               std::string problem) {
    const std::string instead = instead_of(request, task, student);
    if (!instead.empty()) problem += ", but there is " + instead;
    else problem += near_file(request.folder / student, task.file);
    return {std::move(problem), "", {}, {}, true, instead};
}

Judged judged_code(const GradeRequest& request, const CourseTask& task, const Submission& submission,
                   const TaskInputs& inputs, const Sandbox& sandbox) {
    const CodeResult work = run_code(request.course, task, submission, inputs, request.places, sandbox);
    if (!work.problem.empty()) return {work.problem, work.detail, {}, {}};
    if (task.lesson.empty())
        return judge_function(request.course, task, inputs, work.arrays, request.expected);
    return judge_lesson(request.course, task, inputs, work, request.places, request.expected);
}

Judged judged(const GradeRequest& request, const CourseTask& task, const std::string& student,
              const std::optional<Sandbox>& sandbox) {
    const Submission submission =
        read_submission(request.folder, student, task.file, request.course.limits.file_size);
    if (submission.is_missing) return missing(request, task, student, submission.problem);
    if (!submission.problem.empty()) return {submission.problem, "", {}, {}};
    const ScratchFolder scratch;
    const TaskInputs inputs = make_inputs(request.course, task, student, request.places, scratch.path());
    if (!task.runs_code())
        return judge_arrays(request.course, task, inputs, submission.bytes, request.expected);
    Judged found = judged_code(request, task, submission, inputs, *sandbox);
    if (!inputs.has_other || !is_all_right(found)) return found;
    const ScratchFolder second;
    return judged_code(request, task, submission,
                       make_inputs(request.course, task, student, request.places, second.path(), true),
                       *sandbox);
}

TaskMark graded(const GradeRequest& request, const CourseTask& task, const std::string& student,
                const std::optional<Sandbox>& sandbox) {
    const auto not_graded = [&](const char* why) {  // a full disk, say: the others go on
        TaskMark none = mark(task, {std::string("it cannot be graded: ") + why, "", {}, {}});
        none.has_failed = true;
        return none;
    };
    try {
        return mark(task, judged(request, task, student, sandbox));
    } catch (const Error& error) {
        return not_graded(error.what());
    } catch (const std::bad_alloc&) {
        return not_graded("out of memory");
    } catch (const fs::filesystem_error& error) {
        return not_graded((display_name(error.path1()) + ": " + error.code().message()).c_str());
    }
}

// A misspelt step of the course is reported before any work is graded.
void check_steps(const GradeRequest& request, const CourseTask& task, const TaskInputs& inputs) {
    std::vector<std::string> asked = task.returns;
    for (const auto& [name, weight] : task.weights) asked.push_back(name);
    if (asked.empty()) return;
    const std::vector<std::string> names = step_names(task, inputs, request.places);
    for (const std::string& name : asked)
        if (std::find(names.begin(), names.end(), name) == names.end())
            fail<FileError>("{}: task '{}': {}: there is no step '{}'; the steps are {}{}",
                            request.course.file, task.name, task.weights.count(name) ? "steps" : "returns",
                            printable(name), fmt::join(names, ", "), did_you_mean(name, names));
}

// Calls work(i) for 0 … count − 1 on all cores. The first exception ends it, and is thrown.
template <class Work>
void on_all_cores(std::size_t count, Work work) {
    std::atomic<std::size_t> next = 0;
    std::mutex saying;
    std::size_t done = 0;
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    on_threads(static_cast<int>(std::min(cores, count)) - 1, [&] {
        for (std::size_t i; (i = next++) < count;) try {
                work(i);
                const std::lock_guard lock(saying);
                Activity::done(static_cast<index_t>(++done));
            } catch (...) {
                next = count;
                throw;
            }
    });
}

}  // namespace

void try_course(const GradeRequest& request) {
    for (const CourseTask& task : request.course.tasks) {
        const ScratchFolder scratch;
        check_steps(request, task, make_inputs(request.course, task, "", request.places, scratch.path()));
        const char* program = task.kind == CourseTask::Kind::lesson_cpp ? "/usr/bin/c++" : "/usr/bin/python3";
        if (task.runs_code() && !fs::exists(program))
            fail<IoError>("task '{}': {} is needed but missing", task.name, program);
    }
}

std::vector<StudentMarks> grade_class(const GradeRequest& request) {
    const std::vector<std::string> students = students_of(request);
    const std::vector<CourseTask>& tasks = request.course.tasks;
    std::optional<Sandbox> sandbox;
    if (std::any_of(tasks.begin(), tasks.end(), [](const CourseTask& task) { return task.runs_code(); }))
        sandbox = Sandbox::find(request.trust);
    try_course(request);
    if (std::any_of(tasks.begin(), tasks.end(), [](const CourseTask& task) { return task.runs_python(); }))
        try_python(*sandbox, request.course.limits);
    std::vector<StudentMarks> marks;
    for (const std::string& student : students)
        marks.push_back({student, std::vector<TaskMark>(tasks.size())});
    const std::size_t count = students.size() * tasks.size();
    const Activity doing("grading", static_cast<index_t>(count));
    on_all_cores(count, [&](std::size_t i) {
        if (caught_signal()) throw Interrupted();
        const std::size_t student = i / tasks.size(), task = i % tasks.size();
        marks[student].tasks[task] = graded(request, tasks[task], students[student], sandbox);
    });
    return marks;
}

std::string hand_out(const GradeRequest& request) {
    std::string text;
    try_course(request);
    for (const CourseTask& task : request.course.tasks) {
        if (task.kind != CourseTask::Kind::arrays) continue;
        const std::string name = task.name + "-inputs.npz";
        std::string about;
        for (const std::string& student : students_of(request)) {
            const ScratchFolder scratch;
            const TaskInputs inputs =
                make_inputs(request.course, task, student, request.places, scratch.path());
            write_for_student(request.folder, student, name, glassbox::as_text(read_file(inputs.file)));
            text += fmt::format("{}\n", (request.folder / student / name).string());
            about = fmt::format("{}: to be computed as {}, and submitted as {}\n   {}\n", task.name,
                                layer_line(inputs), task.file, fmt::join(inputs.facts, "\n   "));
            write_for_student(request.folder, student, task.name + "-inputs.txt", about);
        }
        text += about;
    }
    if (text.empty()) fail<UsageError>("--hand-out: the course has no task whose arrays are submitted");
    return text;
}

}  // namespace glassbox::tracer
