#include "explain/depth.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

Depth OptionValue<Depth>::parse(const Typed& typed) {
    if (typed.text == "all") return {Depth::no_limit};
    const bool is_number = std::all_of(typed.text.begin(), typed.text.end(),
                                       [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
    if (!is_number)
        fail<UsageError>("{}: expected a whole number or all, got '{}'", typed.option, typed.text);
    return {static_cast<int>(parse_integer(typed.option, typed.text, 1, 1000))};
}

std::string OptionValue<Depth>::text(const Depth& depth) {
    return depth.limit == Depth::no_limit ? "all" : std::to_string(depth.limit);
}

}  // namespace glassbox::tracer
