#include "guard.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include <glassbox/tensor/format.h>

#include "matrix.h"
#include "prints.h"

namespace lesson {
namespace {

constexpr unsigned usual_seconds = 10, patience = 2;

unsigned usual_limit() {
    const char* wanted = std::getenv("GLASSBOX_LESSON_SECONDS");
    const int given = wanted ? std::atoi(wanted) : 0;
    return given > 0 ? static_cast<unsigned>(given) : usual_seconds;
}

unsigned seconds = usual_limit();
bool is_attended = false;
constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
std::array<char, 64 * 1024> stack_of_handler;  // after endless recursion the usual one is full
sigjmp_buf before_work;
volatile sig_atomic_t is_at_work = 0, is_patient = 0;
std::array<char, 320> waiting;  // printed when it takes long: a handler cannot build a text

void on_signal(int signal) {
    if (signal == SIGALRM && is_patient) {
        is_patient = 0;
        (void)!write(messages(), waiting.data(), std::strlen(waiting.data()));
        alarm(seconds - patience);
        return;
    }
    if (is_at_work) siglongjmp(before_work, signal);
    ::signal(signal, SIG_DFL);  // not the student's work, or what it has left
    raise(signal);
}

void catch_signals() {
    stack_t stack{};
    stack.ss_sp = stack_of_handler.data();
    stack.ss_size = stack_of_handler.size();
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    for (const int signal : signals) sigaction(signal, &action, nullptr);
}

std::string crash_of(int signal) {
    switch (signal) {
        case SIGALRM:
            return fmt::format("did not finish within {} seconds: does every loop end?", seconds);
        case SIGKILL:
            return "crashed (signal 9): another program has killed it, or the system, for lack of memory";
        case SIGFPE:
            return "crashed: is an integer divided by 0?";
        case SIGSEGV:
        case SIGBUS:
        case SIGABRT:
        case SIGILL:
            return "crashed: does it access an array out of bounds, or recurse endlessly?";
        default:  // no crash sends it
            return fmt::format("crashed (signal {}): another program terminated it", signal);
    }
}

constexpr const char* too_large = "it asked for more memory than available: is a size negative or unset?";

Ended with_exceptions(const std::function<void()>& work) {
    try {
        work();
    } catch (const HasNoSize& error) {
        return {error.what(), Stop::no_size};
    } catch (const std::out_of_range& error) {
        return {error.what(), Stop::place};
    } catch (const std::bad_alloc&) {  // what() has only the library's own names for these two
        return {too_large, Stop::other};
    } catch (const std::length_error&) {
        return {too_large, Stop::other};
    } catch (const std::exception& error) {
        return {error.what(), Stop::other};
    } catch (...) {
        return {"it threw something other than a std::exception, such as throw 42", Stop::other};
    }
    return {};
}

using Note = std::array<char, 256>;
Note* shared_note = nullptr;  // both processes see it

Note* make_shared() {
    void* memory = mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) glassbox::fail("lesson: no shared memory");
    return static_cast<Note*>(memory);
}

std::string running() { return shared_note ? shared_note->data() : ""; }

std::string text_of(const std::string& note) {
    return note.empty() ? "" : fmt::format(" while {} was checked", note);
}

void start_the_clock() {
    const std::string text = fmt::format("lesson: {} is not done yet: waiting for it, {} seconds at most\n",
                                         running().empty() ? "it" : running(), seconds);
    waiting.fill(0);
    std::memcpy(waiting.data(), text.data(), std::min(text.size(), waiting.size() - 1));
    is_patient = is_attended && seconds > patience;
    alarm(is_patient ? patience : seconds);
}

constexpr std::pair<Stop, const char*> words_of_stops[] = {
    {Stop::none, ""},           {Stop::place, "place"}, {Stop::no_size, "no-size"},
    {Stop::endless, "endless"}, {Stop::crash, "crash"}, {Stop::other, "other"}};

}  // namespace

const char* word_of(Stop stop) {
    return std::find_if(std::begin(words_of_stops), std::end(words_of_stops),
                        [&](const auto& each) { return each.first == stop; })
        ->second;
}

Stop stop_of(const std::string& word) {
    for (const auto& [stop, its_word] : words_of_stops)
        if (word == its_word) return stop;
    return Stop::other;
}

void limit_work(unsigned max_seconds) { seconds = max_seconds; }

void attend_student() {
    is_attended = true;
    keep_prints();
}

Ended run_guarded(const std::function<void()>& work) {
    catch_signals();
    begin_prints();
    if (const int signal = sigsetjmp(before_work, 1)) {
        is_at_work = 0;
        is_patient = 0;
        alarm(3 * seconds);  // what a crash has left may stop the check itself
        end_prints(running());
        return {crash_of(signal), signal == SIGALRM ? Stop::endless : Stop::crash};
    }
    is_at_work = 1;
    start_the_clock();
    const Ended ended = with_exceptions(work);
    is_at_work = 0;
    is_patient = 0;
    alarm(0);
    end_prints(running());
    return ended;
}

int in_own_process(const std::string& name, const std::function<int()>& program) {
    shared_note = make_shared();
    int ends[2];
    if (pipe(ends) != 0) glassbox::fail("lesson: no pipe to a child process");
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) glassbox::fail("lesson: no child process");
    if (child == 0) {
        close(ends[0]);
        const char code = static_cast<char>(program());
        std::fflush(nullptr);
        _exit(write(ends[1], &code, 1) == 1 ? code : 4);
    }
    close(ends[1]);
    char code = 0;
    const bool came_to_its_end = read(ends[0], &code, 1) == 1;
    int status = 0;
    waitpid(child, &status, 0);
    if (came_to_its_end) return code;
    const std::string when = text_of(running());
    fmt::print("{}", prints(name, running()));
    if (WIFSIGNALED(status)) fmt::print("{}: {}{}\n", name, crash_of(WTERMSIG(status)), when);
    else
        fmt::print("{} ended the program{}: does it call exit? Your function only has to return.\n", name,
                   when);
    std::fflush(nullptr);
    return 1;
}

void note(const std::string& what) {
    if (!shared_note) return;
    shared_note->fill(0);
    std::memcpy(shared_note->data(), what.data(), std::min(what.size(), shared_note->size() - 1));
}

}  // namespace lesson
