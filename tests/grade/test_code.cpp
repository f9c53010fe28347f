// Code that is submitted, hostile code among it: everybody gets a result, and nobody gets at the answers.
#include "class.h"

#include <sys/stat.h>

#include <chrono>

#include <glassbox/io/numpy.h>
#include <glassbox/tensor/format.h>

using namespace glassbox_test;

namespace {

const fs::path lesson = fs::path(GLASSBOX_SOURCE) / "lessons/01-scaled-dot-product";

const char* const course = R"({"title": "Lesson 1", "seed": 3, "limits": {"seconds": 6, "memory": 512},
    "tasks": [{"name": "attention", "lesson": "01", "points": 5}]})";

std::string solution() { return content((lesson / "solution.cpp").string()); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

// The exercise's function with this body.
std::string work(const std::string& body, const std::string& includes = "") {
    return "#include \"lesson.h\"\n#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n" + includes +
           "\nvoid scaled_dot_product(const Matrix& Q, const Matrix& K, const Matrix& V, const Matrix& mask, "
           "Steps& steps) {\n" +
           body + "\n}\n";
}

// golden.npz's own numbers, case after case, as a copier writes them down.
std::string golden_copied() {
    std::string body = "static int call = 0; ++call;\n";
    const glassbox::NamedTensors golden = glassbox::read_npz((lesson / "golden.npz").string()).arrays;
    int call = 0;
    for (const char* name : {"example", "sizes", "causal", "padding", "large"}) {
        glassbox::index_t rows = 0, columns = 0, matrices = 0;
        std::string assigned;
        for (const char* step : {"logits", "scaled", "masked", "attention", "values"})
            for (const auto& [path, value] : golden) {
                if (path != std::string(name) + "/" + step) continue;
                rows = value.size(-2), columns = value.size(-1), matrices = value.numel() / (rows * columns);
                const auto numbers = value.values();
                std::string all;
                for (const auto x : numbers) all += fmt::format("{:.9g},", x);
                assigned += fmt::format(
                    "{{ static const double n[] = {{{}}}; steps.{} = Matrix({}, {}); for (int r = 0; r "
                    "< {}; ++r) for (int c = 0; c < {}; ++c) steps.{}(r, c) = n[((call - 1 - {}) * {} "
                    "+ r) * {} + c]; }}\n",
                    all, step, rows, columns, rows, columns, step, call, rows, columns);
            }
        body += fmt::format("if (call > {} && call <= {}) {{\n{}}}\n", call, call + matrices, assigned);
        call += static_cast<int>(matrices);
    }
    return work(body);
}

double points(const nlohmann::json& found, const std::string& student) {
    return found[student]["attention"]["points"];
}
std::string problem(const nlohmann::json& found, const std::string& student) {
    return found[student]["attention"]["problem"].get<std::string>() + " " +
           found[student]["attention"]["detail"].get<std::string>();
}

}  // namespace

TEST_CASE("grade: submissions of a lesson, with marks by step") {
    need_sandbox();
    const Class all(course);
    all.submit("right", "exercise.cpp", solution());
    all.submit("no root", "exercise.cpp", replaced(solution(), "/ std::sqrt(d_k)", "/ d_k"));
    all.submit("half", "exercise.cpp",
               replaced(solution(), "    steps.masked = ", "    return;\n    steps.masked = "));
    all.submit("unknown", "exercise.cpp", replaced(solution(), "/ std::sqrt(d_k)", "* 0.123 + 0.3 * i"));
    all.submit("nothing", "exercise.cpp", content((lesson / "exercise.cpp").string()));
    const nlohmann::json found = all.graded();
    CHECK(points(found, "right") == 5);
    CHECK(points(found, "no root") == 4);
    CHECK(found["no root"]["attention"]["mistakes"][0]["name"] == "scaled/no-root");
    CHECK(points(found, "half") == 2);
    CHECK(points(found, "unknown") == 4);
    CHECK(found["unknown"]["attention"]["mistakes"][0]["name"] == "scaled");  // the lesson's general hint
    CHECK(points(found, "nothing") == 0);
}

