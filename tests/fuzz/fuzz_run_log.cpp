#include <glassbox/runs/run_log.h>

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "train/trained_run.h"

using namespace glassbox;

namespace {

std::string written(const RunHistory& history) {
    std::string text;
    for (const RunEvent& event : history.events) text += format_line(event);
    return text;
}

// What is left of a log when its run goes on must be a log again.
void go_on(std::string_view text, index_t step) {
    const std::string file = glassbox_fuzz::folder().put("continued.jsonl", text);
    RunLog::continue_after(file, step, RunStart{"reverse", "uva-jax", 1, "{}"}).log.append(RunStep{step, 1});
    const RunHistory left = read_run_log(file);
    if (left.truncated_line != 0) glassbox_fuzz::broken("a continued log has a truncated line", text);
}

// The page's data are JSON, and cannot end the script that holds them.
void draw(std::string_view text) {
    const std::string page = glassbox::tracer::run_page(glassbox_fuzz::folder().put("run.jsonl", text));
    const std::string begin = "<script type=\"application/json\" id=\"trace\">";
    const std::size_t from = page.find(begin) + begin.size();
    const std::string data = page.substr(from, page.find("</script>", from) - from);
    if (data.find('<') != data.npos || !nlohmann::json::accept(data))
        glassbox_fuzz::broken("a page's data are not safe JSON", data);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = glassbox_fuzz::text_of(data, size);
    glassbox_fuzz::refuse_or([&] {
        const std::string once = written(parse_run_log(text, "run.jsonl"));
        glassbox_fuzz::require_same(once, written(parse_run_log(once, "again.jsonl")),
                                    "a log is written as it was read");
    });
    // These write files: not each time.
    if (size % 4 == 0) glassbox_fuzz::refuse_or([&] { go_on(text, static_cast<index_t>(size / 4 % 16)); });
    if (size % 4 == 1) glassbox_fuzz::refuse_or([&] { draw(text); });
    return 0;
}
