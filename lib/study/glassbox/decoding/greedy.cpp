// Greedy decoding and drawing: one sequence for each sentence.
#include <cmath>
#include <limits>
#include <numeric>

#include <glassbox/decoding/detail/step_by_step.h>
#include <glassbox/decoding/sampling.h>
#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

using namespace detail;

namespace {

namespace step = steps::decoding;

using Rows = std::vector<index_t>;

// One step's tokens, and the probabilities that they were chosen from: (batch, vocabulary), or undefined.
struct Choice {
    Rows tokens;
    Tensor probabilities;
};

// token = argmax P(token | source, tokens so far). The largest logit has the largest probability.
Choice most_likely(const Tensor& logits, const DecodingConfig& config) {
    Choice choice;
    if (config.keep_probabilities || Trace::current()) {
        const Tensor next = softmax(logits);
        choice.probabilities = named(step::next, next);  // (batch, vocabulary)
        if (is_replaced(choice.probabilities, next)) {
            choice.tokens = argmax(choice.probabilities, -1);
            return choice;
        }
    }
    choice.tokens = argmax(logits, -1);
    return choice;
}

// token ~ softmax(top p(top k(logits / temperature)))
Choice draw(const Tensor& logits, const DecodingConfig& config, index_t n, const Rows& sentences) {
    namespace step = steps::sampling;
    Choice choice{{}, next_probabilities(logits, config)};  // (batch, vocabulary), rows sum to 1
    std::vector<real> numbers;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const double u = uniform_draw(config.seed, n, sentences[i]);
        numbers.push_back(static_cast<real>(u));
        choice.tokens.push_back(drawn(select(choice.probabilities, 0, static_cast<index_t>(i)), u));
    }
    (void)named(step::u, Tensor({static_cast<index_t>(numbers.size())}, numbers));
    return choice;
}

// The numbers that the tokens were chosen by: one logit that is NaN or +∞ makes every probability of its row
// NaN, and argmax takes it where there are no probabilities.
void check_numbers(const Choice& choice, const Tensor& logits, index_t n) {
    const Tensor& from = choice.probabilities.defined() ? choice.probabilities : logits;
    for (std::size_t i = 0; i < choice.tokens.size(); ++i) {
        const real number = select(select(from, 0, static_cast<index_t>(i)), 0, choice.tokens[i]).item();
        if (!std::isfinite(number)) fail_on_nan(n);
    }
}

// (batch, 1), which a trace follows back to the probabilities.
Tensor chosen_from(const Choice& choice, Device device) {
    const auto no_pullback = [](const Tensor&) -> Tape::Gradients { return {}; };
    const Tensor tokens = as_column(choice.tokens, device);
    if (!choice.probabilities.defined()) return tokens;
    return record("choose", tokens, {&choice.probabilities}, no_pullback);
}

Rows ids_of(const Tensor& tokens) {
    const std::vector<real> ids = tokens.values();
    return Rows(ids.begin(), ids.end());
}

std::vector<Rows> rows_of(const Tensor& tokens) {
    std::vector<Rows> rows;
    for (index_t i = 0; i < tokens.size(0); ++i) rows.push_back(ids_of(select(tokens, 0, i)));
    return rows;
}

// The sentences of a batch, of which those that have ended are dropped from time to time: moving the others
// together copies their caches.
class Batch {
  public:
    Batch(std::size_t size, const DecodingConfig& config) : config_(config), decoded(size), rows(size) {
        std::iota(rows.begin(), rows.end(), 0);
        if (config.keep_probabilities) probabilities_.resize(size);
        else if (config.temperature == 0)
            for (Decoded& each : decoded) each.log_probability = std::numeric_limits<double>::quiet_NaN();
    }

    bool is_finished() const { return left() == 0; }

