#pragma once
#include <functional>
#include <string>

namespace lesson {

// The kind of stop: each has its own hint.
enum class Stop {
    none,
    place,    // a row, column or number that does not exist was read, or sizes do not fit
    no_size,  // a Matrix, Matrices or a Vector was used that has no size yet
    endless,
    crash,
    other,  // any other exception; or it was not called at all
};
const char* word_of(Stop stop);
Stop stop_of(const std::string& word);  // other, for a word that is not one

// How a student's work ended.
struct Ended {
    std::string early;  // why it stopped early: an exception, a crash, a loop without end; else empty
    Stop kind = Stop::none;
};
// Runs the work. After a crash or 10 seconds it is left where it was.
Ended run_guarded(const std::function<void()>& work);
void limit_work(unsigned seconds);  // in place of the 10, or of GLASSBOX_LESSON_SECONDS
// A student is waiting: from now on a slow case is reported, and what the work prints is kept, to be shown at
// once.
void attend_student();

// Runs the program in a separate process and returns its exit code. If the student's work ends that process
// before the program ends, reports this with `name` and returns 1.
int in_own_process(const std::string& name, const std::function<int()>& program);
// What is running now, for that message: "case 'causal'".
void note(const std::string& what);

}  // namespace lesson
