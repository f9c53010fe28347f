// Lesson 05: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include <algorithm>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "lesson.h"

namespace lesson {
namespace {

PredictorWeights weights_of(const Tensors& golden) {
    const auto matrix = [&](const char* name) { return matrix_of(golden.at(name)); };
    const auto vector = [&](const char* name) { return vector_of(golden.at(name)); };
    return {matrix("input_net.1.weight"),
            vector("input_net.1.bias"),
            encoder_block_weights_of(golden, "transformer.layers.0."),
            matrix("output_net.0.weight"),
            vector("output_net.0.bias"),
            norm_weights_of(golden, "output_net.1."),
            matrix("output_net.4.weight"),
            vector("output_net.4.bias"),
            vector("cls_token")};
}

Matrix relu(Matrix x) {
    for (int t = 0; t < x.rows(); ++t)
        for (int c = 0; c < x.columns(); ++c) x(t, c) = std::max(x(t, c), 0.0);
    return x;
}

Matrix output_net(const Matrix& h, const PredictorWeights& w) {
    return linear(relu(layer_norm(linear(h, w.W_1, w.b_1), w.norm)), w.W_2, w.b_2);
}

Matrix with_positions(const Matrix& h) { return add(h, positional_encoding(h.rows(), h.columns())); }

Matrix transposed(const Matrix& m) {
    Matrix turned(m.columns(), m.rows());
    for (int r = 0; r < m.rows(); ++r)
        for (int c = 0; c < m.columns(); ++c) turned(c, r) = m(r, c);
    return turned;
}

Matrix stacked(const Matrix& above, const Matrix& below) {
    Matrix all(above.rows() + below.rows(), above.columns());
    for (int r = 0; r < all.rows(); ++r)
        for (int c = 0; c < all.columns(); ++c)
            all(r, c) = r < above.rows() ? above(r, c) : below(r - above.rows(), c);
    return all;
}

Matrix row_of(const Vector& v) {
    Matrix row(1, v.size());
    for (int c = 0; c < v.size(); ++c) row(0, c) = v(c);
    return row;
}

Matrix row_of(const Matrix& m, int r) {
    Matrix row(1, m.columns());
    for (int c = 0; c < m.columns(); ++c) row(0, c) = m(r, c);
    return row;
}

// The sum of all rows, divided.
Matrix pooled(const Matrix& m, double divisor) {
    Matrix row(1, m.columns());
    for (int r = 0; r < m.rows(); ++r)
        for (int c = 0; c < m.columns(); ++c) row(0, c) += m(r, c) / divisor;
    return row;
}
Matrix mean_of(const Matrix& m) { return pooled(m, m.rows()); }

Matrix largest_of(const Matrix& m) {
    Matrix row = row_of(m, 0);
    for (int r = 1; r < m.rows(); ++r)
        for (int c = 0; c < m.columns(); ++c) row(0, c) = std::max(row(0, c), m(r, c));
    return row;
}

Matrix one_hot(const Vector& ids, int d_in) {
    Matrix x(ids.size(), d_in);
    for (int t = 0; t < ids.size(); ++t) x(t, static_cast<int>(ids(t))) = 1;
    return x;
}

class PredictorCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* elements = exercise.function<decltype(predict_elements)>("predict_elements");
        auto* whole = exercise.function<decltype(predict_whole)>("predict_whole");
        const PredictorWeights w = weights_of(golden);
        const Vector ids = vector_of(golden.at("ids"));
        return run_each<Steps>(
            1, golden,
            [&](index_t, Steps& steps) {
                elements(ids, w, steps);
                if (steps.softmax.rows() > 0) whole(w, steps);  // else there is nothing to go on from yet
            },
            [](Collected& all, const Steps& steps) {
                all.add("x", steps.x), all.add("input_net", steps.input_net);
                all.add("positional/output", steps.positional.output),
                    all.add("encoder/0/norm2", steps.encoded);
                all.add("output_net/linear", steps.output_net.linear);
                all.add("output_net/norm", steps.output_net.norm);
                all.add("output_net/relu", steps.output_net.relu);
                all.add("logits", steps.logits), all.add("softmax", steps.softmax);
                all.add("mean/pooled", steps.mean.pooled), all.add("mean/logits", steps.mean.logits);
                all.add("cls/cls", steps.cls.cls);
                all.add("cls/positional/output", steps.cls.positional.output);
                all.add("cls/encoder/0/norm2", steps.cls.encoded);
                all.add("cls/pooled", steps.cls.pooled), all.add("cls/logits", steps.cls.logits);
            });
    }

