#include <fmt/format.h>

#include <glassbox/layers/mask.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

Subject make(const ModelBuilder& m, const std::optional<index_t>& given_keys) {
    const index_t queries = m.settings.seq, keys = given_keys.value_or(queries);
    const Shape shape = m.settings.batch ? Shape{*m.settings.batch, 1, queries, keys} : Shape{queries, keys};
    check_memory("--seq, --keys, --batch", static_cast<double>(shape.numel()) * 30);
    const Mask mask = m.mask_for(shape);
    m.input.origin = "no random numbers", m.input.rng = "";
    Subject subject;
    subject.title = "Mask";
    subject.header = {"1: the key is seen, 0: it is hidden",
                      fmt::format("n_q = {} queries, n_k = {} keys", queries, keys)};
    subject.result = steps::mask::visible.name;
    subject.forward = [mask, shape] { (void)mask.visible_by_steps(shape); };
    return subject;
}

ModelCommand model() {
    const auto keys = std::make_shared<std::optional<index_t>>();
    ModelCommand command;
    command.order = 11;
    command.name = "mask";
    command.summary = "Masks: which keys a query may see, each part and all together.";
    command.examples = {{"tracer mask --seq 4 --mask causal", "No query sees a later key."},
                        {"tracer mask --batch 2 --seq 4 --lengths 4,2", "And none sees padding."},
                        {"tracer mask --mask causal --mistake mask/inverted", "The wrong way round."}};
    command.options = {
        .shared = {"--seq", "--batch", "--mask", "--lengths"},
        .own_sizes =
            [=](Options& o) {
                o.value("--keys", *keys,
                        {.help = "Number of keys, n_k", .default_text = "as --seq", .min = 1});
            },
        .without = {"--input", "--weights", "--save-weights", "--products", "--grad", "--scalar"}};
    command.defaults = {{.seq = 4}};
    command.defaults.mask.kind = MaskOption::Kind::causal;
    command.make = [=](const ModelBuilder& m) { return make(m, *keys); };
    return command;
}

}  // namespace

Command mask() { return command_of(model); }

}  // namespace glassbox::tracer::commands
