#include <glassbox/layers/linear.h>

#include <glassbox/layers/positional_encoding.h>
#include <glassbox/mistakes/catalogue/places.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::token_embedding;

namespace {

Tensor table(const Frame& f) { return input(f, 0); }
Tensor tokens(const Frame& f) { return input(f, 1); }

// The rows `by` further on in the table, which begins again after its last row.
WrongValue rows_later(index_t by) {
    return [=](const Frame& f, const Tensor&) {
        const index_t n = table(f).size(0);
        std::vector<real> ids = tokens(f).values();
        for (real& id : ids) id = static_cast<real>((static_cast<index_t>(id) + by + n) % n);
        return embedding(table(f), Tensor(tokens(f).shape(), ids, tokens(f).device()));
    };
}

std::vector<Mistake> of_rows() {
    return {
        {step::embedding, "one-late", "table[tokens + 1]", "The row after each token's is used.",
         rows_later(1)},
        {step::embedding, "one-early", "table[tokens − 1]",
         "The row before each token's is used, as if words were counted from 1.", rows_later(-1)},
        {step::embedding, "backwards", "table[tokens], the sentence in reverse order",
         "The words are in reverse order.",
         [](const Frame&, const Tensor& made) { return reversed(made, -2); }},
        {step::embedding, "one-word", "table[tokens], the first word in every row",
         "Every position has the row of the first word.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -2); }},
        {step::embedding, "first-sentence", "table[tokens], the first sentence in every one",
         "Every sentence of the batch has the words of the first one.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -3); }},
        {step::embedding, "columns", "tableᵀ[tokens]", "Columns of the table are used instead of rows.",
         [](const Frame& f, const Tensor&) {
             return is_square(table(f)) ? embedding(transpose(table(f)), tokens(f)) : not_here;
         }},
        {step::embedding, "unit-length", "table[tokens] / ‖table[tokens]‖",
         "Each row is divided by its length.",
         [](const Frame&, const Tensor& made) { return made / sqrt(sum(made * made, -1, true)); }},
        {step::embedding, "no-row-zero", "table[tokens], 0 for the word 0",
         "The word 0 gets zeros in place of its row, as the padding of other libraries does.",
         [](const Frame& f, const Tensor& made) {
             const Tensor ids = tokens(f);
             return masked_fill(made, reshape(ids, ids.shape().with_appended(1)), 0);
         }},
    };
}

std::vector<Mistake> of_scaled() {
    const WrongAt scaled{"embedding_scaled", {&step::scaled}};
    const StepInfo& positions = steps::positional_encoding::output;
    return {
        Mistake{scaled, "not-scaled", "embedding",
                "The factor √d_model is missing: the positions added next drown the words.",
                [](const Frame& f, const Tensor&) { return f["embedding"]; }}
            .seen("https://github.com/harvardnlp/annotated-transformer/issues/60"),
        {scaled, "other-table", "√d_model · table of the source[tokens]",
         "The rows are from the source's table; the target has its own vocabulary.",
         [](const Frame& f, const Tensor& made) {
             const Operation* source = operation_at(f, "source/embedding");
             if (!source || f.path() == "source/scaled") return not_here;
             return embedding(source->inputs[0], f["tokens"]) * std::sqrt(size(made, -1));
         }},
        Mistake{scaled, "divided", "embedding / √d_model",
                "Divided by √d_model, like attention scores, instead of multiplied.",
                [](const Frame& f, const Tensor&) {
                    return f["embedding"] / std::sqrt(size(f["embedding"], -1));
                }}
            .seen("https://github.com/pytorch/tutorials/pull/2915"),
        Mistake{scaled, "no-root", "d_model · embedding", "Multiplied by d_model instead of √d_model.",
                [](const Frame& f, const Tensor&) { return f["embedding"] * size(f["embedding"], -1); }}
            .in_class("an embedding times d_model"),
        {scaled, "words", "√n · embedding, n words in the vocabulary",
         "The root is of the number of words instead of the width.",
         [](const Frame& f, const Tensor&) {
             return f["embedding"] * std::sqrt(size(f.operation("embedding").inputs[0], 0));
         }},
        {scaled, "positions", "√T · embedding",
         "The root is of the number of positions instead of the width.",
         [](const Frame& f, const Tensor&) { return f["embedding"] * std::sqrt(size(f["embedding"], -2)); }},
        {scaled, "added", "embedding + √d_model", "√d_model is added instead of multiplied.",
         [](const Frame& f, const Tensor&) { return f["embedding"] + std::sqrt(size(f["embedding"], -1)); }},
        Mistake{scaled, "after-positions", "embedding, and √d_model (x + encoding)",
                "The factor √d_model comes after the positions, so they are scaled too.",
                [](const Frame& f, const Tensor&) { return f["embedding"]; }}
            .and_at(positions,
                    [](const Frame&, const Tensor& made) { return made * std::sqrt(size(made, -1)); }),
    };
}

}  // namespace

// √d_model · table[token]
std::vector<Mistake> token_embedding() { return joined({of_rows(), of_scaled()}); }

}  // namespace glassbox::catalogue