TEST_CASE("grade: whatever a submission does, it gets a result and the others theirs") {
    need_sandbox();
    const Class all(course);
    const auto submit = [&](const char* student, const std::string& text) {
        all.submit(student, "exercise.cpp", text);
    };
    submit("right", solution());
    submit("endless", work("for (volatile int i = 0;; ++i) {}"));
    submit("memory", work("for (;;) std::memset(std::malloc(1 << 24), 1, 1 << 24);", "#include <cstring>"));
    submit("exit", work("std::exit(0);"));
    submit("abort", work("std::abort();"));
    submit("forks", work("for (;;) fork();"));
    submit("sleepers", work("for (int i = 0; i < 5000; ++i) if (fork() == 0) for (;;) pause();"));
    submit("prints", work("for (;;) std::puts(\"for ever and ever\");"));
    submit(
        "writes",
        work("std::FILE* f = std::fopen(\"/tmp/huge\", \"w\"); for (;;) std::fputs(\"more and more\", f);"));
    submit("compiles long", "template <int N> struct A { A<N + 1> a; typename A<2 * N>::T t; }; A<1> a;");
    submit("includes itself", "#include __FILE__\n");
    submit("reads for ever", "#include \"/dev/zero\"\n");
    submit("not c++", "def attend(Q): return Q");
    submit("bytes", std::string("\0\xff\xfe\x1b[31m", 9));
    submit("empty", "");
    submit("no function", "int x;");
    submit("before main", "struct A { A() { for (;;) ; } } a;\n" + solution());
    submit("throws", work("throw 42;"));
    submit("crashes", work("*(volatile int*)8 = 1;"));
    fs::create_directories(all / "folder/exercise.cpp");
    fs::create_directories(all / "missing");
    fs::create_directories(all / "new\nline\x1b[31m");
    fs::create_directories(all / "linked");
    fs::create_symlink("../right/exercise.cpp", all / "linked/exercise.cpp");
    fs::create_symlink("right", all / "linked folder");
    fs::create_directories(all / "pipe");
    REQUIRE(::mkfifo((all / "pipe/exercise.cpp").c_str(), 0600) == 0);
    submit("large", std::string(20 << 20, ' '));
    submit("wrong", replaced(solution(), "/ std::sqrt(d_k)", ""));

    const auto begin = std::chrono::steady_clock::now();
    const nlohmann::json found = all.graded();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    CHECK(seconds < 200);  // on a busy machine, where each may wait for a processor
    CHECK(found.size() == 27);
    for (const auto& [student, tasks] : found.items()) {
        INFO(student << ": " << problem(found, student));
        if (student == "right") CHECK(points(found, student) == 5);
        else if (student == "wrong") CHECK(points(found, student) == 4);
        else CHECK(points(found, student) == 0);
    }
    CHECK(has(problem(found, "endless"), "did not finish"));
    CHECK(has(problem(found, "exit"), "does it call exit?"));
    CHECK(has(problem(found, "prints"), "it printed more than"));
    CHECK(has(problem(found, "not c++"), "does not compile"));
    CHECK(has(problem(found, "no function"), "has no function scaled_dot_product"));
    CHECK(has(problem(found, "folder"), "is a folder, not a file"));
    CHECK(has(problem(found, "missing"), "there is no exercise.cpp"));
    CHECK(has(problem(found, "linked"), "a link, which is not followed"));
    CHECK(has(problem(found, "linked folder"), "a link, which is not followed"));
    CHECK(has(problem(found, "pipe"), "is not a file"));
    CHECK(has(problem(found, "large"), "20.0 MiB, and at most 16 are allowed"));
    CHECK(has(problem(found, "before main"), "it did not finish within 6 seconds"));
}

