#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include <glassbox/layers/mask.h>

#include "cli/option_value.h"

namespace glassbox::tracer {

// --mask: none, causal, window:N, or the name of an .npy or .npz file with a 0/1 array (in an .npz: its only
// array, or "mask").
struct MaskOption {
    enum class Kind { none, causal, window, file } kind = Kind::none;
    std::int64_t window = 0;
    std::filesystem::path file{};

    bool is_none() const { return kind == Kind::none; }
};

// The shape of a file's array is checked against `scores`, if known, before its numbers are read.
Mask mask_of(const MaskOption& option, const std::optional<Shape>& scores);

template <>
struct OptionValue<MaskOption> {
    static constexpr const char* value_name = "MASK";
    static MaskOption parse(const Typed& typed);
    static std::string text(const MaskOption& mask);
    static Values values(const OptionInfo&) {
        return {{"none", "causal", "window:1"}, false, false, {".npy", ".npz"}, ""};
    }
};

}  // namespace glassbox::tracer
