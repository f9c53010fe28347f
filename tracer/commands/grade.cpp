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

// For an option that may be repeated, each for another file (cli/options.cpp).
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

struct GradeFlags {
    std::string folder;
    fs::path course, lessons, checks, gradescope, feedback, figure;
    OutputFiles outputs;
    std::string lesson, file = "exercise.cpp", student;
    index_t seed = 1;
    bool hand_out = false, is_trial = false, trust = false, expected = false;
    std::optional<MarksFormat> format;
};

void declare(Options& o, GradeFlags& flags) {
    o.argument("FOLDER", flags.folder, {.help = "A folder with a folder for each student"});
    o.group("Course");
    o.value("--course", flags.course,
            {.help = "The course's tasks", .default_text = "FOLDER/course.json", .endings = {".json"}});
    o.value("--lesson", flags.lesson,
            {.help = "Grade one lesson alone, without a course.json", .value_name = "NN"});
    o.value("--file", flags.file, {.help = "With --lesson: the name of the submitted file, .cpp or .py"});
    o.value("--seed", flags.seed, {.help = "With --lesson: seed of every student's own inputs", .min = 0});
    o.value("--student", flags.student, {.help = "Grade this student only", .value_name = "NAME"});
    o.flag("--hand-out", flags.hand_out,
           "Write each student's own inputs, without answers, instead of grading");
    o.flag("--try", flags.is_trial,
           "Grade trial submissions (right, empty, inputs, zeros) instead of students' work");
    o.group("Submitted code");
    o.flag("--trust", flags.trust, "Run it without a sandbox, under the course's limits only");
    o.value("--lessons", flags.lessons,
            {.help = "The folder of the lessons", .default_text = "the repository's"});
    o.value("--checks", flags.checks,
            {.help = "The folder of the programs that check them, NN/check",
             .default_text = "next to this program"});
    o.group("Output");
    o.value("--format", flags.format,
            {.help = "Output format", .default_text = "by the extension of -o, else text"});
    o.value("-o,--output", flags.outputs,
            {.help = "Write to this file instead of standard output; may be repeated",
             .endings = {".csv", ".json", ".xml", ".txt"}});
    o.value("--feedback", flags.feedback,
            {.help = "Write each student's feedback to FOLDER/<student>.txt", .value_name = "FOLDER"});
    o.value("--gradescope", flags.gradescope,
            {.help = "Write Gradescope's FOLDER/<student>/results.json; with --student FOLDER/results.json",
             .value_name = "FOLDER"});
    o.value("--figure", flags.figure,
            {.help = "Draw the class's marks and mistakes", .endings = figure_endings(), .writes = true});
    o.flag("--show-expected", flags.expected, "Show expected numbers, for self-study");
}

Course course_of(const GradeFlags& flags, const Options& options) {
    for (const char* flag : {"--file", "--seed"})
        if (flags.lesson.empty() && options.given(flag))
            fail<UsageError>("{}: requires --lesson; a course.json sets it for each task", flag);
    if (flags.lesson.empty())
        return read_course(flags.course.empty() ? fs::path(flags.folder) / "course.json" : flags.course);
    if (!flags.course.empty()) fail<UsageError>("--lesson: cannot be combined with --course");
    Course course = course_of_lesson(flags.lesson, flags.file);
    course.seed = static_cast<std::uint64_t>(flags.seed);
    return course;
}

// Otherwise the next run would take it for a student's folder, or a student's link would lead elsewhere.
void check_folder(const char* option, const fs::path& written, const std::string& folder) {
    if (!written.empty() && lies_in(written, folder))
        fail<UsageError>("{} {}: expected a folder outside {}, whose folders are the students'", option,
                         written.string(), folder);
}

// Nothing is written over the course or among the submissions.
void check_file(const char* option, const fs::path& written, const GradeFlags& flags) {
    if (written.empty() || written == "-") return;
    check_not_read(option, written,
                   flags.course.empty() ? fs::path(flags.folder) / "course.json" : flags.course);
    const fs::path parent = place_of(written).parent_path();
    if (lies_in(parent, flags.folder) && parent != place_of(flags.folder))
        fail<UsageError>("{}: {} is in a student's folder; choose a file elsewhere", option,
                         display_name(written));
}

void write_in(const fs::path& folder, const std::string& name, const std::string& text) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) fail<IoError>("{}: cannot create the folder: {}", display_name(folder), error.message());
    write_file_atomically(folder / name, text);
}

void write_for_student(const GradeFlags& flags, const StudentMarks& student) {
    if (!flags.feedback.empty()) write_in(flags.feedback, student.student + ".txt", feedback_text(student));
    if (flags.gradescope.empty()) return;
    // Gradescope grades one submission at a time, and looks for this file.
    const fs::path folder = flags.student.empty() ? flags.gradescope / student.student : flags.gradescope;
    write_in(folder, "results.json", gradescope_json(student));
}

