#pragma once
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/mistakes/diagnosis.h>
#include <glassbox/testing/numbers.h>
#include <glassbox/testing/step_matcher.h>

namespace glassbox {

struct CheckOptions {
    bool expected = false;  // whether a failure shows the right number
    index_t effort = -1;    // passes for the search of one mistake: DiagnosisOptions
};

// The result of checking a user's array. True if it is right; prints the diagnosis if not:
//     if (const Checked found = key.step("attention", mine); !found) std::cout << found;
//     CHECK(key.step("attention", mine));      // Catch2 and GoogleTest print it as well
class [[nodiscard]] Checked {
  public:
    Checked(Diagnosis diagnosis, bool expected) : diagnosis_(std::move(diagnosis)), expected_(expected) {}
    explicit operator bool() const { return diagnosis_.all_right(); }
    std::string str() const;  // a line for each step, and each mistake with its formula and sentence
    const Diagnosis& diagnosis() const { return diagnosis_; }
    friend std::ostream& operator<<(std::ostream& out, const Checked& found);

  private:
    Diagnosis diagnosis_;
    bool expected_;
};

// The answer key for one input: a computation that names its steps, which is run as often as needed, also on
// several threads at once. What it refers to must live as long.
//     const glassbox::Check key = glassbox::check([&] { scaled_dot_product(Q, K, V); });
//     CHECK_THAT(mine, key.is_step("attention"));
//     CHECK_THAT(mine, glassbox::is_step("attention"));  // of the check made last, on this thread, that
//     lives
class Check {
  public:
    // Throws Error if the computation names no step.
    explicit Check(std::function<void()> forward, const CheckOptions& options = {});
    ~Check();
    Check(const Check&) = delete;
    Check& operator=(const Check&) = delete;

    // Whether the numbers are those of a step, judged only by this array. Throws Error for an unknown step,
    // naming the computation's steps.
    Checked step(const std::string& path, const Numbers& mine) const;
    Checked result(const Numbers& mine) const;  // of the last step
    // Several at once: each is judged from the earlier ones, so that one mistake counts once.
    Checked steps(const std::vector<std::pair<std::string, Numbers>>& mine) const;

    StepMatcher is_step(const std::string& path) const;
    StepMatcher is_result() const;

  private:
    Computation computation_;
    CheckOptions options_;
    std::shared_ptr<std::vector<const Check*>> list_;  // of the thread that made it
};

inline Check check(std::function<void()> forward, const CheckOptions& options = {}) {
    return Check(std::move(forward), options);
}

// Returns the matcher of the last check on this thread that is still alive. Throws Error without one.
StepMatcher is_step(const std::string& path);
StepMatcher is_result();

}  // namespace glassbox
