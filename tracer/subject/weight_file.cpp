#include "subject/weight_file.h"

#include <algorithm>

#include <glassbox/io/npz.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/tensor/format.h>

namespace tracer {

using glassbox::Convention;
using glassbox::fail;
using glassbox::FileError;

namespace {

// The naming schemes a file may use: first this convention's, then the library's, then the others'.
std::vector<glassbox::FileNames> all_names(const Convention& first) {
    std::vector<glassbox::FileNames> all{first.file_names(), {}};
    for (const Convention& each : glassbox::conventions()) all.push_back(each.file_names());
    return all;
}

// An npz may hold a model's input as well.
bool is_input(const std::string& name) {
    for (const char* input : {"x", "memory", "mask", "source", "target", "time", "Q", "K", "V"})
        if (name == input) return true;
    return false;
}

}  // namespace

WeightFile::WeightFile(const std::string& path) : path_(path) {
    if (path.empty()) return;
    const bool is_npz = path.ends_with(".npz");
    tensors_ = is_npz ? glassbox::read_npz(path).arrays : glassbox::read_safetensors(path).tensors;
    if (is_npz) std::erase_if(tensors_, [](const auto& each) { return is_input(each.first); });
}

index_t WeightFile::size(const std::string& name, int axis, const Convention& convention,
                         index_t fallback) const {
    for (const glassbox::FileNames& names : all_names(convention))
        for (const auto& [key, value] : tensors_)
            if (key == names.of(name) && axis < value.rank()) return value.size(axis);
    return fallback;
}

index_t WeightFile::blocks(const std::string& prefix, index_t fallback) const {
    for (const glassbox::FileNames& names : all_names(glassbox::conventions().front())) {
        index_t count = 0;
        const auto is_there = [&](index_t i) {
            const std::string begin = names.of(prefix) + "." + std::to_string(i) + ".";
            return std::any_of(tensors_.begin(), tensors_.end(),
                               [&](const auto& each) { return each.first.starts_with(begin); });
        };
        while (is_there(count)) ++count;
        if (count) return count;
    }
    return fallback;
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

bool WeightFile::load_by_any_name(const glassbox::ListParameters& parameters,
                                  const Convention& convention) const {
    for (const glassbox::FileNames& names : all_names(convention)) {
        try {
            parameters().load(tensors_, names);
            return true;
        } catch (const glassbox::Error&) {  // the file uses other names
        }
    }
    return false;
}

}  // namespace tracer
