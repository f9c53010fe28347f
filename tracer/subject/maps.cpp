#include "subject/show_subject.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "cli/output.h"
#include "cli/text_width.h"
#include "figures/draw.h"
#include "report/step_reports.h"
#include "subject/axis_words.h"
#include "subject/model_report.h"

// `--map`: the attention weights of a model as a figure, with layers as rows and heads as columns.
namespace glassbox::tracer {
namespace {

// The attention of the first sequence of a batch: (h, n_q, n_k).
Tensor first_of_batch(Tensor attention) {
    while (attention.rank() > 3) attention = select(attention, 0, 0);
    return attention.to(Device::cpu);
}

bool is_cross(const std::string& path) { return path.find("cross_attn/") != std::string::npos; }

// The attention layers with the same two sequences as queries and keys.
struct MapKind {
    std::string title;
    std::vector<Tensor> layers;
    std::vector<Tensor> seen;        // where a mask hides none of its keys; undefined without a mask
    std::vector<std::string> paths;  // of the layers
    std::vector<std::string> queries, keys;
};

// Empty if the model has only one kind of attention.
std::string title_of(const std::string& path, bool has_several) {
    if (!has_several) return "";
    if (is_cross(path)) return "cross-attention";
    return path.starts_with("encoder/") ? "encoder self-attention" : "masked self-attention";
}

// Words with their positions, numbers without words.
std::vector<std::string> names_of(const std::vector<std::string>& words, index_t n) {
    std::vector<std::string> names = names_or_numbers(words, n);
    for (std::size_t i = 0; i < names.size() && !words.empty(); ++i) names[i] = at_position(names[i], i);
    return names;
}

std::vector<MapKind> kinds_of(const Trace& trace, const ModelInput& input) {
    std::vector<MapKind> kinds;
    const bool has_several = std::any_of(trace.steps().begin(), trace.steps().end(),
                                         [](const auto& step) { return is_cross(step.path); });
    for (const auto& step : trace.steps()) {
        if (step.path != "attention" && !step.path.ends_with("/attention")) continue;
        const std::string title = title_of(step.path, has_several);
        const Tensor attention = first_of_batch(step.value);
        auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const MapKind& each) { return each.title == title; });
        if (kind == kinds.end())
            kind = kinds.insert(kinds.end(), {title,
                                              {},
                                              {},
                                              {},
                                              names_of(query_words(step.path, input), attention.size(-2)),
                                              names_of(key_words(step.path, input), attention.size(-1))});
        const Tensor seen = seen_in(trace, step.path);
        kind->layers.push_back(attention), kind->paths.push_back(step.path);
        kind->seen.push_back(seen.defined() ? first_of_batch(seen) : seen);
    }
    return kinds;
}

Figure figure_of(const Trace& trace, const Subject& subject, const ModelSettings& t,
                 const ModelInput& input) {
    Figure figure;
    for (const MapKind& kind : kinds_of(trace, input)) {
        const Figure part = attention_figure(kind.layers, kind.queries, kind.keys);  // a row for each layer
        figure.title = subject.title + (kind.title.empty() ? "" : ": attention");
        for (std::size_t layer = 0; layer < part.rows.size(); ++layer) {
            if (!is_in_scope(kind.paths[layer], t.scope)) continue;
            std::vector<Panel> row = part.rows[layer];
            if (kind.seen[layer].defined()) hide_unseen(row, kind.seen[layer]);
            for (Panel& panel : row)
                if (auto* map = std::get_if<HeatMap>(&panel); map && !kind.title.empty())
                    map->title = kind.title + (map->title == "Attention" ? "" : ", " + map->title);
            figure.rows.push_back(std::move(row));
        }
    }
    if (figure.rows.empty())
        fail<UsageError>("--map: no attention{}", t.scope.empty() ? "" : " inside " + t.scope);
    if (!subject.untrained.empty()) figure.notes.push_back(subject.untrained);
    return figure;
}

// Of a terminal: that the scale, which all maps of weights share, ends before 1.
void add_scale_note(Figure& figure) {
    for (const std::vector<Panel>& row : figure.rows)
        for (const Panel& panel : row)
            if (const auto* map = std::get_if<HeatMap>(&panel); map && map->are_weights) {
                if (map->high != 1)
                    figure.notes.push_back("scale: to the largest weight here; to 1: --scale shared");
                return;
            }
}

}  // namespace

void draw_maps(const Trace& trace, const Subject& subject, const ModelSettings& t, const ModelInput& input) {
    Figure figure = subject.figure ? subject.figure() : figure_of(trace, subject, t, input);
    if (t.scale != ColorScale::each) {
        share_scale(figure, t.scale == ColorScale::shared ? 1 : 0);
        if (t.map == "-") add_scale_note(figure);
    }
    const TextStyle style = t.style();
    if (t.map != "-") return write_figure(figure, t.map);
    deliver(
        draw_terminal(relative_to_largest(figure), style.colors, style.is_on_terminal() ? style.width : 80),
        t.output);
}

}  // namespace glassbox::tracer