TEST_CASE("grade: no submission gets at the answers") {
    need_sandbox();
    const Class all(course);
    const std::string secret = all / "right/exercise.cpp";
    all.submit("right", "exercise.cpp", solution());
    all.submit("includes the solution", "exercise.cpp",
               "#include \"../01-scaled-dot-product/solution.cpp\"\n");
    all.submit("includes it by its path", "exercise.cpp",
               "#include \"" + (lesson / "solution.cpp").string() + "\"\n");
    all.submit("includes another's", "exercise.cpp", "#include \"" + secret + "\"\n");
    all.submit("includes passwords", "exercise.cpp", "#include \"/etc/passwd\"\n");
    all.submit("copies golden.npz", "exercise.cpp", golden_copied());
    all.submit("uses the library", "exercise.cpp",
               "namespace glassbox { void check_gradients(); }\n" + work("glassbox::check_gradients();"));
    all.submit(
        "leaves arrays and ends", "exercise.cpp",
        work("std::FILE* f = std::fopen(\"/tmp/out.npz\", \"w\"); std::fputs(\"PK\", f); std::fclose(f); "
             "f = std::fopen(\"/tmp/out.stopped\", \"w\"); std::fclose(f); _exit(0);"));
    // What it finds it would print, and what is printed is told.
    std::string looks = "const char* const wanted[] = {";
    for (const std::string& file :
         {secret, (lesson / "solution.cpp").string(), (lesson / "golden.npz").string(),
          std::string("/etc/passwd"), std::string("/etc/shadow"), std::string("/root"), std::string("/home"),
          all.path(), std::string(GLASSBOX_SOURCE)})
        looks += "\"" + file + "\", ";
    looks +=
        "}; for (const char* each : wanted) std::printf(\"%s %s\\n\", access(each, F_OK) == 0 ? \"FOUND\" : "
        "\"nothing at\", each);";
    looks +=
        "const int s = socket(AF_INET, SOCK_STREAM, 0); sockaddr_in to{}; to.sin_family = AF_INET; "
        "to.sin_port = "
        "htons(80); to.sin_addr.s_addr = htonl(0x01010101); std::puts(connect(s, (sockaddr*)&to, sizeof to) "
        "== 0 ? "
        "\"FOUND a network\" : \"no network\"); std::printf(\"%s to write to\\n\", "
        "std::fopen(\"/given/new\", \"w\") "
        "|| std::fopen(\"/usr/bin/new\", \"w\") || std::fopen(\"/new\", \"w\") ? \"FOUND a place\" : "
        "\"nothing\"); "
        "std::fflush(stdout); _exit(0);";
    all.submit("looks around", "exercise.cpp",
               work(looks, "#include <arpa/inet.h>\n#include <netinet/in.h>\n#include <sys/socket.h>"));
    // The program that calls it has no right number in it, nor the words in which one is said.
    all.submit("asks the program that calls it", "exercise.cpp",
               work("std::system(\"ls /given; grep -c -e 'numbers differ' -e softmax /given/collect; "
                    "/given/collect /given/01* judge /given/inputs.npz a b c\"); std::fflush(stdout); "
                    "_exit(0);"));
    // NaN follows from NaN, and differs from itself.
    all.submit("not a number", "exercise.cpp",
               work("for (Matrix* each : {&steps.logits, &steps.scaled, &steps.masked, &steps.attention}) "
                    "*each = Matrix(Q.rows(), K.rows()); steps.values = Matrix(Q.rows(), V.columns()); for "
                    "(Matrix* each : {&steps.logits, &steps.scaled, &steps.masked, &steps.attention, "
                    "&steps.values}) for (int i = 0; i < each->rows(); ++i) for (int j = 0; j < "
                    "each->columns(); ++j) (*each)(i, j) = NAN;",
                    "#include <cmath>"));
    const nlohmann::json found = all.graded();
    CHECK(found.size() == 11);
    for (const auto& [student, tasks] : found.items()) {
        INFO(student << ": " << problem(found, student));
        CHECK(points(found, student) == (student == "right" ? 5 : 0));
        CHECK(!has(problem(found, student), "root:"));
    }
    // The copy is complete: each step fits the one before it, and none the student's own inputs.
    const nlohmann::json copied = found["copies golden.npz"]["attention"]["steps"];
    CHECK(copied[0]["verdict"] == "wrong");
    for (std::size_t i : {1, 2, 3}) CHECK(copied[i]["verdict"] == "right for what it was given");
    CHECK(has(problem(found, "uses the library"), "undefined symbol"));
    const std::string asked = problem(found, "asks the program that calls it");
    INFO(asked);
    CHECK(has(asked, "collect\n"));
    CHECK(!has(asked, "check\n"));
    CHECK(has(asked, "\n0\n"));
    CHECK(!has(asked, ", expected "));
    INFO(problem(found, "looks around"));
    CHECK(!has(problem(found, "looks around"), "FOUND"));
    CHECK(has(problem(found, "looks around"), "nothing at /etc/shadow"));
}

