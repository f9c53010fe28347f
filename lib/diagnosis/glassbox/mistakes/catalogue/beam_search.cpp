#include <glassbox/decoding/beam_search.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include <glassbox/decoding/decoding.h>
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
// −∞ but for the largest of each row, the first of equal ones.
Tensor of_best_words(const Tensor& sums) {
    std::vector<real> all = sums.values();
    const std::vector<index_t> best = argmax(sums, -1);
    const std::size_t words = static_cast<std::size_t>(sums.size(-1));
    for (std::size_t at = 0; at < all.size(); ++at)
        if (at % words != static_cast<std::size_t>(best[at / words]))
            all[at] = -std::numeric_limits<real>::infinity();
    return Tensor(sums.shape(), all);
}
// The score of the sequences that go on, or of all at the end, and what it is made from.
struct Scored {
    const Frame& f;
    const Tensor& made;
    Tensor log_p, n;
    bool is_power;  // n^α, not ((5 + n) / 6)^α

    Tensor base(double more) const { return is_power ? n + more : (n + 5 + more) / 6; }
    // α, from score = log_probability / base^α, of the longest.
    double alpha() const {
        const std::vector<real> bases = base(0).values();
        const std::size_t at =
            static_cast<std::size_t>(std::max_element(bases.begin(), bases.end()) - bases.begin());
        return std::log(static_cast<double>((log_p / made).values()[at])) /
               std::log(static_cast<double>(bases[at]));
    }
};
bool are_all(const Tensor& x, double value) {
    const std::vector<real> all = x.values();
    return std::all_of(all.begin(), all.end(), [&](real each) { return static_cast<double>(each) == value; });
}
// Once more than one token is written, so that the penalty is not 1.
Mistake score(const char* name, const char* formula, const char* sentence, Tensor (*other)(const Scored&)) {
    const auto value = [other](const Frame& f, const Tensor& made) {
        const bool is_last = f.contains("complete");
        const Tensor n = is_last ? f["length"] : made * 0.0 + tokens_written(f);
        if (are_all(n, 1)) return not_here;
        const bool is_power = is_last && f.operation("penalty").inputs[0].id() == n.id();
        return other({f, made, is_last ? f["complete"] : log_probability(f), n, is_power});
    };
    return {WrongAt{"score", {&step::score, &step::final_score}}, name, formula, sentence, value};
}
// −∞ for the sequences that are not chosen from: is_left(n, i) of each.
template <class IsLeft>
Tensor left_of(const Frame& f, const Tensor& made, IsLeft is_left) {
    std::vector<real> scores = made.values();
    const std::vector<real> n = f["length"].values();
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (!is_left(n[i], i)) scores[i] = -std::numeric_limits<real>::infinity();
    return Tensor(made.shape(), scores);
}
real longest(const Frame& f) {
    const std::vector<real> n = f["length"].values();
    return *std::max_element(n.begin(), n.end());
}
// What is written if no token ends a sequence.
Tensor without_end(const Frame& f) {
    const Operation& written = f.operation();
    if (!written.has("beam")) return not_here;
    const NoRecording nothing;
    DecodingConfig config{.end = -1};
    config.max_tokens = static_cast<index_t>(written["tokens"]),
    config.beam = static_cast<index_t>(written["beam"]);
    const std::vector<real> prompt = f["prompt"].values();
    const std::vector<index_t> tokens = decode(f["table"], {prompt.begin(), prompt.end()}, config).tokens;
    return Tensor({static_cast<index_t>(tokens.size())}, std::vector<real>(tokens.begin(), tokens.end()));
}

