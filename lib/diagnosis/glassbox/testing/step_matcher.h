#pragma once
#include <iosfwd>
#include <memory>
#include <string>

#include <glassbox/testing/numbers.h>

namespace glassbox {

class Check;

// A matcher for Catch2 (versions 2 and 3) and for GoogleTest, whose failure prints the diagnosis. It needs
// neither: each takes what it calls.
class StepMatcher {
  public:
    // `check` must live as long as the matcher.
    StepMatcher(const Check& check, std::string path);

    // Catch2: CHECK_THAT(mine, is_step("attention"))
    template <class Array>
    bool match(const Array& mine) const {
        return matches(Numbers(mine));
    }
    std::string toString() const;

    // GoogleTest: EXPECT_THAT(mine, is_step("attention"))
    using is_gtest_matcher = void;
    template <class Array>
    bool MatchAndExplain(const Array& mine, std::ostream* listener) const {
        return matches_and_says(Numbers(mine), listener);
    }
    void DescribeTo(std::ostream* out) const;
    void DescribeNegationTo(std::ostream* out) const;

  private:
    bool matches(const Numbers& mine) const;
    bool matches_and_says(const Numbers& mine, std::ostream* listener) const;
    std::string explanation() const;  // of the last comparison

    const Check* check_;
    std::string path_;
    std::shared_ptr<std::string> explanation_;  // Catch2 2 asks a copy
};

}  // namespace glassbox
