#pragma once
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <glassbox/observe/few.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

class GradientHomes;

// While a Tape lives, every op of this thread leaves its pullback on it:
//     Tape tape;  Tensor loss = sum(model(x));  tape.backward(loss);  tape.gradient(x);
// A flat list; backward walks it in reverse and frees each node as it goes. Gradients are kept for the
// tensors that went in (parameters, inputs), for the steps that a Trace has named, and for those told to
// keep().
class Tape {
  public:
    using Gradients = Few<Tensor>;  // of the op's inputs, in order; an undefined one means: none
    using Pullback = std::function<Gradients(const Tensor& dy)>;

    // With homes, the gradients of those tensors are added up there, and gradient(x) is the home.
    explicit Tape(GradientHomes* homes = nullptr);
    ~Tape();
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;
    static Tape* current();  // the one that listens to this thread, or null

    // d loss / d everything. `loss` has one element; call it once: the nodes are gone afterwards.
    void backward(const Tensor& loss);
    // The same for any y, given d loss / d y of y's shape.
    void backward(const Tensor& y, const Tensor& dy);

    // d loss / d x: x's shape; zeros where the loss does not depend on x. Throws Error before backward, and
    // for an intermediate value that was not kept.
    Tensor gradient(const Tensor& x) const;
    void keep(const Tensor& x) { kept_.insert(x.id()); }

    void record(const Tensor& y, Few<Tensor::Id> inputs, Pullback pullback);  // for ops
    std::size_t size() const { return nodes_.size(); }

  private:
    struct Node {
        Tensor::Id output;
        Few<Tensor::Id> inputs;
        Pullback pullback;
    };
    struct Slot {
        Tensor gradient;        // undefined until something flows here
        bool produced = false;  // by an op on this tape
    };
    Slot& slot(Tensor::Id id);
    const Slot* find(Tensor::Id id) const;
    Tensor gradient_at_output(Tensor::Id id);
    void add(const Few<Tensor::Id>& inputs, const Gradients& gradients);
    void accumulate(Tensor::Id id, const Tensor& gradient);

    Tape* outer_;
    GradientHomes* homes_;
    bool done_ = false;
    std::vector<Node> nodes_;
    std::unordered_set<Tensor::Id> kept_;
    Tensor::Id first_;         // the first id that can be made while this tape lives
    std::vector<Slot> slots_;  // of first_, first_ + 1, …, once backward runs
    std::unordered_map<Tensor::Id, Slot> from_outside_;  // of what was made before, or by another thread
};

}  // namespace glassbox
