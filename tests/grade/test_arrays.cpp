// Arrays: inputs for each student, marks, and every output.
#include "class.h"

#include <fcntl.h>
#include <stdio.h>

#include <atomic>
#include <thread>

#include <glassbox/io/numpy.h>

#include "tracer/grade/outputs.h"

using namespace glassbox_test;
using glassbox::NamedTensors;

namespace {

const char* const course =
    R"({"title": "Week 3", "seed": 7, "tasks": [{"layer": "attention", "points": 4}]})";

// What the student computes from the inputs that were handed out: all steps, or the last alone.
NamedTensors computed(const Class& all, const std::string& student, const std::string& mistake = "") {
    const std::string folder = all / student;
    const Ran ran = run_program(words("attention --mask causal --lengths 4,5,2 --input " + folder +
                                      "/attention-inputs.npz -o " + folder + "/steps.npz" +
                                      (mistake.empty() ? "" : " --mistake " + mistake)));
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return glassbox::read_npz(folder + "/steps.npz").arrays;
}

void submit_values(const Class& all, const std::string& student, const NamedTensors& steps) {
    for (const auto& [name, value] : steps)
        if (name == "values") glassbox::write_npz(all / student + "/attention.npz", {{name, value}});
}

// anna is right, ben forgot the root, cleo copied anna's steps, and fay her inputs, too; dan has none, eve
// submitted a text.
void fill(const Class& all) {
    for (const char* student : {"anna", "ben", "cleo", "dan", "eve", "fay"})
        fs::create_directories(all / student);
    REQUIRE(all.grade("--hand-out").code == 0);
    submit_values(all, "anna", computed(all, "anna"));
    submit_values(all, "ben", computed(all, "ben", "scaled/no-root"));
    NamedTensors copied = computed(all, "anna");
    glassbox::write_npz(all / "fay/attention.npz", copied);
    std::erase_if(copied, [](const auto& step) { return step.first.size() == 1; });
    glassbox::write_npz(all / "cleo/attention.npz", copied);
    all.submit("eve", "attention.npz", "PK this is no archive");
}

}  // namespace

TEST_CASE("grade: arrays, from each student's own inputs") {
    const Class all(course);
    fill(all);
    const nlohmann::json found = all.graded();
    CHECK(found["anna"]["attention"]["points"] == 4);
    CHECK(found["ben"]["attention"]["points"] == Approx(4 * 4 / 5.0));  // not scaled; the values follow
    CHECK(found["ben"]["attention"]["mistakes"][0]["name"] == "scaled/no-root");
    CHECK(found["cleo"]["attention"]["points"] == 0);  // its steps fit each other, but not cleo's inputs
    CHECK(found["fay"]["attention"]["problem"] == "its Q is not what was handed out to this student");
    CHECK(found["dan"]["attention"]["problem"] == "there is no attention.npz");
    CHECK(has(found["eve"]["attention"]["problem"], "it cannot be judged: attention.npz: "));
    CHECK(all.grade().out == all.grade().out);
}

TEST_CASE("grade: inputs are handed out without answers, and not through links") {
    const Class all(course);
    fs::create_directories(all / "anna");
    fs::create_directories(all / "ben");
    const Ran ran = all.grade("--hand-out");
    CHECK(ran.code == 0);
    CHECK(has(ran.out,
              "to be computed as attention --mask causal --lengths 4,5,2, and submitted as attention.npz"));
    std::vector<std::string> names;
    for (const auto& [name, value] : glassbox::read_npz(all / "anna/attention-inputs.npz").arrays)
        names.push_back(name);
    CHECK(names == std::vector<std::string>{"Q", "K", "V", "mask"});
    CHECK(has(ran.out, "mask: where it is 1 a key is seen"));
    CHECK(has(ran.out, content(all / "ben/attention-inputs.txt")));
    CHECK(content(all / "anna/attention-inputs.npz") != content(all / "ben/attention-inputs.npz"));
    write(all / "precious", "mine");
    fs::remove(all / "ben/attention-inputs.npz");
    fs::create_symlink(all / "precious", all / "ben/attention-inputs.npz");
    CHECK(all.grade("--hand-out").code == 4);
    CHECK(content(all / "precious") == "mine");
}

