// Lesson 11: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include <algorithm>
#include <cmath>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "../support/compare.h"
#include "lesson.h"

namespace lesson {
namespace {

Matrix rows_of(const Vector& tokens, const Matrix& table, double factor) {
    Matrix rows(tokens.size(), table.columns());
    for (int t = 0; t < rows.rows(); ++t)
        for (int c = 0; c < rows.columns(); ++c) rows(t, c) = table(static_cast<int>(tokens(t)), c) * factor;
    return rows;
}
double root(const Matrix& table) { return std::sqrt(table.columns()); }
Matrix scaled(const Vector& tokens, const Matrix& table) { return rows_of(tokens, table, root(table)); }
Matrix with_positions(const Matrix& h) { return add(h, positional_encoding(h.rows(), h.columns())); }

// 1 where `seen` says so.
template <class Seen>
Matrix mask_where(int rows, int columns, Seen seen) {
    Matrix mask(rows, columns);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) mask(i, j) = seen(i, j) ? 1 : 0;
    return mask;
}
Matrix padding_mask(int n, const Vector& tokens) {
    return mask_where(n, tokens.size(), [&](int, int j) { return tokens(j) != pad; });
}
Matrix all_seen(int rows, int columns) {
    return mask_where(rows, columns, [](int, int) { return true; });
}
Matrix causal(int n) {
    return mask_where(n, n, [](int i, int j) { return j <= i; });
}
Matrix causal_and_padding(const Vector& tokens) {
    return mask_where(tokens.size(), tokens.size(), [&](int i, int j) { return j <= i && tokens(j) != pad; });
}

// What every encoder block gives, x itself first.
std::vector<Matrix> encoded(const Matrix& x, const TransformerWeights& w, const Matrix& mask) {
    std::vector<Matrix> all = {x};
    for (const EncoderBlockWeights& block : w.encoder) all.push_back(encoder_block(all.back(), block, mask));
    return all;
}

Matrix decoded(Matrix y, const Matrix& memory, const TransformerWeights& w, const Matrix& mask,
               const Matrix& memory_mask) {
    for (const DecoderBlockWeights& block : w.decoder) y = decoder_block(y, memory, block, mask, memory_mask);
    return y;
}

int largest_in_row(const Matrix& m, int row) {
    int best = 0;
    for (int k = 1; k < m.columns(); ++k)
        if (m(row, k) > m(row, best)) best = k;
    return best;
}

Vector largest_in_rows(const Matrix& m) {
    Vector places(m.rows());
    for (int t = 0; t < m.rows(); ++t) places(t) = largest_in_row(m, t);
    return places;
}

Vector without(const Vector& sentence, int token) {
    Vector rest(sentence.size() - 1);
    int to = 0;
    for (int from = 0; from < sentence.size(); ++from)
        if (sentence(from) != token) rest(to++) = sentence(from);
    return rest;
}

// How a translation is made; other ways are mistakes.
struct Way {
    bool reads_last_row = true, stops = true, hides_padding = true, writes_end = true;
};

Vector translated(const Vector& source, const TransformerWeights& w, int longest, const Way& way) {
    const int S = source.size();
    const Matrix mask = way.hides_padding ? padding_mask(S, source) : all_seen(S, S);
    const Matrix memory = encoded(with_positions(scaled(source, w.source_embedding)), w, mask).back();
    Vector all(longest);
    all(0) = start;
    for (int n = 1; n < longest; ++n) {
        Vector written(n);
        for (int t = 0; t < n; ++t) written(t) = all(t);
        const Matrix memory_mask = way.hides_padding ? padding_mask(n, source) : all_seen(n, S);
        const Matrix y = decoded(with_positions(scaled(written, w.target_embedding)), memory, w,
                                 causal_and_padding(written), memory_mask);
        const int next = largest_in_row(linear(y, w.W, w.b), way.reads_last_row ? n - 1 : 0);
        if (next != end || way.writes_end) all(n) = next;
        if (next == end && way.stops) break;
    }
    return all;
}

// Golden's inputs and the student's steps, as the exercise has them.
struct Model {
    TransformerWeights w;
    Vector source, sentence, targets;
    int longest, S, T;
    const Tensors& own;