TEST_CASE("grade: a function in Python, by name and by position") {
    need_numpy();
    const Class all(
        R"({"limits": {"seconds": 4}, "tasks": [{"layer": "attention", "function": "attend", "file": "a.py", "points": 5}]})");
    const std::string by_name =
        "import numpy as np\ndef attend(V, K, Q, mask):\n"
        "    scaled = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])\n"
        "    scaled = np.where(mask == 1, scaled, -1e9)\n"
        "    e = np.exp(scaled - scaled.max(-1, keepdims=True))\n"
        "    return e / e.sum(-1, keepdims=True) @ V\n";
    all.submit("by name", "a.py", by_name);
    all.submit(
        "by position", "a.py",
        replaced(by_name, "attend(V, K, Q, mask):", "attend(q, k, v, m):\n    Q, K, V, mask = q, k, v, m"));
    all.submit("no root", "a.py", replaced(by_name, "np.sqrt(Q.shape[-1])", "Q.shape[-1]"));
    all.submit("exit", "a.py", "import os\nos._exit(0)\n");
    all.submit("raises", "a.py", "def attend(Q, K, V, mask):\n    return Q @ K\n");
    all.submit("reads", "a.py", "def attend(Q, K, V, mask):\n    return open('/etc/passwd').read()\n");
    all.submit("none", "a.py", "def attend(Q, K, V, mask):\n    pass\n");
    all.submit("endless", "a.py", "def attend(Q, K, V, mask):\n    while True: pass\n");
    const nlohmann::json found = all.graded();
    CHECK(points(found, "by name") == 5);
    CHECK(points(found, "by position") == 5);
    CHECK(points(found, "no root") == 4);
    CHECK(has(problem(found, "exit"), "does it call exit?"));
    CHECK(has(problem(found, "raises"), "line 2: return Q @ K"));
    CHECK(has(problem(found, "reads"), "FileNotFoundError"));
    CHECK(has(problem(found, "none"), "returned None"));
    CHECK(has(problem(found, "endless"), "it did not finish within 4 seconds"));
}

TEST_CASE("grade: a lesson in Python") {
    need_numpy();
    const Class all(
        R"({"seed": 3, "tasks": [{"name": "attention", "lesson": "01", "file": "exercise.py", "points": 5}]})");
    const std::string right = content((lesson / "solution.py").string());
    all.submit("right", "exercise.py", right);
    all.submit("nothing", "exercise.py", content((lesson / "exercise.py").string()));
    all.submit("solution", "exercise.py", "from solution import *\n");
    all.submit("exit", "exercise.py", "import os\nos._exit(0)\n");
    const nlohmann::json found = all.graded();
    CHECK(points(found, "right") == 5);
    for (const char* each : {"nothing", "solution", "exit"}) CHECK(points(found, each) == 0);
    CHECK(has(problem(found, "solution"), "ModuleNotFoundError"));
}

TEST_CASE("grade: the solutions of every lesson are right with any student's inputs") {
    need_numpy();
    std::string tasks;
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(lesson.parent_path()))
        if (fs::exists(entry.path() / "lesson.json")) folders.push_back(entry.path());
    for (const fs::path& folder : folders)
        for (const char* language : {"cpp", "py"}) {
            const std::string number = folder.filename().string().substr(0, 2),
                              file = number + "." + language;
            tasks += fmt::format("{}{{\"name\": \"{}\", \"lesson\": \"{}\", \"file\": \"{}\"}}",
                                 tasks.empty() ? "" : ", ", file, number, file);
        }
    const Class all("{\"seed\": 5, \"limits\": {\"seconds\": 60}, \"tasks\": [" + tasks + "]}");
    for (const fs::path& folder : folders)
        for (const char* language : {"cpp", "py"})
            all.submit("anna", folder.filename().string().substr(0, 2) + "." + language,
                       content((folder / "solution.").string() + language));
    const nlohmann::json found = all.graded();
    CHECK(folders.size() >= 15);
    CHECK(found["anna"].size() == 2 * folders.size());
    for (const auto& [task, mark] : found["anna"].items()) {
        INFO(task << ": " << mark.dump());
        CHECK(mark["points"] == 1);
    }
}

