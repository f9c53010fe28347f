#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox::detail {

// Preallocated buffers into which a tape accumulates the gradients of some tensors. An optimiser keeps those
// of all parameters in one contiguous block.
//     GradientBuffers buffers({{W.id(), block_for_W}, {b.id(), block_for_b}});
//     { Tape tape(&buffers);  tape.backward(loss(model(x))); }
//     buffers.finish();
// Later tapes add to the contents until begin() resets them. Not thread-safe.
class GradientBuffers {
  public:
    // Each buffer is contiguous and has its tensor's shape and device.
    explicit GradientBuffers(const std::vector<std::pair<Tensor::Id, Tensor>>& ids_and_buffers);

    void begin();   // marks all buffers empty: the next gradient overwrites the contents
    void finish();  // fills buffers that received no gradient with 0
    std::size_t size() const { return entries_.size(); }
    bool is_written(std::size_t i) const { return entries_[i].state == State::written; }
    const Tensor& buffer(std::size_t i) const { return entries_[i].buffer; }

    // For Tape.
    const Tensor* find_written(Tensor::Id id) const;  // null without a buffer, or while it is empty
    bool has(Tensor::Id id) const { return find(id) != nullptr; }
    void take_back(Tensor::Id id, const Tensor& gradient);  // before add: marks a lent buffer as filled
    bool add(Tensor::Id id, const Tensor& gradient);        // false when id has no buffer
    Tensor lend(const Tensor& x);                           // for gradient_buffer
    Tensor* filled(const Tensor& x);                        // for filled_gradient_buffer

  private:
    enum class State { empty, lent, returned, written };
    struct Entry {
        Tensor buffer;
        State state = State::empty;
    };
    Entry* find(Tensor::Id id);
    const Entry* find(Tensor::Id id) const { return const_cast<GradientBuffers*>(this)->find(id); }

    std::vector<Entry> entries_;
    std::vector<std::pair<Tensor::Id, std::size_t>> sorted_;  // (id, index in entries_), by ascending id
};

// For pullbacks: an uninitialised tensor of x's shape in which to compute ∂L/∂x. If the tape running backward
// has an empty buffer for x, this is that buffer, which saves a copy. Return it as the gradient of x and of
// no other input.
Tensor gradient_buffer(const Tensor& x);

// For pullbacks whose gradient is 0 in most places: the buffer, if it has the gradient of other uses of x
// already, to add the rest in place; then return no gradient of x. Null without one.
Tensor* filled_gradient_buffer(const Tensor& x);

}  // namespace glassbox::detail
