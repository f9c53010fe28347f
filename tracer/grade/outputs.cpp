#include "grade/outputs.h"

#include <algorithm>
#include <map>
#include <set>

#include <glassbox/io/json.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/number.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "grade/class_report.h"
#include "grade/trial.h"

namespace glassbox::tracer {

namespace {

std::string points_text(double points) { return fmt::format("{:.4g}", points); }

// 0 would be a mark: what could not be graded has none, and its student no total yet.
bool is_known(const StudentMarks& student) {
    return std::none_of(student.tasks.begin(), student.tasks.end(),
                        [](const TaskMark& task) { return task.has_failed; });
}
std::string points_text(const TaskMark& task) { return task.has_failed ? "–" : points_text(task.points); }
std::string points_text(const StudentMarks& student) {
    return is_known(student) ? points_text(student.points()) : "–";
}
JsonValue json_points(const TaskMark& task) { return task.has_failed ? nullptr : JsonValue(task.points); }
JsonValue json_points(const StudentMarks& student) {
    return is_known(student) ? JsonValue(student.points()) : nullptr;
}

constexpr JsonLayout below{"\n  ", "\n  "};  // the lines of a list

std::string padded(const std::string& text, int width) {
    return text + std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ');
}
std::string right_aligned(const std::string& text, int width) {
    return std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ') + text;
}

// A table whose first column is words and whose others are numbers.
std::string table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<int> widths(rows.front().size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    std::string text;
    for (const auto& row : rows) {
        text += padded(row[0], widths[0]);
        for (std::size_t i = 1; i < row.size(); ++i) text += "  " + right_aligned(row[i], widths[i]);
        text += "\n";
    }
    return text;
}

std::string marks_table(const Course& course, const std::vector<StudentMarks>& marks,
                        const char* who = "student") {
    std::vector<std::vector<std::string>> rows{{who}};
    for (const CourseTask& task : course.tasks) rows[0].push_back(printable(task.name));
    rows[0].push_back("total");
    for (const StudentMarks& student : marks) {
        std::vector<std::string> row{printable(student.student)};
        for (const TaskMark& task : student.tasks)
            row.push_back(task.found.problem.empty() ? points_text(task.points) : "–");
        row.push_back(points_text(student));
        rows.push_back(row);
    }
    std::vector<std::string> most{"of"};
    for (const CourseTask& task : course.tasks) most.push_back(points_text(task.points));
    most.push_back(marks.empty() ? "0" : points_text(marks.front().most()));
    rows.push_back(most);
    return table(rows);
}

// The first line of the compiler's or Python's message.
std::string first_detail(const Judged& found) {
    if (found.detail.empty()) return "";
    return "   " + shortened(printable(found.detail.substr(0, found.detail.find('\n'))), 110) + "\n";
}

bool is_missing(const StudentMarks& student, std::size_t task) {
    return student.tasks[task].found.is_missing;
}

// A file that no student has is usually the course's mistake: report it once.
bool has_nobody(const std::vector<StudentMarks>& marks, std::size_t task) {
    return marks.size() > 1 && std::all_of(marks.begin(), marks.end(), [&](const StudentMarks& student) {
               return is_missing(student, task);
           });
}

std::string nobody_text(const CourseTask& task, const std::vector<StudentMarks>& marks, std::size_t at) {
    std::string text = fmt::format("{}: no student has {}", printable(task.name), printable(task.file)),
                instead;
    index_t others = 0;
    for (const StudentMarks& student : marks)
        if (const std::string& other = student.tasks[at].found.instead; !other.empty())
            instead = other, ++others;
    if (others > 0)
        text += fmt::format(", and {} {} {}: --file {}, or \"file\" of the course, grades that",
                            counted(others, "student"), others == 1 ? "has" : "have", printable(instead),
                            printable(instead));
    return text + "\n";
}

std::string problems_text(const Course& course, const std::vector<StudentMarks>& marks) {
    std::string text;
    for (std::size_t at = 0; at < course.tasks.size(); ++at)
        if (has_nobody(marks, at)) text += nobody_text(course.tasks[at], marks, at);
    for (const StudentMarks& student : marks)
        for (const TaskMark& task : student.tasks)
            if (const auto at = static_cast<std::size_t>(&task - student.tasks.data());
                !task.found.problem.empty() && !has_nobody(marks, at))
                text += fmt::format("{}, {}: {}\n{}", printable(student.student), printable(task.task),
                                    printable(task.found.problem), first_detail(task.found));
    return text;
}

// What functions lack a parameter for, by task.
std::string without_text(const std::vector<StudentMarks>& marks) {
    std::map<std::string, std::size_t> students;
    for (const StudentMarks& student : marks)
        for (const TaskMark& task : student.tasks)
            if (!task.found.without.empty())
                ++students[fmt::format("{}, {}", printable(task.task), fmt::join(task.found.without, ", "))];
    std::string text;
    for (const auto& [what, count] : students) text += fmt::format("{:>3} × {}\n", count, what);
    return text;
}

// Mistakes in work that earns all points, by student and task.
std::string beside_text(const std::vector<StudentMarks>& marks) {
    std::string text;
    for (const StudentMarks& student : marks)
        for (const TaskMark& task : student.tasks)
            if (const std::vector<std::string> beside = wrong_beside(task); !beside.empty())
                text += fmt::format("{}, {}: {}\n", printable(student.student), printable(task.task),
                                    fmt::join(beside, ", "));
    return text;
}

// Of a task's existing submissions.
std::vector<const TaskMark*> judged_of(const std::vector<StudentMarks>& marks, std::size_t task) {
    std::vector<const TaskMark*> all;
    for (const StudentMarks& student : marks)
        if (const TaskMark& mark = student.tasks[task]; !mark.found.is_missing && !mark.has_failed)
            all.push_back(&mark);
    return all;
}

// The steps that count, and are right in no submission.
std::vector<std::string> steps_of_nobody(const std::vector<const TaskMark*>& judged) {
    std::vector<std::string> names;
    for (const StepMark& step : judged.front()->found.steps) {
        const bool is_of_nobody = std::all_of(judged.begin(), judged.end(), [&](const TaskMark* mark) {
            const std::vector<StepMark>& steps = mark->found.steps;
            return std::any_of(steps.begin(), steps.end(), [&](const StepMark& other) {
                return other.name == step.name && other.weight > 0 && !other.counts;
            });
        });
        if (is_of_nobody) names.push_back(printable(step.name));
    }
    return names;
}

// If no student is right, the task may ask for something other than its teacher means.
std::string doubts_text(const Course& course, const std::vector<StudentMarks>& marks) {
    std::string text;
    for (std::size_t at = 0; at < course.tasks.size(); ++at) {
        const std::vector<const TaskMark*> judged = judged_of(marks, at);
        if (judged.size() < 2) continue;
        const std::string name = printable(course.tasks[at].name);
        const auto count = counted(static_cast<index_t>(judged.size()), "submission");
        const std::vector<std::string> steps = steps_of_nobody(judged);
        if (!steps.empty())
            text += fmt::format("{}: {} {} right in none of {}\n", name, fmt::join(steps, ", "),
                                steps.size() == 1 ? "is" : "are", count);
        else if (std::none_of(judged.begin(), judged.end(),
                              [](const TaskMark* each) { return each->is_full(); }))
            text += fmt::format("{}: none of {} is right\n", name, count);
    }
    return text.empty()
               ? ""
               : text + "Is this what the task should ask? tracer grade FOLDER --try shows what it asks.\n\n";
}

std::string mistakes_text(const std::vector<StudentMarks>& marks) {
    std::string text;
    for (const MadeMistake& each : mistakes_made(marks))
        text +=
            fmt::format("{:>3} × {}, {}\n{}", each.students, printable(each.task), each.name,
                        each.sentence.empty() ? "" : wrapped("      " + each.sentence, 100, "      ") + "\n");
    return text;
}

// A spreadsheet computes what begins with these, and a student chooses the folder's name. (The wide ones are
// formulas where people write Japanese or Chinese.)
constexpr const char* begin_formulas[] = {"=", "+", "-", "@", "\t", "＝", "＋", "－", "＠"};

std::string csv_cell(const std::string& text) {
    std::string cell = printable(text);
    if (std::any_of(std::begin(begin_formulas), std::end(begin_formulas),
                    [&](const char* begin) { return cell.starts_with(begin); }))
        cell = "'" + cell;
    if (cell.find_first_of(",;\"") == std::string::npos) return cell;  // ; separates cells in some countries
    std::string quoted = "\"";
    for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

// A student's tasks without marks: "attend: missing; lesson 1: could not be judged".
std::string why_empty(const StudentMarks& student) {
    std::string text;
    for (const TaskMark& task : student.tasks)
        if (!task.found.problem.empty())
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", task.task,
                                task.found.is_missing ? "missing" : "could not be judged");
    return text;
}

std::string xml(const std::string& text) {
    std::string escaped;
    for (const char c : printable_lines(text)) {
        if (c == '<') escaped += "&lt;";
        else if (c == '>') escaped += "&gt;";
        else if (c == '&') escaped += "&amp;";
        else if (c == '"') escaped += "&quot;";
        else if (c == '\n') escaped += "&#10;";
        else escaped += c;
    }
    return escaped;
}

std::string mistake_text_of(const NamedMistake& mistake) {
    const std::string others =
        mistake.others.empty() ? "" : fmt::format(" Or {}: these numbers do not show which.", mistake.others);
    return fmt::format("{}: {}{}", mistake.name, mistake.sentence, others);
}

std::string mistakes_of(const TaskMark& task, const std::string& step) {
    std::string text;
    for (const NamedMistake& mistake : task.found.mistakes)
        if (step.empty() || mistake.step == step)
            text += (text.empty() ? "" : "\n") + mistake_text_of(mistake);
    return text;
}

const char* sign_of(const StepMark& step) {
    if (step.verdict == Verdict::right) return "✓";
    return step.verdict == Verdict::inherited ? "→" : "✗";
}

std::string line_of(const StepMark& step) {
    std::string what = step.message;
    if (step.verdict == Verdict::inherited || (what.empty() && step.verdict != Verdict::right))
        what = glassbox::name(step.verdict);
    return fmt::format("  {} {}{}{}\n", sign_of(step), step.name, what.empty() ? "" : "  ", printable(what));
}

std::string lines_of(const TaskMark& task) {
    std::string text;
    if (!task.found.without.empty())
        text += fmt::format("  judged without {}, for which the function has no parameter\n",
                            fmt::join(task.found.without, ", "));
    if (!task.found.remark.empty()) text += fmt::format("  {}\n", task.found.remark);
    if (task.is_capped)
        text += fmt::format("  the result is wrong: at most {} of {}\n", points_text(task.points),
                            points_text(task.most));
    index_t not_given = 0;
    for (const StepMark& step : task.found.steps)
        if (step.verdict == Verdict::not_given) ++not_given;
        else text += line_of(step);
    if (not_given > 0) text += fmt::format("  – {} not submitted\n", counted(not_given, "step"));
    std::set<std::string> reported;  // a mistake may show in several steps
    for (const NamedMistake& mistake : task.found.mistakes)
        if (reported.insert(mistake.name).second)
            text += wrapped("  " + mistake_text_of(mistake), 100, "    ") + "\n";
    return text;
}

std::string detail_lines(const Judged& found) {
    std::string text = found.problem.empty() ? "" : "  " + printable(found.problem) + "\n";
    // Output of the compiler, Python or the work itself follows a bar: it may look like marks.
    const std::string begin = "  | ";
    std::string line = begin;
    for (const char c : printable_lines(found.detail)) {
        line += c;
        if (c == '\n') text += line, line = begin;
    }
    return line == begin ? text : text + line + "\n";
}

JsonObject task_json(const TaskMark& task) {
    const auto step = [](const StepMark& each) {
        return JsonObject{{"name", each.name},
                          {"verdict", glassbox::name(each.verdict)},
                          {"counts", each.counts},
                          {"weight", each.weight},
                          {"message", each.message}};
    };
    const auto mistake = [](const NamedMistake& each) {
        return JsonObject{{"step", each.step}, {"name", each.name}, {"sentence", each.sentence}};
    };
    return {{"task", task.task},
            {"points", json_points(task)},
            {"of", task.most},
            {"capped", task.is_capped},
            {"problem", task.found.problem},
            {"detail", task.found.detail},
            {"without", task.found.without},
            {"remark", task.found.remark},
            {"steps", JsonList(task.found.steps, step)},
            {"mistakes", JsonList(task.found.mistakes, mistake)}};
}

std::string junit_case(const TaskMark& task, const StepMark& step) {
    const std::string name = xml(step.name), task_name = xml(printable(task.task));
    if (step.counts) return fmt::format("  <testcase classname=\"{}\" name=\"{}\"/>\n", task_name, name);
    const std::string why = step.message.empty() ? glassbox::name(step.verdict) : step.message;
    return fmt::format(
        "  <testcase classname=\"{}\" name=\"{}\"><failure message=\"{}\">{}</failure></testcase>\n",
        task_name, name, xml(why), xml(mistakes_of(task, step.name)));
}

std::string junit_suite(const StudentMarks& student) {
    std::string cases;
    std::size_t tests = 0, failures = 0, errors = 0;
    for (const TaskMark& task : student.tasks) {
        for (const StepMark& step : task.found.steps) {
            cases += junit_case(task, step);
            ++tests, failures += !step.counts;
        }
        if (task.found.problem.empty()) continue;
        cases += fmt::format(
            "  <testcase classname=\"{0}\" name=\"{0}\"><error message=\"{1}\">{2}</error></testcase>\n",
            xml(printable(task.task)), xml(printable(task.found.problem)), xml(task.found.detail));
        ++tests, ++errors;
    }
    return fmt::format(
        " <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{} </testsuite>\n",
        xml(printable(student.student)), tests, failures, errors, cases);
}

}  // namespace

MarksFormat marks_format(std::optional<MarksFormat> format, const std::filesystem::path& output) {
    const std::string ending = output.extension().string();
    const MarksFormat by_ending = ending == ".csv"    ? MarksFormat::csv
                                  : ending == ".json" ? MarksFormat::json
                                  : ending == ".xml"  ? MarksFormat::junit
                                                      : MarksFormat::text;
    if (format && by_ending != MarksFormat::text && *format != by_ending)
        fail<UsageError>("-o {}: its extension says {}, but --format says {}", output.string(),
                         glassbox::name(by_ending), glassbox::name(*format));
    if (!format) check_known_ending(output, {".txt", ".csv", ".json", ".xml"});
    return format.value_or(by_ending);
}

std::string marks_text(const Course& course, const std::vector<StudentMarks>& marks) {
    std::string text = fmt::format("{} · {}\n\n{}{}", printable(course.title),
                                   counted(static_cast<index_t>(marks.size()), "student"),
                                   doubts_text(course, marks), marks_table(course, marks));
    if (const std::string problems = problems_text(course, marks); !problems.empty())
        text += "\n– could not be judged\n" + problems;
    if (const std::string without = without_text(marks); !without.empty())
        text +=
            "\nJudged without what the function has no parameter for; an option in the task's \"layer\" "
            "applies to everyone\n" +
            without;
    if (const std::string beside = beside_text(marks); !beside.empty())
        text += "\nWrong besides what counts in the task\n" + beside;
    if (const std::string mistakes = mistakes_text(marks); !mistakes.empty())
        text += "\nMistakes, by number of students\n" + mistakes;
    return text;
}

namespace {

// What to write into course.json so that only right work earns points: the steps that count only for it.
std::string cure(const std::vector<StudentMarks>& trial, std::size_t task) {
    JsonObject steps;
    const Judged& right = trial.front().tasks[task].found;
    if (!right.problem.empty()) return "";
    for (std::size_t i = 0; i < right.steps.size(); ++i) {
        const bool is_rights_alone =
            std::none_of(trial.begin() + 1, trial.end(), [&](const StudentMarks& other) {
                if (is_right(other)) return false;
                const std::vector<StepMark>& others = other.tasks[task].found.steps;
                return i < others.size() && others[i].counts;
            });
        if (right.steps[i].counts && is_rights_alone) steps.add(printable(right.steps[i].name), 1);
    }
    if (steps.is_empty())
        return "  No step distinguishes it from correct work: give the layer other options\n";
    return wrapped(fmt::format("  To award only what correct work earns, add to this task of the course: "
                               "\"steps\": {}",
                               steps.text()),
                   100, "    ") +
           "\n";
}

}  // namespace

std::string trial_text(const Course& course, const std::vector<StudentMarks>& trial,
                       const std::string& drawn) {
    std::string text = fmt::format("{} · a trial without students\n\n{}{}", printable(course.title), drawn,
                                   marks_table(course, trial, "submission"));
    if (is_sound(trial)) return text + "\nCorrect work earns all points, anything else none.\n";
    for (const StudentMarks& submission : trial)
        for (const TaskMark& task : submission.tasks)
            if (!is_as_it_should_be(submission, task))
                text += fmt::format(
                    "\n{}: '{}' earns {} of {}\n{}{}{}", printable(task.task), submission.student,
                    points_text(task.points), points_text(task.most), detail_lines(task.found),
                    lines_of(task),
                    is_right(submission)
                        ? "  It is right but does not earn all: this task asks for something else\n"
                        : cure(trial, static_cast<std::size_t>(&task - submission.tasks.data())));
    return text;
}

// Empty cells, for what could not be graded: 0 would be a mark.
std::string marks_csv(const Course& course, const std::vector<StudentMarks>& marks) {
    std::string text = "student";
    for (const CourseTask& task : course.tasks) text += "," + csv_cell(task.name);
    text += ",total,of,why empty\n";
    for (const StudentMarks& student : marks) {
        text += csv_cell(student.student);
        for (const TaskMark& task : student.tasks)
            text += "," + (task.found.problem.empty() ? json_number(task.points) : "");
        text += fmt::format(",{},{},{}\n", is_known(student) ? json_number(student.points()) : "",
                            json_number(student.most()), csv_cell(why_empty(student)));
    }
    return text;
}

std::string marks_json(const Course& course, const std::vector<StudentMarks>& marks) {
    const auto student = [](const StudentMarks& each) {
        return JsonObject{{"student", each.student},
                          {"points", json_points(each)},
                          {"of", each.most()},
                          {"tasks", JsonList(each.tasks, task_json, {"\n   ", "\n   "})}};
    };
    const auto mistake = [](const MadeMistake& each) {
        return JsonObject{{"task", each.task},
                          {"name", each.name},
                          {"students", each.students},
                          {"sentence", each.sentence}};
    };
    JsonObject json{{"schema", 1}, {"command", "grade"}, {"title", course.title}};
    json.add_line("students", JsonList(marks, student, below));
    return json.add_line("mistakes", JsonList(mistakes_made(marks), mistake, below)).text() + "\n";
}

std::string marks_junit(const Course& course, const std::vector<StudentMarks>& marks) {
    std::string suites;
    for (const StudentMarks& student : marks) suites += junit_suite(student);
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\">\n{}</testsuites>\n",
        xml(printable(course.title)), suites);
}

