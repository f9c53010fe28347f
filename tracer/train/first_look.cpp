#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/text/vocabulary.h>

#include "cli/output.h"
#include "cli/text_width.h"
#include "figures/draw.h"
#include "train/trained_run.h"

namespace glassbox::tracer {

namespace {

// The last rows of an attention map, those of the answer, at the numbers given.
Tensor answer_weights(const Tensor& attention, index_t n) {
    const index_t T = attention.size(-1);
    return contiguous(slice(slice(reshape(attention, {-1, T}), 0, T - n, T), 1, 0, n));
}

Figure answer_map(const Tensor& weights, const std::vector<std::string>& read,
                  const std::vector<std::string>& written, const Prediction& p) {
    Figure figure = attention_figure({weights}, written, read);
    auto& map = std::get<HeatMap>(figure.rows[0][0]);
    map.title = "its attention to these numbers";
    map.is_magnified = true;
    map.x.label = p.columns, map.y.label = p.rows;
    return figure;
}

constexpr int least_beside = 100, map_column = 44;  // columns of a terminal, and of the map on it

std::string first_row_in_numbers(const Tensor& weights, const std::vector<std::string>& written) {
    std::string row;
    for (index_t i = 0; i < weights.size(-1); ++i)
        row += fmt::format(" {:.2f}", weights.values()[static_cast<std::size_t>(i)]);
    return fmt::format("it {}:{}, the rest on padding\n", written.front(), row);
}

// What to type, and what it shows: on the same line where that fits.
std::string next_commands(const std::vector<std::pair<std::string, std::string>>& all, bool color,
                          int width) {
    constexpr int inline_width = 54;
    const bool is_inline = (width >= 80 && width < least_beside) || width >= 80 + map_column;
    std::string text = "Type next:\n";
    for (const auto& [command, what] : all)
        text += is_inline
                    ? fmt::format(
                          "  {}{}  {}\n", styled(command, bold, color),
                          std::string(static_cast<std::size_t>(std::max(0, inline_width - width_of(command))),
                                      ' '),
                          what)
                    : fmt::format("  {}\n      {}\n", styled(command, bold, color), what);
    return text;
}

}  // namespace

std::string first_look(Colors colors, int width) {
    const Task& task = glassbox::task(trained_models().front().task);
    const std::string& question = task.example;
    PredictRequest request;
    request.inputs = {question};
    request.in_full = "--map";
    const Answerer answerer = answerer_of(task, trained_run(task.name), request);
    const Prediction prediction = answerer.in_full(request);
    Trace trace;
    prediction.run(prediction.arrays);
    const std::vector<std::string> read = split_words(question);
    std::vector<std::string> written = answers_in(trace, prediction);
    written.erase(written.begin(), written.begin() + static_cast<std::ptrdiff_t>(prediction.first));
    std::vector<std::string> rows, columns;
    for (const std::string& word : written) rows.push_back("writes " + word);
    for (std::size_t i = 0; i < read.size(); ++i) columns.push_back(at_position(read[i], i));
    const bool color = colors != Colors::none;
    std::string map;
    for (const Trace::Step& step : trace.steps())
        if (map.empty() && step.path.ends_with("/attention")) {
            const Tensor weights = answer_weights(step.value, static_cast<index_t>(read.size()));
            map = draw_terminal(answer_map(weights, columns, rows, prediction), colors, width) +
                  first_row_in_numbers(weights, rows);
        }
    const std::string next = next_commands(
        {{"tracer attention", "attention in numbers"},
         {"tracer attention --text 'the cat sat' --map", "between your own words"},
         {fmt::format("tracer predict {} '{}' --trained --map", task.name, question), "all of its attention"},
         {fmt::format("tracer predict {} '{}' --trained -o p.html", task.name, question),
          "the same in a browser"},
         {"tracer --help", "everything else"}},
        color, width);
    return fmt::format(
        "{}: {}.\n\n"
        "A Transformer that learned to reverse: {}\n\n{}",
        styled("tracer", bold, color), in_one_line,
        styled(fmt::format("{} → {}", question, fmt::join(written, " ")), bold, color),
        width >= least_beside ? beside({map, "\n" + next}, map_column) : map + "\n" + next);
}

}  // namespace glassbox::tracer
