#include <glassbox/text/text_steps.h>

#include "fuzz/fuzz.h"
#include "subject/model_input.h"
#include "subject/model_settings.h"

using namespace glassbox;

// --text and --target, with a line break between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view both = glassbox_fuzz::text_of(data, size);
    glassbox::tracer::ModelSettings settings;
    const std::size_t line = std::min(both.find('\n'), both.size());
    settings.text = both.substr(0, line);
    settings.target = both.substr(std::min(line + 1, both.size()));
    settings.kind =
        size % 2 ? glassbox::tracer::ModelKind::encoder_decoder : glassbox::tracer::ModelKind::decoder_only;
    try {
        const glassbox::tracer::ModelInput input =
            glassbox::tracer::read_arrays({"source", "target"}, settings);
        if (!input.has("source")) return 0;
        for (const real id : input["source"].values())
            if (id < 0 || id >= static_cast<real>(input.vocabulary.size()))
                glassbox_fuzz::broken("a token is in the vocabulary", both);
        if (static_cast<index_t>(input.words.size()) != input["source"].size(-1))
            glassbox_fuzz::broken("a word for each token", both);
    } catch (const Error&) {  // typed: escaped where the command prints it
    }
    return 0;
}
