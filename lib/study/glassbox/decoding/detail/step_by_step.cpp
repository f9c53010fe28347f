#include <glassbox/decoding/detail/step_by_step.h>

#include <algorithm>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

Tensor StepByStep::read(const Tensor& tokens) {
    read_ = read_.defined() && !cache_ ? concat({read_, tokens}, -1) : tokens;  // (batch, n)
    const Tensor all = logits(read_, cache_ ? &*cache_ : nullptr);              // (batch, n, vocabulary)
    return select(all, -2, all.size(-2) - 1);                                   // (batch, vocabulary)
}

void StepByStep::select_rows(const std::vector<index_t>& rows) {
    if (cache_) cache_->select_rows(rows);
    else read_ = selected_rows(read_, rows);
    select_memory(rows);
}

Tensor selected_rows(const Tensor& x, const std::vector<index_t>& rows) {
    const index_t n = static_cast<index_t>(rows.size());
    const Tensor ids = Tensor({n}, std::vector<real>(rows.begin(), rows.end())).to(x.device());
    const Tensor flat = reshape(x, {x.size(0), x.numel() / x.size(0)});
    return reshape(embedding(flat, ids), x.shape().with(0, n));
}

Tensor as_column(const std::vector<index_t>& tokens, Device device) {
    return Tensor({static_cast<index_t>(tokens.size()), 1}, std::vector<real>(tokens.begin(), tokens.end()))
        .to(device);
}

bool is_replaced(const Tensor& step, const Tensor& made) {
    return Trace::current() && (step.shape() != made.shape() || step.values() != made.values());
}

void fail_on_nan(index_t step) {
    fail(
        "decoding: the logits of step {} contain NaN or infinity: a parameter is NaN or infinite, or the "
        "model overflows",
        step);
}

namespace {

std::optional<StackCache> cache_for(std::size_t blocks, const DecodingConfig& config) {
    if (!config.cache) return std::nullopt;
    return StackCache(blocks);
}

// (batch, longest): padded with token 0, which the masks hide.
Tensor padded(const std::vector<std::vector<index_t>>& sentences, Device device) {
    std::size_t longest = 0;
    for (const auto& sentence : sentences) longest = std::max(longest, sentence.size());
    std::vector<real> tokens(sentences.size() * longest, 0);
    for (std::size_t i = 0; i < sentences.size(); ++i)
        std::copy(sentences[i].begin(), sentences[i].end(),
                  tokens.begin() + static_cast<std::ptrdiff_t>(i * longest));
    return Tensor({static_cast<index_t>(sentences.size()), static_cast<index_t>(longest)}, tokens).to(device);
}

}  // namespace

TransformerSteps::TransformerSteps(const Transformer& model, const std::vector<std::vector<index_t>>& sources,
                                   const DecodingConfig& config)
    : StepByStep(cache_for(model.decoder.layers.size(), config)), model_(model) {
    for (const auto& source : sources) {
        if (source.empty()) fail("decoding: an empty source");
        lengths_.push_back(static_cast<index_t>(source.size()));
    }
    memory_ = model.encode(padded(sources, model.generator.weight.device()), source_mask());
}

// Only sources of different lengths have padding.
Mask TransformerSteps::source_mask() const {
    const bool equal =
        std::all_of(lengths_.begin(), lengths_.end(), [&](index_t length) { return length == lengths_[0]; });
    return equal && (!memory_.defined() || memory_.size(-2) == lengths_[0]) ? Mask::none()
                                                                            : Mask::lengths(lengths_);
}

Tensor TransformerSteps::logits(const Tensor& tokens, StackCache* cache) {
    return model_.decode(tokens, memory_, Mask::none(), source_mask(), cache);
}

void TransformerSteps::select_memory(const std::vector<index_t>& rows) {
    std::vector<index_t> lengths;
    for (const index_t row : rows) lengths.push_back(lengths_[static_cast<std::size_t>(row)]);
    lengths_ = std::move(lengths);
    memory_ = selected_rows(memory_, rows);
}

LanguageModelSteps::LanguageModelSteps(const LanguageModel& model, const DecodingConfig& config)
    : StepByStep(cache_for(model.decoder.layers.size(), config)), model_(model) {}

Tensor LanguageModelSteps::logits(const Tensor& tokens, StackCache* cache) {
    return model_(tokens, Mask::none(), cache);
}

Tensor TableSteps::logits(const Tensor& tokens, StackCache*) {
    const index_t n = tokens.size(-1);
    return named(steps::decoding::logits, embedding(table_, slice(tokens, -1, n - 1, n)));  // (batch, 1, V)
}

}  // namespace glassbox::detail
