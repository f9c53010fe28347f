#include "cli/command.h"

#include <fmt/format.h>

#include <sstream>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/text/vocabulary.h>

#include "cli/output.h"
#include "cli/text_width.h"
#include "figures/draw.h"
#include "train/trained_run.h"

namespace glassbox::tracer {

namespace {

// The last rows of the first attention map, those of the answer, at the numbers given.
Figure answer_map(const Tensor& attention, const std::vector<std::string>& read,
                  const std::vector<std::string>& written, const Prediction& p) {
    const auto n = static_cast<index_t>(read.size());
    const index_t T = attention.size(-1);
    const Tensor weights = slice(slice(reshape(attention, {-1, T}), 0, T - n, T), 1, 0, n);
    Figure figure = attention_figure({contiguous(weights)}, written, read);
    auto& map = std::get<HeatMap>(figure.rows[0][0]);
    map.title = "its attention to these numbers";
    map.is_magnified = true;
    map.x.label = p.columns, map.y.label = p.rows;
    return figure;
}

// The lines of both, the second from a column on.
std::string beside(const std::string& left, const std::string& right, int column) {
    std::istringstream lefts(left), rights(right);
    std::string text;
    for (std::string a, b; std::getline(lefts, a) || std::getline(rights, b); a.clear(), b.clear()) {
        if (b.empty()) std::getline(rights, b);
        const int gap = b.empty() ? 0 : std::max(0, column - shown_width(a));
        text += a + std::string(static_cast<std::size_t>(gap), ' ') + b + "\n";
    }
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
    std::string map;
    for (const Trace::Step& step : trace.steps())
        if (map.empty() && step.path.ends_with("/attention"))
            map = draw_terminal(answer_map(step.value, read, written, prediction), colors, width);
    const std::pair<std::string, const char*> next[] = {
        {"tracer attention --seq 3 --dk 2", "attention in numbers"},
        {fmt::format("tracer predict {} '{}' --trained -o p.html", task.name, question),
         "this model as a page"},
        {"tracer --help", "everything else"}};
    constexpr int least_beside = 100, column = 42;  // columns
    const bool is_beside = width >= least_beside;
    const char* const line = width < 80 || is_beside ? "  {}\n      {}\n" : "  {:<54}  {}\n";
    std::string commands = "Next:\n";
    for (const auto& [command, what] : next) commands += fmt::format(fmt::runtime(line), command, what);
    return fmt::format(
        "tracer: {}.\n\n"
        "A Transformer that learned to reverse: {} → {}\n\n{}",
        in_one_line, question, fmt::join(written, " "),
        is_beside ? beside(map, "\n" + commands, column) : map + "\n" + commands);
}

}  // namespace glassbox::tracer
