#include <glassbox/decoding/sampling.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <glassbox/decoding/decoding.h>
#include <glassbox/mistakes/catalogue/choices.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::sampling;

namespace {

Tensor kept(const Frame& f) { return input(f, 1); }  // 1 for each word that can be drawn
Tensor only(const Tensor& logits, const Tensor& kept) { return masked_fill(logits, kept, -INFINITY); }
index_t count_of(const Frame& f) { return static_cast<index_t>(sum(select(kept(f), 0, 0)).item()); }
// The mask of the n smallest.
Tensor smallest_of(const Tensor& logits, index_t n) { return -glassbox::top_k(-logits, n); }
// The logits in order, −∞ behind those that are kept, each row read at the places that its order has.
Tensor gathered(const Tensor& logits, const Tensor& kept) {
    const auto n = static_cast<std::size_t>(logits.size(-1));
    const std::vector<real> numbers = logits.values(), counts = sum(kept, -1).values();
    std::vector<real> made;
    for (std::size_t row = 0; row < counts.size(); ++row) {
        const real* own = numbers.data() + row * n;
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return own[a] > own[b]; });
        for (const std::size_t place : order)
            made.push_back(static_cast<real>(place) < counts[row] ? own[order[place]] : -INFINITY);
    }
    return Tensor(logits.shape(), made, logits.device());
}
// The words of these logits that are still there.
Tensor finite(const Tensor& x) { return x > -1e30; }

// The tokens that were read and written before this step, (rows, count); undefined in a beam search.
Tensor tokens_so_far(const Frame& f) {
    if (f.contains("tokens") && f["tokens"].rank() == 2) return f["tokens"];
    const BlockNumber step = block_of(f.path());
    Tensor all = step.value < 0 ? not_here : step_at(f, "prompt");
    for (int i = 0; i < step.value && all.defined(); ++i) {
        const std::string scope = scope_of(f.path()).replace(step.at, step.length, std::to_string(i));
        const Tensor token = step_at(f, scope + "token");
        all =
            token.defined() && !step_at(f, scope + "parent").defined() ? concat({all, token}, -1) : not_here;
    }
    return all;
}

// What is drawn by u from the probabilities of each row.
Mistake draw(const char* name, const char* formula, const char* sentence,
             index_t (*drawn)(const Tensor& p, double u)) {
    return {WrongAt("drawn", {&step::token}), name, formula, sentence,
            [drawn](const Frame& f, const Tensor& made) {
                const std::vector<real> u = f["u"].values();
                std::vector<index_t> tokens;
                for (index_t row = 0; row < made.size(0); ++row)
                    tokens.push_back(drawn(select(f["next"], 0, row), u[static_cast<std::size_t>(row)]));
                return column(tokens);
            }};
}

std::vector<Mistake> of_temperatures() {
    return {
        {step::tempered, "left-out", "logits", "The temperature has no effect.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::tempered, "multiplied", "logits · temperature",
         "Multiplied by the temperature: a low one would flatten the distribution.",
         [](const Frame& f, const Tensor&) { return input(f, 0) * input(f, 1); }},
        {step::tempered, "of-probabilities", "softmax(logits) / temperature",
         "Probabilities are divided instead of scores: the softmax that follows makes all words nearly "
         "equal.",
         [](const Frame& f, const Tensor&) { return softmax(input(f, 0)) / input(f, 1); }},
        Mistake{step::tempered, "squared", "logits / temperature²", "Divided by the temperature twice.",
                [](const Frame& f, const Tensor& made) { return made / input(f, 1); }}
            .seen("https://github.com/Adibvafa/CodonTransformer/pull/20"),
    };
}

