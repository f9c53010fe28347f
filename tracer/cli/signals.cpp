#include "cli/failure.h"

#include <csignal>
#include <cstdlib>
#include <utility>

namespace glassbox::tracer {
namespace {

volatile std::sig_atomic_t caught = 0;
constexpr std::pair<int, const char*> signals[] = {
    {SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};

extern "C" void catch_signal(int number) {
    caught = number;
    std::signal(number, SIG_DFL);
}

}  // namespace

void listen_for_signals() {
    if (caught) return;  // by an earlier run in this process: the next signal ends it immediately
    for (const auto& [number, name] : signals)
        if (std::signal(number, catch_signal) == SIG_IGN && number == SIGHUP)
            std::signal(number, SIG_IGN);  // keep nohup's setting
}

int caught_signal() { return caught; }

const char* signal_name(int number) {
    for (const auto& [known, name] : signals)
        if (known == number) return name;
    return "a signal";
}

void end_by_signal(int number) {
    std::signal(number, SIG_DFL);  // the handler may still be there
    std::raise(number);
    std::abort();  // not reached
}

}  // namespace glassbox::tracer