TEST_CASE(
    "grade: what is handed out stays in the student's folder, also where that is exchanged for a link") {
    const Folder all;
    for (const char* folder : {"class", "class/anna", "mine"}) fs::create_directory(all / folder);
    fs::create_directory_symlink(fs::absolute(all / "mine"), all / "class/link");
    std::atomic<bool> is_over = false;
    std::thread exchanging([&] {
        while (!is_over)
            ::renameat2(AT_FDCWD, (all / "class/anna").c_str(), AT_FDCWD, (all / "class/link").c_str(),
                        RENAME_EXCHANGE);
    });
    for (int i = 0; i < 500; ++i) try {
            glassbox::tracer::write_for_student(all / "class", "anna", "task-inputs.npz", "inputs");
        } catch (const glassbox::IoError& error) {
            CHECK(has(error.what(), "a link, which is not followed"));
        }
    is_over = true;
    exchanging.join();
    CHECK(fs::is_empty(all / "mine"));
}

TEST_CASE("grade: no right number is shown unless it is asked for") {
    const Class all(course);
    fill(all);
    const Folder out;
    const auto files = [&](const std::string& option) {
        REQUIRE(all.grade("--feedback " + (out / "f") + " --gradescope " + (out / "g") + " " + option).code ==
                0);
        return content(out / "f/ben.txt") + content(out / "g/ben/results.json") +
               all.grade("--format json " + option).out + all.grade("--format junit " + option).out +
               all.grade(option).out;
    };
    CHECK(!has(files(""), ", expected "));
    CHECK(has(files("--show-expected"), ", expected "));
}

TEST_CASE("grade: one student whose file cannot be written keeps nobody else from theirs") {
    const Class all(course);
    fs::create_directories(all / std::string(255, 'a'));  // no room for .txt
    fs::create_directories(all / "ben");
    const Folder out;
    const Ran ran = all.grade("--feedback " + (out / "f"));
    CHECK(ran.code == 4);
    CHECK(has(ran.out, "2 students"));
    CHECK(has(content(out / "f/ben.txt"), "ben: 0 of 4"));
}

TEST_CASE("grade: CSV, JUnit, Gradescope, feedback and the figure") {
    const Class all(course);
    fill(all);
    all.submit("=1+1, \"x\"\n\x1b[31m<b>", "notes.txt", "");
    all.submit("a;=1+1\xef\xbf\xbf", "notes.txt", "");
    for (const char* formula : {"＝1+1", "＋1", "－1", "＠x"}) all.submit(formula, "notes.txt", "");
    const Folder out;
    const Ran ran = all.grade("-o " + (out / "marks.csv") + " --figure " + (out / "class.svg") +
                              " --feedback " + (out / "feedback") + " --gradescope " + (out / "gradescope"));
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const std::string csv = content(out / "marks.csv");
    CHECK(has(csv, "student,attention,total,of,why empty\n"));
    CHECK(has(csv, "anna,4,4,4,\n"));
    CHECK(has(csv, "\"'=1+1, \"\"x\"\"\\x0a\\x1b[31m<b>\",,0,4,attention: missing\n"));
    CHECK(has(csv, "eve,,0,4,attention: could not be judged\n"));
    for (const char* formula : {"＝1+1", "＋1", "－1", "＠x"})
        CHECK(has(csv, fmt::format("\n'{},,0,4,", formula)));
    CHECK(has(csv, "\"a;=1+1\\uffff\",,0,4,attention: missing\n"));  // ; separates cells in some countries
    const auto results = nlohmann::json::parse(content(out / "gradescope/ben/results.json"));
    CHECK(results["score"] == Approx(3.2));
    CHECK(results["tests"][0]["max_score"] == 4);
    CHECK(has(results["tests"][0]["output"], "scaled/no-root"));
    CHECK(has(content(out / "feedback/ben.txt"), "ben: 3.2 of 4\n"));
    CHECK(has(content(out / "feedback/ben.txt"), "but the typical size of a dot product is √d_k"));
    REQUIRE(all.grade("--student ben --gradescope " + (out / "one")).code == 0);
    CHECK(content(out / "one/results.json") == content(out / "gradescope/ben/results.json"));
    const std::string figure = content(out / "class.svg");
    CHECK(has(figure, "Week 3"));
    CHECK(has(figure, "scaled/no-root"));
    CHECK(!has(figure, "\x1b"));
    const std::string junit = all.grade("--format junit").out;
    CHECK(has(junit, "<testsuite name=\"anna\" tests=\"5\" failures=\"0\" errors=\"0\">"));
    CHECK(has(junit, "<error message=\"there is no attention.npz\">"));
    CHECK(has(junit, "\\x1b[31m&lt;b&gt;"));
    CHECK(!has(junit, "\x1b"));
    CHECK(!has(junit, "\xef\xbf\xbf"));  // which XML cannot hold
}

