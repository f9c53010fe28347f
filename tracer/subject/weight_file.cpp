#include "subject/weight_file.h"

#include <algorithm>

#include <glassbox/io/safetensors.h>
#include <glassbox/tensor/format.h>

namespace tracer {

using glassbox::Convention;
using glassbox::fail;
using glassbox::FileError;

WeightFile::WeightFile(const std::string& path) : path_(path) {
    if (!path.empty()) tensors_ = glassbox::read_safetensors(path).tensors;
}

index_t WeightFile::size(const std::string& name, int axis, const Convention& convention,
                         index_t otherwise) const {
    const std::string wanted = convention.file_names().of(name);
    for (const auto& [key, value] : tensors_)
        if (key == wanted && axis < value.rank()) return value.size(axis);
    return otherwise;
}

index_t WeightFile::blocks(const std::string& prefix, index_t otherwise) const {
    index_t count = 0;
    const auto is_there = [&](index_t i) {
        const std::string begin = prefix + "." + std::to_string(i) + ".";
        return std::any_of(tensors_.begin(), tensors_.end(),
                           [&](const auto& each) { return each.first.starts_with(begin); });
    };
    while (is_there(count)) ++count;
    return count ? count : otherwise;
}

bool WeightFile::has(const std::string& name) const {
    return std::any_of(tensors_.begin(), tensors_.end(),
                       [&](const auto& each) { return each.first == name; });
}

void WeightFile::load_into(glassbox::Parameters&& parameters, const Convention& convention) const {
    if (!is_there()) return;
    try {
        std::move(parameters).load(tensors_, convention.file_names());
    } catch (const glassbox::Error& error) {
        fail<FileError>("{}: {}", path_, error.what());
    }
}

}  // namespace tracer
