#include "collect.h"

#include <chrono>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/tensor/format.h>

#include "call.h"

namespace lesson {

using glassbox::fail;
using glassbox::NamedTensors;

// The arrays "case/name" of golden.npz, by name.
Tensors golden_case(const glassbox::NamedTensors& golden, const std::string& name) {
    Tensors found;
    for (const auto& [path, value] : golden)
        if (path.compare(0, name.size() + 1, name + "/") == 0) found[path.substr(name.size() + 1)] = value;
    if (found.empty()) fail("golden.npz: no case '{}'", name);
    return found;
}

std::string reason_not_called(const std::string& endless) {
    return fmt::format("{}: case '{}' did not finish", not_called, endless);
}

namespace {

using Stopped = std::map<std::string, Ended>;  // by the case

std::string text_of(const Stopped& stopped) {
    std::string text;
    for (const auto& [name, ended] : stopped)
        for (const std::string& each : {name, ended.early, std::string(word_of(ended.kind))})
            text += each + '\0';
    return text;
}

}  // namespace

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

}  // namespace lesson
