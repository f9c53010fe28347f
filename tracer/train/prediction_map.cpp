#include "train/trained_run.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "cli/text_width.h"
#include "figures/figure.h"

namespace glassbox::tracer {
namespace {

// Row 0 of every attention, that of [CLS], above the complete maps.
Figure cls_figure(const std::function<void()>& forward, const std::vector<std::string>& words) {
    Trace trace;
    forward();
    std::vector<Tensor> maps, rows;
    for (const auto& step : trace.steps())
        if (step.path.ends_with("/attention")) {
            maps.push_back(step.value);                             // (h, T + 1, T + 1)
            rows.push_back(glassbox::slice(step.value, -2, 0, 1));  // (h, 1, T + 1)
        }
    Figure figure = attention_figure(maps, words, words, "What [CLS] attends to, and the complete maps");
    Figure above = attention_figure(rows, {words[0]}, words);
    for (std::size_t layer = 0; layer < above.rows.size(); ++layer)
        for (std::size_t head = 0; head < above.rows[layer].size(); ++head) {
            auto& map = std::get<HeatMap>(above.rows[layer][head]);
            map.title = "[CLS]: " + map.title;
            map.high = std::get<HeatMap>(figure.rows[layer][head]).high;  // the scale of the complete map
            map.has_bar = false;
        }
    figure.rows.insert(figure.rows.begin(), above.rows.begin(), above.rows.end());
    return figure;
}

void name_axes(Figure& figure, const Prediction& p) {
    for (std::vector<Panel>& row : figure.rows)
        for (Panel& panel : row)
            if (auto* map = std::get_if<HeatMap>(&panel)) map->y.label = p.rows, map->x.label = p.columns;
}

// Where it is drawn, with the place of each: as in a picture of the steps.
void number_places(Figure& figure) {
    for (std::vector<Panel>& row : figure.rows)
        for (Panel& panel : row)
            if (auto* map = std::get_if<HeatMap>(&panel)) {
                for (std::size_t i = 0; i < map->y.names.size(); ++i)
                    map->y.drawn.push_back(fmt::format("{} → {}", i, map->y.names[i]));
                for (std::size_t i = 0; i < map->x.names.size(); ++i)
                    map->x.drawn.push_back(at_position(map->x.names[i], i));
            }
}

// A row of an encoder's attention writes the answer of its own place: it is named by it.
Figure answers_figure(const std::function<void()>& forward, const Prediction& p) {
    Trace trace;
    forward();
    std::vector<Tensor> layers;
    for (const auto& step : trace.steps())
        if (step.path.ends_with("/attention")) layers.push_back(step.value);  // (h, T, T)
    const std::vector<std::string> written = answers_in(trace, p);
    Figure figure = attention_figure(layers, written, p.words, p.map_title);
    name_axes(figure, p);
    number_places(figure);
    if (std::find(p.words.begin(), p.words.end(), Prediction::padding) != p.words.end())
        figure.notes.push_back(fmt::format("{}: padding", Prediction::padding));
    return figure;
}

// The cross-attention of every token written to the tokens read.
Figure cross_figure(const std::function<void()>& forward, const Prediction& p) {
    Trace trace;
    forward();
    std::vector<Tensor> layers;
    for (const auto& step : trace.steps())
        if (step.path.ends_with("cross_attn/attention")) {
            const Tensor& a = step.value;  // (1, h, T, S)
            layers.push_back(reshape(a, {a.size(1), a.size(2), a.size(3)}));
        }
    Figure figure = attention_figure(layers, p.written, p.words, p.map_title);
    figure.notes.push_back(
        fmt::format("read: {}   written: {}", fmt::join(p.words, " "), fmt::join(p.written, " ")));
    figure.notes.push_back("self-attention is not drawn: --scope encoder, or --scope decoder, does");
    for (std::vector<Panel>& row : figure.rows)
        for (Panel& panel : row) {
            auto& map = std::get<HeatMap>(panel);
            map.title = map.title == "Attention" ? "cross-attention" : "cross-attention, " + map.title;
        }
    name_axes(figure, p);
    return figure;
}

}  // namespace

std::vector<std::string> answers_in(const Trace& trace, const Prediction& p) {
    const std::vector<index_t> best = argmax(trace[p.result], -1);
    std::vector<std::string> answers(best.size(), Prediction::padding);
    for (std::size_t i = static_cast<std::size_t>(p.first); i < best.size(); ++i)
        answers[i] = p.classes[static_cast<std::size_t>(best[i])];
    return answers;
}

std::function<Figure()> prediction_map(const Prediction& p, const std::function<void()>& forward) {
    using Map = Prediction::Map;
    if (p.map == Map::answers) return [&p, forward] { return answers_figure(forward, p); };
    if (p.map == Map::cls) return [&p, forward] { return cls_figure(forward, p.words); };
    if (p.map == Map::cross) return [&p, forward] { return cross_figure(forward, p); };
    return {};
}

}  // namespace glassbox::tracer
