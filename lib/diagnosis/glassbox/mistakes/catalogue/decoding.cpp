#include <glassbox/decoding/decoding.h>
#include <glassbox/decoding/token_reader.h>

#include <glassbox/mistakes/catalogue/choices.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox::catalogue {

using namespace wrong;

namespace {

// The scores that the step `next` is the softmax of, and those of earlier positions, (…, T, vocabulary):
// undefined if the model has read one token.
Tensor logits_at(const Frame& f, index_t position) {
    const Tensor all = step_at(f, scope_of(f.path()) + "logits");
    return all.defined() && all.size(-2) > 1 ? select(all, -2, position) : not_here;
}

// The scores that each row of `next` is the softmax of; undefined without any.
Tensor logits_of_next(const Frame& f) {
    const Tensor all = step_at(f, scope_of(f.path()) + "logits");
    if (!all.defined() || all.rank() == 2) return all;
    return select(all, -2, all.size(-2) - 1);
}

// The most likely token of those from this one on.
template <index_t first>
index_t largest_from(const std::vector<real>& row) {
    const auto size = static_cast<index_t>(row.size());
    return place(std::max_element(row.begin() + std::min(first, size - 1), row.end()), row);
}

}  // namespace

// token = argmax P(token | source, tokens so far)
std::vector<Mistake> decoding() {
    const StepInfo& next = steps::decoding::next;
    const WrongAt token{"token", {&steps::decoding::token, &steps::token_reader::token}};
    std::vector<Mistake> all = {
        choice(token, "smallest", "argmin(next)", "The least likely token is picked.", smallest),
        choice(token, "second", "the second of next", "The second most likely token is picked.", second),
        choice(token, "one-more", "argmax(next) + 1", "Tokens are counted from 1; ids start at 0.",
               next_to_largest),
    };
    const std::vector<Mistake> those = {
        Mistake{token, "score", "max(logits)", "This is the largest score, not its token.",
                [](const Frame& f, const Tensor& made) {
                    const Tensor logits = logits_of_next(f);
                    return logits.defined() ? reshape(max(logits, -1, true), made.shape()) : not_here;
                }}
            .in_class("how large, not which"),
        Mistake{token, "probability", "max(next)", "This is the largest probability, not its token.",
                [](const Frame& f, const Tensor&) {
                    return max(f.contains("next") ? f["next"] : softmax(f["logits"]), -1, true);
                }}
            .in_class("how large, not which"),
        choice(token, "no-specials", "argmax(next) without <pad>, <start>, <end> and <unk>",
               "The special tokens are excluded, so no sentence ends and nothing is unknown.",
               largest_from<Vocabulary::first_word + 1>)
            .in_class("special tokens left out"),
        choice(token, "no-end", "argmax(next) without <pad>, <start> and <end>",
               "<pad>, <start> and <end> are excluded, so no sentence ends.",
               largest_from<Vocabulary::first_word>)
            .in_class("special tokens left out"),
        choice(token, "no-padding", "argmax(next) without <pad>", "<pad> is excluded; no token should be.",
               largest_from<Vocabulary::padding + 1>)
            .in_class("special tokens left out"),
        {token, "not-fed", "<start>", "What was generated is not fed back: the decoder gets <start> again.",
         [](const Frame&, const Tensor& made) {
             return made * 0.0 + static_cast<double>(Vocabulary::start);
         }},
        {token, "same-context", "argmax(next) of the first step",
         "What was written is not added to the context: every step reads the same, and writes the same.",
         [](const Frame& f, const Tensor& made) {
             const std::string path = f.path();
             const std::size_t at = path.rfind("step/");
             // What has a row for each token read writes from row 0 then: next/first-position.
             if (at == std::string::npos || logits_at(f, 0).defined()) return not_here;
             const Tensor first = step_at(f, path.substr(0, at) + "step/0/token");
             return first.defined() && first.shape() == made.shape() ? first : not_here;
         }},
        {steps::decoding::logits, "column", "tableᵀ[token]",
         "These are the scores with which other words lead to this one: the column of the table, not its "
         "row.",
         [](const Frame& f, const Tensor&) {
             const Tensor table = input(f, 0);
             return is_square(table) ? embedding(contiguous(transpose(table)), input(f, 1)) : not_here;
         }},
        {steps::decoding::sequence, "from-prompt", "the prompt's last token, and all but the last written",
         "Each token is kept before the next is chosen: the first is the prompt's, and the last is missing.",
         [](const Frame& f, const Tensor& made) {
             if (!f.contains("prompt") || made.size(0) < 2) return not_here;
             const Tensor prompt = reshape(f["prompt"], {f["prompt"].numel()});
             const index_t n = prompt.size(0);
             return concat({slice(prompt, 0, n - 1, n), slice(made, 0, 0, made.size(0) - 1)}, 0);
         }},
        {steps::decoding::logits, "from-first", "table[the prompt's first token] at the first step",
         "It goes on from the first token of the prompt; the last one is what comes before the next.",
         [](const Frame& f, const Tensor&) {
             const Tensor prompt = step_at(f, f.path().substr(0, f.path().rfind("step/")) + "prompt");
             if (!prompt.defined() || f.path().find("step/0/") == std::string::npos) return not_here;
             return embedding(input(f, 0), slice(prompt, -1, 0, 1));
         }},
        {token, "first-sentence", "the first sentence's token in every row",
         "Every sentence continues with the first one's token.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, 0); }},
        Mistake{next, "first-position", "softmax(logits), of row 0",
                "The probabilities are those of row 0, which predicts the token after the first one.",
                [](const Frame& f, const Tensor&) {
                    const Tensor logits = logits_at(f, 0);
                    return logits.defined() ? softmax(logits) : not_here;
                }}
            .seen("https://github.com/xberg-io/xberg/issues/1210"),
    };
    all.insert(all.end(), those.begin(), those.end());
    return all;
}

}  // namespace glassbox::catalogue
