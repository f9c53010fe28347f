#include <fmt/format.h>

#include <glassbox/ops/views.h>
#include <glassbox/tensor/format.h>

#include "cli/output.h"
#include "figures/draw.h"
#include "subject/show.h"

// `--map`: every attention of a model as a figure, layers as rows and heads as columns.
namespace tracer {
namespace {

using glassbox::fail;
using glassbox::UsageError;

// The attention of the first sequence of a batch: (h, n_q, n_k).
Tensor first_of_batch(Tensor attention) {
    while (attention.rank() > 3) attention = glassbox::select(attention, 0, 0);
    return attention.to(glassbox::Device::cpu);
}

std::vector<std::string> names(index_t count, const std::vector<std::string>& words) {
    if (static_cast<index_t>(words.size()) == count) return words;
    std::vector<std::string> numbers;
    for (index_t i = 0; i < count; ++i) numbers.push_back(std::to_string(i));
    return numbers;
}

// One figure for the attentions whose queries and keys are the same two sequences.
struct Kind {
    std::string title;
    std::vector<Tensor> layers;
    std::vector<std::string> queries, keys;
};

std::vector<Kind> kinds_of(const glassbox::Trace& trace, const ModelTyped& t, const ModelInput& input) {
    std::vector<Kind> kinds;
    for (const auto& step : trace.steps()) {
        if (step.path != "attention" && !step.path.ends_with("/attention")) continue;
        if (!t.scope.empty() && !step.path.starts_with(t.scope)) continue;
        const bool crosses = step.path.find("cross_attn/") != std::string::npos;
        const bool decodes = step.path.starts_with("decoder/") && !input.target_words.empty();
        const std::string title = crosses   ? "Attention to the source"
                                  : decodes ? "Attention of the target"
                                  : step.path.starts_with("encoder/") && !input.target_words.empty()
                                      ? "Attention of the source"
                                      : "Attention";
        const Tensor attention = first_of_batch(step.value);
        if (kinds.empty() || kinds.back().title != title) {
            const auto found = std::find_if(kinds.begin(), kinds.end(),
                                            [&](const Kind& kind) { return kind.title == title; });
            if (found != kinds.end()) {
                found->layers.push_back(attention);
                continue;
            }
            const std::vector<std::string>& rows = decodes ? input.target_words : input.words;
            kinds.push_back({title,
                             {},
                             names(attention.size(-2), rows),
                             names(attention.size(-1), crosses || !decodes ? input.words : rows)});
        }
        kinds.back().layers.push_back(attention);
    }
    return kinds;
}

void deliver_figure(const Figure& figure, const ModelTyped& t) {
    if (t.map == "-") return deliver(draw_terminal(figure, colors_for(t.color, t.output)), t.output);
    write_figure(figure, t.map);
}

}  // namespace

void draw_maps(const glassbox::Trace& trace, const Subject& subject, const ModelTyped& t,
               const ModelInput& input) {
    if (subject.figure) return deliver_figure(subject.figure(), t);
    Figure figure;
    for (const Kind& kind : kinds_of(trace, t, input)) {
        const Figure part = attention_figure(kind.layers, kind.queries, kind.keys, kind.title);
        if (figure.rows.empty()) figure.title = subject.title;
        for (std::vector<Panel> row : part.rows) {
            for (Panel& panel : row)
                if (auto* map = std::get_if<HeatMap>(&panel); map && kind.title != "Attention")
                    map->title = kind.title + ": " + map->title;
            figure.rows.push_back(std::move(row));
        }
    }
    if (figure.rows.empty())
        fail<UsageError>("--map: no attention{}", t.scope.empty() ? "" : " inside " + t.scope);
    deliver_figure(figure, t);
}

}  // namespace tracer
