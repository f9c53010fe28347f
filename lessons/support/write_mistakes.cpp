// lesson_write_mistakes FOLDER OUTPUT.cpp: the source of all wrong solutions of a lesson, for the build.
#include <cstdio>
#include <fstream>

#include <glassbox/tensor/errors.h>

#include "lesson_json.h"
#include "mistakes.h"

int main(int argc, char** argv) {
    try {
        if (argc != 3) throw glassbox::UsageError("lesson_write_mistakes FOLDER OUTPUT.cpp");
        const std::string source = lesson::mistakes_source(lesson::read_lesson(argv[1]));
        std::ofstream file(argv[2]);
        if (!(file << source).flush()) throw glassbox::IoError(std::string(argv[2]) + ": cannot be written");
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
