#include <glassbox/train/loss.h>

#include <glassbox/mistakes/catalogue/places.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::accuracy;

namespace {

// For each row of the logits, the place of the number that is better than the best before it.
template <class Better>
WrongValue place_of(Better better) {
    return [=](const Frame& f, const Tensor& made) {
        const std::vector<real> numbers = input(f, 0).values();
        const auto width = static_cast<std::size_t>(input(f, 0).size(-1));
        std::vector<real> places;
        for (std::size_t row = 0; row < numbers.size(); row += width) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < width; ++i)
                if (better(numbers[row + i], numbers[row + best])) best = i;
            places.push_back(static_cast<real>(best));
        }
        return Tensor(made.shape(), places);
    };
}

Tensor labels(const Frame& f) { return f.operation("right").inputs[1]; }
Tensor counts(const Frame& f) { return labels(f) > -0.5; }
Tensor all_places(const Frame& f) { return sum(counts(f) * 0.0 + 1.0); }
// A row of labels is a sequence.
Tensor sequences(const Frame& f) { return all_places(f) / static_cast<double>(labels(f).size(-1)); }
bool has_sequences(const Frame& f) { return labels(f).rank() > 1; }

std::vector<Mistake> of_answers() {
    return {
        {step::answers, "last-of-ties", "argmax(logits), the last of equal ones",
         "Ties go to the last one; NumPy's argmax and most programs take the first.",
         place_of([](real x, real best) { return x >= best; })},
        {step::answers, "smallest", "argmin(logits)", "The least likely class is picked.",
         place_of([](real x, real best) { return x < best; })},
        {step::answers, "from-one", "argmax(logits) + 1", "Positions are counted from 1; they start at 0.",
         [](const Frame&, const Tensor& made) { return made + 1; }},
        {step::answers, "largest", "max(logits)", "This is the largest score, not its position.",
         [](const Frame& f, const Tensor&) { return max(input(f, 0), -1); }},
        {step::answers, "labels", "labels", "This is what the model should say, not what it says.",
         [](const Frame& f, const Tensor& made) {
             const Tensor own = step_or_none(f, "labels"),
                          labels = own.defined() ? own : step_at(f, "labels");
             return labels.defined() && labels.shape() == made.shape() ? labels : not_here;
         }},
        {step::answers, "backwards", "the answers from the last to the first",
         "The answers are reversed: the model gave them in their own order.",
         [](const Frame&, const Tensor& made) { return made.rank() > 0 ? reversed(made, -1) : not_here; }},
    };
}

std::vector<Mistake> of_accuracy() {
    return {
        {step::accuracy, "count", "Σ right",
         "This is the number of correct answers, not their share from 0 to 1.",
         [](const Frame& f, const Tensor&) { return sum(f["right"]); }},
        {step::accuracy, "percent", "100 Σ right / counted", "This is a percentage, not a share from 0 to 1.",
         [](const Frame&, const Tensor& made) { return made * 100.0; }},
        {step::accuracy, "wrong", "1 − Σ right / counted", "This is the share of wrong answers.",
         [](const Frame&, const Tensor& made) { return 1 - made; }},
        {step::accuracy, "all-places", "Σ right / all rows",
         "Divided by all rows including padding, which thus counts as wrong.",
         [](const Frame& f, const Tensor&) { return sum(f["right"]) / all_places(f); }},
        {step::accuracy, "padding-right", "(Σ right + ignored) / all rows", "Padding counts as correct.",
         [](const Frame& f, const Tensor&) {
             return (sum(f["right"]) + all_places(f) - sum(counts(f))) / all_places(f);
         }},
        {step::accuracy, "per-sequence", "Σ right / sequences",
         "Divided by the number of sequences, not of answers.",
         [](const Frame& f, const Tensor&) {
             return has_sequences(f) ? sum(f["right"]) / sequences(f) : not_here;
         }},
        {step::accuracy, "sequences", "fully correct sequences / sequences",
         "A sequence counts only if it is entirely correct: that is another metric.",
         [](const Frame& f, const Tensor&) {
             const Tensor wrong = sum(counts(f) - f["right"], -1);  // in each sequence
             return has_sequences(f) ? 1 - sum(wrong > 0.5) / sequences(f) : not_here;
         }},
        {step::accuracy, "mean-of-means", "the mean of the sequences' shares",
         "Every sequence gets the same weight, however long; every answer should.",
         [](const Frame& f, const Tensor&) {
             return has_sequences(f) ? mean(sum(f["right"], -1) / sum(counts(f), -1)) : not_here;
         }},
        {step::accuracy, "integer-division", "⌊Σ right / counted⌋",
         "Integer division: 0 unless all answers are correct.",
         [](const Frame&, const Tensor& made) { return made > 1 - 1e-6; }},
    };
}

}  // namespace

// accuracy = Σ right / counted
std::vector<Mistake> accuracy() { return joined({of_answers(), of_accuracy()}); }

}  // namespace glassbox::catalogue
