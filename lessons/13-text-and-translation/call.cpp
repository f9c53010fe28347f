// Lesson 13: how the exercise is called.
#include "../support/call.h"

#include <glassbox/tensor/format.h>

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {
namespace {

Vector tokens_read(const Tensors& golden) { return vector_of(golden.at("tokens_read")); }

DecoderWeights weights_of(const Tensors& golden) {
    const auto matrix = [&](const char* name) { return matrix_of(golden.at(name)); };
    const auto vector = [&](const char* name) { return vector_of(golden.at(name)); };
    return {matrix("embedding.weight"), matrix("query.weight"),     matrix("key.weight"),
            matrix("value.weight"),     vector("query.bias"),       vector("key.bias"),
            vector("value.bias"),       matrix("generator.weight"), vector("generator.bias")};
}

using Each = std::vector<Steps>;  // what `read_token` left after each token

// The rows that one step had after each token, one below the other; row t is width(t) wide, with 0 behind it.
template <class RowOf, class Width>
Answer::Step rows_of(const Each& each, const glassbox::Shape& expected, RowOf row_of, Width width) {
    const int n = static_cast<int>(each.size());
    Matrix all(n, static_cast<int>(expected.numel()) / n);
    for (int t = 0; t < n; ++t) {
        const Matrix given = row_of(each[static_cast<std::size_t>(t)]);
        if (given.rows() == 0 && given.columns() == 0) return {{}, not_there};
        if (given.rows() != 1 || given.columns() != width(t))
            return {{},
                    fmt::format("shape ({}, {}) after {} tokens, expected (1, {})", given.rows(),
                                given.columns(), t + 1, width(t))};
        for (int c = 0; c < given.columns(); ++c) all(t, c) = given(0, c);
    }
    std::vector<glassbox::real> values;
    append(values, all);
    return {Tensor(expected, values), ""};
}

Matrix as_row(const Vector& v) {
    if (v.size() == 0) return {};
    Matrix row(1, v.size());
    for (int c = 0; c < v.size(); ++c) row(0, c) = v(c);
    return row;
}

// Each function once the one before it is complete.
void before_the_model(const Exercise& exercise, const Tensors& golden, Steps& steps) {
    exercise.function<decltype(learn)>("learn")(matrix_of(golden.at("words")), vector_of(golden.at("counts")),
                                                number_of(golden.at("how_many")), steps);
    if (steps.merges.rows() > 0)
        exercise.function<decltype(encode)>("encode")(matrix_of(golden.at("text")), steps);
    if (steps.tokens.rows() > 0)
        exercise.function<decltype(make_batch)>("make_batch")(matrix_of(golden.at("source")),
                                                              matrix_of(golden.at("target")), steps);
}

Collected collected(const Steps& steps) {
    Collected all;
    all.add("letters", steps.letters), all.add("ids", steps.ids);
    all.add("pairs", steps.pairs), all.add("merges", steps.merges), all.add("tokens", steps.tokens);
    all.add("inputs", steps.inputs), all.add("source_mask", steps.source_mask);
    all.add("targets", steps.targets), all.add("labels", steps.labels);
    all.add("target_mask", steps.target_mask);
    all.add("K", steps.K), all.add("V", steps.V);
    return all;
}

}  // namespace

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    const int n = tokens_read(golden).size(), d = static_cast<int>(golden.at("x").size(1));
    Steps steps;
    Each each(static_cast<std::size_t>(n));
    Ended ended;
    const auto tried = [&ended](auto call) {
        const Ended this_time = run_guarded(call);
        if (ended.early.empty()) ended = this_time;
    };
    tried([&] { before_the_model(exercise, golden, steps); });
    if (ended.early.empty() && steps.target_mask.count() > 0) {
        auto* next = exercise.function<decltype(read_token)>("read_token");
        const DecoderWeights w = weights_of(golden);
        const Vector tokens = tokens_read(golden);
        for (int t = 0; t < n; ++t) {
            tried([&] { next(static_cast<int>(tokens(t)), t, w, steps); });
            each[static_cast<std::size_t>(t)] = steps;
        }
    }
    Answer answer = collected(steps).answer(golden, ended);
    const auto add = [&](const char* step, auto row_of, auto width) {
        answer.steps[step] = rows_of(each, golden.at(step).shape(), row_of, width);
    };
    const int words = static_cast<int>(golden.at("logits").size(1));
    add(
        "x", [](const Steps& one) { return one.x; }, [d](int) { return d; });
    add(
        "attention", [](const Steps& one) { return one.attention; }, [](int t) { return t + 1; });
    add(
        "values", [](const Steps& one) { return one.values; }, [d](int) { return d; });
    add(
        "logits", [](const Steps& one) { return one.logits; }, [&](int) { return words; });
    add(
        "next", [](const Steps& one) { return as_row(one.next); }, [](int) { return 1; });
    return answer;
}

}  // namespace lesson
