#pragma once
#include <string>
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
    std::string whose;  // "convention paper", for messages
    std::vector<Rename> renames;

    std::string of(std::string name) const;
};

// The parameters of a layer with their names, in PyTorch's way: "layers.0.self_attn.o_proj.weight". A layer
// lists its own, and the layers it is made of:
//     void parameters(Parameters& all) { all("weight", weight); all("bias", bias); }
class Parameters {
  public:
    struct Entry {
        std::string name;
        Tensor* tensor;
    };

    void operator()(const std::string& name, Tensor& parameter) {  // one that is undefined does not count
        if (parameter.defined()) entries_.push_back({prefix_ + name, &parameter});
    }
    template <class Layer>
    void operator()(const std::string& name, Layer& layer) {
        const std::string before = prefix_;
        prefix_ += name + ".";
        layer.parameters(*this);
        prefix_ = before;
    }
    template <class Layer>
    void operator()(const std::string& name, std::vector<Layer>& layers) {  // name.0, name.1, …
        for (std::size_t i = 0; i < layers.size(); ++i) (*this)(name + "." + std::to_string(i), layers[i]);
    }

    const std::vector<Entry>& entries() const& { return entries_; }
    std::vector<Entry> entries() && {
        return std::move(entries_);
    }                       // so that a loop may run over a temporary's
    index_t count() const;  // of numbers
    NamedTensors values() const;
    void move_to(Device device);

    // Every parameter takes the value that the file has under its name. Throws Error that lists what is
    // missing, unexpected or of another shape, and changes nothing then.
    void load(const NamedTensors& file, const FileNames& names = {});
    NamedTensors to_file(const FileNames& names = {}) const;  // for safetensors

  private:
    std::vector<Entry> entries_;
    std::string prefix_;
};

template <class Model>
Parameters parameters_of(Model& model) {
    Parameters all;
    model.parameters(all);
    return all;
}

}  // namespace glassbox