// A file that cannot be written (a bad name, say) does not affect the others.
void write_for_students(const GradeFlags& flags, const std::vector<StudentMarks>& marks) {
    std::string failed;
    for (const StudentMarks& student : marks) try {
            write_for_student(flags, student);
        } catch (const Error& error) {
            if (failed.empty()) failed = error.what();
        }
    if (!failed.empty()) fail<IoError>("{}", failed);
}

// The failure is not a student's fault: some marks are missing.
void check_all_were_graded(const std::vector<StudentMarks>& marks) {
    std::size_t failed = 0;
    std::string first;
    for (const StudentMarks& student : marks)
        for (const TaskMark& task : student.tasks)
            if (task.has_failed && failed++ == 0)
                first = fmt::format("{}, {}: {}", student.student, task.task, task.found.problem);
    if (failed > 0)
        fail<IoError>("{} could not be graded, and {} no points yet; the first, {}",
                      glassbox::counted(static_cast<index_t>(failed), "submission"),
                      failed == 1 ? "has" : "have", printable(first));
}

// The target; empty is standard output.
std::vector<fs::path> files_of(const GradeFlags& flags) {
    return flags.outputs.files.empty() ? std::vector<fs::path>{""} : flags.outputs.files;
}

void deliver_to_all(const GradeFlags& flags, const std::string& text) {
    for (const fs::path& file : files_of(flags)) deliver(text, file.string());
}

void try_it(const GradeRequest& request, const GradeFlags& flags) {
    const std::vector<StudentMarks> trial = grade_trial(request);
    deliver_to_all(flags, trial_text(request.course, trial, drawn_text(request)));
    check_all_were_graded(trial);
    if (!is_sound(trial)) throw CheckFailed{};
}

void run(const GradeFlags& flags, const Options& options) {
    if (flags.folder.empty()) fail<UsageError>("grade: expected a folder that contains one for each student");
    if (!is_folder(flags.folder)) fail<IoError>("{}: there is no such folder", flags.folder);
    for (const char* flag : {"--feedback", "--gradescope", "--figure", "--format", "--show-expected"})
        if ((flags.hand_out || flags.is_trial) && options.given(flag))
            fail<UsageError>("{}: requires students' marks, and {} gives none", flag,
                             flags.hand_out ? "--hand-out" : "--try");
    check_folder("--feedback", flags.feedback, flags.folder);
    check_folder("--gradescope", flags.gradescope, flags.folder);
    for (const fs::path& file : flags.outputs.files) check_file("-o", file, flags);
    check_file("--figure", flags.figure, flags);
    if (!flags.figure.empty()) check_figure_file(flags.figure.string());
    for (const fs::path& file : flags.outputs.files) (void)marks_format(flags.format, file);
    const GradeRequest request{
        flags.folder,  course_of(flags, options), {flags.lessons, flags.checks}, flags.student, flags.trust,
        flags.expected};
    listen_for_signals();  // not before: a course that is a pipe may be waited for, and Ctrl-C ends that
    if (flags.hand_out) return deliver_to_all(flags, hand_out(request));
    if (flags.is_trial) return try_it(request, flags);
    const std::vector<StudentMarks> marks = grade_class(request);
    for (const fs::path& file : files_of(flags))
        deliver(marks_in(marks_format(flags.format, file), request.course, marks), file.string());
    if (!flags.figure.empty()) write_figure(class_figure(request.course, marks), flags.figure.string());
    write_for_students(flags, marks);
    check_all_were_graded(marks);
}

// A signal stops what runs and removes its folders; files being written are completed.
void run_until_signal(const GradeFlags& flags, const Options& options) {
    try {
        run(flags, options);
    } catch (const Interrupted&) {
        say(fmt::format("stopped by {}{}\n", signal_name(caught_signal()),
                        flags.hand_out ? "" : "; no marks are written"));
    }
    if (caught_signal()) end_by_signal(caught_signal());
}

}  // namespace

Command grade() {
    Command command{
        .order = 117,
        .name = "grade",
        .summary = "Grades a class: marks by step, the mistakes made, feedback for every student.",
        .examples = {{"tracer grade class", "What class/course.json asks for, from each folder in class/."},
                     {"tracer grade class --lesson 01", "The exercise.cpp of lesson 01 in each folder."},
                     {"tracer grade class -o marks.csv --feedback feedback --figure class.svg",
                      "A table for a spreadsheet, a file for each student, and a drawing of the class."}}};
    return command_with<GradeFlags>(std::move(command), declare, run_until_signal);
}

}  // namespace glassbox::tracer::commands
