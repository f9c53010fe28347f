// Lesson 13: which mistakes are known by what they do to the numbers.
#include "../support/own_check.h"

#include <glassbox/ops/views.h>
#include <glassbox/tensor/format.h>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "byte_pairs.h"

namespace lesson {
namespace {

// The lessons' score of a key that must not be seen.
constexpr double hidden = -9e15;

using namespace byte_pairs;

// Number (row, column) of a new matrix.
template <class Number>
Matrix matrix_from(int rows, int columns, Number number) {
    Matrix m(rows, columns);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) m(r, c) = number(r, c);
    return m;
}

template <class Number>
Vector vector_from(int size, Number number) {
    Vector v(size);
    for (int i = 0; i < size; ++i) v(i) = number(i);
    return v;
}

// Golden's inputs and the student's steps, as the exercise has them.
struct Work {
    const Tensors& own;
    explicit Work(const Tensors& all) : own(all) {}

    Matrix operator()(const char* step) const { return lesson::matrix_of(own.at(step)); }
    Vector vector(const char* step) const { return vector_of(own.at(step)); }
    int number(const char* step) const { return number_of(own.at(step)); }
    int size(const char* step, int axis) const { return static_cast<int>(own.at(step).size(axis)); }

    int V() const { return size("pairs", 0); }
    std::vector<double> counts() const {
        std::vector<double> all;
        for (const glassbox::real count : own.at("counts").values())
            all.push_back(static_cast<double>(count));
        return all;
    }
    Merges merges() const {
        Merges all;
        const Matrix m = (*this)("merges");
        for (int i = 0; i < m.rows(); ++i) all.push_back({whole(m(i, 0)), whole(m(i, 1)), whole(m(i, 2))});
        return all;
    }

