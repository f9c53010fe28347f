#include "cli/command.h"

#include <filesystem>
#include <optional>

#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

#include "cli/failure.h"
#include "cli/output.h"
#include "figures/draw.h"
#include "grade/class_report.h"
#include "grade/grade_class.h"
#include "grade/outputs.h"
#include "grade/process.h"
#include "grade/trial.h"

// Grades a class: tracer grade FOLDER, with a folder for each student in it.
namespace glassbox::tracer {

// Of an option that may be repeated, each for another file (cli/options.cpp).
struct OutputFiles {
    std::vector<std::filesystem::path> files;
};

template <>
struct OptionValue<OutputFiles> {
    static constexpr const char* value_name = "FILE";
    static OutputFiles parse(const Typed& typed) {
        OutputFiles all;
        std::string_view left = typed.text;
        while (!left.empty()) {
            const std::size_t end = std::min(left.find('\0'), left.size());
            all.files.emplace_back(left.substr(0, end));
            left.remove_prefix(std::min(end + 1, left.size()));
        }
        return all;
    }
    static std::string text(const OutputFiles& all) {
        return all.files.empty() ? "" : all.files.back().string();
    }
    static Values values(const OptionInfo& about) { return {.is_list = true, .endings = about.endings}; }
};

}  // namespace glassbox::tracer

namespace glassbox::tracer::commands {
namespace {

namespace fs = std::filesystem;

struct Own {
    std::string folder;
    fs::path course, lessons, checks, gradescope, feedback, figure;
    OutputFiles outputs;
    std::string lesson, file = "exercise.cpp", student;
    index_t seed = 1;
    bool hand_out = false, is_trial = false, trust = false, expected = false;
    std::optional<MarksFormat> format;
};

void declare(Options& o, Own& own) {
    o.argument("FOLDER", own.folder, {.help = "A folder with a folder for each student"});
    o.group("Course");
    o.value("--course", own.course,
            {.help = "The course's tasks", .default_text = "FOLDER/course.json", .endings = {".json"}});
    o.value("--lesson", own.lesson,
            {.help = "Grade one lesson alone, without a course.json", .value_name = "NN"});
    o.value("--file", own.file,
            {.help = "With --lesson: the name of what is handed in, a .cpp or a .py file"});
    o.value("--seed", own.seed,
            {.help = "With --lesson: what every student's own inputs are drawn from", .min = 0});
    o.value("--student", own.student, {.help = "Grade this student only", .value_name = "NAME"});
    o.flag("--hand-out", own.hand_out,
           "Write each student's own inputs, without answers, instead of grading");
    o.flag("--try", own.is_trial,
           "Grade hand-ins of its own, right, empty, of inputs and of zeros, instead of students' work");
    o.group("Code that is handed in");
    o.flag("--trust", own.trust, "Run it without a sandbox, under the course's limits only");
    o.value("--lessons", own.lessons,
            {.help = "The folder of the lessons", .default_text = "the repository's"});
    o.value("--checks", own.checks,
            {.help = "The folder of the programs that check them, NN/check",
             .default_text = "beside this program"});
    o.group("Output");
    o.value("--format", own.format,
            {.help = "Output format", .default_text = "by the extension of -o, else text"});
    o.value("-o,--output", own.outputs,
            {.help = "Write to this file instead of standard output; again, to another one, too",
             .endings = {".csv", ".json", ".xml", ".txt"}});
    o.value("--feedback", own.feedback,
            {.help = "Write what each student is told to FOLDER/<student>.txt", .value_name = "FOLDER"});
    o.value("--gradescope", own.gradescope,
            {.help = "Write Gradescope's FOLDER/<student>/results.json; with --student FOLDER/results.json",
             .value_name = "FOLDER"});
    o.value("--figure", own.figure,
            {.help = "Draw the class's marks and mistakes", .endings = figure_endings(), .writes = true});
    o.flag("--show-expected", own.expected, "Show right numbers, for self-study");
}

Course course_of(const Own& own, const Options& options) {
    for (const char* flag : {"--file", "--seed"})
        if (own.lesson.empty() && options.given(flag))
            fail<UsageError>("{}: goes with --lesson; a course.json says it for each task", flag);
    if (own.lesson.empty())
        return read_course(own.course.empty() ? fs::path(own.folder) / "course.json" : own.course);
    if (!own.course.empty()) fail<UsageError>("--lesson: not together with --course");
    Course course = course_of_lesson(own.lesson, own.file);
    course.seed = static_cast<std::uint64_t>(own.seed);
    return course;
}

// Otherwise the next run would take it for a student's folder, or a student's link would lead elsewhere.
void check_folder(const char* option, const fs::path& written, const std::string& folder) {
    if (!written.empty() && lies_in(written, folder))
        fail<UsageError>("{} {}: a folder outside {} is needed, whose folders are the students'", option,
                         written.string(), folder);
}

// Nor is anything written over the course, or among what students handed in.
void check_file(const char* option, const fs::path& written, const Own& own) {
    if (written.empty() || written == "-") return;
    check_not_read(option, written, own.course.empty() ? fs::path(own.folder) / "course.json" : own.course);
    const fs::path parent = place_of(written).parent_path();
    if (lies_in(parent, own.folder) && parent != place_of(own.folder))
        fail<UsageError>("{}: {} is in a student's folder; a file outside of these is needed", option,
                         display_name(written));
}

void write_in(const fs::path& folder, const std::string& name, const std::string& text) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) fail<IoError>("{}: cannot create the folder: {}", display_name(folder), error.message());
    write_file_atomically(folder / name, text);
}

