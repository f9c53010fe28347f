#pragma once
#include <string>

#include <glassbox/tensor/tensor.h>

#include "cli/option_value.h"

namespace tracer {

// --Q: "1 0; 0 1", "1,0;0,1" or "[[1, 0], [0, 1]]": rows of numbers. `option` is named in errors.
glassbox::Tensor parse_matrix(const std::string& option, const std::string& text);

template <>
struct OptionValue<glassbox::Tensor> {
    static constexpr const char* value_name = "ROWS";
    static glassbox::Tensor parse(const Typed& typed) { return parse_matrix(typed.option, typed.text); }
    static std::string text(const glassbox::Tensor& matrix);
    static Values values(const OptionInfo&) { return {}; }
};

}  // namespace tracer
