#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include <glassbox/observe/detail/few.h>
#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/detail/pullback.h>
#include <glassbox/tensor/detail/free_list.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// While a Tape lives, every op of this thread leaves its pullback on it:
//     Tape tape;  Tensor loss = sum(model(x));  tape.backward(loss);  tape.gradient(x);
// A flat list; backward walks it in reverse and frees each node as it goes. Gradients are kept for the
// tensors that went in (parameters, inputs), for the steps that a Trace has named, and for those told to
// keep(). Where a tape cannot know a gradient it throws, and never says 0: for a loss that is not its own,
// for what was computed while another tape listened (there are no second derivatives), for a tensor that it
// never saw. What another thread has computed is an input to it, like a parameter.
class Tape {
  public:
    using Gradients = Pullback::Gradients;

    // With homes, the gradients of those tensors are added up there, and gradient(x) is the home. Of what has
    // none only what was kept has a gradient: the way back does not go where no home is.
    [[nodiscard]] explicit Tape(GradientHomes* homes = nullptr);
    ~Tape();
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;
    static Tape* current() { return listening_tape(); }  // the one that listens to this thread, or null

    // d loss / d everything. `loss` has one element and was computed on this tape; call it once: the nodes
    // are gone afterwards. Throws Error, too, for a pullback whose gradients do not fit the op's inputs.
    void backward(const Tensor& loss);
    // The same for any y, given d loss / d y of y's shape.
    void backward(const Tensor& y, const Tensor& dy);

    // d loss / d x: x's shape; zeros where the loss does not depend on x. Throws Error before backward, for
    // an intermediate value that was not kept, and for a tensor that no op on this tape has seen.
    Tensor gradient(const Tensor& x) const;
    void keep(const Tensor& x) { memory_.kept.push_back(x.id()); }

    // For ops. The function, Tensor -> Gradients, is called at most once.
    template <class Function>
    void record(const char* op, const Tensor& y, const Few<const Tensor*>& inputs, Function&& pullback) {
        last_ = new Node{last_, op, y.id(), seen(inputs), Pullback(std::forward<Function>(pullback))};
        ++size_;
    }
    std::size_t size() const { return size_; }
    bool wants(Tensor::Id id) const;  // whether ∂L/∂ that, or of what it was made from, is of use

  private:
    struct Node {
        Node* before;
        const char* op;
        Tensor::Id output;
        Few<Tensor::Id> inputs;
        Pullback pullback;

        static void* operator new(std::size_t) { return FreeList<sizeof(Node)>::take(); }
        static void operator delete(void* node) noexcept { FreeList<sizeof(Node)>::give(node); }
    };
    struct Slot {
        Tensor gradient;        // undefined until something flows here
        bool produced = false;  // by an op on this tape
        bool read = false;      // by one
        bool kept = false;
        bool wanted = false;  // with homes: made from what has a home or is kept
    };
    // What grows with a tape and is empty at its end: the thread's next one takes it over.
    struct Memory {
        std::vector<Slot> slots;  // of first_, first_ + 1, …, once backward runs
        std::vector<std::pair<Tensor::Id, Slot>>
            from_outside;  // of what was made before, or by another thread
        std::vector<Tensor::Id> kept;
        std::vector<const Node*> in_order;
        std::vector<Shape> shapes;                                 // of all inputs of all nodes
        std::vector<std::pair<Tensor::Id, Tensor::Id>> elsewhere;  // from … to: while another tape listened
    };
    static Memory& spare_memory();

    Few<Tensor::Id> seen(const Few<const Tensor*>& inputs);
    void drop_last();
    void check_thread() const;
    void check_is_here(const Tensor& y) const;
    void mark_read(const Node& node);
    void mark_wanted();
    Slot& slot(Tensor::Id id);
    const Slot* find(Tensor::Id id) const;
    Tensor gradient_at_output(Tensor::Id id);
    void check_fits(const Node& node, const Gradients& gradients) const;
    void add(const Few<Tensor::Id>& inputs, const Gradients& gradients);
    void accumulate(Tensor::Id id, const Tensor& gradient);

    Tape* outer_;
    Tape** const listening_;  // where the thread that made it looks for its tape
    GradientHomes* homes_;
    bool done_ = false;
    Node* last_ = nullptr;  // of a list that is walked in reverse
    std::size_t size_ = 0;
    Tensor::Id first_;  // the first id that can be made while this tape lives
    Memory memory_;
};

// For pullbacks: whether the tape that is played has use for ∂L/∂x; if not, return an undefined gradient.
bool gradient_wanted(const Tensor& x);

}  // namespace glassbox