    Tensor redo(const std::string& step, const Tensors& own) const override {
        return tensor_of(redone(step, own));
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const PredictorWeights w = weights_of(own);
        const auto mine = [&](const char* name) { return matrix_of(own.at(name)); };
        return first_that_gives(own.at(step), mistakes(step, mine, w));
    }

  private:
    static Matrix redone(const std::string& step, const Tensors& own) {
        const PredictorWeights w = weights_of(own);
        const auto mine = [&](const char* name) { return matrix_of(own.at(name)); };
        if (step == "x") return one_hot(vector_of(own.at("ids")), w.W_in.columns());
        if (step == "input_net") return linear(mine("x"), w.W_in, w.b_in);
        if (step == "positional/output") return with_positions(mine("input_net"));
        if (step == "encoder/0/norm2") return encoder_block(mine("positional/output"), w.encoder);
        if (step == "output_net/linear") return linear(mine("encoder/0/norm2"), w.W_1, w.b_1);
        if (step == "output_net/norm") return layer_norm(mine("output_net/linear"), w.norm);
        if (step == "output_net/relu") return relu(mine("output_net/norm"));
        if (step == "logits") return linear(mine("output_net/relu"), w.W_2, w.b_2);
        if (step == "softmax") return softmax(mine("logits"));
        if (step == "mean/pooled") return mean_of(mine("encoder/0/norm2"));
        if (step == "mean/logits") return output_net(mine("mean/pooled"), w);
        if (step == "cls/cls") return stacked(row_of(w.cls), mine("input_net"));
        if (step == "cls/positional/output") return with_positions(mine("cls/cls"));
        if (step == "cls/encoder/0/norm2") return encoder_block(mine("cls/positional/output"), w.encoder);
        if (step == "cls/pooled") return row_of(mine("cls/encoder/0/norm2"), 0);
        return output_net(mine("cls/pooled"), w);
    }

    template <class Mine>
    static std::vector<Mistake> mistakes(const std::string& step, const Mine& mine,
                                         const PredictorWeights& w) {
        if (step == "x") return {};
        if (step == "input_net") return of_input_net(mine, w);
        if (step == "positional/output") return {{"left-out", [=] { return mine("input_net"); }}};
        if (step == "encoder/0/norm2")
            return {{"left-out", [=] { return mine("positional/output"); }},
                    {"no-positions", [=] { return encoder_block(mine("input_net"), w.encoder); }}};
        if (step.rfind("output_net/", 0) == 0) return of_output_net(step, mine, w);
        if (step == "logits")
            return {{"no-relu", [=] { return linear(mine("output_net/norm"), w.W_2, w.b_2); }},
                    {"one-linear", [=] { return linear(mine("encoder/0/norm2"), w.W_2, w.b_2); }}};
        if (step == "softmax") return of_softmax(mine);
        if (step == "mean/pooled" || step == "mean/logits") return of_mean(step, mine, w);
        return of_cls(step, mine, w);
    }

    template <class Mine>
    static std::vector<Mistake> of_input_net(const Mine& mine, const PredictorWeights& w) {
        const Vector none(w.b_in.size());
        return {{"no-bias", [=] { return linear(mine("x"), w.W_in, none); }},
                {"encoding-first", [=] { return linear(with_positions(mine("x")), w.W_in, w.b_in); }},
                {"not-transposed", [=] {  // row, not column, ids(t) of W_in, as far as it goes
                     Matrix h(mine("x").rows(), w.W_in.rows());
                     for (int t = 0; t < h.rows(); ++t)
                         for (int i = 0; i < mine("x").columns(); ++i)
                             for (int o = 0; o < h.columns() && mine("x")(t, i) == 1; ++o)
                                 h(t, o) = w.W_in(i, o) + w.b_in(o);
                     return h;
                 }}};
    }

