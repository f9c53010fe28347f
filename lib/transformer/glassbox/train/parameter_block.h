#pragma once
#include <span>

#include <glassbox/layers/parameters.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// All parameters of a model in one contiguous block of memory, so that adding gradients, their norm, and an
// optimiser step are each one pass over one array. The model's tensors become views of the block; tied
// weights share a view. Gradients and moments are blocks of the same layout, with 0 in the gaps between
// parts. Tensors keep value semantics by copy on write: if a copy of the block or of a view is kept
// elsewhere, the model moves to a new block before the next update.
class ParameterBlock {
  public:
    struct Part {
        std::string name;  // "transformer.layers.0.norm1.weight"
        Shape shape;
        index_t offset, count;
        std::vector<std::string> tied{};  // further names of the same tensor
    };

    // [&] { return parameters_of(model); }: the model must outlive this, and be on one device, else Error.
    explicit ParameterBlock(ListParameters list);

    const Tensor& values() const { return values_; }  // (size)
    // Throws Error with the name of the first model parameter that is no longer a view of this block.
    void check_model() const;
    // For an optimiser: values(), shared only with the model, after check_model().
    Tensor& writable();
    index_t size() const { return values_.numel(); }
    index_t count() const;  // of parameters, without the gaps
    const std::vector<Part>& parts() const { return parts_; }
    const Part& part(std::string_view name) const;  // throws Error that lists the names

    // The model's own tensors, views of values(), in the order of parts().
    const std::vector<Tensor>& tensors() const { return tensors_; }

    Device device() const { return values_.device(); }
    Tensor new_block() const { return Tensor::zeros({size()}, device()); }
    static Tensor view(const Tensor& block, const Part& part);  // with the part's shape
    void overwrite(const Tensor& values);  // sets the model's parameters to a block from any device
    // The parts of a block as views, named prefix + name.
    NamedTensors named(const Tensor& block, const std::string& prefix) const;
    // The same for a file of the model, with every name of tied weights.
    NamedTensors to_file(const Tensor& block, const FileNames& names = {}) const;
    // The inverse of named(). Throws Error that lists what is missing, of another shape or unexpected, and
    // changes nothing then.
    void fill(Tensor& block, const NamedTensors& parts, const std::string& prefix) const;

  private:
    bool is_shared() const;
    void fill_model();

    ListParameters list_;
    Tensor values_;
    std::vector<Part> parts_;
    std::vector<Tensor> tensors_;
    std::vector<std::size_t> part_of_;  // index in parts_ of each parameter, in the order of list_
};

// Copies a tensor of the same shape, from any device, into `target` in place.
void copy_into(Tensor& target, const Tensor& source);

// Copy on write: training updates tensors in place, but copies and views kept elsewhere keep their values.

// The number of copies of this very tensor, without other views of `block`.
inline std::uint32_t copies_of(const Tensor& view, const Tensor& block) {
    return view.holders() + 1 - block.holders();
}

// Replaces x by a copy if its storage is shared.
void ensure_unique(Tensor& x);

}  // namespace glassbox
