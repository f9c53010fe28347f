#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <glassbox/io/json.h>
#include <glassbox/mistakes/diagnosis_text.h>
#include <glassbox/mistakes/right_pass.h>
#include <glassbox/tensor/format.h>

#include "cli/command.h"
#include "cli/data_format.h"
#include "cli/nearest.h"
#include "cli/number.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "commands/shared/named_model.h"

// Lists what is often written instead of a step.
namespace glassbox::tracer::commands {
namespace {

struct MistakesFlags {
    std::vector<std::string> wanted;
    std::optional<DataFormat> format;
    std::filesystem::path output;
};

std::vector<std::string> layers() {
    std::vector<std::string> all;
    for (const Mistake& each : all_mistakes())
        if (std::find(all.begin(), all.end(), each.layer) == all.end()) all.push_back(each.layer);
    return all;
}

void declare(Options& o, MistakesFlags& flags) {
    o.arguments("LAYER", flags.wanted,
                {.help = "Only those of this layer, step, op or command; or one by its name, such as "
                         "attention/over-queries"});
    o.value("--format", flags.format,
            {.help = "Output format", .default_text = "by the extension of -o, else text"});
    o.value("-o,--output", flags.output, {.help = "Write to this file instead of standard output"});
}

bool is_in_layer(const Mistake& mistake, const std::string& layer) {
    const auto& steps = mistake.lines.front().at.steps;
    return mistake.layer == layer ||
           std::any_of(steps.begin(), steps.end(), [&](const auto* step) { return step->layer == layer; });
}

bool fits(const Mistake& mistake, const std::string& wanted) {
    return is_in_layer(mistake, wanted) || mistake.key == wanted || mistake.key.starts_with(wanted + "/");
}

// Those that can be made in what a command shows.
std::vector<const Mistake*> of_model(const std::string& command) {
    NamedModel model("mistakes", {command}, [](Options&) {});
    const Subject& subject = model.subject();
    const RightPass right(subject.computation());
    std::vector<const Mistake*> all;
    for (const Mistake& each : all_mistakes())
        if (right.has_place_for(each)) all.push_back(&each);
    return all;
}

std::vector<const Mistake*> chosen(const std::vector<std::string>& wanted) {
    std::vector<const Mistake*> all;
    std::set<const Mistake*> of_models;
    const std::vector<std::string> models = model_names();
    for (const std::string& each : wanted) {
        const auto& mistakes = all_mistakes();
        if (std::any_of(mistakes.begin(), mistakes.end(), [&](const Mistake& m) { return fits(m, each); }))
            continue;
        if (std::find(models.begin(), models.end(), each) != models.end()) {
            for (const Mistake* mistake : of_model(each)) of_models.insert(mistake);
            continue;
        }
        std::vector<std::string> known = layers();
        for (const Mistake& mistake : mistakes) known.push_back(mistake.key);
        fail<UsageError>("mistakes: none for '{}'; the layers are {}{}", each, fmt::join(layers(), ", "),
                         did_you_mean(each, known));
    }
    for (const Mistake& mistake : all_mistakes())
        if (wanted.empty() || of_models.count(&mistake) > 0 ||
            std::any_of(wanted.begin(), wanted.end(),
                        [&](const std::string& each) { return fits(mistake, each); }))
            all.push_back(&mistake);
    return all;
}

std::string class_text(const Mistake& mistake) {
    for (const EffectClass& each : effect_classes())
        if (each.name == mistake.effect)
            return fmt::format("   {} {}\n",
                               each.has_no_effect ? "No effect on a result."
                               : each.is_family   ? "Other constants have the same effect."
                                                  : "Other mistakes give the same numbers.",
                               each.reason);
    return "";
}

// "scaled_dot_product: attention = softmax(masked)"
std::string heading_of(const Mistake& mistake) {
    const std::string right = right_line(mistake);
    if (right.empty()) return mistake.layer;
    return fmt::format("{}: {} = {}", mistake.layer, mistake.lines.front().at.steps.front()->name, right);
}

// On a terminal wrapped, with names in bold.
std::string entry_text(const Mistake& mistake, int width, bool color) {
    std::string text =
        mistake_text({&mistake}, false) + class_text(mistake);  // its heading has the right line
    if (mistake.kind == MistakeKind::choice) text += "   Legal: tracer check accepts it.\n";
    text = wrapped(text, width, "      ");
    return text.replace(text.find(mistake.key), mistake.key.size(), styled(mistake.key, bold, color));
}

std::string as_text(const std::vector<const Mistake*>& mistakes, const std::string& output) {
    const int width = line_width(output);
    const bool color = wants_color(ColorWhen::automatic, output);
    std::string text, heading;
    for (const Mistake* each : mistakes) {
        if (const std::string own = heading_of(*each); own != heading)
            text += fmt::format("{}{}\n", text.empty() ? "" : "\n", heading = own);
        else if (width > 0) text += "\n";
        text += entry_text(*each, width, color);
    }
    const auto is_choice = [](const Mistake* m) { return m->kind == MistakeKind::choice; };
    const auto choices = std::count_if(mistakes.begin(), mistakes.end(), is_choice);
    text += fmt::format("\n{}", counted(static_cast<index_t>(mistakes.size()) - choices, "mistake"));
    return text + (choices ? fmt::format(", {}\n", counted(choices, "legal choice")) : "\n");
}

std::string as_json(const std::vector<const Mistake*>& mistakes) {
    const auto mistake = [](const Mistake* each) {
        return JsonObject{{"name", each->key},
                          {"layer", each->layer},
                          {"formula", each->formula},
                          {"sentence", each->sentence},
                          {"class", each->effect},
                          {"seen", each->source},
                          {"legal", each->kind == MistakeKind::choice}};
    };
    const JsonList all(mistakes, mistake, json_rows);
    return JsonObject{{"schema", 1}, {"command", "mistakes"}, {"mistakes", all}}.text() + "\n";
}

void run(const MistakesFlags& flags, const Options&) {
    const std::vector<const Mistake*> mistakes = chosen(flags.wanted);
    const std::string output = flags.output.string();
    const bool is_json = data_format(flags.format, flags.output) == DataFormat::json;
    deliver(is_json ? as_json(mistakes) : as_text(mistakes, output), output);
}

}  // namespace

Command mistakes() {
    return command_with<MistakesFlags>(
        {.order = 114,
         .name = "mistakes",
         .summary = "Lists common mistakes in each step, which tracer check recognises.",
         .examples = {{"tracer mistakes scaled_dot_product",
                       "Those of attention, with the wrong line and a sentence."},
                      {"tracer mistakes encoder-block", "All that apply to what a command shows."},
                      {"tracer mistakes layer_norm", "Those of a layer norm, wherever there is one."},
                      {"tracer mistakes --format json", "All, for another program."}}},
        declare, run);
}

}  // namespace glassbox::tracer::commands
