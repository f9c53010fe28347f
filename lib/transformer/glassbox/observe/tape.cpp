#include <glassbox/observe/tape.h>

#include <algorithm>
#include <utility>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

Tape*& detail::listening_tape() {
    static thread_local Tape* tape = nullptr;
    return tape;
}

const Tape*& detail::active_tape() {
    static thread_local const Tape* tape = nullptr;
    return tape;
}

bool gradient_wanted(const Tensor& x) { return !active_tape() || active_tape()->wants(x.id()); }

Tape::Memory& Tape::spare_memory() {
    static thread_local Memory memory;
    return memory;
}

Tape::Tape(GradientBuffers* buffers)
    : outer_(listening_tape()),
      listening_(&listening_tape()),
      buffers_(buffers),
      first_(Tensor::latest_id() + 1),
      memory_(std::exchange(spare_memory(), {})) {
    listening_tape() = this;
}

// Usually this is the innermost tape. One destroyed out of order is unlinked from the middle of the chain.
Tape::~Tape() {
    if (outer_) outer_->memory_.elsewhere.emplace_back(first_, Tensor::latest_id());
    Tape** link = &listening_tape();
    while (*link && *link != this) link = &(*link)->outer_;
    if (*link) *link = outer_;
    while (last_) drop_last();
    memory_.slots.clear();
    memory_.from_outside.clear();
    memory_.kept.clear();
    memory_.in_order.clear();
    memory_.shapes.clear();
    memory_.elsewhere.clear();
    spare_memory() = std::move(memory_);
}

SmallVector<Tensor::Id> Tape::input_ids(const Inputs& inputs) {
    SmallVector<Tensor::Id> ids;
    for (const Tensor* input : inputs) {
        ids.add(input->id());
        memory_.shapes.push_back(input->shape());
    }
    return ids;
}

void Tape::drop_last() {
    memory_.shapes.resize(memory_.shapes.size() - last_->inputs.size());
    delete std::exchange(last_, last_->before);
    --size_;
}

void Tape::backward(const Tensor& loss) {
    if (loss.numel() != 1) fail("backward: the loss must be one number, its shape is {}", loss.shape());
    backward(loss, Tensor::full(loss.shape(), 1, loss.device()));
}

void Tape::backward(const Tensor& y, const Tensor& dy) {
    if (done_) fail("backward: this tape has been played already; record the forward pass on a new one");
    check_thread();
    if (y.shape() != dy.shape()) fail("backward: y has shape {}, its gradient {}", y.shape(), dy.shape());
    check_is_on_tape(y);
    done_ = true;
    memory_.slots.resize(Tensor::latest_id() + 1 - first_);
    for (const Tensor::Id id : memory_.kept) slot(id).kept = true;
    const NoRecording silence;
    if (buffers_) mark_wanted();
    const ActiveTape playing(this, buffers_);
    accumulate(y.id(), dy);
    for (; last_; drop_last()) {
        mark_read(*last_);
        const Tensor gradient = gradient_at_output(last_->output);
        if (!gradient.defined()) continue;  // the loss does not depend on it
        const Gradients gradients = last_->pullback(gradient);
        check_fits(*last_, gradients);
        add(last_->inputs, gradients);
    }
}

void Tape::check_thread() const {
    if (listening_ != &listening_tape())
        fail("backward: this tape belongs to the thread that made it, and can only be played there");
}

// Otherwise all gradients on this tape would be 0. (On a tape without ops only y has a gradient.)
void Tape::check_is_on_tape(const Tensor& y) const {
    if (!last_) return;
    for (const Node* node = last_; node; node = node->before) {
        if (node->output == y.id()) return;
        for (const Tensor::Id input : node->inputs)
            if (input == y.id()) return;
    }
    fail(
        "backward: y of shape {} was not computed on this tape: it was made before the tape, after it, on "
        "another thread or while another tape was recording",
        y.shape());
}

// Lets gradient() distinguish tensors that the loss does not depend on from tensors not on this tape.
void Tape::mark_read(const Node& node) {
    for (const Tensor::Id input : node.inputs) {
        if (!buffers_) slot(input).read = true;
        else if (Slot* known = const_cast<Slot*>(find(input))) known->read = true;
        for (const auto& [from, to] : memory_.elsewhere)
            if (input >= from && input <= to)
                fail(
                    "backward: {} read a value that was made while another tape was recording, and this one "
                    "cannot differentiate it: there are no second derivatives (to use it as a constant: "
                    "x.clone())",
                    node.op);
    }
}