    void add(const Choice& choice) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            Decoded& sentence = decoded[static_cast<std::size_t>(rows[i])];
            if (sentence.ended) continue;
            const index_t row = static_cast<index_t>(i), token = choice.tokens[i];
            sentence.tokens.push_back(token);
            sentence.ended = token == config_.end;
            if (!choice.probabilities.defined()) continue;
            const Tensor next = slice(choice.probabilities, 0, row, row + 1);  // (1, vocabulary)
            sentence.log_probability +=
                std::log(static_cast<double>(select(select(next, 0, 0), 0, token).item()));
            if (config_.keep_probabilities) probabilities_[static_cast<std::size_t>(rows[i])].push_back(next);
        }
    }

    // The rows to be kept, when a quarter of them or more has ended; else none.
    Rows rows_to_keep() const {
        Rows kept;
        if (4 * left() > 3 * rows.size()) return kept;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (!decoded[static_cast<std::size_t>(rows[i])].ended) kept.push_back(static_cast<index_t>(i));
        return kept;
    }

    std::vector<Decoded> result() && {
        for (std::size_t i = 0; i < decoded.size(); ++i) {
            decoded[i].score = decoded[i].log_probability;
            if (config_.keep_probabilities) decoded[i].probabilities = concat(probabilities_[i], 0);
        }
        return std::move(decoded);
    }

  private:
    std::size_t left() const {
        std::size_t count = 0;
        for (const index_t row : rows) count += !decoded[static_cast<std::size_t>(row)].ended;
        return count;
    }

    const DecodingConfig& config_;
    std::vector<std::vector<Tensor>> probabilities_;

  public:
    std::vector<Decoded> decoded;
    Rows rows;  // the sentence of each row of the batch
};

template <class Each>
std::vector<Each> selected(const std::vector<Each>& from, const Rows& which) {
    std::vector<Each> result;
    for (const index_t i : which) result.push_back(from[static_cast<std::size_t>(i)]);
    return result;
}

}  // namespace

// softmax(top p(top k(logits / temperature)))
Tensor next_probabilities(const Tensor& logits, const DecodingConfig& config) {
    namespace step = steps::sampling;
    Tensor kept = logits;  // (rows, vocabulary)
    if (config.temperature > 0) kept = named(step::tempered, kept / config.temperature);
    if (config.top_k > 0) kept = named(step::top_k, top_k(kept, config.top_k));
    if (config.top_p < 1) kept = named(step::top_p, top_p(kept, config.top_p));
    return named(steps::decoding::next, softmax(kept));  // rows sum to 1
}

// target ← target, chosen from P(next token | source, target), until that is <end>
std::vector<Decoded> detail::write_greedily(StepByStep& model, const Tensor& first,
                                            const DecodingConfig& config, Tensor* last) {
    Batch batch(static_cast<std::size_t>(first.size(0)), config);
    std::vector<Rows> there = rows_of(first);  // what each sentence has read and written
    Tensor tokens = first;                     // (batch, n), later (batch, 1)
    for (index_t n = 0; n < config.max_tokens && !batch.is_finished(); ++n) {
        const Scope scope("step", static_cast<int>(n));
        Tensor logits = model.read(tokens);  // (batch, vocabulary)
        if (config.repetition_penalty != 1)
            logits = named(steps::sampling::penalised,
                           penalised(logits, selected(there, batch.rows), config.repetition_penalty));
        Choice choice =
            config.temperature > 0 ? draw(logits, config, n, batch.rows) : most_likely(logits, config);
        check_numbers(choice, logits, n);
        const StepInfo& written = config.temperature > 0 ? steps::sampling::token : step::token;
        const Tensor chosen = chosen_from(choice, logits.device());
        tokens = named(written, chosen);  // (batch, 1)
        if (is_replaced(tokens, chosen)) choice.tokens = ids_of(tokens);
        if (last) *last = tokens;
        batch.add(choice);
        for (std::size_t i = 0; i < batch.rows.size(); ++i)
            there[static_cast<std::size_t>(batch.rows[i])].push_back(choice.tokens[i]);
        if (const Rows kept = batch.rows_to_keep(); !kept.empty()) {
            tokens = selected_rows(tokens, kept);
            model.select_rows(kept);
            batch.rows = selected(batch.rows, kept);
        }
    }
    return std::move(batch).result();
}

}  // namespace glassbox