    template <class Mine>
    static std::vector<Mistake> of_output_net(const std::string& step, const Mine& mine,
                                              const PredictorWeights& w) {
        const Matrix encoded = mine("encoder/0/norm2"), hidden = mine("output_net/linear");
        if (step == "output_net/linear")
            return {{"left-out", [=] { return encoded; }},
                    {"no-encoder", [=] { return linear(mine("positional/output"), w.W_1, w.b_1); }}};
        if (step == "output_net/norm")
            return {{"relu-first", [=] { return layer_norm(relu(hidden), w.norm); }},
                    {"left-out", [=] { return hidden; }},
                    {"other-weights", [=] { return layer_norm(hidden, w.encoder.norm2); }}};
        return {{"left-out", [=] { return mine("output_net/norm"); }},
                {"not-normed", [=] { return relu(hidden); }}};
    }

    template <class Mine>
    static std::vector<Mistake> of_softmax(const Mine& mine) {
        return {{"wrong-axis", [=] { return transposed(softmax(transposed(mine("logits")))); }},
                {"left-out", [=] { return mine("logits"); }},
                {"everything", [=] {
                     const Matrix logits = mine("logits");
                     Matrix row(1, logits.rows() * logits.columns()), all = logits;
                     for (int i = 0; i < row.columns(); ++i)
                         row(0, i) = logits(i / logits.columns(), i % logits.columns());
                     const Matrix weights = softmax(row);
                     for (int i = 0; i < row.columns(); ++i)
                         all(i / logits.columns(), i % logits.columns()) = weights(0, i);
                     return all;
                 }}};
    }

    template <class Mine>
    static std::vector<Mistake> of_mean(const std::string& step, const Mine& mine,
                                        const PredictorWeights& w) {
        const Matrix encoded = mine("encoder/0/norm2");
        if (step == "mean/logits")
            return {{"one-linear", [=] { return linear(mine("mean/pooled"), w.W_2, w.b_2); }}};
        return {{"sum", [=] { return pooled(encoded, 1); }},
                {"wrong-size", [=] { return pooled(encoded, encoded.columns()); }},
                {"largest", [=] { return largest_of(encoded); }},
                {"first", [=] { return row_of(encoded, 0); }},
                {"last", [=] { return row_of(encoded, encoded.rows() - 1); }},
                {"not-encoded", [=] { return mean_of(mine("positional/output")); }},
                {"not-encoded", [=] { return mean_of(mine("input_net")); }}};
    }

    template <class Mine>
    static std::vector<Mistake> of_cls(const std::string& step, const Mine& mine, const PredictorWeights& w) {
        const Matrix encoded = mine("cls/encoder/0/norm2"), in = mine("input_net");
        if (step == "cls/cls")
            return {{"at-end", [=] { return stacked(in, row_of(w.cls)); }},
                    {"with-positions", [=] { return stacked(row_of(w.cls), mine("positional/output")); }},
                    {"zero", [=] { return stacked(Matrix(1, in.columns()), in); }}};
        if (step == "cls/positional/output")
            return {{"shifted", [=] { return stacked(row_of(w.cls), mine("positional/output")); }},
                    {"left-out", [=] { return mine("cls/cls"); }}};
        if (step == "cls/encoder/0/norm2")
            return {{"left-out", [=] { return mine("cls/positional/output"); }},
                    {"after-encoder", [=] { return stacked(row_of(w.cls), mine("encoder/0/norm2")); }}};
        if (step == "cls/pooled")
            return {{"last", [=] { return row_of(encoded, encoded.rows() - 1); }},
                    {"mean", [=] { return mean_of(encoded); }},
                    {"first-element", [=] { return row_of(encoded, 1); }}};
        return {{"one-linear", [=] { return linear(mine("cls/pooled"), w.W_2, w.b_2); }}};
    }
};

}  // namespace

const Check& the_check() {
    static const PredictorCheck check;
    return check;
}

}  // namespace lesson
