#include "arrays.h"

#include <glassbox/tensor/format.h>

namespace lesson {

using glassbox::real;
using glassbox::Shape;

namespace {

bool is_empty(const Matrix& m) { return m.rows() == 0 && m.columns() == 0; }

// The last axes of golden's step, as many as one sequence has.
bool fits(const Shape& one, const Shape& expected) {
    if (one.rank() > expected.rank()) return false;
    for (int axis = 1; axis <= one.rank(); ++axis)
        if (one[-axis] != expected[-axis]) return false;
    return true;
}

FeedForwardWeights feed_forward_weights_of(const Tensors& golden, const std::string& path) {
    return {matrix_of(golden.at(path + "0.weight")), vector_of(golden.at(path + "0.bias")),
            matrix_of(golden.at(path + "3.weight")), vector_of(golden.at(path + "3.bias"))};
}

}  // namespace

Tensors golden_case(const glassbox::NamedTensors& golden, const std::string& name) {
    Tensors found;
    for (const auto& [path, value] : golden)
        if (path.compare(0, name.size() + 1, name + "/") == 0) found[path.substr(name.size() + 1)] = value;
    if (found.empty()) glassbox::fail("golden.npz: no case '{}'", name);
    return found;
}

void append(std::vector<real>& values, const Matrix& m) {
    for (int r = 0; r < m.rows(); ++r)
        for (int c = 0; c < m.columns(); ++c) values.push_back(static_cast<real>(m(r, c)));
}

Matrix matrix_of(const Tensor& x, index_t i) {
    const int rows = static_cast<int>(x.size(-2)), columns = static_cast<int>(x.size(-1));
    Matrix m(rows, columns);
    const std::vector<real> values = x.values();
    std::size_t at = static_cast<std::size_t>(i * rows * columns);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) m(r, c) = static_cast<double>(values[at++]);
    return m;
}

Matrices matrices_of(const Tensor& x) {
    Matrices all(static_cast<int>(matrices_in(x)), 0, 0);
    for (int i = 0; i < all.count(); ++i) all[i] = matrix_of(x, i);
    return all;
}

Vector vector_of(const Tensor& x) {
    Vector v(static_cast<int>(x.numel()));
    const std::vector<real> values = x.values();
    for (int i = 0; i < v.size(); ++i) v(i) = static_cast<double>(values[static_cast<std::size_t>(i)]);
    return v;
}

int number_of(const Tensor& x) { return static_cast<int>(x.item()); }

index_t matrices_in(const Tensor& x) { return x.numel() / (x.size(-2) * x.size(-1)); }

AttentionWeights attention_weights_of(const Tensors& golden, const std::string& path) {
    return {number_of(golden.at("heads")), matrix_of(golden.at(path + "qkv_proj.weight")),
            vector_of(golden.at(path + "qkv_proj.bias")), matrix_of(golden.at(path + "o_proj.weight")),
            vector_of(golden.at(path + "o_proj.bias"))};
}

NormWeights norm_weights_of(const Tensors& golden, const std::string& path) {
    return {vector_of(golden.at(path + "weight")), vector_of(golden.at(path + "bias"))};
}

EncoderBlockWeights encoder_block_weights_of(const Tensors& golden, const std::string& path) {
    return {attention_weights_of(golden, path + "self_attn."),
            feed_forward_weights_of(golden, path + "linear_net."), norm_weights_of(golden, path + "norm1."),
            norm_weights_of(golden, path + "norm2.")};
}

DecoderBlockWeights decoder_block_weights_of(const Tensors& golden, const std::string& path) {
    return {attention_weights_of(golden, path + "self_attn."),
            attention_weights_of(golden, path + "cross_attn."),
            feed_forward_weights_of(golden, path + "linear_net."),
            norm_weights_of(golden, path + "norm1."),
            norm_weights_of(golden, path + "norm2."),
            norm_weights_of(golden, path + "norm3.")};
}

