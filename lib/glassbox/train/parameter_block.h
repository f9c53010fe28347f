#pragma once
#include <glassbox/layers/parameters.h>

namespace glassbox {

// All parameters of a model side by side in one block of memory, so that adding up gradients, their norm, and
// an optimiser's step are each one pass over one array. From then on the model's tensors are views of the
// block, tied weights the same one. Gradients and moments are blocks of the same layout; the gaps between
// parts hold 0. Tensors are values all the same: before a block is written over, the model gets another one
// when somebody has kept a copy of it or of the block, which so stays as it was.
class ParameterBlock {
  public:
    struct Part {
        std::string name;  // "transformer.layers.0.norm1.weight"
        Shape shape;
        index_t offset, count;
        std::vector<std::string> tied{};  // further names of the same tensor
    };

    // [&] { return parameters_of(model); }: lists a model that outlives this; all on one device, else Error.
    explicit ParameterBlock(ListParameters list);

    const Tensor& values() const { return values_; }  // (size)
    // Throws Error that names the first of the model's parameters that is no longer this block's.
    void check_model() const;
    // For an optimiser: values(), after check_model(), held by nobody but this and the model.
    Tensor& writable();
    index_t size() const { return values_.numel(); }
    index_t count() const;  // of parameters, without the gaps
    const std::vector<Part>& parts() const { return parts_; }
    const Part& part(std::string_view name) const;  // throws Error that lists the names

    // The model's own tensors, views of values(), in the order of parts().
    const std::vector<Tensor>& tensors() const { return tensors_; }

    Device device() const { return values_.device(); }
    Tensor new_block() const { return Tensor::zeros({size()}, device()); }
    static Tensor view(const Tensor& block, const Part& part);  // of the part's shape
    void overwrite(const Tensor& values);  // gives the model other values, a block from any device
    // All parts of a block, named prefix + name; and back: throws Error that lists what is missing, of
    // another shape or too much, and changes nothing then.
    NamedTensors named(const Tensor& block, const std::string& prefix) const;
    // As a file of the model has it: each tensor by all its names.
    NamedTensors to_file(const Tensor& block, const FileNames& names = {}) const;
    void fill(Tensor& block, const NamedTensors& parts, const std::string& prefix) const;

  private:
    bool is_held_elsewhere() const;
    void fill_model();

    ListParameters list_;
    Tensor values_;
    std::vector<Part> parts_;
    std::vector<Tensor> tensors_;
    std::vector<std::size_t> part_of_;  // each of the model's parameters, in the order in which it lists them
};

// Gives a tensor the numbers of another one of its shape, from any device.
void copy_into(Tensor& there, const Tensor& from);

}  // namespace glassbox
