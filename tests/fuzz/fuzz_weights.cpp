#include <glassbox/conventions/made.h>
#include <glassbox/io/safetensors.h>

#include "fuzz/fuzz.h"
#include "subject/weight_file.h"

using namespace glassbox;

namespace {

// "name 2 3" lines: names and shapes of a file's tensors, which have few numbers. A size is the lowest four
// bits of one letter.
NamedTensors tensors_of(std::string_view lines) {
    NamedTensors tensors;
    for (const std::string& line : glassbox_fuzz::parts_of(lines, '\n')) {
        const std::vector<std::string> words = glassbox_fuzz::parts_of(line, ' ');
        std::vector<index_t> shape;
        for (std::size_t i = 1; i < words.size() && i <= 4; ++i)
            shape.push_back(words[i].empty() ? 1 : words[i][0] & 15);
        tensors.emplace_back(words[0], Tensor::zeros(Shape(shape)));
    }
    return tensors;
}

Encoder& model() {
    static const std::unique_ptr<Stream> stream = make_stream(Rng::jax, 1);
    static Encoder encoder =
        made<Encoder>({.block = {.d_model = 4, .heads = 2, .d_ff = 8}, .layers = 1}, *stream);
    return encoder;
}

void load(const NamedTensors& tensors, const Convention& convention) {
    const NamedTensors before = values_of(model());
    try {
        parameters_of(model()).load(tensors, convention.file_names());
    } catch (...) {
        const NamedTensors after = values_of(model());
        for (std::size_t i = 0; i < before.size(); ++i)
            glassbox_fuzz::require_same(before[i].second, after[i].second);
        throw;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const NamedTensors tensors = tensors_of(glassbox_fuzz::text_of(data, size));
    glassbox_fuzz::refuse_with<Error>([&] { load(tensors, conventions()[size % conventions().size()]); });
    if (size % 8 != 0) return 0;  // writing a file takes longer than all the rest
    try {
        write_safetensors(glassbox_fuzz::folder() / "w.safetensors", tensors);
    } catch (const Error&) {  // names that are not UTF-8, or twice the same, are not written
        return 0;
    }
    glassbox_fuzz::refuse_with<Error>([&] {
        const glassbox::tracer::WeightFile file(glassbox_fuzz::folder() / "w.safetensors");
        const Convention& convention = conventions().back();
        (void)file.size("layers.0.norm1.weight", 0, convention, 1);
        (void)file.blocks("layers", 1);
        (void)file.load_by_any_name([] { return parameters_of(model()); }, convention);
        file.load_into(parameters_of(model()), convention);
    });
    return 0;
}
