// Calls a student's exercise in tracer grade's sandbox, where a hand-in can read and use this program, too:
// so it has no right number in it, and cannot compute one.
//   collect FOLDER LIBRARY NAME FILE.npz SECONDS OUT
//                            what the exercise, called NAME, gives for these inputs: OUT.npz and OUT.stopped
// Exit codes: 0 done, 1 the exercise cannot be called or ended the program, 3 a bad file, 4 reading or
// writing failed.
#include <fmt/format.h>

#include <cstdlib>

#include <glassbox/tensor/errors.h>

#include "collect.h"
#include "guard.h"

namespace lesson {
namespace {

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
    if (argc != 7) return lesson::fail_with("collect: 6 arguments are needed", 2);
    return lesson::in_own_process(argv[3], [&] { return lesson::run(argv); });
}
