#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/tasks/set_anomaly.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::anomaly;

namespace {

// The number of each row (n, T) at its place (n).
Tensor at_places(const Tensor& rows, const Tensor& places) {
    return sum(one_hot(places, rows.size(-1)) * rows, -1);
}
// The place of one of the many: 0, or 1 where the anomaly is at 0.
Tensor ordinary(const Tensor& labels) { return 1 - (labels > 0.5); }

std::vector<Mistake> of_labels() {
    return {
        {step::labels, "class", "the class of the anomaly", "This is the element's class, not its position.",
         [](const Frame& f, const Tensor& made) { return at_places(f["classes"], made); }},
        {step::labels, "other-class", "the class of the others",
         "This is the class of the others, not the position of the odd one.",
         [](const Frame& f, const Tensor& made) { return at_places(f["classes"], ordinary(made)); }},
        {step::labels, "last", "T − 1", "The anomaly is assumed to be last, as in the tutorial's data.",
         [](const Frame& f, const Tensor& made) { return made * 0.0 + (size(f["classes"], -1) - 1); }},
        {step::labels, "ordinary", "the first i whose class others have", "This is one of the majority.",
         [](const Frame&, const Tensor& made) { return ordinary(made); }},
        {step::labels, "from-one", "the i whose class is unique, from 1",
         "Positions are counted from 1; they start at 0.",
         [](const Frame&, const Tensor& made) { return made + 1; }},
    };
}

// (n, T, 1) → (n, T), read off as if the sets were the columns.
Tensor across(const Tensor& scores) { return reshape(transpose(scores), scores.shape()); }

std::vector<Mistake> of_scores() {
    return {
        {step::scores, "first-element", "logits_{b,0,0} in each place",
         "The axis of the elements is removed, not the one of size 1.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -1); }},
        {step::scores, "first-set", "logits_{0,i,0} in each set", "Every set has the first one's numbers.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -2); }},
        {step::scores, "across", "the numbers of all sets, read down the columns",
         "The numbers are reshaped in the wrong order: the sets are mixed.",
         [](const Frame&, const Tensor& made) { return across(made); }},
        {step::scores, "mean", "the mean of each set's logits",
         "This is one score for the set; every element needs its own, to compete in the softmax.",
         [](const Frame&, const Tensor& made) { return made * 0.0 + mean(made, -1, true); }},
        {step::probabilities, "over-batch", "softmax(scoresᵀ)ᵀ",
         "The columns sum to 1, not the rows: the sets compete for a position.",
         [](const Frame& f, const Tensor&) { return transpose(softmax(transpose(f["scores"]))); }},
        {step::probabilities, "ones", "softmax of each number alone",
         "The softmax runs over the axis of size 1, so every probability is 1.",
         [](const Frame& f, const Tensor&) { return f["scores"] * 0.0 + 1.0; }},
        {step::probabilities, "sigmoid", "σ(scores)",
         "Every element is judged on its own; exactly one does not belong, so they should share a total of "
         "1.",
         [](const Frame& f, const Tensor&) { return sigmoid(f["scores"]); }},
        {step::probabilities, "left-out", "scores", "These are the scores; the softmax is missing.",
         [](const Frame& f, const Tensor&) { return f["scores"]; }},
        {step::probabilities, "everything", "softmax of all numbers together",
         "All numbers of the batch sum to 1; every set should, as each has its own anomaly.",
         [](const Frame& f, const Tensor&) {
             const Tensor scores = f["scores"];
             return reshape(softmax(reshape(scores, {scores.numel()})), scores.shape());
         }},
    };
}

// The order in which the right line took its slices.
std::vector<index_t> order_of(const Frame& f, const Operation& right) {
    std::vector<index_t> order;
    for (const Tensor& entry : right.inputs)
        order.push_back(static_cast<index_t>((*f.trace().operation_of(entry))["begin"]));
    return order;
}
// Entry i put into place order_i; the right line fetches it from there.
Tensor sent(const Tensor& x, const std::vector<index_t>& order) {
    std::vector<Tensor> entries(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto at = static_cast<index_t>(i);
        entries[static_cast<std::size_t>(order[i])] = slice(x, 1, at, at + 1);
    }
    return concat(entries, 1);
}
// What the right line's slices are taken from.
Tensor before(const Frame& f) { return f.trace().operation_of(f.operation().inputs[0])->inputs[0]; }

std::vector<Mistake> of_permuted() {
    return {
        {step::permuted_x, "inverse", "x_i at place order_i",
         "This is the inverse permutation: element i is sent to order_i instead of fetched from there.",
         [](const Frame& f, const Tensor&) { return sent(before(f), order_of(f, f.operation())); }},
        {step::permuted_x, "unchanged", "x", "Nothing was moved.",
         [](const Frame& f, const Tensor&) { return before(f); }},
        {step::permuted_x, "first-set-only", "x_{order_i} in the first set alone",
         "Only the first set is permuted; the order applies to all.",
         [](const Frame& f, const Tensor& made) { return first_of_one(made, before(f), 0); }},
        {step::permuted_labels, "inverse", "order_label",
         "This is the origin of the element now at the anomaly's old position.",
         [](const Frame& f, const Tensor&) {
             const std::vector<index_t> order = order_of(f, f.operation("x"));
             std::vector<real> places;
             for (const real label : step_at(f, "labels").values())
                 places.push_back(static_cast<real>(order[static_cast<std::size_t>(label)]));
             return Tensor(step_at(f, "labels").shape(), places);
         }},
        {step::permuted_labels, "unchanged", "labels",
         "The labels stayed while the elements moved: the model would be punished for being right.",
         [](const Frame& f, const Tensor&) { return step_at(f, "labels"); }},
        {step::permuted_scores, "inverse", "scores_i at place order_i",
         "The scores are moved the other way: the score of element order_i belongs at place i.",
         [](const Frame& f, const Tensor&) { return sent(before(f), order_of(f, f.operation())); }},
        {step::permuted_scores, "unchanged", "scores",
         "The scores stayed, but each moves with its element: the model is equivariant, not invariant.",
         [](const Frame& f, const Tensor&) { return before(f); }},
    };
}

}  // namespace

// The second task: which element does not belong?
std::vector<Mistake> anomaly() { return joined({of_labels(), of_scores(), of_permuted()}); }

}  // namespace glassbox::catalogue
