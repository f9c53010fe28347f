#include <cmath>

#include <glassbox/tensor/print.h>

#include "support/catch.h"
#include "tracer/report/heat.h"

using namespace glassbox;

TEST_CASE("heat: colours surround every number and change nothing else") {
    PrintStyle style;
    style.decorate = &tracer::heated;
    const Tensor x({{1, real(-9e15)}, {real(NAN), 4}});
    std::string text = to_text(x, style), bare;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') i = text.find('m', i);
        else bare += text[i];
    }
    CHECK(text != bare);
    CHECK(bare == to_text(x));
    CHECK(text.find("\x1b[48;5;17m") != std::string::npos);   // the smallest: blue
    CHECK(text.find("\x1b[48;5;160m") != std::string::npos);  // the largest: red
}
