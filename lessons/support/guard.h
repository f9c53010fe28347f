#pragma once
#include <functional>
#include <string>

namespace lesson {

// How a student's work came to its end.
struct Ended {
    std::string early;     // why it stopped early: an exception, a crash, a loop without end; else empty
    bool no_size = false;  // it used a Matrix, Matrices or a Vector that has no size yet
};
// Runs the work. After a crash or 20 seconds it is left where it was.
Ended run_guarded(const std::function<void()>& work);
void limit_work(unsigned seconds);  // in place of the 20

// Runs the program in a process of its own, and returns its exit code. Where the student's work ends that
// process, so that the program does not come to its end, this is said with `name`, and the code is 1.
int in_own_process(const std::string& name, const std::function<int()>& program);
// What is running now, for that message: "case 'causal'".
void note(const std::string& what);

}  // namespace lesson