void Tape::check_fits(const Node& node, const Gradients& gradients) const {
    const std::size_t count = node.inputs.size();
    if (gradients.size() != count)
        fail("backward: the pullback of {} gives {} gradients, and the op has {} inputs", node.op,
             gradients.size(), count);
    const Shape* shapes = memory_.shapes.data() + memory_.shapes.size() - count;
    for (std::size_t i = 0; i < count; ++i)
        if (gradients[i].defined() && gradients[i].shape() != shapes[i])
            fail("backward: the pullback of {} gives input {}, of shape {}, a gradient of shape {}", node.op,
                 i, shapes[i], gradients[i].shape());
}

// Marks, from the first op to the last, what was computed from a tensor that is kept or has a buffer.
void Tape::mark_wanted() {
    for (const Node* node = last_; node; node = node->before) memory_.in_order.push_back(node);
    for (auto node = memory_.in_order.rbegin(); node != memory_.in_order.rend(); ++node)
        for (const Tensor::Id input : (*node)->inputs)
            if (wants(input)) {
                slot((*node)->output).wanted = true;
                break;
            }
}

bool Tape::wants(Tensor::Id id) const {
    if (!buffers_) return true;
    const Slot* slot = find(id);
    return (slot && (slot->wanted || slot->kept)) || buffers_->has(id);
}

// ∂L/∂y for the op that made y. It is complete by now, and is freed unless y is kept.
Tensor Tape::gradient_at_output(Tensor::Id id) {
    Slot& output = slot(id);
    output.produced = true;
    if (buffers_ && buffers_->has(id)) {
        const Tensor* written = buffers_->find_written(id);
        return written ? *written : Tensor();
    }
    return output.kept ? output.gradient : std::exchange(output.gradient, Tensor());
}

void Tape::add(const SmallVector<Tensor::Id>& inputs, const Gradients& gradients) {
    if (buffers_)
        for (std::size_t i = 0; i < gradients.size(); ++i)
            if (gradients[i].defined()) buffers_->take_back(inputs[i], gradients[i]);
    for (std::size_t i = 0; i < gradients.size(); ++i)
        if (gradients[i].defined()) accumulate(inputs[i], gradients[i]);
}

// The list of outside tensors is sorted by descending id, roughly the order in which backward needs them.
Tape::Slot& Tape::slot(Tensor::Id id) {
    auto& [slots, outside, kept, in_order, shapes, elsewhere] = memory_;
    if (id >= first_ && id - first_ < slots.size()) return slots[id - first_];
    const auto newer = [](const auto& entry, Tensor::Id other) { return entry.first > other; };
    const auto place = std::lower_bound(outside.begin(), outside.end(), id, newer);
    return (place != outside.end() && place->first == id ? place : outside.insert(place, {id, {}}))->second;
}

const Tape::Slot* Tape::find(Tensor::Id id) const {
    const auto& [slots, outside, kept, in_order, shapes, elsewhere] = memory_;
    if (id >= first_ && id - first_ < slots.size()) return &slots[id - first_];
    for (const auto& [other, slot] : outside)
        if (other == id) return &slot;
    return nullptr;
}

// A value used twice gets the sum of both gradients.
void Tape::accumulate(Tensor::Id id, const Tensor& gradient) {
    if (buffers_ && (buffers_->add(id, gradient) || !wants(id))) return;
    Tensor& total = slot(id).gradient;
    if (!total.defined()) {
        total = gradient;
        return;
    }
    Tensor sum = Tensor::empty(gradient.shape(), gradient.device());
    backend(gradient.device()).binary(Binary::add, total.view(), gradient.view(), sum.writable());
    total = sum;
}

bool Tape::has_read(const Tensor& x) const {
    const Slot* slot = find(x.id());
    return slot && slot->read;
}

bool Tape::reaches(const Tensor& x) const {
    const Slot* slot = find(x.id());
    return slot && slot->gradient.defined();
}

Tensor Tape::gradient(const Tensor& x) const {
    if (!done_) fail("gradient: call backward first");
    if (const Tensor* buffer = buffers_ ? buffers_->find_written(x.id()) : nullptr) return *buffer;
    const Slot* slot = find(x.id());
    if (slot && slot->gradient.defined()) return slot->gradient;
    if (slot && slot->produced && !slot->kept)
        fail(
            "gradient: this intermediate value of shape {} was not kept: name it under a Trace, or call "
            "tape.keep(x) before backward",
            x.shape());
    if (!wants(x.id()))
        fail(
            "gradient: x of shape {} has no buffer on a tape with gradient buffers: call tape.keep(x) before "
            "backward",
            x.shape());
    const bool known = (slot && (slot->read || slot->produced)) || (buffers_ && buffers_->has(x.id()));
    if (!known)
        fail(
            "gradient: this tape never saw x of shape {}: no op on it has read or made this very tensor (for "
            "x.to(device), reshape(x, …) or another copy, ask for the gradient of the copy)",
            x.shape());
    return Tensor::zeros(x.shape(), x.device());
}

}  // namespace glassbox
