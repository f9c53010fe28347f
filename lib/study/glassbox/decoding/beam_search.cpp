#include <glassbox/decoding/beam_search.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <glassbox/decoding/detail/step_by_step.h>
#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

using namespace detail;

namespace {

namespace step = steps::beam_search;

// A hypothesis and the probabilities from which its tokens were chosen.
struct Beam {
    Hypothesis written;
    std::vector<Tensor> probabilities;  // of each step: (1, vocabulary)
};

// A sequence of this step's beams continued by a token.
struct Continuation {
    index_t parent, token;
    double log_probability;
};

// The `count` largest of sums (beams, vocabulary), the first of equal ones.
std::vector<Continuation> best(const Tensor& sums, index_t count, index_t n_tokens) {
    const std::vector<real> all = sums.values();
    if (std::any_of(all.begin(), all.end(), [](real sum) { return std::isnan(sum); })) fail_on_nan(n_tokens);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    const std::size_t kept = std::min(order.size(), static_cast<std::size_t>(count));
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
        [&](std::size_t a, std::size_t b) { return all[a] != all[b] ? all[a] > all[b] : a < b; });
    std::vector<Continuation> candidates;
    for (std::size_t i = 0; i < kept; ++i) {
        const index_t at = static_cast<index_t>(order[i]), n = sums.size(-1);
        candidates.push_back({at / n, at % n, static_cast<double>(all[order[i]])});
    }
    return candidates;
}

// ln P(token | sequence) = ln softmax(logits), of the logits where the probability is too small for a real.
Tensor log_of(const Tensor& next, const Tensor& logits) {
    const std::vector<real> p = next.values();
    constexpr real least = std::numeric_limits<real>::min();
    if (std::none_of(p.begin(), p.end(), [](real each) { return each < least; })) return log(next);
    return where(next > static_cast<double>(least), log(next), log_softmax(logits));
}

bool scores_higher(const Beam& a, const Beam& b) { return a.written.score > b.written.score; }

class Search {
  public:
    Search(const DecodingConfig& config, bool is_shown)
        : config_(config), is_shown_(is_shown && config.end && *config.end >= 0), beams_(1) {}

    bool is_finished() const;
    void step(StepByStep& model, Tensor& tokens);
    Decoded result(Tensor* last);

  private:
    Tensor sums(const Tensor& log_next) const;
    Beam continued(const Continuation& candidate, const Tensor& next) const;
    void advance(StepByStep& model, Tensor& tokens, const std::vector<Continuation>& chosen);
    double penalty(index_t n) const {
        return length_penalty(n, config_.length_penalty, config_.penalty_form);
    }
    Tensor scores() const;

    const DecodingConfig& config_;
    bool is_shown_;               // the choice among complete sequences, of all that there are
    index_t n_ = 0;               // the number of tokens written
    std::vector<Beam> beams_;     // to be continued, the most likely first
    std::vector<Beam> complete_;  // with <end>
    std::vector<std::vector<Hypothesis>> history_;
    Tensor last_sums_;
};

// No sequence can score more than its probability now, with the penalty of the longest: when a complete one
// is better than that, the best one has been found.
bool Search::is_finished() const {
    if (beams_.empty() || n_ == config_.max_tokens) return true;
    if (config_.early && complete_.size() >= static_cast<std::size_t>(config_.beam)) return true;
    if (complete_.empty() || is_shown_) return false;
    const double reachable = beams_[0].written.log_probability / penalty(config_.max_tokens);
    return std::min_element(complete_.begin(), complete_.end(), scores_higher)->written.score >= reachable;
}

// ln P(sequence, token) = ln P(sequence) + ln P(token | sequence)
Tensor Search::sums(const Tensor& log_next) const {
    std::vector<real> so_far;
    for (const Beam& beam : beams_) so_far.push_back(static_cast<real>(beam.written.log_probability));
    const Tensor before = Tensor({static_cast<index_t>(so_far.size()), 1}, so_far).to(log_next.device());
    return named(step::log_probability, before + log_next);  // (beams, vocabulary)
}

Beam Search::continued(const Continuation& candidate, const Tensor& next) const {
    Beam beam = beams_[static_cast<std::size_t>(candidate.parent)];
    beam.written.tokens.push_back(candidate.token);
    beam.written.log_probability = candidate.log_probability;
    beam.written.score = candidate.log_probability / penalty(n_);
    beam.written.ended = candidate.token == config_.end;
    if (config_.keep_probabilities)
        beam.probabilities.push_back(slice(next, 0, candidate.parent, candidate.parent + 1));
    return beam;
}

