#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/mistakes/mistake_scope.h>

#include "explain/explainer.h"
#include "fuzz/fuzz.h"
#include "report/scalar.h"
#include "subject/mask_option.h"
#include "worksheet/blanks.h"

using namespace glassbox;

namespace {

void compute(const Mask& mask = {}) {
    (void)scaled_dot_product(Tensor({{1, 2}, {0, -1}}), Tensor({{3, 0}, {1, 1}}),
                             Tensor({{10, 20}, {30, 40}}), mask);
}

void explain(const std::string& place) {
    Trace trace;
    compute();
    const glassbox::tracer::Explainer explainer(trace, 8);
    (void)explainer.text(explainer.parse(place), 2);
}

void differentiate(const std::string& text) {
    Trace trace;
    compute();
    const glassbox::tracer::Scalar scalar = glassbox::tracer::Scalar::parse(text).in(trace);
    (void)scalar.of(trace);
    (void)scalar.value(trace);
    (void)scalar.rounding(trace);
}

void blank(const std::string& text) {
    Trace trace;
    compute();
    const glassbox::tracer::Blanks blanks =
        glassbox::tracer::OptionValue<glassbox::tracer::Blanks>::parse({"--blank", text, {}});
    for (const auto& [path, places] : glassbox::tracer::blank_places(blanks, trace))
        if (places.size() != static_cast<std::size_t>(trace[path].numel()))
            glassbox_fuzz::broken("a blank or none for each number", path);
}

void mistake(const std::string& text) {
    const MistakeScope scope({parse_mistake(text)});
    compute();
}

void mask(const std::string& text) {
    compute(glassbox::tracer::mask_of(
        glassbox::tracer::OptionValue<glassbox::tracer::MaskOption>::parse({"--mask", text, {}}),
        Shape{2, 2}));
}

}  // namespace

// The first byte says what the rest is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(glassbox_fuzz::text_of(data, size).substr(1));
    try {
        switch (data[0]) {
            case 'e':
                explain(text);
                break;
            case 's':
                differentiate(text);
                break;
            case 'b':
                blank(text);
                break;
            case 'm':
                mistake(text);
                break;
            case 'k':
                if (text.find('.') == text.npos) mask(text);  // no files of this machine
                break;
        }
    } catch (const Error&) {  // typed: escaped where the command prints it
    }
    return 0;
}