TEST_CASE("grade: one grading writes every output that is asked for") {
    const Class all(course);
    fill(all);
    const Folder out;
    const std::string csv = out / "marks.csv", json = out / "marks.json", text = out / "marks.txt";
    const Ran ran = all.grade("-o " + csv + " -o " + json + " --output " + text);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(ran.out.empty());
    CHECK(content(csv) == all.grade("--format csv").out);
    CHECK(content(json) == all.grade("--format json").out);
    CHECK(content(text) == all.grade().out);
    CHECK(has(all.grade("-o " + csv + " -o " + csv).err, "is also written by -o"));
    CHECK(has(all.grade("-o " + csv + " -o " + (all / "anna/marks.json")).err, "is in a student's folder"));
    CHECK(has(all.grade("-o " + json + " -o " + csv + " --format json").err, "its extension says csv"));
}

TEST_CASE("grade: a result that is wrong earns what the course gives for it at most") {
    const Class all(R"({"seed": 7, "tasks": [{"layer": "attention", "points": 4, "at_most": 0.6}]})");
    fill(all);
    const nlohmann::json found = all.graded();
    CHECK(found["anna"]["attention"]["points"] == 4);
    CHECK(found["ben"]["attention"]["points"] == Approx(2.4));
    CHECK(found["ben"]["attention"]["capped"] == true);
    const Folder out;
    REQUIRE(all.grade("--feedback " + (out / "f")).code == 0);
    CHECK(has(content(out / "f/ben.txt"), "the result is wrong: at most 2.4 of 4"));
}

TEST_CASE("grade: where nobody is right, or no one's step, it is said above the marks") {
    const auto marks = [](std::vector<std::vector<bool>> students) {
        std::vector<glassbox::tracer::StudentMarks> all;
        for (const std::vector<bool>& steps : students) {
            glassbox::tracer::TaskMark task{"task", 0, 2, {}};
            for (std::size_t i = 0; i < steps.size(); ++i) {
                glassbox::tracer::StepMark step{"step" + std::to_string(i), glassbox::Verdict::wrong, ""};
                step.counts = steps[i], task.points += steps[i];
                task.found.steps.push_back(step);
            }
            all.push_back({"student", {task}});
        }
        glassbox::tracer::Course course;
        course.tasks.push_back({.name = "task", .points = 2});
        return glassbox::tracer::marks_text(course, all);
    };
    CHECK(has(marks({{true, false}, {false, false}}), "task: step1 is right in none of 2 submissions\n"));
    CHECK(has(marks({{false, false}, {false, false}, {false, false}}),
              "task: step0, step1 are right in none of 3 submissions\n"));
    CHECK(has(marks({{true, false}, {false, true}}), "task: none of 2 submissions is right\n"));
    CHECK(!has(marks({{true, true}, {false, false}}), "none of"));
    CHECK(!has(marks({{false, false}}), "none of"));
}

TEST_CASE("grade: what is handed out says the layout of stacked weights, and ε") {
    const Class all(R"({"tasks": [{"name": "block", "layer": "encoder-block --heads 3"}]})");
    fs::create_directories(all / "anna");
    const std::string told = all.grade("--hand-out").out;
    CHECK(has(told, "qkv_proj has the rows of W_Q, W_K and W_V head by head"));
    CHECK(has(told, "ε = 1e-06"));
    CHECK(has(told, content(all / "anna/block-inputs.txt")));
}

