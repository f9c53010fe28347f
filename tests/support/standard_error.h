#pragma once
#include <unistd.h>

#include <cstdio>
#include <string>

namespace glassbox_test {

// What f writes to stderr.
template <class F>
std::string written_to_stderr(F f) {
    std::FILE* const file = std::tmpfile();
    std::fflush(stderr);
    const int before = ::dup(2);
    ::dup2(::fileno(file), 2);
    f();
    std::fflush(stderr);
    ::dup2(before, 2);
    ::close(before);
    std::rewind(file);
    std::string text;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
    std::fclose(file);
    return text;
}

}  // namespace glassbox_test
