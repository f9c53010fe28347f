#pragma once
#include <glassbox/models/predictor.h>
#include <glassbox/tasks/features.h>
#include <glassbox/train/learner.h>

namespace glassbox {

namespace steps::anomaly {
inline constexpr const char* layer = "anomaly";
inline constexpr StepInfo scores{layer, "scores", "logits",
                                 "One number for each element: how much it stands out from its set."};
inline constexpr StepInfo probabilities{layer, "probabilities", "softmax(scores)",
                                        "Over the elements: which one does not belong?"};
inline constexpr StepInfo classes{layer, "classes", "", "What each element is; all but one are alike."};
inline constexpr StepInfo labels{layer, "labels", "the i whose class is unique",
                                 "The position of the element that does not belong."};
inline constexpr StepInfo permuted_x{layer, "x", "x_{order_i}", "The elements in another order."};
inline constexpr StepInfo permuted_labels{layer, "labels", "the i with order_i = label",
                                          "Where the anomaly is then."};
inline constexpr StepInfo permuted_scores{layer, "scores", "scores_{order_i}",
                                          "Each element takes its score along."};
}  // namespace steps::anomaly

enum class Sets { fresh, fixed };  // redrawn every epoch, for training; or drawn once

struct SetAnomalyConfig {
    index_t set_size = 10;
    Sets sets = Sets::fresh;
    std::uint64_t seed = 42;
};

// Which element does not belong (the tutorial's second task)? A set is set_size − 1 images of one class and
// one of another, the anomaly. It comes last, which a model without positions cannot use. Every image is the
// anomaly of one set. Fixed sets are drawn from numpy.random.default_rng(seed) as the tutorial draws its test
// sets: the class, then choice(images of the class, set_size − 1, replace=False). Fresh sets are drawn in the
// same way, each from default_rng([seed, epoch, row]), so that any one can be redrawn on its own. Arrays: x
// (n, set_size, d), labels (n): set_size − 1, images (n, set_size): their indices.
class SetAnomalyData final : public DataSet {
  public:
    // Throws UsageError for set_size < 3, Error for fewer than 2 classes or a class of too few images.
    SetAnomalyData(LabelledImages images, const SetAnomalyConfig& config);

    index_t size() const override { return images_.size(); }
    Examples at(const std::vector<index_t>& rows) const override;
    void begin_epoch(index_t epoch) override { epoch_ = epoch; }

    // Examples no longer contain x: the learner looks the images up in its own table.
    void omit_features() { with_features_ = false; }

    std::vector<index_t> set(index_t row) const;  // positions in images(); the anomaly last
    const LabelledImages& images() const { return images_; }

  private:
    std::vector<index_t> drawn(class NumpyGenerator& generator, index_t row) const;

    LabelledImages images_;
    SetAnomalyConfig config_;
    std::vector<std::vector<index_t>> by_class_;
    std::vector<std::vector<index_t>> fixed_;
    index_t epoch_ = 0;
    bool with_features_ = true;
};

// A predictor of one score per element; the softmax over a set's elements is the probability that each is the
// anomaly. Examples: x (n, T, d), or images (n, T) to be looked up, and labels (n). Steps: the predictor's,
// then scores probabilities losses loss.
class AnomalyLearner final : public Learner {
  public:
    explicit AnomalyLearner(Predictor predictor);  // Error unless it has 1 class and no pooling

    Parameters parameters() override { return parameters_of(model); }
    Outcome score(const Examples& examples) const override;
    index_t counted(const Examples& examples) const override;
    Tensor scores(const Tensor& x) const;  // (n, T): the logits of that softmax

    // Sets the table (images, d) in which score() looks up the features of examples without x, by the images'
    // indices. It is kept on the model's device, so that a batch for a GPU is only indices. Throws Error when
    // d differs from the model's d_in.
    void set_feature_table(const Tensor& features);

    Predictor model;

  private:
    Tensor x_of(const Examples& examples) const;  // (n, T, d)

    Tensor features_;
};

// The place of the anomaly in each set (n, T) of classes: (n).
Tensor anomaly_labels(const Tensor& classes);
// From the logits (n, T, 1) of a model: the scores (n, T), and while a Trace is recording their softmax.
// Steps: scores probabilities.
struct AnomalyScores {
    Tensor scores, probabilities;  // (n, T)
};
AnomalyScores anomaly_scores(const Tensor& logits);

// Sets, the places of their anomalies and their scores in another order: element i is element order_i (T) of
// before.
struct PermutedSets {
    Tensor x, labels, scores;  // (n, T, d), (n), (n, T)
};
PermutedSets permuted_sets(const PermutedSets& sets, const Tensor& order);

// The features of all images, in order: (count, width).
Tensor all_features(const Features& features);

}  // namespace glassbox