    explicit Model(const Tensors& all)
        : w(transformer_weights_of(all)),
          source(vector_of(all.at("source"))),
          sentence(vector_of(all.at("sentence"))),
          targets(vector_of(all.at("target/tokens"))),
          longest(number_of(all.at("longest"))),
          S(source.size()),
          T(targets.size()),
          own(all) {
        // What a student wrote may be no token at all.
        const int words = w.target_embedding.rows();
        for (int t = 0; t < T; ++t) targets(t) = std::clamp(std::round(targets(t)), 0.0, words - 1.0);
    }
    Matrix operator()(const char* step) const { return matrix_of(own.at(step)); }
    bool gives(const char* step, const Vector& expected) const {
        return agree(own.at(step), tensor_of(expected));
    }
};

class TransformerCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* whole = exercise.function<decltype(transformer)>("transformer");
        auto* one_by_one = exercise.function<decltype(translate)>("translate");
        const Model m(golden);
        return run_each<Steps>(
            1, golden,
            [&](index_t, Steps& steps) {
                whole(m.source, m.sentence, m.w, steps);
                if (steps.words.size() > 0) one_by_one(m.source, m.w, m.longest, steps);
            },
            [](Collected& all, const Steps& steps) {
                all.add("source/scaled", steps.source.scaled);
                all.add("source/positional/output", steps.source.positional);
                all.add("source_mask", steps.source_mask), all.add("memory", steps.memory);
                all.add("target/tokens", steps.targets), all.add("labels", steps.labels);
                all.add("target/scaled", steps.target.scaled);
                all.add("target/positional/output", steps.target.positional);
                all.add("target_mask", steps.target_mask), all.add("memory_mask", steps.memory_mask);
                all.add("decoded", steps.decoded), all.add("logits", steps.logits);
                all.add("softmax", steps.softmax), all.add("words", steps.words);
                all.add("translation", steps.translation);
            });
    }

    Tensor redo(const std::string& step, const Tensors& own) const override {
        const Model m(own);
        if (step == "target/tokens") return tensor_of(without(m.sentence, end));
        if (step == "labels") return tensor_of(without(m.sentence, start));
        if (step == "words") return tensor_of(largest_in_rows(m("softmax")));
        if (step == "translation") return tensor_of(translated(m.source, m.w, m.longest, {}));
        return tensor_of(redone(step, m));
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const Model m(own);
        if (step == "target/tokens" || step == "labels") return why_shifted(step, m);
        if (step == "words") return why_words(m);
        if (step == "translation") return why_translation(m);
        return first_that_gives(own.at(step), mistakes(step, m));
    }

  private:
    static Matrix redone(const std::string& step, const Model& m) {
        if (step == "source/scaled") return scaled(m.source, m.w.source_embedding);
        if (step == "source/positional/output") return with_positions(m("source/scaled"));
        if (step == "source_mask") return padding_mask(m.S, m.source);
        if (step == "memory") return encoded(m("source/positional/output"), m.w, m("source_mask")).back();
        if (step == "target/scaled") return scaled(m.targets, m.w.target_embedding);
        if (step == "target/positional/output") return with_positions(m("target/scaled"));
        if (step == "target_mask") return causal_and_padding(m.targets);
        if (step == "memory_mask") return padding_mask(m.T, m.source);
        if (step == "decoded")
            return decoded(m("target/positional/output"), m("memory"), m.w, m("target_mask"),
                           m("memory_mask"));
        if (step == "logits") return linear(m("decoded"), m.w.W, m.w.b);
        return softmax(m("logits"));
    }

    static std::vector<Mistake> mistakes(const std::string& step, const Model& m) {
        if (step == "source/scaled") return of_scaled(m.source, m.w.source_embedding, m.w.target_embedding);
        if (step == "target/scaled") return of_scaled(m.targets, m.w.target_embedding, m.w.source_embedding);
        if (step == "source/positional/output") return {{"left-out", [&] { return m("source/scaled"); }}};
        if (step == "target/positional/output") return {{"left-out", [&] { return m("target/scaled"); }}};
        if (step == "source_mask") return of_padding_mask(m.S, m.source);
        if (step == "memory_mask") return of_padding_mask(m.T, m.source);
        if (step == "target_mask") return of_target_mask(m);
        if (step == "memory") return of_memory(m);
        if (step == "decoded") return of_decoded(m);
        if (step == "logits")
            return {{"no-bias", [&] { return linear(m("decoded"), m.w.W, Vector(m.w.b.size())); }}};
        return {{"wrong-axis", [&] { return turned(softmax(turned(m("logits")))); }}};
    }

    static Matrix turned(const Matrix& m) {
        Matrix t(m.columns(), m.rows());
        for (int r = 0; r < m.rows(); ++r)
            for (int c = 0; c < m.columns(); ++c) t(c, r) = m(r, c);
        return t;
    }

    static std::vector<Mistake> of_scaled(const Vector& tokens, const Matrix& table, const Matrix& other) {
        const double d_model = table.columns();
        return {{"not-scaled", [=] { return rows_of(tokens, table, 1); }},
                {"divided", [=] { return rows_of(tokens, table, 1 / std::sqrt(d_model)); }},
                {"no-root", [=] { return rows_of(tokens, table, d_model); }},
                {"other-table", [=] { return scaled(tokens, other); }}};
    }

    static std::vector<Mistake> of_padding_mask(int n, const Vector& tokens) {
        const int columns = tokens.size();
        return {
            {"nothing-hidden", [=] { return all_seen(n, columns); }},
            {"inverted",
             [=] { return mask_where(n, columns, [&](int, int j) { return tokens(j) == pad; }); }},
            {"rows", [=] { return mask_where(n, columns, [&](int i, int) { return tokens(i) != pad; }); }},
            {"causal", [=] { return mask_where(n, columns, [](int i, int j) { return j <= i; }); }},
            {"causal", [=] {
                 return mask_where(n, columns, [&](int i, int j) { return j <= i && tokens(j) != pad; });
             }}};
    }

    static std::vector<Mistake> of_target_mask(const Model& m) {
        const Vector tokens = m.targets;
        const int T = m.T;
        return {{"no-causal", [=] { return padding_mask(T, tokens); }},
                {"no-padding", [=] { return causal(T); }},
                {"nothing-hidden", [=] { return all_seen(T, T); }},
                {"inverted",
                 [=] {
                     const Matrix right = causal_and_padding(tokens);
                     return mask_where(T, T, [&](int i, int j) { return right(i, j) == 0; });
                 }},
                {"either",
                 [=] { return mask_where(T, T, [&](int i, int j) { return j <= i || tokens(j) != pad; }); }}};
    }

    static std::vector<Mistake> of_memory(const Model& m) {
        const Matrix x = m("source/positional/output");
        return {
            {"no-mask", [=, &m] { return encoded(x, m.w, all_seen(m.S, m.S)).back(); }},
            {"first-block", [=, &m] { return encoded(x, m.w, m("source_mask")).at(1); }},
            {"left-out", [=] { return x; }},
            {"no-positions", [=, &m] { return encoded(m("source/scaled"), m.w, m("source_mask")).back(); }}};
    }

    static std::vector<Mistake> of_decoded(const Model& m) {
        const Matrix y = m("target/positional/output"), memory = m("memory"), seen = m("target_mask"),
                     over = m("memory_mask");
        return {
            {"no-memory-mask", [=, &m] { return decoded(y, memory, m.w, seen, all_seen(m.T, m.S)); }},
            {"no-mask", [=, &m] { return decoded(y, memory, m.w, all_seen(m.T, m.T), over); }},
            {"not-encoded", [=, &m] { return decoded(y, m("source/positional/output"), m.w, seen, over); }},
            {"first-block", [=, &m] { return decoder_block(y, memory, m.w.decoder[0], seen, over); }},
            {"each-its-own", [=, &m] {
                 // Block i of the decoder looks at block i of the encoder, as far as there are any.
                 const std::vector<Matrix> memories =
                     encoded(m("source/positional/output"), m.w, m("source_mask"));
                 Matrix h = y;
                 for (std::size_t i = 0; i < m.w.decoder.size(); ++i)
                     h = decoder_block(h, memories[std::min(i + 1, memories.size() - 1)], m.w.decoder[i],
                                       seen, over);
                 return h;
             }}};
    }

    static std::string why_shifted(const std::string& step, const Model& m) {
        const bool is_target = step == "target/tokens";
        if (m.gives(step.c_str(), without(m.sentence, is_target ? start : end))) return "exchanged";
        Vector first(m.sentence.size() - 1);
        for (int t = 0; t < first.size(); ++t) first(t) = m.sentence(t);
        return m.gives(step.c_str(), first) ? "last-dropped" : "";
    }

    static std::string why_words(const Model& m) {
        Vector first(m.T);
        for (int t = 0; t < m.T; ++t) first(t) = largest_in_row(m("softmax"), 0);
        return m.gives("words", first) ? "first-row" : "";
    }

    static std::string why_translation(const Model& m) {
        const auto is_made = [&](const Way& way) {
            return m.gives("translation", translated(m.source, m.w, m.longest, way));
        };
        if (m.own.at("translation").values()[0] != start) return "no-start";
        if (is_made({.reads_last_row = false})) return "first-row";
        if (is_made({.stops = false})) return "not-stopped";
        if (is_made({.reads_last_row = false, .stops = false})) return "first-row";
        if (is_made({.hides_padding = false})) return "no-padding-mask";
        return is_made({.writes_end = false}) ? "no-end" : "";
    }
};

}  // namespace

const Check& the_check() {
    static const TransformerCheck check;
    return check;
}

}  // namespace lesson