std::string marks_in(MarksFormat format, const Course& course, const std::vector<StudentMarks>& marks) {
    switch (format) {
        case MarksFormat::csv:
            return marks_csv(course, marks);
        case MarksFormat::json:
            return marks_json(course, marks);
        case MarksFormat::junit:
            return marks_junit(course, marks);
        case MarksFormat::text:
            break;
    }
    return marks_text(course, marks);
}

std::string feedback_text(const StudentMarks& student) {
    std::string text = fmt::format("{}: {} of {}\n", printable(student.student), points_text(student),
                                   points_text(student.most()));
    for (const TaskMark& task : student.tasks)
        text += fmt::format("\n{}: {} of {}\n{}{}", printable(task.task), points_text(task),
                            points_text(task.most), detail_lines(task.found), lines_of(task));
    return text;
}

// Without any score Gradescope reports the submission as not graded, and keeps no 0.
std::string gradescope_json(const StudentMarks& student) {
    const bool known = is_known(student);
    const auto test = [&](const TaskMark& task) {
        JsonObject json{{"name", task.task}};
        if (known) json.add("score", task.points);
        json.add("max_score", task.most).add("status", task.is_full() ? "passed" : "failed");
        return json.add("output", detail_lines(task.found) + lines_of(task));
    };
    JsonObject json;
    if (known) json.add("score", student.points());
    else json.add("output", "not graded yet");
    return json.add("tests", JsonList(student.tasks, test, below)).text() + "\n";
}

}  // namespace glassbox::tracer
