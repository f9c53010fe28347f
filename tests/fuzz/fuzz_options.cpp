#include <glassbox/conventions/convention.h>

#include "cli/options.h"
#include "explain/depth.h"
#include "figures/curves.h"
#include "fuzz/fuzz.h"
#include "report/scalar.h"
#include "subject/backend_option.h"
#include "subject/convention_option.h"
#include "subject/mask_option.h"
#include "subject/matrix_option.h"
#include "subject/model_settings.h"
#include "worksheet/blanks.h"

using namespace glassbox::tracer;

namespace {

// A command with an option of every type that the commands have, but for mistakes, which fuzz_places.cpp has:
// to suggest the nearest of hundreds takes so long that little would be tried.
struct Command {
    glassbox::Tensor matrix;
    MaskOption mask;
    std::optional<Scalar> scalar;
    Blanks blanks;
    const glassbox::Convention* convention = &glassbox::conventions().front();
    std::optional<ConventionPair> pair;
    glassbox::Device device = glassbox::Device::cpu;
    std::optional<Depth> depth;
    Size size;
    std::uint64_t seed = 1;
    std::int64_t whole = 1;
    double rate = 1;
    std::vector<std::int64_t> lengths;
    std::vector<Quantity> quantities;
    std::optional<glassbox::Rng> rng;
    std::filesystem::path output;
    std::string one;
    bool grad = false;
    std::vector<std::string> files;
    Options options{"fuzz", "All types", {}};

    Command() {
        options.value("--Q", matrix, {.help = ""});
        options.value("--mask", mask, {.help = ""});
        options.value("--scalar", scalar, {.help = ""});
        options.value("--blank", blanks, {.help = ""});
        options.value("--convention", convention, {.help = ""});
        options.value("--diff", pair, {.help = ""});
        options.value("--backend", device, {.help = ""});
        options.value("--depth", depth, {.help = ""});
        options.value("--dmodel", size, {.help = "", .max = 4096});
        options.value("--seed", seed, {.help = ""});
        options.value("--heads,--number-of-heads", whole, {.help = "", .min = -5, .max = 64});
        options.value("--rate", rate, {.help = "", .min_real = -1});
        options.value("--lengths", lengths, {.help = "", .min = 0});
        options.value("--only", quantities, {.help = ""});
        options.value("--rng", rng, {.help = "", .implicit_value = "jax"});
        options.value("-o,--output", output, {.help = ""});
        options.value("--of", one, {.help = "", .words_only = true, .words = {"this", "that"}});
        options.flag("--grad", grad, "");
        options.arguments("FILE", files, {.help = ""});
    }
};

// What a value is shown as can be typed again, for the commands that are printed.
void type_again(const Options& options) {
    Arguments words;
    for (const auto& [name, value] : options.values())
        if (!value.empty() && name.starts_with("--") && name != "--grad") words.push_back(name + "=" + value);
    Command again;
    again.options.parse(words);
    for (const auto& [name, value] : options.values())
        for (const auto& [same, shown] : again.options.values())
            if (name == same && name.starts_with("--") && name != "--grad")
                glassbox_fuzz::require_same(name + "=" + value, same + "=" + shown,
                                            "a value can be typed again");
}

}  // namespace

// A command line, a word a line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = glassbox_fuzz::text_of(data, size);
    const Arguments words = glassbox_fuzz::parts_of(text.substr(0, text.find('\0')), '\n');
    for (const std::string& word : words)
        if (word == "-h" || word == "--help") return 0;  // would be printed
    Command command;
    bool is_read = false;
    glassbox_fuzz::refuse_typed([&] { is_read = command.options.parse(words); });
    if (is_read) type_again(command.options);
    if (is_read) (void)command.options.command_line({"--output"});
    return 0;
}
