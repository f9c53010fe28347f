#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <glassbox/io/named_tensors.h>
#include <glassbox/tensor/device.h>

namespace glassbox {

// What a file calls the parameters: the library's names with some parts in other words. docs/weights.md has
// each convention's.
struct FileNames {
    struct Rename {
        std::string ours, theirs;  // whole parts of a name, between points or at its ends
    };
    std::string whose{};  // "convention paper", for messages
    std::vector<Rename> renames{};
    std::string prefix{};  // before every name, "encoder."; what a file has without it is left aside then
    // Whose names a file that does not fit may have instead; for messages.
    std::vector<FileNames> (*others)() = nullptr;

    std::string of(std::string name) const;
};

// The parameters of a layer with their names, in PyTorch's way: "layers.0.self_attn.o_proj.weight". A layer
// lists its own, and the layers it is made of:
//     void parameters(Parameters& all) { all("weight", weight); all("bias", bias); }
// The list points into the model and is good for one use: parameters_of(model).load(file).
class Parameters {
  public:
    struct Entry {
        std::string name;
        Tensor* tensor;  // in the model; no longer there once that moves or is given other layers
    };

    Parameters() = default;
    Parameters(Parameters&&) = default;
    Parameters& operator=(Parameters&&) = default;

    void operator()(const std::string& name, Tensor& parameter) {  // one that is undefined does not count
        if (parameter.defined()) listed_.push_back({scope_, name, &parameter});
    }
    template <class Layer>
    void operator()(const std::string& name, Layer& layer) {
        const int before = scope_;
        scopes_.push_back({before, name});
        scope_ = static_cast<int>(scopes_.size()) - 1;
        layer.parameters(*this);
        scope_ = before;
    }
    template <class Layer>
    void operator()(const std::string& name, std::vector<Layer>& layers) {  // name.0, name.1, …
        for (std::size_t i = 0; i < layers.size(); ++i) (*this)(name + "." + std::to_string(i), layers[i]);
    }

    // A tensor that two layers share is listed by both: tied weights.
    [[nodiscard]] std::vector<Entry> entries() &&;
    [[nodiscard]] index_t count() &&;  // of numbers; those of tied weights once
    [[nodiscard]] NamedTensors values() &&;
    [[nodiscard]] NamedTensors to_file(const FileNames& names = {}) &&;  // for safetensors
    void move_to(Device device) &&;                                      // what was tied stays tied
    // Every parameter takes the value that the file has under its name. Throws Error that lists what is
    // missing, unexpected or of another shape, and changes nothing then.
    void load(const NamedTensors& file, const FileNames& names = {}) &&;

    // The model may have moved since it was listed: call parameters_of(model) each time.
    std::vector<Entry> entries() & = delete;                           // call parameters_of(model) each time
    index_t count() & = delete;                                        // call parameters_of(model) each time
    NamedTensors values() & = delete;                                  // call parameters_of(model) each time
    NamedTensors to_file(const FileNames& = {}) & = delete;            // call parameters_of(model) each time
    void move_to(Device) & = delete;                                   // call parameters_of(model) each time
    void load(const NamedTensors&, const FileNames& = {}) & = delete;  // call parameters_of(model) each time

    // Calls visit(Tensor&) for each, without making their names.
    template <class Visit>
    void for_each(Visit visit) && {
        for (const Listed& each : listed_) visit(*each.tensor);
    }

  private:
    struct Scope {
        int outer;  // its place in scopes_, −1: none
        std::string name;
    };
    struct Listed {
        int scope;
        std::string name;
        Tensor* tensor;
    };
    std::string name_of(const Listed& listed) const;

    std::vector<Scope> scopes_;
    std::vector<Listed> listed_;
    int scope_ = -1;
};

// Lists a model's parameters as it is now: for who keeps the way to them.
using ListParameters = std::function<Parameters()>;

template <class Model>
requires(!std::is_const_v<Model>) [[nodiscard]] Parameters parameters_of(Model& model) {
    Parameters all;
    model.parameters(all);
    return all;
}
template <class Model>
Parameters parameters_of(const Model&) = delete;  // a const model's cannot be changed: values_of reads them
template <class Model>
Parameters parameters_of(const Model&&) = delete;  // a temporary's are gone at once: give the model a name

// The parameters' values by their names, and how many numbers they are; of a const model too.
template <class Model>
[[nodiscard]] NamedTensors values_of(Model model) {  // a copy of a model shares its numbers
    return parameters_of(model).values();
}
template <class Model>
[[nodiscard]] index_t count_of(Model model) {
    return parameters_of(model).count();
}

// A model's parameters in a safetensors file, whole or not at all. load throws IoError when reading fails,
// and FileError with the file's name when it is none or does not fit the model, which is unchanged then.
void save(Parameters&& parameters, const std::filesystem::path& path, const FileNames& names = {});
void load(Parameters&& parameters, const std::filesystem::path& path, const FileNames& names = {});
template <class Model>
requires requires(Model model, Parameters& all) { model.parameters(all); }
void save(const Model& model, const std::filesystem::path& path, const FileNames& names = {}) {
    Model same = model;
    save(parameters_of(same), path, names);
}
template <class Model>
requires requires(Model model, Parameters& all) { model.parameters(all); }
void load(Model& model, const std::filesystem::path& path, const FileNames& names = {}) {
    load(parameters_of(model), path, names);
}

}  // namespace glassbox
