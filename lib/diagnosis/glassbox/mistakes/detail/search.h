#pragma once
#include <vector>

#include <glassbox/mistakes/detail/pass.h>
#include <glassbox/mistakes/diagnosis.h>
#include <glassbox/mistakes/layout.h>
#include <glassbox/mistakes/right_pass.h>

namespace glassbox::detail {

// A step that is wrong, and what is known of it.
struct WrongStep {
    const Computation* computation;
    const RightPass* right;
    std::string path;
    SubmittedStep submitted;  // as submitted
    Precision precision;
    StepValues given;        // the other submitted steps
    HalfWidths half_widths;  // of these
};

// The search for the simplest mistakes that reproduce a wrong step: one everywhere, one in one place, one in
// a part of a step, then two. The first of these levels that has any ends it.
class Search {
  public:
    Search(const WrongStep& wrong, const DiagnosisOptions& options);  // of its options: effort, threads

    std::vector<Explanation> choices();  // what may be chosen freely, everywhere
    std::vector<Explanation> single();   // everywhere, then in one scope or place
    std::vector<Explanation> partial();  // in one head, row or batch entry
    std::vector<Explanation> pairs();
    std::vector<Explanation> one_change();   // of a part of a step's formula
    std::vector<Explanation> two_changes();  // of one step's formula
    // The first of those with many ways to make them whose rule the numbers break.
    std::vector<Explanation> shown() const;
    bool reproduces(const std::vector<PlacedMistake>& mistakes) const;
    bool is_complete() const { return left_out_ + pairs_left_ == 0; }
    index_t pairs_tried() const { return tried_; }
    index_t pairs_left() const { return pairs_left_; }  // for want of effort

  private:
    using Candidate = std::vector<PlacedMistake>;
    std::vector<std::string> places_of(const Mistake& mistake) const;
    bool can_be_alone_at(const std::string& place, const Mistake& mistake) const;
    std::vector<std::size_t> sites_of(const PlacedMistake& placed) const;
    struct Possible;
    struct PossibleOfTwo;
    PossibleOfTwo possible_of_two(const std::vector<Candidate>& candidates);
    std::vector<Explanation> two_of(const std::vector<Possible>& some, const std::vector<Possible>& others);
    std::vector<Explanation> pairs_of_all();
    struct ChangedStep;
    std::vector<ChangedStep> steps_with_formulas() const;
    struct Trial;
    std::vector<Explanation> explained_by(const std::vector<Trial>& trials, index_t max_tried);
    bool has_fractions() const;
    struct Result {
        bool acts = false;   // the step differs from the right one
        double misfit = -1;  // below 0: not reproduced
        Tensor made;
    };
    Result result_of(const Candidate& candidate) const;
    void keep_distinct(const std::vector<Candidate>& candidates, const std::vector<Result>& results);
    std::vector<Candidate> with_equals(const std::vector<Candidate>& pairs) const;
    bool is_shown(const Mistake& mistake) const;
    // For the first `most` candidates, one pass each; the others are left out.
    std::vector<Result> results_of(const std::vector<Candidate>& candidates, index_t max_tried);
    std::vector<Result> results_of_all(const std::vector<Candidate>& candidates);
    std::vector<Explanation> explaining(const std::vector<Candidate>& candidates,
                                        const std::vector<Result>& results);
    double misfit_of(const Tensor& made, const Candidate& candidate) const;
    bool is_close(const Tensor& given, const Tensor& made, const std::vector<double>& half_width) const;
    bool changes_only_wrong_rows(const Tensor& made) const;

    Tensor with_low_scores_of(const Tensor& made, const Tensor& given) const;
    Tensor as_in_a_wider_format(const Tensor& made, const Tensor& given) const;

    WrongStep wrong_;
    DiagnosisOptions options_;
    std::vector<std::size_t> sites_;    // the steps that lead to the wrong one, in right.steps
    Tensor expected_;                   // from the given steps
    std::vector<Rearranged> readings_;  // of the submitted numbers, in expected_'s shape
    std::vector<bool> wrong_rows_;
    std::vector<Candidate> effective_;  // single mistakes that change the step, one of each effect
    std::map<const Mistake*, std::vector<const Mistake*>> equals_;  // of these, others of the same effect
    std::vector<Candidate> narrower_;                               // single mistakes in one scope or place
    bool infinite_fill_ = false;  // the numbers look as if hidden scores were −∞
    index_t effort_;              // passes that are left
    index_t left_out_ = 0;        // of what comes before pairs
    index_t tried_ = 0, pairs_left_ = 0;
};

}  // namespace glassbox::detail