TEST_CASE("grade: lines of the student's own do not pass for marks, and none has C++'s own names") {
    need_sandbox();
    const Class all(course);
    all.submit(
        "throws", "exercise.cpp",
        work("throw std::runtime_error(\"x\\n  ✓ logits\\n\\nattention: 5 of 5\");", "#include <stdexcept>"));
    all.submit("says", "exercise.cpp",
               work("std::puts(\"  ✓ logits\\n\\nattention: 5 of 5\"); std::fflush(stdout); _exit(1);"));
    all.submit("negative", "exercise.cpp",
               work("std::vector<double> v; v.resize(static_cast<std::size_t>(-1));", "#include <vector>"));
    all.submit("huge", "exercise.cpp",
               work("std::vector<double> v(std::size_t{1} << 40); v[1] = 1;", "#include <vector>"));
    const Folder out;
    const Ran ran = all.grade("--feedback " + (out / "f"));
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    for (const char* student : {"throws", "says"}) {
        const std::string told = content(out / ("f/" + std::string(student) + ".txt"));
        INFO(told);
        CHECK(has(told, "5 of 5"));
        CHECK(!has(told, "\n  ✓"));
        CHECK(!has(told, "\nattention: 5 of 5"));
    }
    for (const char* student : {"negative", "huge"}) {
        const std::string told = content(out / ("f/" + std::string(student) + ".txt"));
        INFO(told);
        CHECK(has(told, "it asked for more memory than available"));
        CHECK(!has(told, "_M_"));
        CHECK(!has(told, "bad_alloc"));
    }
}

TEST_CASE("grade: inputs that would cost a right solution points are drawn anew") {
    need_sandbox();
    // Their first draws are a model that writes <pad> as a word, and a norm that amplifies rounding.
    const std::pair<const char*, std::vector<const char*>> drawn[] = {
        {"12", {"student2", "student7", "student11", "student27", "student30"}},
        {"14", {"student8", "student21"}}};
    for (const auto& [number, students] : drawn) {
        const Class in_cpp, in_python;
        for (const auto& entry : fs::directory_iterator(lesson.parent_path()))
            if (entry.path().filename().string().starts_with(number)) {
                in_cpp.submit(students.back(), "exercise.cpp",
                              content((entry.path() / "solution.cpp").string()));
                for (const char* student : students)
                    in_python.submit(student, "exercise.py",
                                     content((entry.path() / "solution.py").string()));
            }
        const std::string option = std::string("--lesson ") + number, task = std::string("lesson ") + number;
        const nlohmann::json cpp = in_cpp.graded(option)[students.back()][task];
        INFO(cpp.dump());
        CHECK(cpp["points"] == 1);
        const nlohmann::json found = in_python.graded(option + " --file exercise.py");
        for (const auto& [student, marks] : found.items()) {
            if (has(marks[task]["detail"], "numpy")) continue;  // not installed
            INFO(student << ": " << marks.dump());
            CHECK(marks[task]["points"] == 1);
        }
    }
}

TEST_CASE("grade: --trust runs code without a sandbox, under its limits") {
    const Class all(course);
    all.submit("right", "exercise.cpp", solution());
    all.submit("endless", "exercise.cpp", "struct A { A() { for (;;) ; } } a;\n" + solution());
    const nlohmann::json found = all.graded("--trust");
    CHECK(points(found, "right") == 5);
    CHECK(has(problem(found, "endless"), "it did not finish within 6 seconds"));
}

TEST_CASE("grade: where there is no sandbox, code is refused and arrays are not") {
    need_sandbox();
    // Nested in a sandbox that allows no other.
    const auto graded_inside = [](const Class& all) {
        Surroundings inside;
        inside.program = "/usr/bin/bwrap";
        return run_program({"--unshare-user", "--disable-userns", "--bind", "/", "/", "--dev", "/dev",
                            GLASSBOX_TRACER, "grade", all.path()},
                           inside);
    };
    const Class code(course);
    code.submit("right", "exercise.cpp", solution());
    const Ran refused = graded_inside(code);
    if (has(refused.err, "disable-userns")) SKIP("this bubblewrap has no --disable-userns");
    CHECK(refused.code == 4);
    CHECK(has(refused.err, "bubblewrap does not work here"));
    CHECK(has(refused.err, "--trust"));
    const Class arrays(R"({"tasks": [{"layer": "attention"}]})");
    arrays.submit("anna", "attention.npz", "no arrays");
    CHECK(graded_inside(arrays).code == 0);
}