// Of twice as many candidates as beams at least half continue: only one token is <end>.
void Search::step(StepByStep& model, Tensor& tokens) {
    const Scope scope("step", static_cast<int>(n_));
    const Tensor logits = model.read(tokens);             // (beams, vocabulary)
    const Tensor p = softmax(logits);                     // (beams, vocabulary)
    const Tensor next = named(steps::decoding::next, p);  // (beams, vocabulary)
    const Tensor log_next = is_replaced(next, p) ? log(next) : log_of(next, logits);
    const index_t count = 2 * std::min(config_.beam, next.numel());
    last_sums_ = sums(log_next);  // (beams, vocabulary)
    const std::vector<Continuation> candidates = best(last_sums_, count, n_);
    ++n_;
    std::vector<Beam> going_on;
    std::vector<Continuation> chosen;
    for (std::size_t rank = 0; rank < candidates.size(); ++rank) {
        Beam beam = continued(candidates[rank], next);
        if (beam.written.ended && rank < static_cast<std::size_t>(config_.beam)) complete_.push_back(beam);
        if (beam.written.ended || going_on.size() == static_cast<std::size_t>(config_.beam)) continue;
        going_on.push_back(std::move(beam));
        chosen.push_back(candidates[rank]);
    }
    beams_ = std::move(going_on);
    advance(model, tokens, chosen);
}

// The model's sequences become those that continue, which then read their tokens.
void Search::advance(StepByStep& model, Tensor& tokens, const std::vector<Continuation>& chosen) {
    std::vector<Hypothesis> written;
    for (const Beam& beam : beams_) written.push_back(beam.written);
    history_.push_back(std::move(written));
    if (chosen.empty()) return;
    std::vector<index_t> parents, last;
    std::vector<real> scores;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        parents.push_back(chosen[i].parent);
        last.push_back(chosen[i].token);
        scores.push_back(static_cast<real>(beams_[i].written.score));
    }
    (void)named(step::parent, as_column(parents, tokens.device()));                      // (beams, 1)
    tokens = named(step::token, as_column(last, tokens.device()));                       // (beams, 1)
    (void)named(step::score, Tensor({static_cast<index_t>(scores.size()), 1}, scores));  // (beams, 1)
    model.select_rows(parents);
}

// score = complete / lp(length)
Tensor Search::scores() const {
    std::vector<real> sums, lengths, all;
    for (const Beam& each : complete_) {
        const std::vector<index_t>& tokens = each.written.tokens;
        sums.push_back(static_cast<real>(each.written.log_probability));
        lengths.push_back(static_cast<real>(tokens.size()));
        all.insert(all.end(), tokens.begin(), tokens.end());
        all.resize(sums.size() * static_cast<std::size_t>(n_), -1);
    }
    const auto made = [&](const char* op, const std::vector<real>& numbers) {
        const auto rows = static_cast<index_t>(sums.size());
        const Tensor x({rows, static_cast<index_t>(numbers.size()) / rows}, numbers);
        return record(op, x.to(last_sums_.device()), {&last_sums_},
                      [](const Tensor&) -> Tape::Gradients { return {}; });
    };
    (void)named(step::sequences, made("sequences", all));                   // (sequences, n)
    const Tensor complete = named(step::complete, made("complete", sums));  // (sequences, 1)
    const Tensor length = named(step::length, made("length", lengths));     // (sequences, 1)
    const bool is_wu = config_.penalty_form == LengthPenalty::wu;
    const Tensor penalty = named(is_wu ? step::penalty : step::power,
                                 pow(is_wu ? (length + 5) / 6 : length, config_.length_penalty));
    return named(step::final_score, complete / penalty);  // (sequences, 1)
}

// The best complete sequence; without one, the best of those that max_tokens cut off. `last`: what it was
// chosen from.
Decoded Search::result(Tensor* last) {
    if (n_ == config_.max_tokens || complete_.empty())
        complete_.insert(complete_.end(), beams_.begin(), beams_.end());
    if (last) *last = last_sums_;
    if (is_shown_) {
        *last = scores();
        const std::vector<real> numbers = last->values();
        for (std::size_t i = 0; i < complete_.size(); ++i)
            complete_[i].written.score = static_cast<double>(numbers[i]);
    }
    std::stable_sort(complete_.begin(), complete_.end(), scores_higher);
    Decoded decoded;
    static_cast<Hypothesis&>(decoded) = complete_[0].written;
    if (config_.keep_probabilities) decoded.probabilities = concat(complete_[0].probabilities, 0);
    decoded.beams = std::move(history_);
    for (std::size_t i = 1; i < complete_.size(); ++i) decoded.alternatives.push_back(complete_[i].written);
    return decoded;
}

}  // namespace

double length_penalty(index_t n, double alpha, LengthPenalty form) {
    const double tokens = static_cast<double>(n);
    return std::pow(form == LengthPenalty::wu ? (5 + tokens) / 6 : tokens, alpha);
}

Decoded detail::search_beams(StepByStep& model, const Tensor& first, const DecodingConfig& config,
                             Tensor* last) {
    Search search(config, last != nullptr);
    Tensor tokens = first;  // (1, n), later (beams, 1)
    while (!search.is_finished()) search.step(model, tokens);
    return search.result(last);
}

}  // namespace glassbox