TransformerWeights transformer_weights_of(const Tensors& golden) {
    TransformerWeights w;
    w.source_embedding = matrix_of(golden.at("source_embedding.weight"));
    w.target_embedding = matrix_of(golden.at("target_embedding.weight"));
    const auto path = [](const char* stack, std::size_t i) { return fmt::format("{}.layers.{}.", stack, i); };
    while (golden.count(path("encoder", w.encoder.size()) + "norm1.weight"))
        w.encoder.push_back(encoder_block_weights_of(golden, path("encoder", w.encoder.size())));
    while (golden.count(path("decoder", w.decoder.size()) + "norm1.weight"))
        w.decoder.push_back(decoder_block_weights_of(golden, path("decoder", w.decoder.size())));
    w.W = matrix_of(golden.at("generator.weight"));
    w.b = vector_of(golden.at("generator.bias"));
    return w;
}

void Collected::add(const std::string& step, const Matrix& given) {
    Given one{{given.rows(), given.columns()}, {}, is_empty(given) ? not_there : ""};
    append(one.values, given);
    given_[step].push_back(one);
}

void Collected::add(const std::string& step, const Matrices& given) {
    Given one{{0}, {}, not_there};
    if (given.count() > 0 && !is_empty(given[0])) {
        one = {{given.count(), given[0].rows(), given[0].columns()}, {}, ""};
        for (int i = 0; i < given.count(); ++i) {
            const Shape shape = {given.count(), given[i].rows(), given[i].columns()};
            if (shape != one.shape)
                one.problem = fmt::format("matrix {} is ({}, {}), matrix 0 is ({}, {})", i, given[i].rows(),
                                          given[i].columns(), given[0].rows(), given[0].columns());
            append(one.values, given[i]);
        }
    }
    given_[step].push_back(one);
}

void Collected::add(const std::string& step, const Vector& given) {
    Given one{{given.size()}, {}, given.size() == 0 ? not_there : ""};
    for (int i = 0; i < given.size(); ++i) one.values.push_back(static_cast<real>(given(i)));
    given_[step].push_back(one);
}

Answer Collected::answer(const Tensors& golden, const Ended& ended) const {
    Answer answer;
    for (const auto& [step, all] : given_) answer.steps[step] = stacked(all, golden.at(step).shape());
    answer.stopped = ended.early;
    answer.kind = ended.kind;
    return answer;
}

Answer::Step Collected::stacked(const std::vector<Given>& all, const Shape& expected) {
    const auto size = static_cast<std::size_t>(expected.numel());
    std::vector<real> values;
    for (const Given& one : all) {
        if (values.size() == size) break;  // golden has it once for all sequences
        if (!one.problem.empty()) return {{}, one.problem};
        if (!fits(one.shape, expected)) return of_other_shape(all, expected);
        values.insert(values.end(), one.values.begin(), one.values.end());
    }
    if (values.size() < size) return {{}, not_there};  // where it stopped, the rest is missing
    return {Tensor(expected, values), ""};
}

// As it is: the mistake may be what gives it this shape.
Answer::Step Collected::of_other_shape(const std::vector<Given>& all, const Shape& expected) {
    Shape wanted = expected, shape = expected.leading(std::max(0, expected.rank() - all[0].shape.rank()));
    while (wanted.rank() > all[0].shape.rank()) wanted = wanted.without(0);
    const std::string problem = fmt::format("its shape is {}, expected {}", all[0].shape, wanted);
    for (const index_t axis : all[0].shape) shape = shape.with_appended(axis);
    std::vector<real> values;
    for (const Given& one : all)
        if (one.shape == all[0].shape) values.insert(values.end(), one.values.begin(), one.values.end());
    if (values.size() != static_cast<std::size_t>(shape.numel()))
        return {Tensor(all[0].shape, all[0].values), problem};
    return {Tensor(shape, values), problem};
}

}  // namespace lesson
