// Calls a student's exercise in tracer grade's sandbox, where a submission can also read and use this
// program: so it contains no right number, and cannot compute one.
//   collect FOLDER LIBRARY NAME FILE.npz SECONDS OUT
//                            what the exercise, called NAME, gives for these inputs: OUT.npz and OUT.stopped
// Exit codes: 0 done, 1 the exercise cannot be called or ended the program, 3 a bad file, 4 reading or
// writing failed.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/tensor/errors.h>

#include "call.h"
#include "guard.h"
#include "lesson_json.h"

namespace lesson {
namespace {

using glassbox::NamedTensors;
using Stopped = std::map<std::string, Ended>;  // by the case

std::string text_of(const Stopped& stopped) {
    std::string text;
    for (const auto& [name, ended] : stopped)
        for (const std::string& each : {name, ended.early, std::string(word_of(ended.kind))})
            text += each + '\0';
    return text;
}

// Calls the exercise on the inputs of `file`, and writes `out`.npz, the steps as "case/step", and
// `out`.stopped, for each case that stopped early: its name, why, and word_of() the kind of stop; each text
// ends with a NUL. A call that takes longer than `seconds` is the last.
void collect(const Lesson& lesson, const Exercise& exercise, const std::filesystem::path& file,
             unsigned seconds, const std::filesystem::path& out) {
    using Clock = std::chrono::steady_clock;
    limit_work(seconds);
    const NamedTensors inputs = glassbox::read_npz(file).arrays;
    NamedTensors steps;
    Stopped stopped;
    std::string endless;
    for (const Lesson::Case& of : lesson.cases) {
        if (!endless.empty()) {
            stopped[of.name] = {reason_not_called(endless), Stop::other};
            continue;
        }
        note(fmt::format("case '{}'", of.name));
        const auto begin = Clock::now();
        const Answer answer = call_exercise(exercise, golden_case(inputs, of.name));
        if (Clock::now() - begin >= std::chrono::seconds(seconds)) endless = of.name;
        if (!answer.stopped.empty()) stopped[of.name] = {answer.stopped, answer.kind};
        for (const auto& [name, step] : answer.steps)
            if (step.value.defined()) steps.emplace_back(of.name + "/" + name, step.value);
    }
    glassbox::write_npz(out.string() + ".npz", steps);
    glassbox::write_file_atomically(out.string() + ".stopped", text_of(stopped));
}

int fail_with(const char* what, int code) {
    fmt::print(stderr, "lesson: {}\n", what);
    return code;
}

int run(char** words) {
    try {
        collect(read_lesson(words[1]), Exercise(words[2]), words[4],
                static_cast<unsigned>(std::atoi(words[5])), words[6]);
        return 0;
    } catch (const glassbox::FileError& error) {
        return fail_with(error.what(), 3);
    } catch (const glassbox::IoError& error) {
        return fail_with(error.what(), 4);
    } catch (const std::exception& error) {
        return fail_with(error.what(), 1);
    }
}

}  // namespace
}  // namespace lesson

int main(int argc, char** argv) {
    if (argc != 7) return lesson::fail_with("collect: needs 6 arguments", 2);
    return lesson::in_own_process(argv[3], [&] { return lesson::run(argv); });
}
