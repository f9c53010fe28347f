#include "subject/convention_option.h"

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

const Convention* OptionValue<const Convention*>::parse(const Typed& typed) {
    return &glassbox::convention(one_of(typed.option, typed.text, convention_names()));
}

ConventionPair OptionValue<ConventionPair>::parse(const Typed& typed) {
    const std::vector<std::string> names = comma_list(typed.text);
    if (names.size() != 2)
        fail<UsageError>("{}: expected two conventions, such as uva-torch,report, got '{}'", typed.option,
                         typed.text);
    const auto named = [&](const std::string& name) {
        return &glassbox::convention(one_of(typed.option, name, convention_names()));
    };
    return {named(names[0]), named(names[1])};
}

void check_d_ff(const Convention& convention, index_t d_model, index_t d_ff) {
    const index_t factor = convention.d_ff_factor;
    if (factor != 0 && d_ff != factor * d_model)
        fail<UsageError>("--dff: convention {} always has d_ff = {}·d_model = {}, got {}", convention.name,
                         factor, factor * d_model, d_ff);
}

}  // namespace glassbox::tracer
