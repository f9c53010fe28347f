#pragma once
#include <functional>
#include <string>

namespace lesson {

// What kind of stop it was: each has a hint of its own.
enum class Stop {
    none,
    place,    // a row, column or number was asked for that is not there, or sizes do not fit
    no_size,  // a Matrix, Matrices or a Vector was used that has no size yet
    endless,
    crash,
    other,  // any other exception; or it was not called at all
};
const char* word_of(Stop stop);
Stop stop_of(const std::string& word);  // other, for a word that is none

// How a student's work came to its end.
struct Ended {
    std::string early;  // why it stopped early: an exception, a crash, a loop without end; else empty
    Stop kind = Stop::none;
};
// Runs the work. After a crash or 10 seconds it is left where it was.
Ended run_guarded(const std::function<void()>& work);
void limit_work(unsigned seconds);  // in place of the 10, or of what GLASSBOX_LESSON_SECONDS says
// A student is waiting: from now on it is said that a case takes long, and what the work prints is kept, to
// be shown at once.
void attend_student();

// Runs the program in a process of its own, and returns its exit code. Where the student's work ends that
// process, so that the program does not come to its end, this is said with `name`, and the code is 1.
int in_own_process(const std::string& name, const std::function<int()>& program);
// What is running now, for that message: "case 'causal'".
void note(const std::string& what);

}  // namespace lesson
