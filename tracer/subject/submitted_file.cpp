#include "subject/submitted_file.h"

#include <utility>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/tensor/format.h>

#include "subject/written_text.h"

namespace glassbox::tracer {

namespace {

std::vector<SubmittedArray> named(const NamedTensors& arrays) {
    std::vector<SubmittedArray> all;
    for (const auto& [name, value] : arrays) all.push_back({{name, value}});
    return all;
}

constexpr const char* readable = "an .npz, .npy or .safetensors file or numbers as text";

bool is_safetensors(std::string_view text) { return text.size() > 9 && text[8] == '{' && text[7] == '\0'; }

// How many times more numbers than all steps have may be in a file: indices, other arrays, what a program
// prints meanwhile.
constexpr double max_times = 16;

double numbers_in(std::string_view text) {
    double count = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        count += is_digit(text[i]) && (i == 0 || (!is_digit(text[i - 1]) && text[i - 1] != '.'));
    return count;
}

// Before it is parsed, which takes far longer.
void check_length(std::string_view text, const std::string& name, const NumbersNeeded& needed) {
    constexpr double always = 1e5;
    const double numbers = needed && static_cast<double>(text.size()) > 2 * always ? numbers_in(text) : 0;
    if (numbers <= always) return;
    const double all_steps = needed();
    if (numbers > always + max_times * all_steps)
        fail<FileError>(
            "{}: {:.0f} numbers, and all steps together have {:.0f}: submit the array of one step", name,
            numbers, all_steps);
}

// JSON and pages are also text, and JSON may have the numbers.
std::vector<SubmittedArray> numbers_as_text(ByteView bytes, const std::string& name,
                                            const NumbersNeeded& needed) {
    check_length(glassbox::as_text(bytes), name, needed);
    if (is_utf16(glassbox::as_text(bytes))) return parse_written(glassbox::as_text(bytes), name);
    const auto kind = kind_of_file(bytes, name, Sought::arrays);
    if (kind && !kind->is_text) refuse_other_kind(bytes, name, Sought::arrays, readable);
    if (glassbox::as_text(bytes).find('\0') != std::string_view::npos)
        fail<FileError>("{}: needs {}, got a binary file of another kind", name, readable);
    try {
        return parse_written(glassbox::as_text(bytes), name);
    } catch (const FileError&) {
        if (kind && kind->what != "JSON") refuse_other_kind(bytes, name, Sought::arrays, readable);
        throw;
    }
}

// Few bytes of an .npz may unpack to very many numbers.
std::vector<SubmittedArray> arrays_of(const Npz& npz, const std::string& name, const NumbersNeeded& needed) {
    constexpr double always = 1e6;
    std::vector<SubmittedArray> arrays;
    std::string skipped;
    for (const std::string& each : npz.names()) {
        try {
            const Shape shape = npz.shape(each);
            const auto numbers = static_cast<double>(shape.numel());
            arrays.push_back({{each, {}}});
            if (needed && numbers > always && numbers > always + max_times * needed())
                arrays.back().too_large = shape.str();
            else arrays.back().value = npz.read(each);
        } catch (const UnsupportedElements& error) {
            if (skipped.empty()) skipped = error.what();
        }
    }
    if (arrays.empty() && !skipped.empty()) fail<FileError>("{}: {}", name, skipped);
    return arrays;
}

std::vector<SubmittedArray> arrays_of(Bytes bytes, const std::string& name, const NumbersNeeded& needed) {
    const std::string_view text = glassbox::as_text(bytes);
    if (text.starts_with("PK")) {
        const auto kind = kind_of_file(bytes, name, Sought::arrays);
        if (kind && !kind->is_npz) refuse_other_kind(bytes, name, Sought::arrays, readable);
        return arrays_of(Npz::parse(std::move(bytes), name), name, needed);
    }
    if (text.starts_with("\x93NUMPY")) return {{{"", parse_npy(bytes, name)}}};
    if (is_safetensors(text)) return named(parse_safetensors(bytes, name).tensors);
    return numbers_as_text(bytes, name, needed);
}

}  // namespace

std::vector<SubmittedArray> read_submitted(const std::string& file, const NumbersNeeded& needed) {
    const std::string name = display_name(file);
    const auto check = [&](ByteView start, std::uint64_t bytes) {
        const std::string_view text = glassbox::as_text(start);
        const bool is_array = text.starts_with("PK") || text.starts_with("\x93NUMPY") || is_safetensors(text);
        if (!is_array && !is_utf16(text)) text_check(file, readable, Sought::arrays)(start, bytes);
    };
    std::vector<SubmittedArray> all = arrays_of(read_file(file, check), name, needed);
    if (all.empty()) fail<FileError>("{}: no arrays", name);
    return all;
}

}  // namespace glassbox::tracer
