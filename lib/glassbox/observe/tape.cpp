#include <glassbox/observe/tape.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/listening.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

Tape*& listening_tape() {
    static thread_local Tape* tape = nullptr;
    return tape;
}

Tape::Tape() : outer_(listening_tape()), first_(Tensor::latest_id() + 1) { listening_tape() = this; }

// Mostly the innermost goes first; one that outlives a younger one leaves the chain all the same.
Tape::~Tape() {
    Tape** link = &listening_tape();
    while (*link && *link != this) link = &(*link)->outer_;
    if (*link) *link = outer_;
}

Tape* Tape::current() { return listening_tape(); }

void Tape::record(const Tensor& y, Few<Tensor::Id> inputs, Pullback pullback) {
    nodes_.push_back({y.id(), std::move(inputs), std::move(pullback)});
}

void Tape::backward(const Tensor& loss) {
    if (loss.numel() != 1) fail("backward: the loss must be one number, its shape is {}", loss.shape());
    backward(loss, Tensor::full(loss.shape(), 1, loss.device()));
}

void Tape::backward(const Tensor& y, const Tensor& dy) {
    if (done_) fail("backward: this tape has been played already; record the forward pass on a new one");
    if (y.shape() != dy.shape()) fail("backward: y has shape {}, its gradient {}", y.shape(), dy.shape());
    done_ = true;
    slots_.resize(Tensor::latest_id() + 1 - first_);
    const Silence silence;
    accumulate(y.id(), dy);
    for (; !nodes_.empty(); nodes_.pop_back()) {
        Node& node = nodes_.back();
        Slot& output = slot(node.output);
        output.produced = true;
        if (!output.gradient.defined()) continue;  // the loss does not depend on it
        const Gradients inputs = node.pullback(output.gradient);
        if (!kept_.count(node.output)) output.gradient = Tensor();
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i].defined()) accumulate(node.inputs[i], inputs[i]);
    }
}

Tape::Slot& Tape::slot(Tensor::Id id) {
    return id >= first_ && id - first_ < slots_.size() ? slots_[id - first_] : from_outside_[id];
}

const Tape::Slot* Tape::find(Tensor::Id id) const {
    if (id >= first_ && id - first_ < slots_.size()) return &slots_[id - first_];
    const auto found = from_outside_.find(id);
    return found == from_outside_.end() ? nullptr : &found->second;
}

// A value used twice gets the sum of both gradients.
void Tape::accumulate(Tensor::Id id, const Tensor& gradient) {
    Tensor& total = slot(id).gradient;
    if (!total.defined()) {
        total = gradient;
        return;
    }
    Tensor sum = Tensor::empty(gradient.shape(), gradient.device());
    backend(gradient.device()).binary(Binary::add, total.view(), gradient.view(), sum.writable());
    total = sum;
}

Tensor Tape::gradient(const Tensor& x) const {
    if (!done_) fail("gradient: call backward first");
    const Slot* slot = find(x.id());
    if (slot && slot->gradient.defined()) return slot->gradient;
    if (slot && slot->produced && !kept_.count(x.id()))
        fail(
            "gradient: this intermediate value of shape {} was not kept: name it under a Trace, or call "
            "tape.keep(x) before backward",
            x.shape());
    return Tensor::zeros(x.shape(), x.device());
}

}  // namespace glassbox