    int n() const { return size("tokens_read", 0); }
    int d() const { return size("x", 1); }
    int token(int t) const { return whole(vector("tokens_read")(t)); }
    Matrix projected(const std::string& layer, const Matrix& x) const {
        return linear(x, (*this)((layer + ".weight").c_str()), vector((layer + ".bias").c_str()));
    }
    Matrix without_bias(const std::string& layer, const Matrix& x) const {
        const Matrix W = (*this)((layer + ".weight").c_str());
        return linear(x, W, Vector(W.rows()));
    }
};

// ---- From a corpus to tokens

// The letters in the order in which they are met, or sorted: 1 ascending, −1 descending.
Vector letters_of(const Work& k, int direction) {
    std::vector<double> met;
    const Matrix words = k("words");
    for (int w = 0; w < words.rows(); ++w)
        for (int i = 0; i < words.columns(); ++i)
            if (words(w, i) != 0 && std::find(met.begin(), met.end(), words(w, i)) == met.end())
                met.push_back(words(w, i));
    if (direction != 0) std::sort(met.begin(), met.end());
    if (direction < 0) std::reverse(met.begin(), met.end());
    return vector_from(static_cast<int>(met.size()), [&](int a) { return met[static_cast<std::size_t>(a)]; });
}

// Letters to ids. Letter number a is from + a.
Matrix ids_of(const Work& k, const Matrix& words, int from = first_letter, int behind = pad) {
    const Vector letters = k.vector("letters");
    return matrix_from(words.rows(), words.columns(), [&](int w, int i) {
        if (words(w, i) == 0) return behind;
        for (int a = 0; a < letters.size(); ++a)
            if (letters(a) == words(w, i)) return from + a;
        return unknown;
    });
}

Matrix table_of(const Work& k, const std::vector<Pair>& pairs) {
    const auto is_id = [&k](int id) { return id >= 0 && id < k.V(); };
    Matrix table(k.V(), k.V());
    for (const Pair& p : pairs)
        if (is_id(p.left) && is_id(p.right)) table(p.left, p.right) += p.count;
    return table;
}

Matrix merges_of(const Work& k, const Learning& way) {
    const Merges merges = learned(words_of(k("ids")), k.number("how_many"), k.V(), way);
    Matrix all(k.number("how_many"), 3);
    int m = 0;
    for (const Merge& merge : merges) {
        all(m, 0) = merge.left, all(m, 1) = merge.right, all(m, 2) = merge.joined;
        ++m;
    }
    return all;
}

// The words of the text before the first merge; unknown letters as something else, −1: left out.
Words text_of(const Work& k, int instead = unknown) {
    Words words;
    for (const Word& word : words_of(ids_of(k, k("text")))) {
        Word& kept = words.emplace_back();
        for (const int id : word)
            if (id != unknown || instead >= 0) kept.push_back(id == unknown ? instead : id);
    }
    return words;
}

Matrix tokens_of(const Work& k, const Words& words, int behind = pad) {
    return byte_pairs::matrix_of(words, k.size("text", 1), behind);
}

std::vector<Mistake> of_letters(const Work& k) {
    return {{"as-met", [&k] { return letters_of(k, 0); }},
            {"descending", [&k] { return letters_of(k, -1); }}};
}

std::vector<Mistake> of_ids(const Work& k) {
    const auto from = [&k](int first) { return [&k, first] { return ids_of(k, k("words"), first); }; };
    const auto behind = [&k](int id) { return [&k, id] { return ids_of(k, k("words"), first_letter, id); }; };
    return {{"on-specials", from(0)},
            {"on-specials", from(1)},
            {"on-specials", from(2)},
            {"on-unknown", from(unknown)},
            {"from-next", from(first_letter + 1)},
            {"letters", [&k] { return k("words"); }},
            {"pad-unknown", behind(unknown)},
            {"pad-ignored", behind(ignored)}};
}

std::vector<Mistake> of_pairs(const Work& k) {
    const Words words = words_of(k("ids"));
    const std::vector<double> counts = k.counts(), ones(counts.size(), 1.0);
    const Matrix right = table_of(k, pairs_in(words, counts));
    const auto padded = [words](std::size_t by, std::size_t size) {
        Words all = words;
        for (Word& word : all) word.resize(std::max(word.size(), std::min(word.size() + by, size)), pad);
        return all;
    };
    const auto L = static_cast<std::size_t>(k.size("ids", 1));
    return {{"unweighted", [=, &k] { return table_of(k, pairs_in(words, ones)); }},
            {"backwards",
             [=, &k] { return matrix_from(k.V(), k.V(), [&](int a, int b) { return right(b, a); }); }},
            {"both-ways",
             [=, &k] {
                 return matrix_from(k.V(), k.V(), [&](int a, int b) { return right(a, b) + right(b, a); });
             }},
            {"with-padding", [=, &k] { return table_of(k, pairs_in(padded(L, L), counts)); }},
            {"with-padding", [=, &k] { return table_of(k, pairs_in(padded(1, L), counts)); }},
            {"across-words", [=, &k] { return table_of(k, pairs_in(words, counts, true)); }}};
}

std::vector<Mistake> of_merges(const Work& k) {
    const std::vector<double> counts = k.counts(), ones(counts.size(), 1.0);
    const auto with = [&k](const Learning& way) { return [&k, way] { return merges_of(k, way); }; };
    const auto tied = [&](auto of_equals) { return with({counts, frequent_and(of_equals)}); };
    const auto same = [](const Pair&, const Pair&) { return false; };
    const auto larger = [](const Pair& a, const Pair& b) { return smaller(b, a); };
    const auto by_right = [](const Pair& a, const Pair& b) {
        return std::pair(a.right, a.left) < std::pair(b.right, b.left);
    };
    const auto rarer = [](const Pair& a, const Pair& b) {
        return a.count != b.count ? a.count < b.count : smaller(a, b);
    };
    return {{"not-counted-again", with({.weights = counts, .counts_again = false})},
            {"unweighted", with({ones})},
            {"last-of-equals", tied(larger)},
            {"first-met", tied(same)},
            {"right-first", tied(by_right)},
            {"rarest", with({counts, rarer})},
            {"one-place", with({.weights = counts, .places = Places::first})},
            {"from-right", with({.weights = counts, .places = Places::from_right})},
            {"right-half-stays", with({.weights = counts, .places = Places::right_half_stays})},
            {"same-id", with({.weights = counts, .has_new_ids = false})},
            {"id-too-large", with({.weights = counts, .ids_too_large_by = 1})},
            {"exchanged", [&k, counts] {
                 const Matrix right = merges_of(k, {counts});
                 return matrix_from(right.rows(), 3,
                                    [&](int m, int c) { return right(m, c == 2 ? 2 : 1 - c); });
             }}};
}

std::vector<Mistake> of_tokens(const Work& k) {
    const Merges merges = k.merges();
    const auto with = [=, &k](Places places) {
        return [=, &k] { return tokens_of(k, merged(text_of(k), merges, places)); };
    };
    const auto instead = [=, &k](int id) {
        return [=, &k] { return tokens_of(k, merged(text_of(k, id), merges)); };
    };
    return {{"not-merged", [&k] { return tokens_of(k, text_of(k)); }},
            {"unknown-left-out", instead(-1)},
            {"unknown-is-pad", instead(pad)},
            {"unknown-is-a-letter", instead(first_letter)},
            {"unknown-is-merged", instead(k.V())},
            {"one-place", with(Places::first)},
            {"from-right", with(Places::from_right)},
            {"right-half-stays", with(Places::right_half_stays)},
            {"last-merge-first",
             [=, &k] { return tokens_of(k, merged(text_of(k), Merges(merges.rbegin(), merges.rend()))); }},
            {"text-order", [=, &k] { return tokens_of(k, merged_in_text_order(text_of(k), merges)); }},
            {"longest-first", [=, &k] { return tokens_of(k, merged_longest_first(text_of(k), merges)); }},
            {"gaps", [=, &k] { return merged_with_gaps(tokens_of(k, text_of(k)), merges); }},
            {"pad-ignored", [=, &k] { return tokens_of(k, merged(text_of(k), merges), ignored); }}};
}

// ---- From sentences to a batch

// Place t of a row of sentences, `first` columns to the right, where some tokens are replaced.
template <class Replace>
Matrix moved(const Matrix& sentences, int first, Replace replace) {
    return matrix_from(sentences.rows(), sentences.columns() - 1,
                       [&](int b, int t) { return replace(sentences(b, t + first), t); });
}
double as_it_is(double token, int) { return token; }
double without_end(double token, int) { return token == end ? pad : token; }
double ignoring_pad(double token, int) { return token == pad ? ignored : token; }
double ignoring_both(double token, int) { return token == pad || token == end ? ignored : token; }

std::vector<Mistake> of_inputs(const Work& k) {
    const Matrix source = k("source");
    return {{"with-start", [=] { return moved(source, 0, as_it_is); }},
            {"end-dropped", [=] { return moved(source, 0, without_end); }},
            {"no-end", [=] { return moved(source, 1, without_end); }},
            {"ignored", [=] { return moved(source, 1, ignoring_pad); }}};
}

template <class Sees>
Matrix source_mask_where(const Work& k, Sees sees) {
    const Matrix inputs = k("inputs");
    return matrix_from(inputs.rows(), inputs.columns(),
                       [&](int b, int s) { return sees(inputs(b, s)) ? 1 : 0; });
}

std::vector<Mistake> of_source_mask(const Work& k) {
    return {{"inverted", [&k] { return source_mask_where(k, [](double id) { return id == pad; }); }},
            {"nothing-hidden", [&k] { return source_mask_where(k, [](double) { return true; }); }},
            {"end-hidden",
             [&k] { return source_mask_where(k, [](double id) { return id != pad && id != end; }); }},
            {"specials-hidden",
             [&k] { return source_mask_where(k, [](double id) { return id >= first_letter; }); }}};
}

std::vector<Mistake> of_targets(const Work& k) {
    const Matrix target = k("target");
    return {{"with-end", [=] { return moved(target, 0, as_it_is); }},
            {"labels", [=] { return moved(target, 1, as_it_is); }},
            {"labels", [=] { return moved(target, 1, ignoring_pad); }},
            {"no-start", [=] { return moved(target, 1, without_end); }},
            {"no-start",
             [=] {
                 return moved(target, 0,
                              [](double id, int) { return id == end || id == start ? double(pad) : id; });
             }},
            {"ignored", [=] { return moved(target, 0, ignoring_both); }}};
}

std::vector<Mistake> of_labels(const Work& k) {
    const Matrix target = k("target");
    return {{"not-shifted", [=] { return moved(target, 0, as_it_is); }},
            {"not-shifted", [=] { return moved(target, 0, without_end); }},
            {"not-shifted", [=] { return moved(target, 0, ignoring_pad); }},
            {"not-shifted", [=] { return moved(target, 0, ignoring_both); }},
            {"pad-counts", [=] { return moved(target, 1, as_it_is); }},
            {"no-end", [=] { return moved(target, 1, without_end); }},
            {"no-end", [=] { return moved(target, 1, ignoring_both); }},
            {"too-far", [=] {
                 return matrix_from(target.rows(), target.columns() - 1, [&](int b, int t) {
                     return t + 2 < target.columns() ? ignoring_pad(target(b, t + 2), t) : ignored;
                 });
             }}};
}

template <class Sees>
Matrices target_mask_where(const Work& k, Sees sees) {
    const Matrix targets = k("targets");
    const int T = targets.columns();
    Matrices masks(targets.rows(), 0, 0);
    for (int b = 0; b < masks.count(); ++b)
        masks[b] = matrix_from(T, T, [&](int i, int j) { return sees(targets, b, i, j) ? 1 : 0; });
    return masks;
}
bool right_place(const Matrix& targets, int b, int i, int j) { return j <= i && targets(b, j) != pad; }

std::vector<Mistake> of_target_mask(const Work& k) {
    const auto where = [&k](auto sees) { return [&k, sees] { return target_mask_where(k, sees); }; };
    return {
        {"no-padding", where([](const Matrix&, int, int i, int j) { return j <= i; })},
        {"no-causal", where([](const Matrix& m, int b, int, int j) { return m(b, j) != pad; })},
        {"inverted", where([](const Matrix& m, int b, int i, int j) { return !right_place(m, b, i, j); })},
        {"either", where([](const Matrix& m, int b, int i, int j) { return j <= i || m(b, j) != pad; })},
        {"transposed", where([](const Matrix& m, int b, int i, int j) { return right_place(m, b, j, i); })},
        {"transposed", where([](const Matrix& m, int b, int i, int j) { return j >= i && m(b, j) != pad; })},
        {"rows-hidden", where([](const Matrix& m, int b, int i, int j) {
             return right_place(m, b, i, j) && m(b, i) != pad;
         })},
        {"rows-hidden", where([](const Matrix& m, int b, int i, int j) { return j <= i && m(b, i) != pad; })},
        {"not-itself", where([](const Matrix& m, int b, int i, int j) { return j < i && m(b, j) != pad; })},
        {"sees-next",
         where([](const Matrix& m, int b, int i, int j) { return j <= i + 1 && m(b, j) != pad; })},
        {"first-sentence",
         where([](const Matrix& m, int, int i, int j) { return right_place(m, 0, i, j); })}};
}

// ---- The decoder, which reads token after token

// Row t of all x: scaled · embedding + placed · the encoding of position place(t).
template <class Place>
Matrix x_with(const Work& k, double scale, double placed, Place place) {
    const Matrix embedding = k("embedding.weight"), encoding = positional_encoding(k.n() + 1, k.d());
    return matrix_from(k.n(), k.d(), [&](int t, int c) {
        return scale * embedding(k.token(t), c) + placed * encoding(place(t), c);
    });
}
int own_place(int t) { return t; }

std::vector<Mistake> of_x(const Work& k) {
    const double root = std::sqrt(k.d());
    return {{"first-position", [=, &k] { return x_with(k, root, 1, [](int) { return 0; }); }},
            {"next-position", [=, &k] { return x_with(k, root, 1, [](int t) { return t + 1; }); }},
            {"no-position", [=, &k] { return x_with(k, root, 0, own_place); }},
            {"not-scaled", [&k] { return x_with(k, 1, 1, own_place); }},
            {"scaled-last", [=, &k] { return x_with(k, root, root, own_place); }},
            {"times-d", [&k] { return x_with(k, k.d(), 1, own_place); }}};
}

// What a cache may hold instead of K or V, whose layer is `right`.
std::vector<Mistake> of_cache(const Work& k, const std::string& right, const std::string& other) {
    const auto from = [&k](const std::string& layer) {
        return [&k, layer] { return k.projected(layer, k("x")); };
    };
    const auto row = [&k, right](auto which) {
        return [=, &k] {
            const Matrix all = k.projected(right, k("x"));
            return matrix_from(k.n(), k.d(), [&](int t, int c) { return all(which(t), c); });
        };
    };
    return {{"other", from(other)},
            {"queries", from("query")},
            {"x", [&k] { return k("x"); }},
            {"no-bias", [&k, right] { return k.without_bias(right, k("x")); }},
            {"in-front", row([last = k.n() - 1](int t) { return last - t; })},
            {"last-only", row([last = k.n() - 1](int) { return last; })},
            {"no-position",
             [&k, right] { return k.projected(right, x_with(k, std::sqrt(k.d()), 0, own_place)); }}};
}

// The scores of token t and those before it, softmax over them; 0 for what is not there yet.
template <class Score>
Matrix attention_with(const Work& k, Score score) {
    Matrix all(k.n(), k.n());
    for (int t = 0; t < k.n(); ++t) {
        const Matrix weights = softmax(matrix_from(1, t + 1, [&](int, int j) { return score(t, j); }));
        for (int j = 0; j <= t; ++j) all(t, j) = weights(0, j);
    }
    return all;
}

double product(const Matrix& a, int i, const Matrix& b, int j) {
    double sum = 0;
    for (int c = 0; c < a.columns(); ++c) sum += a(i, c) * b(j, c);
    return sum;
}

std::vector<Mistake> of_attention(const Work& k) {
    const Matrix Q = k.projected("query", k("x")), K = k("K"), V = k("V"), x = k("x");
    const double root = std::sqrt(k.d());
    const auto with = [&k](auto score) { return [&k, score] { return attention_with(k, score); }; };
    const auto asks = [=](const Matrix& queries, const Matrix& keys, double by) {
        return [=](int t, int j) { return product(queries, t, keys, j) / by; };
    };
    return {{"not-divided", with(asks(Q, K, 1))},
            {"no-root", with(asks(Q, K, k.d()))},
            {"root-of-n", with([=](int t, int j) { return product(Q, t, K, j) / std::sqrt(t + 1); })},
            {"key-asks", with(asks(K, K, root))},
            {"x-asks", with(asks(x, K, root))},
            {"asks-values", with(asks(Q, V, root))},
            {"no-bias", with(asks(k.without_bias("query", x), K, root))},
            {"uniform", with([](int, int) { return 0.0; })},
            {"not-itself", with([=](int t, int j) { return j == t ? 0 : product(Q, t, K, j) / root; })},
            {"not-itself",
             with([=](int t, int j) { return j == t && t > 0 ? hidden : product(Q, t, K, j) / root; })},
            {"first-query", with([=](int, int j) { return product(Q, 0, K, j) / root; })},
            {"scores", [=, &k] {
                 return matrix_from(k.n(), k.n(),
                                    [&](int t, int j) { return j <= t ? product(Q, t, K, j) / root : 0; });
             }}};
}

std::vector<Mistake> of_values(const Work& k) {
    const Matrix attention = k("attention"), K = k("K"), V = k("V"), x = k("x");
    const auto weighted = [=, &k](const Matrix& rows) {
        return [=, &k] {
            return matrix_from(k.n(), k.d(), [&](int t, int c) {
                double sum = 0;
                for (int j = 0; j <= t; ++j) sum += attention(t, j) * rows(j, c);
                return sum;
            });
        };
    };
    const auto plain = [=, &k](bool is_mean) {
        return [=, &k] {
            return matrix_from(k.n(), k.d(), [&](int t, int c) {
                double sum = 0;
                for (int j = 0; j <= t; ++j) sum += V(j, c);
                return is_mean ? sum / (t + 1) : sum;
            });
        };
    };
    return {{"keys", weighted(K)},
            {"x", weighted(x)},
            {"last-only", [=] { return V; }},
            {"last-only",
             [=, &k] {
                 return matrix_from(k.n(), k.d(), [&](int t, int c) { return attention(t, t) * V(t, c); });
             }},
            {"not-weighted", plain(false)},
            {"not-weighted", plain(true)}};
}

std::vector<Mistake> of_logits(const Work& k) {
    return {{"no-bias", [&k] { return k.without_bias("generator", k("values")); }},
            {"x", [&k] { return k.projected("generator", k("x")); }},
            {"softmax", [&k] { return softmax(k.projected("generator", k("values"))); }},
            {"with-residual", [&k] {
                 const Matrix x = k("x"), values = k("values");
                 return k.projected("generator", matrix_from(k.n(), k.d(), [&](int t, int c) {
                                        return x(t, c) + values(t, c);
                                    }));
             }}};
}

// The place of the number in a row that is better than those before it, from column `from` on.
template <class IsBetterScore>
Vector place_in_rows(const Matrix& m, int from, IsBetterScore is_better) {
    return vector_from(m.rows(), [&](int t) {
        int best = from;
        for (int c = from + 1; c < m.columns(); ++c)
            if (is_better(m(t, c), m(t, best))) best = c;
        return best;
    });
}

std::vector<Mistake> of_next(const Work& k) {
    const Matrix logits = k("logits"), attention = k("attention");
    const auto largest = [](double a, double b) { return a > b; };
    const Vector right = place_in_rows(logits, 0, largest);
    const auto score = [=](const Matrix& scores) {
        return [=] {
            return vector_from(scores.rows(), [&](int t) { return scores(t, static_cast<int>(right(t))); });
        };
    };
    return {{"smallest", [=] { return place_in_rows(logits, 0, [](double a, double b) { return a < b; }); }},
            {"score", score(logits)},
            {"score", score(softmax(logits))},
            {"no-specials", [=] { return place_in_rows(logits, first_letter, largest); }},
            {"no-end", [=] { return place_in_rows(logits, unknown, largest); }},
            {"no-padding", [=] { return place_in_rows(logits, 1, largest); }},
            {"from-one", [=] { return vector_from(right.size(), [&](int t) { return right(t) + 1; }); }},
            {"most-seen", [=] { return place_in_rows(attention, 0, largest); }},
            {"token-read", [&k] { return k.vector("tokens_read"); }}};
}

// ---- The lesson

class TextCheck : public OwnCheck {
  public:
    // From the inputs and the student's own earlier steps.
    Tensor redo(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        if (step == "letters") return tensor_of(letters_of(k, 1));
        if (step == "ids") return tensor_of(ids_of(k, k("words")));
        if (step == "pairs") return tensor_of(table_of(k, pairs_in(words_of(k("ids")), k.counts())));
        if (step == "merges") return tensor_of(merges_of(k, {k.counts()}));
        if (step == "tokens") return tensor_of(tokens_of(k, merged(text_of(k), k.merges())));
        if (step == "inputs") return tensor_of(moved(k("source"), 1, as_it_is));
        if (step == "source_mask")
            return tensor_of(source_mask_where(k, [](double id) { return id != pad; }));
        if (step == "targets") return tensor_of(moved(k("target"), 0, without_end));
        if (step == "labels") return tensor_of(moved(k("target"), 1, ignoring_pad));
        if (step == "target_mask") return tensor_of(target_mask_where(k, right_place));
        return redo_of_decoder(step, k);
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        return first_that_gives(own.at(step), mistakes(step, k));
    }

