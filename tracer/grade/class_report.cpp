#include "grade/class_report.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <glassbox/io/text.h>
#include <glassbox/mistakes/mistake.h>
#include <glassbox/tensor/format.h>

#include "cli/number.h"
#include "cli/text_width.h"

namespace glassbox::tracer {

namespace {

constexpr std::size_t max_rows = 40;
constexpr int widest_name = 50, widest_task = 24;

std::vector<std::string> task_names(const Course& course) {
    std::vector<std::string> names;
    for (const CourseTask& task : course.tasks) names.push_back(printable(task.name));
    return names;
}

// Tasks as columns, and a row for each name.
HeatMap table_of(const Course& course, const std::string& title, const std::string& rows) {
    HeatMap map;
    map.title = title;
    map.x = {"task", task_names(course), 1, widest_task};
    map.y = {rows, {}, 1, widest_name};
    map.has_bar = true;
    map.is_table = true;
    return map;
}

HeatMap marks_map(const Course& course, const std::vector<StudentMarks>& marks) {
    HeatMap map = table_of(course, "Share of the points", "student");
    map.absent = "not submitted, or could not be judged";
    map.hover = "{0}: {1}";
    for (const StudentMarks& student : marks) {
        if (map.y.names.size() == max_rows) break;
        map.y.names.push_back(printable(student.student));
        for (const TaskMark& task : student.tasks)
            map.values.push_back(!task.found.problem.empty() ? std::numeric_limits<real>::quiet_NaN()
                                 : task.most > 0             ? static_cast<real>(task.points / task.most)
                                                             : 1);
    }
    return map;
}

// By name: of each mistake, how many made it in which task.
struct MistakeRow {
    std::string name;
    std::vector<real> by_task;
    std::size_t students = 0;
};

std::vector<MistakeRow> rows_of(const Course& course, const std::vector<MadeMistake>& made) {
    std::vector<MistakeRow> rows;
    for (const MadeMistake& each : made) {
        auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == each.name; });
        if (row == rows.end()) row = rows.insert(row, {each.name, std::vector<real>(course.tasks.size()), 0});
        for (std::size_t i = 0; i < course.tasks.size(); ++i)
            if (course.tasks[i].name == each.task) row->by_task[i] = static_cast<real>(each.students);
        row->students += each.students;
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.students > b.students; });
    return rows;
}

HeatMap mistakes_map(const Course& course, const std::vector<MistakeRow>& rows) {
    HeatMap map = table_of(course, "Students who made it", "mistake");
    map.has_counts = true;
    map.hover = "{0} in {1}";
    for (const MistakeRow& row : rows) {
        if (map.y.names.size() == max_rows) break;
        map.y.names.push_back(fmt::format("{} · {}", shortened(row.name, widest_name - 6), row.students));
        for (const real count : row.by_task) map.high = std::max(map.high, static_cast<double>(count));
        map.values.insert(map.values.end(), row.by_task.begin(), row.by_task.end());
    }
    return map;
}

}  // namespace

std::vector<MadeMistake> mistakes_made(const std::vector<StudentMarks>& marks) {
    std::map<std::pair<std::string, std::string>, MadeMistake> made;
    for (const StudentMarks& student : marks)
        for (const TaskMark& task : student.tasks) {
            std::set<std::string> own;  // once, however often it shows
            const auto add = [&](const std::string& name, const std::string& sentence) {
                // Changed formulas of one step have one name.
                const std::string& key = is_change(name) ? sentence : name;
                if (!own.insert(key).second) return;
                MadeMistake& each = made[{task.task, key}];
                each = {task.task, name, sentence, each.students + 1};
            };
            if (!task.found.problem.empty() && !task.found.is_missing) add(printable(task.found.problem), "");
            for (const NamedMistake& mistake : task.found.mistakes) add(mistake.name, mistake.sentence);
        }
    std::vector<MadeMistake> all;
    for (const auto& [key, each] : made) all.push_back(each);
    std::stable_sort(all.begin(), all.end(),
                     [](const MadeMistake& a, const MadeMistake& b) { return a.students > b.students; });
    return all;
}

Figure class_figure(const Course& course, const std::vector<StudentMarks>& marks) {
    Figure figure;
    figure.title = printable(course.title);
    figure.rows.push_back({marks_map(course, marks)});
    const std::vector<MistakeRow> made = rows_of(course, mistakes_made(marks));
    if (!made.empty()) figure.rows.push_back({mistakes_map(course, made)});
    for (const auto& [what, count] : {std::pair{"student", marks.size()}, std::pair{"mistake", made.size()}})
        if (count > max_rows)
            figure.notes.push_back(counted(static_cast<index_t>(count - max_rows), what) + " not shown");
    return figure;
}

}  // namespace glassbox::tracer
