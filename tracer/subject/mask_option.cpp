#include "subject/mask_option.h"

#include <glassbox/io/numpy.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/nearest.h"
#include "subject/error_source.h"

namespace glassbox::tracer {

using Kind = MaskOption::Kind;

namespace {

// The array of 0 and 1 in an .npy or .npz file. `check` is called with its shape before its numbers are read.
Tensor read_mask(const std::string& file, const ShapeCheck& check) {
    if (file.ends_with(".npy")) return read_npy(file, check);
    const Npz npz(file);
    if (npz.names().size() != 1 && !npz.contains("mask"))
        fail<FileError>("{}: expected an array named mask; it holds {}", file,
                        printable(fmt::format("{}", fmt::join(npz.names(), ", "))));
    const std::string name = npz.contains("mask") ? "mask" : npz.names()[0];
    check(npz.shape(name));
    return npz.read(name);
}

Mask mask_in(const std::string& file, const std::optional<Shape>& scores) {
    const Tensor given = read_mask(file, [&](const Shape& shape) {
        name_file_in_errors(file, [&] { Mask::check_given(shape); });
        if (scores) name_option_in_errors("--mask " + file, [&] { Mask::check_fits(shape, *scores); });
    });
    Mask mask;
    name_file_in_errors(file, [&] { mask = Mask::given(given); });
    return mask;
}

}  // namespace

Mask mask_of(const MaskOption& option, const std::optional<Shape>& scores) {
    switch (option.kind) {
        case Kind::none:
            return Mask::none();
        case Kind::causal:
            return Mask::causal();
        case Kind::window:
            return Mask::window(option.window);
        case Kind::file:
            return mask_in(option.file.string(), scores);
    }
    return Mask::none();
}

MaskOption OptionValue<MaskOption>::parse(const Typed& typed) {
    const std::string& text = typed.text;
    if (text == "none") return {};
    if (text == "causal") return {Kind::causal};
    if (text.starts_with("window:"))
        return {Kind::window, parse_integer(typed.option + " window", text.substr(7), 0)};
    if (!text.ends_with(".npy") && !text.ends_with(".npz"))
        fail<UsageError>("{}: expected none, causal, window:N, or an .npy or .npz file, got '{}'{}",
                         typed.option, text, did_you_mean(text, {"none", "causal", "window:1"}));
    return {Kind::file, 0, text};
}

std::string OptionValue<MaskOption>::text(const MaskOption& mask) {
    switch (mask.kind) {
        case Kind::none:
            return "none";
        case Kind::causal:
            return "causal";
        case Kind::window:
            return fmt::format("window:{}", mask.window);
        case Kind::file:
            return mask.file.string();
    }
    return "";
}

}  // namespace glassbox::tracer
