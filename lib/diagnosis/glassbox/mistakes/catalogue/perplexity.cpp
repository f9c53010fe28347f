#include <numbers>

#include <glassbox/mistakes/catalogue/lines.h>
#include <glassbox/train/loss.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::perplexity;

namespace {

Tensor loss(const Frame& f) { return f["loss"]; }
// The number of rows that count.
Tensor counted(const Frame& f) { return sum(f["losses"]) / loss(f); }

}  // namespace

// exp(loss)
std::vector<Mistake> perplexity() {
    return {
        {step::perplexity, "base-2", "2^loss", "The loss is in nats, so the base is e; 2 belongs to bits.",
         [](const Frame& f, const Tensor&) { return exp(loss(f) * std::numbers::ln2); }},
        {step::perplexity, "left-out", "loss", "This is the loss: its exp is missing.",
         [](const Frame& f, const Tensor&) { return loss(f); }},
        {step::perplexity, "bits", "loss / ln 2", "This is the loss in bits; perplexity is 2 to its power.",
         [](const Frame& f, const Tensor&) { return loss(f) / std::numbers::ln2; }},
        {step::perplexity, "negated", "exp(−loss)",
         "The sign is wrong: this is the mean probability, below 1.",
         [](const Frame& f, const Tensor&) { return exp(-loss(f)); }},
        {step::perplexity, "of-sum", "exp(Σ losses)",
         "exp of the sum, not of the mean: it grows with the length.",
         [](const Frame& f, const Tensor&) { return exp(sum(f["losses"])); }},
        {step::perplexity, "mean-of-exp", "Σ exp(losses) / counted",
         "The mean of exp, not exp of the mean: one unlikely word outweighs all others.",
         [](const Frame& f, const Tensor&) {
             const Tensor counts =
                 reshape(sum(f["q"], -1), f["losses"].shape());  // 1 for each row that counts
             return sum(exp(f["losses"]) * counts) / counted(f);
         }},
        {step::perplexity, "mean-of-sequences", "mean of exp(loss) of each sequence",
         "Each sequence has a perplexity of its own, and these are averaged; exp comes after the mean of "
         "all.",
         [](const Frame& f, const Tensor&) {
             const Tensor losses = f["losses"];
             if (losses.rank() < 2 || losses.size(0) < 2) return not_here;
             const Tensor counts = sum(reshape(sum(f["q"], -1), losses.shape()), -1);
             return mean(exp(sum(losses, -1) / counts));
         }},
        {step::perplexity, "all-rows", "exp(Σ losses / rows)",
         "The rows that do not count, padding, are in the mean: the perplexity is too low.",
         [](const Frame& f, const Tensor&) { return exp(mean(f["losses"])); }},
        {step::perplexity, "by-classes", "exp(loss / C)",
         "The loss is divided by the number of classes as well.",
         [](const Frame& f, const Tensor&) {
             return exp(loss(f) / static_cast<double>(f["logits"].size(-1)));
         }},
        {step::perplexity, "root-of-sum", "1 / Σ q ∘ probabilities · counted",
         "The reciprocal of the mean probability; the mean is of logarithms.",
         [](const Frame& f, const Tensor&) { return counted(f) / sum(f["q"] * f["probabilities"]); }},
    };
}

}  // namespace glassbox::catalogue
