#include <glassbox/observe/tape.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/listening.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

Tape*& listening_tape() {
    static thread_local Tape* tape = nullptr;
    return tape;
}

Tape::Tape() : outer_(listening_tape()) { listening_tape() = this; }

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
    const Silence silence;
    accumulate(y.id(), dy);
    for (; !nodes_.empty(); nodes_.pop_back()) {
        Node& node = nodes_.back();
        produced_.insert(node.output);
        const auto found = gradients_.find(node.output);
        if (found == gradients_.end()) continue;  // the loss does not depend on it
        const Tensor gradient = found->second;
        if (!kept_.count(node.output)) gradients_.erase(found);
        Gradients inputs = node.pullback(gradient);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i].defined()) accumulate(node.inputs[i], std::move(inputs[i]));
    }
}

// A value used twice gets the sum of both gradients.
void Tape::accumulate(Tensor::Id id, Tensor gradient) {
    const auto [slot, is_first] = gradients_.try_emplace(id, gradient);
    if (is_first) return;
    Tensor sum = Tensor::empty(gradient.shape(), gradient.device());
    backend(gradient.device()).binary(Binary::add, slot->second.view(), gradient.view(), sum.writable());
    slot->second = sum;
}

Tensor Tape::gradient(const Tensor& x) const {
    if (!done_) fail("gradient: call backward first");
    if (const auto found = gradients_.find(x.id()); found != gradients_.end()) return found->second;
    if (produced_.count(x.id()) && !kept_.count(x.id()))
        fail(
            "gradient: this intermediate value of shape {} was not kept: name it under a Trace, or call "
            "tape.keep(x) before backward",
            x.shape());
    return Tensor::zeros(x.shape(), x.device());
}

}  // namespace glassbox
