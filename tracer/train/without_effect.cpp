#include "train/without_effect.h"

#include <glassbox/tensor/format.h>

#include "report/text_style.h"
#include "subject/fixed_width.h"

namespace tracer {

using glassbox::fail;
using glassbox::UsageError;

namespace {

using Reasons =
    std::map<std::string, std::string>;  // setting → "goes with --optimiser sgd; this run's is adam"

Reasons reasons(const Settings& s) {
    const glassbox::Task& task = glassbox::task(s.text("task"));
    const std::string &optimiser = s.text("optimiser"), &schedule = s.text("schedule");
    Reasons all = task.without_effect;
    if (task.without_effect_when) all.merge(task.without_effect_when(s));
    if (optimiser == "sgd")
        for (const char* name : {"beta1", "beta2", "epsilon"})
            all.emplace(name, "goes with --optimiser adam or adamw; this run's is " + optimiser);
    else all.emplace("momentum", "goes with --optimiser sgd; this run's is " + optimiser);
    if (schedule == "constant")
        all.emplace("warmup", "goes with a --schedule that has a warm-up; this run's is constant");
    return all;
}

bool is_zero(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0.") == std::string::npos;
}

}  // namespace

void check_settings_count(const Settings& settings, const Settings::Texts& typed) {
    const auto text_of = [&](const std::string& name) {
        const auto found = typed.find(name);
        return found == typed.end() ? std::string() : found->second;
    };
    for (const auto& [name, why] : reasons(settings)) {
        const std::string text = text_of(name);
        const bool is_none = is_zero(text) && name != "data-seed";  // --warmup 0 is no contradiction
        if (!text.empty() && text != "none" && !is_none) fail<UsageError>("--{}: {}", name, why);
    }
    if (!text_of("dff").empty())
        check_d_ff(settings.convention(), settings.whole("dmodel", 1, 1 << 20),
                   settings.whole("dff", 1, 1 << 20));
}

void check_run_options(const TrainOptions& t, const Options& o) {
    const auto refuse = [&](std::initializer_list<const char*> flags, const std::string& why) {
        for (const char* flag : flags)
            if (o.given(flag)) fail<UsageError>("{}: {}", flag, why);
    };
    const TrainFormat format = t.format();
    if (!t.step) {
        refuse({"--number", "--precision"}, "goes with --step N, which shows numbers");
        if (format == TrainFormat::npz || format == TrainFormat::html)
            fail<UsageError>("--format: {} goes with --step N; a run's result is text or json",
                             glassbox::name(format));
    } else {
        refuse({"--validate-every", "--save-every", "--log-every", "--tensorboard", "--log"},
               "not together with --step, which shows one step and writes no files");
        if (t.resume.empty()) refuse({"--folder"}, "--step writes no files: add --resume, or leave it out");
        check_precision(o, glassbox::name(format));
        if (format != TrainFormat::text)
            refuse({"--number"}, fmt::format("goes with text; {} has all elements", glassbox::name(format)));
    }
    if (t.no_files) refuse({"--save-every"}, "not together with --no-files, which saves nothing");
    if (t.no_files && t.log.empty())
        refuse({"--log-every"}, "--no-files writes no log: add --log FILE, or leave it out");
}

}  // namespace tracer