TEST_CASE("grade: a function gets every number of the layer by its name, as a number") {
    need_numpy();
    const Class all(R"({"tasks": [
        {"layer": "clip --max-norm 1 --epsilon 0.05", "function": "clip", "file": "clip.py"},
        {"name": "step", "layer": "adam --optimiser adamw", "function": "step", "file": "step.py",
         "returns": ["w", "m", "v"], "points": 3}]})");
    all.submit("anna", "clip.py",
               "import numpy as np\ndef clip(gradient, max_norm, epsilon):\n"
               "    return gradient * min(1, max_norm / (np.sqrt((gradient ** 2).sum()) + epsilon))\n");
    all.submit(
        "anna", "step.py",
        "import numpy as np\n"
        "def step(before, gradient, m_before, v_before, update, rate, beta1, beta2, epsilon, weight_decay):\n"
        "    m = beta1 * m_before + (1 - beta1) * gradient\n"
        "    v = beta2 * v_before + (1 - beta2) * gradient ** 2\n"
        "    m_hat, v_hat = m / (1 - beta1 ** update), v / (1 - beta2 ** update)\n"
        "    return before - rate * (m_hat / (np.sqrt(v_hat) + epsilon) + weight_decay * before), m, v\n");
    // By what people call them, or by place.
    all.submit("ben", "clip.py",
               "import numpy as np\ndef clip(grad, max_norm):\n"
               "    return grad * min(1, max_norm / (np.sqrt((grad ** 2).sum()) + 0.05))\n");
    const nlohmann::json found = all.graded();
    INFO(found.dump());
    CHECK(found["anna"]["clip"]["points"] == 1);
    CHECK(found["anna"]["step"]["points"] == 3);
    CHECK(found["ben"]["clip"]["points"] == 1);
}

TEST_CASE("grade: a function that stretches short gradients too is not right") {
    need_numpy();
    const Class all(
        R"({"tasks": [{"layer": "clip --epsilon 0.05", "function": "clip", "file": "clip.py", "points": 3}]})");
    all.submit("anna", "clip.py",
               "import numpy as np\ndef clip(gradient, max_norm):\n"
               "    return gradient * max_norm / (np.sqrt((gradient ** 2).sum()) + 0.05)\n");
    const nlohmann::json clip = all.graded()["anna"]["clip"];
    CHECK(clip["points"] == 2);
    CHECK(clip["mistakes"][0]["name"] == "factor/always");
}

TEST_CASE("grade: a function's own file is named in what Python says of it") {
    need_numpy();
    const Class all(
        R"({"tasks": [{"layer": "attention", "function": "attend", "file": "attend-steps.py"}]})");
    all.submit("anna", "attend-steps.py", "def attend(Q, K, V):\n    retrun Q\n");
    const nlohmann::json task = all.graded()["anna"]["attention"];
    CHECK(has(task["detail"], "(attend-steps.py, line 2)"));
}

TEST_CASE("grade: a trial of functions: what is right earns all, and inputs earn nothing") {
    need_numpy();
    const Class all(R"({"tasks": [
        {"layer": "clip", "function": "clip"}, {"name": "last", "layer": "clip", "function": "clip", "steps": "last"},
        {"layer": "adam --optimiser adamw", "function": "step", "returns": ["w", "m", "v"]},
        {"layer": "loss --label-smoothing 0", "function": "ce", "returns": "loss"},
        {"layer": "attention", "function": "attend", "returns": "attention"}]})");
    const Ran ran = all.grade("--try");
    INFO(ran.out + ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "Correct work earns all points, anything else none."));
}

TEST_CASE("grade: a trial that finds fault says what to write") {
    need_numpy();
    const Class all(R"({"tasks": [{"layer": "clip --max-norm 1000", "function": "clip"}]})");
    const Ran ran = all.grade("--try");
    CHECK(ran.code == 1);
    CHECK(has(ran.out, "give the layer other options"));
}
