#pragma once
#include <glassbox/layers/parameters.h>

namespace glassbox {

// All parameters of a model side by side in one block of memory, so that adding up gradients, their norm, and
// an optimiser's step are each one pass over one array. From then on the model's tensors are views of the
// block. Gradients and moments are blocks of the same layout; the gaps between parts hold 0.
class ParameterBlock {
  public:
    struct Part {
        std::string name;  // "transformer.layers.0.norm1.weight"
        Shape shape;
        index_t offset, count;
    };

    explicit ParameterBlock(const Parameters& parameters);  // all on one device, else Error

    const Tensor& values() const { return values_; }  // (size)
    Tensor& values() { return values_; }              // for an optimiser, which writes into them
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
    void fill(Tensor& block, const NamedTensors& parts, const std::string& prefix) const;

  private:
    Tensor values_;
    std::vector<Part> parts_;
    std::vector<Tensor> tensors_;
};

// Gives a tensor the numbers of another one of its shape, from any device.
void copy_into(Tensor& there, const Tensor& from);

}  // namespace glassbox
