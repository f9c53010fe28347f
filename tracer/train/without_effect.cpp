#include "train/without_effect.h"

#include <glassbox/tensor/format.h>

#include "report/text_style.h"
#include "subject/fixed_width.h"

namespace tracer {

using glassbox::fail;
using glassbox::UsageError;

void check_settings_count(const Settings& settings, const Settings::Texts& typed) {
    const auto text_of = [&](const std::string& name) {
        const auto found = typed.find(name);
        return found == typed.end() ? std::string() : found->second;
    };
    const glassbox::SettingTable table = glassbox::task(settings.text("task")).table(settings);
    for (const auto& [name, why] : table.without_effect()) {
        const std::string text = text_of(name);
        // --warmup 0 is no contradiction; seed 0 is a seed.
        const bool is_none = glassbox::says_none(text) && (text == "none" || name != names::data_seed.name);
        if (!text.empty() && !is_none) fail<UsageError>("--{}: {}", name, why);
    }
    if (text_of(names::dff.name).empty()) return;
    const glassbox::StackSettings stack = glassbox::shared_settings(settings).stack;
    check_d_ff(settings.convention(), stack.d_model, stack.d_ff);
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
