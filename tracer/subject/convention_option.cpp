#include "subject/convention_option.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {
namespace {

// "pytorch" means the one whose name has "torch" in it.
const Convention& named(const std::string& option, const std::string& name) {
    const std::vector<std::string> names = convention_names();
    for (const char* framework : {"torch", "jax"})
        if (std::find(names.begin(), names.end(), name) == names.end() && name.ends_with(framework))
            fail<UsageError>("{}: expected {}, got '{}'; did you mean 'uva-{}'?", option, either(names), name,
                             framework);
    return glassbox::convention(one_of(option, name, names));
}

}  // namespace

const Convention* OptionValue<const Convention*>::parse(const Typed& typed) {
    return &named(typed.option, typed.text);
}

ConventionPair OptionValue<ConventionPair>::parse(const Typed& typed) {
    const std::vector<std::string> names = comma_list(typed.text);
    if (names.size() != 2)
        fail<UsageError>("{}: expected two conventions, such as uva-torch,report, got '{}'", typed.option,
                         typed.text);
    return {&named(typed.option, names[0]), &named(typed.option, names[1])};
}

void check_d_ff(const Convention& convention, index_t d_model, index_t d_ff) {
    const index_t factor = convention.d_ff_factor;
    if (factor != 0 && d_ff != factor * d_model)
        fail<UsageError>("--dff: convention {} always has d_ff = {}·d_model = {}, got {}", convention.name,
                         factor, factor * d_model, d_ff);
}

}  // namespace glassbox::tracer
