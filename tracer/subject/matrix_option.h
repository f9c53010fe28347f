#pragma once
#include <string>

#include <glassbox/tensor/tensor.h>

#include "cli/option_value.h"

namespace glassbox::tracer {

// --Q: "1 0; 0 1", "1,0;0,1" or "[[1, 0], [0, 1]]": rows of numbers. `option` is named in errors.
Tensor parse_matrix(const std::string& option, const std::string& text);

template <>
struct OptionValue<Tensor> {
    static constexpr const char* value_name = "ROWS";
    static Tensor parse(const Typed& typed) { return parse_matrix(typed.option, typed.text); }
    static std::string text(const Tensor& matrix);
    static Values values(const OptionInfo&) { return {}; }
};

}  // namespace glassbox::tracer
