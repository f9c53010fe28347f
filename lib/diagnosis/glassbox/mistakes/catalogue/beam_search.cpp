#include <glassbox/decoding/beam_search.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <glassbox/mistakes/catalogue/choices.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::beam_search;

namespace {

Tensor so_far(const Frame& f) { return input(f, 0); }
Tensor log_next(const Frame& f) { return input(f, 1); }

double tokens_written(const Frame& f) { return block_of(f.path()).value + 1; }
// log_probability of the sequences that go on, (beams, 1).
Tensor log_probability(const Frame& f) {
    const std::vector<real> rows = f["parent"].values(), columns = f["token"].values();
    const Tensor& all = f["log_probability"];
    std::vector<real> chosen;
    for (std::size_t i = 0; i < rows.size(); ++i)
        chosen.push_back(
            select(select(all, 0, static_cast<index_t>(rows[i])), 0, static_cast<index_t>(columns[i]))
                .item());
    return Tensor(f["parent"].shape(), chosen);
}
// The places of the n largest numbers, the first of equal ones.
std::vector<index_t> largest(const Tensor& x, index_t n) {
    const std::vector<real> values = x.values();
    const auto value = [&](index_t place) { return values[static_cast<std::size_t>(place)]; };
    std::vector<index_t> places(values.size());
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](index_t a, index_t b) { return value(a) > value(b); });
    places.resize(static_cast<std::size_t>(n));
    return places;
}
// α, from score = log_probability / ((5 + n) / 6)^α.
double alpha_of(const Tensor& log_probability, const Tensor& score, double n) {
    return std::log(static_cast<double>((log_probability / score).values()[0])) / std::log((5 + n) / 6);
}
// Once more than one token is written, so that the penalty is not 1.
Mistake score(const char* name, const char* formula, const char* sentence,
              Tensor (*other)(const Tensor& log_probability, const Tensor& made, double n)) {
    return {step::score, name, formula, sentence, [other](const Frame& f, const Tensor& made) {
                return tokens_written(f) > 1 ? other(log_probability(f), made, tokens_written(f)) : not_here;
            }};
}

}  // namespace

// ln P(sequence, token) = ln P(sequence) + ln P(token | sequence)
std::vector<Mistake> beam_search() {
    std::vector<Mistake> all = {
        {step::log_probability, "no-logarithm", "log_probability + next",
         "A probability is added to a logarithm.",
         [](const Frame& f, const Tensor&) { return so_far(f) + f["next"]; }},
        {step::log_probability, "of-logits", "log_probability + logits",
         "Scores are added without a log-softmax: what they lack differs from one sequence to another.",
         [](const Frame& f, const Tensor&) {
             const Tensor& logits = f["logits"];
             return so_far(f) + (logits.rank() == 2 ? logits : select(logits, -2, logits.size(-2) - 1));
         }},
        {step::log_probability, "this-step-alone", "ln next",
         "Only the newest word counts: the sequence may have an unlikely beginning.",
         [](const Frame& f, const Tensor&) { return log_next(f); }},
        {step::log_probability, "product", "log_probability · ln next",
         "The logarithms are multiplied: a product of probabilities is the sum of their logarithms.",
         [](const Frame& f, const Tensor&) {
             return tokens_written(f) > 1 ? so_far(f) * log_next(f) : not_here;
         }},
        {step::log_probability, "subtracted", "log_probability − ln next",
         "The newest logarithm is subtracted: unlikely words win.",
         [](const Frame& f, const Tensor&) { return so_far(f) - log_next(f); }},
        {step::log_probability, "other-logarithm", "log_probability + log₁₀ next",
         "The logarithm is to base 10, which does not match the sum so far.",
         [](const Frame& f, const Tensor&) { return so_far(f) + log_next(f) / std::numbers::ln10; }},
        {step::log_probability, "first-beam", "the first sequence's log_probability + ln next",
         "Every sequence continues from the first one's probability.",
         [](const Frame& f, const Tensor&) {
             return so_far(f).size(0) > 1 ? slice(so_far(f), 0, 0, 1) + log_next(f) : not_here;
         }},
        {step::token, "each-its-own", "argmax of each row",
         "Every sequence gets its own best word; the best of all sums should be kept.",
         [](const Frame& f, const Tensor& made) {
             const Tensor& sums = f["log_probability"];
             return sums.size(0) == made.size(0) ? column(argmax(sums, -1)) : not_here;
         }},
        {step::token, "first-row", "the best sequence's word for all",
         "All sequences get the best one's word.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, 0); }},
        {step::parent, "each-itself", "0, 1, 2, …",
         "Every sequence is continued exactly once; the best sums may continue the same one.",
         [](const Frame&, const Tensor& made) {
             std::vector<index_t> rows;
             for (index_t i = 0; i < made.size(0); ++i) rows.push_back(i);
             return column(rows);
         }},
        {step::parent, "column", "the column of log_probability",
         "Rows and columns are swapped: the row is the sequence, the column the word.",
         [](const Frame& f, const Tensor& made) {
             const Tensor& sums = f["log_probability"];
             std::vector<index_t> columns;
             for (const index_t at : largest(sums, made.size(0))) columns.push_back(at % sums.size(-1));
             return column(columns);
         }},
    };
    all.push_back(score("no-penalty", "log_probability",
                        "There is no length penalty: short sequences are the most likely.",
                        [](const Tensor& log_p, const Tensor&, double) { return log_p; }));
    all.push_back(
        score("multiplied", "log_probability · ((5 + n) / 6)^α",
              "Multiplied by the penalty: long sequences are punished twice.",
              [](const Tensor& log_p, const Tensor& made, double) { return log_p * log_p / made; }));
    all.push_back(score("by-length", "log_probability / n",
                        "Divided by the number of words: the mean, which favours long sequences more.",
                        [](const Tensor& log_p, const Tensor&, double n) { return log_p / n; }));
    all.push_back(score("no-power", "log_probability / ((5 + n) / 6)", "The power α is missing.",
                        [](const Tensor& log_p, const Tensor&, double n) { return log_p / ((5 + n) / 6); }));
    all.push_back(score("not-by-six", "log_probability / (5 + n)^α",
                        "Not divided by 6: the penalty of one word should be 1.",
                        [](const Tensor& log_p, const Tensor& made, double n) {
                            return log_p / std::pow(5 + n, alpha_of(log_p, made, n));
                        }));
    all.push_back(score("one-fewer", "log_probability / ((4 + n) / 6)^α",
                        "The word that was just written is not counted.",
                        [](const Tensor& log_p, const Tensor& made, double n) {
                            return log_p / std::pow((4 + n) / 6, alpha_of(log_p, made, n));
                        }));
    all.push_back(score("one-more", "log_probability / ((6 + n) / 6)^α", "<start> is counted too.",
                        [](const Tensor& log_p, const Tensor& made, double n) {
                            return log_p / std::pow((6 + n) / 6, alpha_of(log_p, made, n));
                        })
                      .seen("https://github.com/huggingface/transformers/issues/8722"));
    all.push_back(score("sign", "−log_probability / ((5 + n) / 6)^α", "The sign is wrong: the worst wins.",
                        [](const Tensor&, const Tensor& made, double) { return -made; }));
    return all;
}

}  // namespace glassbox::catalogue