std::vector<Mistake> of_penalties() {
    const auto there = [](const Frame& f) { return input(f, 0); };   // 1 where a word was there
    const auto logits = [](const Frame& f) { return input(f, 2); };  // of where(there, penalised, logits)
    // θ, of where(logits > 0, logits / θ, logits θ)
    const auto theta = [](const Frame& f) { return input_of(f, input_of(f, input(f, 1), 1), 1); };
    return {
        {step::penalised, "left-out", "logits", "The repetition penalty has no effect.",
         [=](const Frame& f, const Tensor&) { return logits(f); }},
        {step::penalised, "divided", "logits / θ, also below 0",
         "A score below 0 that is divided comes nearer to 0: these words become more likely.",
         [=](const Frame& f, const Tensor&) { return where(there(f), logits(f) / theta(f), logits(f)); }},
        {step::penalised, "multiplied", "logits · θ, also above 0",
         "A score above 0 that is multiplied grows: these words become more likely.",
         [=](const Frame& f, const Tensor&) { return where(there(f), logits(f) * theta(f), logits(f)); }},
        {step::penalised, "inverse", "logits · θ where above 0, else logits / θ",
         "The cases are exchanged: what was there becomes more likely.",
         [=](const Frame& f, const Tensor&) {
             return where(there(f), where(logits(f) > 0, logits(f) * theta(f), logits(f) / theta(f)),
                          logits(f));
         }},
        {step::penalised, "subtracted", "logits − θ of what was there",
         "θ is subtracted, which is a presence penalty; this one divides.",
         [=](const Frame& f, const Tensor&) { return where(there(f), logits(f) - theta(f), logits(f)); }},
        {step::penalised, "all", "logits / θ where above 0, else logits θ, of all words",
         "All words are penalised, not those that were there.",
         [=](const Frame& f, const Tensor&) {
             return where(logits(f) > 0, logits(f) / theta(f), logits(f) * theta(f));
         }},
        {step::penalised, "others", "the same, of the words that were not there",
         "The words that were not there are penalised.",
         [=](const Frame& f, const Tensor&) {
             const Tensor less = where(logits(f) > 0, logits(f) / theta(f), logits(f) * theta(f));
             return where(there(f), logits(f), less);
         }},
        {step::penalised, "each-time", "by θ as often as the word was there",
         "The penalty is applied again each time that a word was there; once is enough.",
         [=](const Frame& f, const Tensor&) {
             const Tensor tokens = tokens_so_far(f);
             if (!tokens.defined()) return not_here;
             const Tensor times = sum(one_hot(tokens, logits(f).size(-1)), -2);  // (rows, vocabulary)
             const Tensor by = exp(times * log(theta(f)));
             return where(logits(f) > 0, logits(f) / by, logits(f) * by);
         }},
        {step::penalised, "forbidden", "−∞ of what was there", "No word can come twice.",
         [=](const Frame& f, const Tensor&) { return where(there(f), -INFINITY, logits(f)); }},
    };
}