void write_for_student(const Own& own, const StudentMarks& student) {
    if (!own.feedback.empty()) write_in(own.feedback, student.student + ".txt", feedback_text(student));
    if (own.gradescope.empty()) return;
    // Gradescope grades one hand-in at a time, and looks for this file.
    const fs::path folder = own.student.empty() ? own.gradescope / student.student : own.gradescope;
    write_in(folder, "results.json", gradescope_json(student));
}

// Of a file that cannot be written, by its name say, the others hear nothing.
void write_for_students(const Own& own, const std::vector<StudentMarks>& marks) {
    std::string failed;
    for (const StudentMarks& student : marks) try {
            write_for_student(own, student);
        } catch (const Error& error) {
            if (failed.empty()) failed = error.what();
        }
    if (!failed.empty()) fail<IoError>("{}", failed);
}

// What failed is no student's fault: the marks that were written are not all that there should be.
void check_all_were_graded(const std::vector<StudentMarks>& marks) {
    std::size_t failed = 0;
    std::string first;
    for (const StudentMarks& student : marks)
        for (const TaskMark& task : student.tasks)
            if (task.has_failed && failed++ == 0)
                first = fmt::format("{}, {}: {}", student.student, task.task, task.found.problem);
    if (failed > 0)
        fail<IoError>("{} could not be graded, and {} no points yet; the first, {}",
                      glassbox::counted(static_cast<index_t>(failed), "hand-in"),
                      failed == 1 ? "has" : "have", printable(first));
}

// Where to; nowhere is standard output.
std::vector<fs::path> files_of(const Own& own) {
    return own.outputs.files.empty() ? std::vector<fs::path>{""} : own.outputs.files;
}

void deliver_to_all(const Own& own, const std::string& text) {
    for (const fs::path& file : files_of(own)) deliver(text, file.string());
}

void try_it(const GradeRequest& request, const Own& own) {
    const std::vector<StudentMarks> trial = grade_trial(request);
    deliver_to_all(own, trial_text(request.course, trial, drawn_text(request)));
    check_all_were_graded(trial);
    if (!is_sound(trial)) throw CheckFailed{};
}

void run(const Own& own, const Options& options) {
    if (own.folder.empty())
        fail<UsageError>("grade: a folder expected, with a folder for each student in it");
    if (!is_folder(own.folder)) fail<IoError>("{}: there is no such folder", own.folder);
    for (const char* flag : {"--feedback", "--gradescope", "--figure", "--format", "--show-expected"})
        if ((own.hand_out || own.is_trial) && options.given(flag))
            fail<UsageError>("{}: goes with students' marks, and {} gives none", flag,
                             own.hand_out ? "--hand-out" : "--try");
    check_folder("--feedback", own.feedback, own.folder);
    check_folder("--gradescope", own.gradescope, own.folder);
    for (const fs::path& file : own.outputs.files) check_file("-o", file, own);
    check_file("--figure", own.figure, own);
    if (!own.figure.empty()) check_figure_file(own.figure.string());
    for (const fs::path& file : own.outputs.files) (void)marks_format(own.format, file);
    const GradeRequest request{
        own.folder, course_of(own, options), {own.lessons, own.checks}, own.student, own.trust, own.expected};
    listen_for_signals();  // not before: a course that is a pipe may be waited for, and Ctrl-C ends that
    if (own.hand_out) return deliver_to_all(own, hand_out(request));
    if (own.is_trial) return try_it(request, own);
    const std::vector<StudentMarks> marks = grade_class(request);
    for (const fs::path& file : files_of(own))
        deliver(marks_in(marks_format(own.format, file), request.course, marks), file.string());
    if (!own.figure.empty()) write_figure(class_figure(request.course, marks), own.figure.string());
    write_for_students(own, marks);
    check_all_were_graded(marks);
}

// A signal stops what runs and removes the folders that were made for it; files that are being written are
// written to their ends.
void run_until_signal(const Own& own, const Options& options) {
    try {
        run(own, options);
    } catch (const Interrupted&) {
        say(fmt::format("stopped by {}{}\n", signal_name(caught_signal()),
                        own.hand_out ? "" : "; no marks are written"));
    }
    if (caught_signal()) end_by_signal(caught_signal());
}

}  // namespace

Command grade() {
    Command command{
        .order = 117,
        .name = "grade",
        .summary = "Grades a class: marks by step, the mistakes that were made, feedback for everybody.",
        .examples = {{"tracer grade class", "What class/course.json asks for, from each folder in class/."},
                     {"tracer grade class --lesson 01", "The exercise.cpp of lesson 01 in each folder."},
                     {"tracer grade class -o marks.csv --feedback feedback --figure class.svg",
                      "A table for a spreadsheet, a file for each student, and a drawing of the class."}}};
    return command_with<Own>(std::move(command), declare, run_until_signal);
}

}  // namespace glassbox::tracer::commands
