#include "subject/hand_in_file.h"

#include <glassbox/io/detail/file.h>
#include <glassbox/io/npy.h>
#include <glassbox/io/npz.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/tensor/format.h>

#include "subject/written_numbers.h"

namespace tracer {

using glassbox::HandedIn;

namespace {

std::vector<HandedIn> named(const glassbox::NamedTensors& arrays) {
    std::vector<HandedIn> all;
    for (const auto& [name, value] : arrays) all.push_back({name, value});
    return all;
}

std::vector<HandedIn> arrays_of(glassbox::Bytes bytes, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.starts_with("PK")) {
        if (text.find("data.pkl") != std::string_view::npos)
            glassbox::fail<glassbox::FileError>(
                "{}: a file of torch.save, which can run code when it is read: save the numbers with "
                "numpy.save(file, "
                "x.detach().numpy())",
                name);
        glassbox::NpzContent content = read_all(glassbox::Npz::parse(std::move(bytes), name));
        if (content.arrays.empty() && !content.skipped.empty())
            glassbox::fail<glassbox::FileError>("{}: {}", name, content.skipped.front());
        return named(content.arrays);
    }
    if (text.starts_with("\x93NUMPY")) return {{"", glassbox::parse_npy(bytes, name)}};
    if (text.size() > 9 && text[8] == '{' && (text[7] == '\0'))
        return named(glassbox::parse_safetensors(bytes, name).tensors);
    if (text.find('\0') != std::string_view::npos)
        glassbox::fail<glassbox::FileError>(
            "{}: npz, npy, safetensors or numbers as text expected, got another binary format{}", name,
            name.ends_with(".pt") || name.ends_with(".pth")
                ? ": save a tensor with numpy.save(file, x.detach().numpy())"
                : "");
    return parse_written(text, name);
}

}  // namespace

std::vector<HandedIn> read_hand_in(const std::string& file) {
    std::vector<HandedIn> all = arrays_of(glassbox::read_file(file), glassbox::display_name(file));
    if (all.empty()) glassbox::fail<glassbox::FileError>("{}: no arrays", glassbox::display_name(file));
    return all;
}

}  // namespace tracer