std::vector<Mistake> of_cuts() {
    std::vector<Mistake> all;
    const WrongAt any("kept", {&step::top_k, &step::top_p});
    const std::vector<Mistake> those = {
        {step::top_k, "left-out", "all words", "All words can be drawn.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        Mistake{step::top_k, "one-more", "the k + 1 largest", "One word too many can be drawn.",
                [](const Frame& f, const Tensor&) { return glassbox::top_k(input(f, 0), count_of(f) + 1); }}
            .seen("https://github.com/kingoflolz/mesh-transformer-jax/issues/164"),
        Mistake{step::top_k, "one-fewer", "the k − 1 largest", "One word too few can be drawn.",
                [](const Frame& f, const Tensor&) {
                    return count_of(f) > 1 ? glassbox::top_k(input(f, 0), count_of(f) - 1) : not_here;
                }}
            .seen("https://github.com/rasbt/reasoning-from-scratch/issues/164"),
        {step::top_k, "smallest", "the k smallest",
         "The least likely words are kept instead of the most likely.",
         [](const Frame& f, const Tensor&) {
             return only(input(f, 0), finite(-smallest_of(input(f, 0), count_of(f))));
         }},
        {step::top_p, "left-out", "all words", "All words can be drawn.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::top_p, "one-fewer", "the words before p is reached",
         "The word that reaches p is excluded: less than p remains.",
         [](const Frame& f, const Tensor&) {
             const Tensor least = -max(-where(kept(f), input(f, 0), 1e30), -1, true);
             const Tensor others = input(f, 0) > least;
             return sum(others).item() > 0 ? only(input(f, 0), others) : not_here;
         }},
        {step::top_p, "one-more", "one word more than reaches p", "One word too many can be drawn.",
         [](const Frame& f, const Tensor&) {
             const Tensor next = max(where(kept(f), -INFINITY, input(f, 0)), -1, true);
             return only(input(f, 0), 1 - (input(f, 0) < next));
         }},
        {step::top_p, "sorted-mask", "the first places, as many as are kept",
         "The mask belongs to the words in order of probability; it was not brought back to their own order.",
         [](const Frame& f, const Tensor&) {
             const index_t n = input(f, 0).size(-1);
             std::vector<real> first;
             const std::vector<real> counts = sum(kept(f), -1).values();
             for (const real count : counts)
                 for (index_t i = 0; i < n; ++i) first.push_back(static_cast<real>(i) < count ? 1 : 0);
             return only(input(f, 0), Tensor(input(f, 0).shape(), first));
         }},
        {step::top_p, "gathered", "the kept logits in order, read at the words' ranks",
         "The sorted logits are gathered by the sorting's indices; to bring them back they are to be "
         "scattered.",
         [](const Frame& f, const Tensor&) { return gathered(input(f, 0), kept(f)); }},
        {step::top_p, "most-likely-alone", "the most likely word",
         "Only the most likely word is kept: nothing is drawn.",
         [](const Frame& f, const Tensor&) { return glassbox::top_k(input(f, 0), 1); }},
        {any, "others-zero", "0 for −∞",
         "The others get score 0 instead of −∞: e⁰ is 1, so they can still be drawn.",
         [](const Frame& f, const Tensor&) { return masked_fill(input(f, 0), kept(f), 0); }},
        {any, "inverted", "−∞ for those that should be kept", "The wrong words are kept.",
         [](const Frame& f, const Tensor&) {
             const Tensor others = (1 - kept(f)) * finite(input(f, 0));
             return sum(others).item() > 0 ? only(input(f, 0), others) : not_here;
         }},
        {steps::decoding::next, "not-renormalised", "softmax(all logits), but 0 for those left out",
         "The probabilities of the remaining words do not sum to 1.",
         [](const Frame& f, const Tensor&) {
             return f.contains("tempered") ? softmax(f["tempered"]) * finite(input(f, 0)) : not_here;
         }},
    };
    all.insert(all.end(), those.begin(), those.end());
    return all;
}

std::vector<Mistake> of_draws() {
    std::vector<Mistake> all;
    all.push_back(draw("most-likely", "argmax(next)", "The most likely word is picked: nothing is drawn.",
                       [](const Tensor& p, double) { return argmax(p, -1)[0]; }));
    all.push_back(draw("one-more", "the word after it", "Words are counted from 1; they start at 0.",
                       [](const Tensor& p, double u) { return (glassbox::drawn(p, u) + 1) % p.size(-1); }));
    all.push_back(
        draw("before", "the last word with Σ next ≤ u", "The preceding word is picked: the sum falls short.",
             [](const Tensor& p, double u) { return std::max<index_t>(glassbox::drawn(p, u) - 1, 0); }));
    all.push_back(draw("no-sum", "the first word with next > u",
                       "Each probability is compared with u instead of the cumulative sum.",
                       [](const Tensor& p, double u) {
                           const std::vector<real> row = p.values();
                           for (std::size_t i = 0; i < row.size(); ++i)
                               if (static_cast<double>(row[i]) > u) return static_cast<index_t>(i);
                           return index_t{0};
                       }));
    all.push_back(draw(
        "uniform", "the word at u · vocabulary",
        "All words are equally likely, whatever their probabilities.",
        [](const Tensor& p, double u) { return static_cast<index_t>(u * static_cast<double>(p.size(-1))); }));
    return all;
}

}  // namespace

// token ~ softmax(top p(top k(logits / temperature)))
std::vector<Mistake> sampling() { return joined({of_penalties(), of_temperatures(), of_cuts(), of_draws()}); }

}  // namespace glassbox::catalogue