TEST_CASE("grade: the same mistake costs the same, however many steps are submitted, and is said once") {
    const Class all(R"({"tasks": [{"name": "heads", "layer": "multihead --heads 3", "points": 11}]})");
    const std::vector<std::string> submitted{"all", "last", "last four"};
    for (const std::string& student : submitted) fs::create_directories(all / student);
    REQUIRE(all.grade("--hand-out").code == 0);
    for (const std::string& student : submitted) {
        const std::string folder = all / student;
        std::vector<std::string> line =
            words("multihead --heads 3 --mask causal --lengths 4,5,2 --mistake Q/thirds");
        for (const char* option : {"--input", "--weights"})
            line.insert(line.end(), {option, folder + "/heads-inputs.npz"});
        line.insert(line.end(), {"-o", folder + "/heads.npz"});
        if (student == "last") line.insert(line.end(), {"--only", "output"});
        if (student == "last four") line.insert(line.end(), {"--only", "attention,values,concat,output"});
        REQUIRE(run_program(line).code == 0);
    }
    const nlohmann::json found = all.graded();
    for (const std::string& student : submitted) {
        INFO(student << ": " << found[student].dump());
        CHECK(found[student]["heads"]["points"] == Approx(8));  // Q, K and V are wrong, and nothing else
    }
    const Folder out;
    REQUIRE(all.grade("--feedback " + (out / "f")).code == 0);
    const std::string told = content(out / "f/all.txt");
    CHECK(told.find("Q/thirds: ") != std::string::npos);
    CHECK(told.find("Q/thirds: ") == told.rfind("Q/thirds: "));
}

TEST_CASE("grade: zeros and other constants are told as what they are, and earn nothing") {
    const Class all(R"({"tasks": [{"name": "block", "layer": "encoder-block --heads 3", "points": 4}]})");
    for (const double value : {0.0, 1.0}) {
        const std::string student = value == 0 ? "zeros" : "ones";
        fs::create_directories(all / student);
        glassbox::write_npz(all / student + "/block.npz",
                            {{"norm2", glassbox::Tensor::full({3, 5, 12}, value)}});
    }
    const nlohmann::json found = all.graded();
    for (const char* student : {"zeros", "ones"}) {
        const nlohmann::json& block = found[student]["block"];
        INFO(block.dump());
        CHECK(block["points"] == 0);
        CHECK(block["mistakes"].empty());
        CHECK(has(block["steps"].back()["message"],
                  student == std::string("zeros") ? "All numbers are 0" : "All numbers are 1"));
    }
}

TEST_CASE("grade: a mask from a file whose name a shell would quote") {
    const Folder folder;
    const std::string mask = folder / "übung.npy";
    glassbox::write_npy(mask, glassbox::Tensor::ones({5, 5}));
    const Class all(R"({"tasks": [{"name": "heads", "layer": "multihead --heads 3 --mask )" + mask +
                    R"("}]})");
    fs::create_directories(all / "anna");
    CHECK(has(all.grade("--hand-out").out, "--mask '" + mask + "' --lengths"));
    glassbox::write_npz(all / "anna/heads.npz", {{"output", glassbox::Tensor::zeros({3, 5, 12})}});
    CHECK(all.graded()["anna"]["heads"]["problem"] == "");
}

TEST_CASE("grade: what would be right with another option is said") {
    const Class all(R"({"tasks": [{"name": "block", "layer": "encoder-block --heads 3 --norm post"}]})");
    fs::create_directories(all / "anna");
    REQUIRE(all.grade("--hand-out").code == 0);
    const std::string inputs = all / "anna/block-inputs.npz";
    REQUIRE(run_program({"encoder-block", "--heads", "3", "--norm", "pre", "--mask", "causal", "--lengths",
                         "4,5,2", "--input", inputs, "--weights", inputs, "--only", "residual2", "-o",
                         all / "pre.npz"})
                .code == 0);
    glassbox::write_npz(all / "anna/block.npz",
                        {{"norm2", glassbox::read_npz(all / "pre.npz").arrays.back().second}});
    const nlohmann::json block = all.graded()["anna"]["block"];
    CHECK(has(block["steps"].back()["message"], "All would be right with --norm pre"));
}
