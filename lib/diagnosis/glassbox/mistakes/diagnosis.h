#pragma once
#include <functional>
#include <string>
#include <vector>

#include <glassbox/mistakes/computation.h>
#include <glassbox/mistakes/mistake_scope.h>
#include <glassbox/mistakes/precision.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// The result for one step of the user's work: the only words for it, here, in lessons, in marks and in
// Python (diagnosis_json.h).
enum class Verdict {
    right,
    inherited,  // right for what it was given: an earlier step is wrong
    not_given,
    missing,  // requested, but missing: only for code
    wrong,    // does not follow from the earlier submitted steps
};

template <>
struct EnumWords<Verdict> {
    static constexpr const char* what = "verdict";
    static constexpr Word<Verdict> all[] = {{Verdict::right, "right"},
                                            {Verdict::inherited, "right for what it was given"},
                                            {Verdict::not_given, "not submitted"},
                                            {Verdict::missing, "missing"},
                                            {Verdict::wrong, "wrong"}};
};

// Mistakes that reproduce all numbers of a step: one, or two made together.
struct Explanation {
    std::vector<PlacedMistake> mistakes;
    double misfit;  // the largest difference left, in units of what rounding allows
    // Others of the same classes (effect_classes()), which give the same numbers.
    std::vector<std::vector<PlacedMistake>> alike{};
};

struct StepDiagnosis {
    std::string path;
    const StepInfo* info = nullptr;
    Verdict verdict = Verdict::not_given;
    std::string accepted;    // what was accepted: "with its axes in the order (1, 0, 2)", "float16"
    std::string difference;  // "[0, 2] is 1.5, right is 0.75 (6 of 9 numbers differ)"
    // Allowed for the first number that differs, with the rounding to the digits given; of a right step, the
    // largest of the computation's.
    double tolerance = 0;
    // Of a wrong step: the simplest mistakes that reproduce it. Several if they cannot be distinguished.
    std::vector<Explanation> explanations{};
    std::string looks_like{};    // without one: "every number is 0.5 times the expected one"
    bool is_input = false;       // an input, not the user's own work
    bool is_evident = false;     // wrong, and looks_like is all
    bool is_too_coarse = false;  // wrong because numbers rounded so far would pass without being right
    // Earns its share of the points, with DiagnosisOptions::earned: right, or shown to be right by the
    // submitted numbers (detail/evidence.h).
    bool earned = false;
    bool is_mistaken = false;  // with DiagnosisOptions::earned: what is wrong was done in this step
    bool is_asked = false;     // with the same: it was submitted, or leads to one that was

    bool is_wrong() const { return verdict == Verdict::wrong || verdict == Verdict::missing; }
};

struct Diagnosis {
    std::vector<StepDiagnosis> steps;  // all of the computation's steps, in order
    // Possible mistakes that the submitted steps cannot show: filled in if these are all right and some steps
    // are missing.
    std::vector<const Mistake*> unseen{};
    bool searched_all = true;     // false: the effort was spent before all pairs of mistakes were tried
    index_t tried = 0, left = 0;  // pairs of the step where most were left: those that were tried, and these

    const StepDiagnosis* first_wrong() const;  // or missing; null without one
    bool all_right() const { return first_wrong() == nullptr; }
};

// How many passes of the computation take about so long on one core: counted from its numbers, not by a
// clock.
index_t passes_in(const Computation& computation, double seconds);
inline constexpr double usual_seconds = 10;  // of a search, unless the caller sets it

struct DiagnosisOptions {
    // How many passes of the computation are run for mistakes in a part of a step and for pairs, of one step;
    // simpler ones are always tried. Below 0: passes_in() the usual seconds. The answer is the same on any
    // machine.
    index_t effort = -1;
    bool pairs = true;  // also two mistakes made together
    // Asked before two are tried, if it is set: false if something simpler is known to explain the numbers.
    std::function<bool()> before_pairs{};
    // Whether mistakes that give the step at this path are possible: set where more cases of the work are
    // known. Called from several threads.
    std::function<bool(const std::string& path, const std::vector<PlacedMistake>&)> is_possible{};
    int threads = 0;      // 0: all
    int explained = -1;   // only for this many wrong steps, the first ones; −1: for all
    bool unseen = true;   // whether to look for mistakes that do not show
    bool earned = false;  // whether to report which steps earn points
};

// Compares the user's steps with the computation and names the mistakes. Each step is judged on its own, from
// the earlier submitted steps. If only the result was submitted, every mistake of the catalogue is put into
// the computation, then every pair, and the simplest that reproduce all numbers are named. Throws Error for a
// step that the computation does not have, naming the nearest ones.
Diagnosis diagnose(const Computation& computation, const std::vector<SubmittedStep>& submitted,
                   const DiagnosisOptions& options = {});

// Whether these mistakes reproduce the step at `path` from the other submitted steps. For further cases of
// the same work.
bool reproduces(const Computation& computation, const std::vector<SubmittedStep>& submitted,
                const std::string& path, const std::vector<PlacedMistake>& mistakes);

}  // namespace glassbox
