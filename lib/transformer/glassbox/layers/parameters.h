#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include <glassbox/io/named_tensors.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// The parameter names in a file: the library's with some components renamed. docs/weights.md has those of
// each convention.
struct FileNames {
    struct Rename {
        std::string ours, theirs;  // complete components of the dotted name
    };
    std::string whose{};  // "convention paper", for messages
    std::vector<Rename> renames{};
    std::string prefix{};  // of every name, "encoder."; names in the file without it are ignored
    // Other naming schemes that a file may use, to name them in messages.
    std::vector<FileNames> (*others)() = nullptr;

    std::string of(std::string name) const;
};

// A file's record of its tensors.
using FileMetadata = std::map<std::string, std::string>;
struct FileFacts {
    FileMetadata metadata{};
    std::vector<std::string> of_bytes{};  // the tensors of whole numbers of 8 bits
};

// The parameters of a layer with PyTorch-style names: "layers.0.self_attn.o_proj.weight". A layer lists its
// own parameters and its sublayers:
//     void parameters(Parameters& all) { all("weight", weight); all("bias", bias); }
// The list has pointers into the model and is meant for a single use: parameters_of(model).load(file).
class Parameters {
  public:
    struct Entry {
        std::string name;
        Tensor* tensor;  // in the model; dangles once the model moves or its layers are replaced
    };

    Parameters() = default;
    Parameters(Parameters&&) = default;
    Parameters& operator=(Parameters&&) = default;

    void operator()(const std::string& name, Tensor& parameter) {  // undefined ones are skipped
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
    // What shapes do not show and changes what the numbers mean: choice("heads", 4), choice("norm", "pre").
    // It is written into files, and a file with another choice is refused. `word` must outlive the list.
    void choice(const std::string& name,
                const std::string& value) {  // as a separate scope, with nothing in it
        scopes_.push_back({scope_, name + '=' + value});
    }
    void choice(const std::string& name, index_t number) { choice(name, std::to_string(number)); }

    // A tensor shared by two layers (tied weights) is listed by both.
    [[nodiscard]] std::vector<Entry> entries() &&;
    [[nodiscard]] index_t count() &&;  // the number of elements; tied weights count once
    [[nodiscard]] NamedTensors values() &&;
    [[nodiscard]] NamedTensors to_file(const FileNames& names = {}) &&;  // for safetensors
    void move_to(Device device) &&;                                      // tied weights stay tied
    // Sets every parameter to the file's tensor of its name. Throws Error that lists what is missing,
    // unexpected or of another shape, choices that the file has otherwise, or parameters of 8 bits, and
    // changes nothing then.
    void load(const NamedTensors& file, const FileNames& names = {}, const FileFacts& facts = {}) &&;

    // The choices for a file: {"glassbox.heads": "4"}; where layers differ
    // "glassbox.heads:layers.0.self_attn".
    [[nodiscard]] FileMetadata metadata() &&;
    // Those that differ in a file. None without metadata, as in files of other programs.
    struct Difference {
        std::string choice, in_file, in_model;
    };
    [[nodiscard]] std::vector<Difference> differences(const FileMetadata& metadata) &&;

    // The model may have moved since it was listed: call parameters_of(model) each time.
    std::vector<Entry> entries() & = delete;                 // call parameters_of(model) each time
    index_t count() & = delete;                              // call parameters_of(model) each time
    NamedTensors values() & = delete;                        // call parameters_of(model) each time
    NamedTensors to_file(const FileNames& = {}) & = delete;  // call parameters_of(model) each time
    void move_to(Device) & = delete;                         // call parameters_of(model) each time
    void load(const NamedTensors&, const FileNames& = {},
              const FileFacts& = {}) & = delete;  // call parameters_of(model) each time
    FileMetadata metadata() & = delete;           // call parameters_of(model) each time
    std::vector<Difference> differences(const FileMetadata&) & =
        delete;  // call parameters_of(model) each time

    // Calls visit(Tensor&) for each, without building the names.
    template <class Visit>
    void for_each(Visit visit) && {
        for (const Listed& each : listed_) visit(*each.tensor);
    }

  private:
    struct Scope {
        int outer;         // index in scopes_, −1: none
        std::string name;  // or a choice, "heads=4"
    };
    struct Listed {
        int scope;
        std::string name;
        Tensor* tensor;
    };
    struct Choice {
        std::string path, name, value;  // "layers.0.self_attn.", "heads", "4"
    };
    std::vector<Choice> choices() const;
    std::string path_of(int scope) const;  // "layers.0.self_attn."; empty for the model itself
    std::string name_of(const Listed& listed) const;

    std::vector<Scope> scopes_;
    std::vector<Listed> listed_;
    int scope_ = -1;
};

// Lists a model's current parameters, for code that needs them more than once.
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
Parameters parameters_of(const Model&&) = delete;  // a temporary's would dangle: give the model a name

// The values of the parameters by name, and their number of elements; for const models too.
template <class Model>
[[nodiscard]] NamedTensors values_of(Model model) {  // a copy of a model shares its tensors' storage
    return parameters_of(model).values();
}
template <class Model>
[[nodiscard]] index_t count_of(Model model) {
    return parameters_of(model).count();
}

// Saves a model's parameters and choices to a safetensors file, atomically, and loads them. load throws
// IoError when reading fails, and FileError with the file's name when it is not a safetensors file, does not
// fit the model, was written by one with other choices (heads, the order of rows in qkv, the norms' place,
// the activation), or has whole numbers of 8 bits, as quantised weights are. The model then is unchanged.
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
