#include <glassbox/decoding/written.h>

#include <algorithm>

#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox {

namespace {

// Tokens have no gradient.
Tape::Gradients no_pullback(const Tensor&) { return {}; }

// The rows of (B, S) without <pad>.
std::vector<std::vector<index_t>> sentences(const Tensor& source) {
    const std::vector<real> ids = source.values();
    const auto S = static_cast<std::size_t>(source.size(1));
    std::vector<std::vector<index_t>> all;
    for (std::size_t row = 0; row < ids.size(); row += S) {
        std::vector<index_t>& sentence = all.emplace_back();
        for (std::size_t i = row; i < row + S; ++i)
            if (ids[i] != Vocabulary::padding) sentence.push_back(static_cast<index_t>(ids[i]));
    }
    return all;
}

// The tokens as what the steps have written: a trace follows them back to there.
Tensor from_steps(const Tensor& tokens) {
    Inputs inputs;
    if (const Trace* trace = Trace::current())
        for (const Trace::Step& each : trace->steps())
            if (each.info == &steps::decoding::token) inputs.add(&each.value);
    return record("decode", tokens, inputs, no_pullback);
}

// (B, longest), written on and on.
Tensor tokens_without_end(const Transformer& model, const Tensor& source, index_t longest) {
    const Scope scope("decoding");
    std::vector<real> tokens;
    for (const Decoded& each :
         decode(model, sentences(source), {.max_tokens = longest, .cache = false, .end = -1}))
        tokens.insert(tokens.end(), each.tokens.begin(), each.tokens.end());
    return from_steps(Tensor({source.size(0), longest}, tokens).to(source.device()));
}

Tensor up_to_end(const Tensor& tokens) {
    std::vector<real> kept = tokens.values();
    for (auto row = kept.begin(); row != kept.end(); row += tokens.size(1)) {
        const auto last = row + tokens.size(1), end = std::find(row, last, Vocabulary::end);
        if (end != last) std::fill(end + 1, last, Vocabulary::padding);
    }
    const Tensor cut = Tensor(tokens.shape(), kept).to(tokens.device());
    return record("up_to_end", cut, {&tokens}, no_pullback);
}

// 1 at each token that was written, 0 at the <pad> after <end>. A model may also write <pad> as a word.
Tensor is_written(const Tensor& tokens) {
    std::vector<real> counts = tokens.values();
    for (auto row = counts.begin(); row != counts.end(); row += tokens.size(1)) {
        const auto last = row + tokens.size(1), end = std::find(row, last, Vocabulary::end);
        std::fill(row, end, 1);
        std::transform(end, last, end, [](real token) { return token > Vocabulary::padding; });
    }
    return record("is_written", Tensor(tokens.shape(), counts).to(tokens.device()), {&tokens}, no_pullback);
}

std::vector<index_t> lengths_of(const Tensor& source) {
    std::vector<index_t> lengths;
    for (const std::vector<index_t>& each : sentences(source))
        lengths.push_back(static_cast<index_t>(each.size()));
    return lengths;
}

Tensor start_column(const Tensor& tokens) {
    return Tensor::full({tokens.size(0), 1}, Vocabulary::start).to(tokens.device());
}

// The model's output at each place after <start> and the tokens before it: (B, longest, vocabulary).
Tensor logits_behind(const Transformer& model, const Tensor& source, const Tensor& tokens) {
    const Scope scope("read");
    const Tensor before = concat({start_column(tokens), slice(tokens, 1, 0, tokens.size(1) - 1)}, 1);
    const Mask padding = Mask::lengths(lengths_of(source));
    return model.decode(before, model.encode(source, padding), {}, padding);
}

}  // namespace

// written_n = argmax softmax(Decoder(<start> written_<n)),  certainty_n = that softmax at written_n
Written written(const Transformer& model, const Tensor& source, index_t longest) {
    namespace step = steps::decoding;
    const Tensor tokens = named(step::written, up_to_end(tokens_without_end(model, source, longest)));
    const Tensor p = softmax(logits_behind(model, source, tokens));  // (B, longest, vocabulary)
    const Tensor chosen = one_hot(tokens, p.size(-1)) * p;
    return {tokens, named(step::certainty, sum(chosen, -1) * is_written(tokens))};
}

Tensor with_start(const Tensor& written) {
    return named(steps::decoding::translation, concat({start_column(written), written}, 1));
}

}  // namespace glassbox