// Of the choice among complete sequences.
std::vector<Mistake> of_the_end() {
    return {
        {step::final_score, "complete-dropped", "score of what has not ended, else −∞",
         "A sequence that has ended is dropped: only what is cut off is written.",
         [](const Frame& f, const Tensor& made) {
             return left_of(f, made, [&](real n, std::size_t) { return n == longest(f); });
         }},
        {step::final_score, "first-complete", "score of what ended first, else −∞",
         "The search stops at the first sequence that ends; a longer one may have a better score.",
         [](const Frame& f, const Tensor& made) {
             const std::vector<real> all = f["length"].values();
             const real least = *std::min_element(all.begin(), all.end());
             return left_of(f, made, [&](real n, std::size_t) { return n == least; });
         }},
        {step::final_score, "best-beam-alone", "score of what was the best of its step, else −∞",
         "The end counts only where it has the largest sum of its step; in any of the beams it ends that "
         "one.",
         [](const Frame& f, const Tensor& made) {
             const std::vector<real> sums = f["complete"].values();
             return left_of(f, made, [&](real n, std::size_t i) {
                 const Tensor all =
                     step_at(f, fmt::format("step/{}/log_probability", static_cast<int>(n) - 1));
                 return n == longest(f) || !all.defined() ||
                        sums[i] >= max(reshape(all, {all.numel()}), 0).item();
             });
         }},
        {steps::decoding::sequence, "past-end", "the tokens, as if none ended a sequence",
         "A sequence that has ended goes on: after the end nothing is written.",
         [](const Frame& f, const Tensor&) { return without_end(f); }},
    };
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
        Mistake{step::log_probability, "this-step-alone", "ln next",
                "Only the newest word counts: the sequence may have an unlikely beginning.",
                [](const Frame& f, const Tensor&) { return log_next(f); }}
            .in_class("what all sequences share"),
        {step::log_probability, "product-of-surprises", "−(−log_probability) · (−ln next)",
         "The −ln P are multiplied: a product of probabilities is the sum of their logarithms.",
         [](const Frame& f, const Tensor&) {
             return tokens_written(f) > 1 ? -(so_far(f) * log_next(f)) : not_here;
         }},
        {step::log_probability, "product", "log_probability · ln next",
         "The logarithms are multiplied: a product of probabilities is the sum of their logarithms.",
         [](const Frame& f, const Tensor&) {
             return tokens_written(f) > 1 ? so_far(f) * log_next(f) : not_here;
         }},
        {step::log_probability, "of-scores", "score so far + ln next",
         "The score, which is divided by the length penalty already, is continued and divided again.",
         [](const Frame& f, const Tensor&) {
             const BlockNumber step = block_of(f.path());
             const std::string before =
                 scope_of(f.path()).replace(step.at, step.length, std::to_string(step.value - 1));
             const Tensor score = step_at(f, before + "score");
             return score.defined() ? score + log_next(f) : not_here;
         }},
        {step::log_probability, "subtracted", "log_probability − ln next",
         "The newest logarithm is subtracted: unlikely words win.",
         [](const Frame& f, const Tensor&) { return so_far(f) - log_next(f); }},
        {step::log_probability, "other-logarithm", "log_probability + log₁₀ next",
         "The logarithm is to base 10, which does not match the sum so far.",
         [](const Frame& f, const Tensor&) { return so_far(f) + log_next(f) / std::numbers::ln10; }},
        Mistake{step::log_probability, "first-beam", "the first sequence's log_probability + ln next",
                "Every sequence continues from the first one's probability.",
                [](const Frame& f, const Tensor&) {
                    return so_far(f).size(0) > 1 ? slice(so_far(f), 0, 0, 1) + log_next(f) : not_here;
                }}
            .in_class("what all sequences share"),
        {step::log_probability, "never-branches",
         "log_probability + ln next of each row's best word, else −∞",
         "Each sequence is continued by its own best word alone: two continuations of one never compete.",
         [](const Frame& f, const Tensor& made) {
             return so_far(f).size(0) > 1 ? of_best_words(made) : not_here;
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
    const std::vector<Mistake> of_score = {
        score("no-penalty", "log_probability",
              "There is no length penalty: short sequences are the most likely.",
              [](const Scored& s) { return s.log_p; }),
        score("multiplied", "log_probability · ((5 + n) / 6)^α",
              "Multiplied by the penalty: long sequences are punished twice.",
              [](const Scored& s) { return s.log_p * s.log_p / s.made; }),
        score("by-length", "log_probability / n",
              "Divided by the number of words: the mean, which favours long sequences more.",
              [](const Scored& s) { return s.log_p / s.n; }),
        score("no-power", "log_probability / ((5 + n) / 6)", "The power α is missing.",
              [](const Scored& s) { return s.log_p / s.base(0); }),
        score("not-by-six", "log_probability / (5 + n)^α",
              "Not divided by 6: the penalty of one word should be 1.",
              [](const Scored& s) { return s.is_power ? not_here : s.log_p / pow(s.n + 5, s.alpha()); }),
        score("one-fewer", "log_probability / ((4 + n) / 6)^α",
              "The word that was just written is not counted.",
              [](const Scored& s) { return s.log_p / pow(s.base(-1), s.alpha()); }),
        score("one-more", "log_probability / ((6 + n) / 6)^α", "<start> is counted too.",
              [](const Scored& s) { return s.log_p / pow(s.base(1), s.alpha()); })
            .seen("https://github.com/huggingface/transformers/issues/8722"),
        score("with-prompt", "log_probability / ((5 + n + prompt) / 6)^α",
              "The words of the prompt are counted as well; n is how many were written.",
              [](const Scored& s) {
                  const Tensor prompt = step_at(s.f, "prompt");
                  const bool is_more = prompt.defined() && prompt.size(-1) > 1;
                  return is_more ? s.log_p / pow(s.base(static_cast<double>(prompt.size(-1))), s.alpha())
                                 : not_here;
              })
            .seen("https://github.com/huggingface/transformers/issues/26624"),
        score("sign", "−log_probability / ((5 + n) / 6)^α", "The sign is wrong: the worst wins.",
              [](const Scored& s) { return -s.made; }),
    };
    all.insert(all.end(), of_score.begin(), of_score.end());
    for (Mistake& each : of_the_end()) all.push_back(std::move(each));
    return all;
}

}  // namespace glassbox::catalogue
