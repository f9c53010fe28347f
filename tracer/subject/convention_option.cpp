#include "subject/convention_option.h"

#include <glassbox/tensor/format.h>

namespace tracer {

const glassbox::Convention* OptionValue<const glassbox::Convention*>::parse(const Typed& typed) {
    return &glassbox::convention(one_of(typed.option, typed.text, glassbox::convention_names()));
}

ConventionPair OptionValue<ConventionPair>::parse(const Typed& typed) {
    const std::vector<std::string> names = comma_list(typed.text);
    if (names.size() != 2)
        glassbox::fail<glassbox::UsageError>(
            "{}: two conventions expected, such as uva-torch,report, got '{}'", typed.option, typed.text);
    const auto named = [&](const std::string& name) {
        return &glassbox::convention(one_of(typed.option, name, glassbox::convention_names()));
    };
    return {named(names[0]), named(names[1])};
}

}  // namespace tracer