  private:
    static Tensor redo_of_decoder(const std::string& step, const Work& k) {
        if (step == "x") return tensor_of(x_with(k, std::sqrt(k.d()), 1, own_place));
        if (step == "K") return tensor_of(k.projected("key", k("x")));
        if (step == "V") return tensor_of(k.projected("value", k("x")));
        if (step == "attention") {
            const Matrix Q = k.projected("query", k("x")), K = k("K");
            return tensor_of(
                attention_with(k, [&](int t, int j) { return product(Q, t, K, j) / std::sqrt(k.d()); }));
        }
        if (step == "values") {
            const Matrix attention = k("attention"), V = k("V");
            return tensor_of(matrix_from(k.n(), k.d(), [&](int t, int c) {
                double sum = 0;
                for (int j = 0; j < k.n(); ++j) sum += attention(t, j) * V(j, c);
                return sum;
            }));
        }
        if (step == "logits") return tensor_of(k.projected("generator", k("values")));
        return tensor_of(place_in_rows(k("logits"), 0, [](double a, double b) { return a > b; }));
    }

    static std::vector<Mistake> mistakes(const std::string& step, const Work& k) {
        if (step == "letters") return of_letters(k);
        if (step == "ids") return of_ids(k);
        if (step == "pairs") return of_pairs(k);
        if (step == "merges") return of_merges(k);
        if (step == "tokens") return of_tokens(k);
        if (step == "inputs") return of_inputs(k);
        if (step == "source_mask") return of_source_mask(k);
        if (step == "targets") return of_targets(k);
        if (step == "labels") return of_labels(k);
        if (step == "target_mask") return of_target_mask(k);
        if (step == "x") return of_x(k);
        if (step == "K") return of_cache(k, "key", "value");
        if (step == "V") return of_cache(k, "value", "key");
        if (step == "attention") return of_attention(k);
        if (step == "values") return of_values(k);
        if (step == "logits") return of_logits(k);
        return of_next(k);
    }
};

}  // namespace

const Check& the_check() {
    static const TextCheck check;
    return check;
}

}  // namespace lesson
