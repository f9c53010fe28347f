#include "commands/shared/other_settings.h"

#include <algorithm>
#include <chrono>

#include <glassbox/conventions/convention.h>
#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/format.h>

namespace tracer {

namespace {

// What is often forgotten on the command line, or another source's choice.
std::vector<Arguments> alternatives() {
    std::vector<Arguments> all = {{"--mask", "causal"},
                                  {"--norm", "pre"},
                                  {"--norm", "post"},
                                  {"--activation", "gelu"},
                                  {"--activation", "relu"}};
    for (const glassbox::Convention& each : glassbox::conventions())
        all.push_back({"--convention", std::string(each.name)});
    for (const std::string& rng : glassbox::words<glassbox::Rng>()) all.push_back({"--rng", rng});
    for (const char* heads : {"1", "2", "3", "4", "6", "8", "12"}) all.push_back({"--heads", heads});
    return all;
}

}  // namespace

std::optional<std::string> option_that_passes(const std::string& verb, const Arguments& arguments,
                                              const std::function<void(Options&)>& declare,
                                              const std::function<bool(NamedModel&)>& passes,
                                              double seconds) {
    const auto start = std::chrono::steady_clock::now();
    for (const Arguments& option : alternatives()) {
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
        if (std::find(arguments.begin(), arguments.end(), option.front()) != arguments.end()) continue;
        Arguments all = arguments;
        all.insert(all.end(), option.begin(), option.end());
        try {
            NamedModel model(verb, all, declare);
            if (passes(model)) return fmt::format("{} {}", option[0], option[1]);
        } catch (const glassbox::Error&) {  // this model has no such option, or it does not fit the others
        }
    }
    return std::nullopt;
}

}  // namespace tracer
