#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/detail/pullback.h>
#include <glassbox/observe/detail/small_vector.h>
#include <glassbox/tensor/detail/free_list.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

using Inputs = detail::SmallVector<const Tensor*>;  // of an op, in order

// Reverse-mode automatic differentiation. While a Tape lives, every op on this thread records its pullback:
//     Tape tape;  Tensor loss = sum(model(x));  tape.backward(loss);  tape.gradient(x);
// A flat list, which backward walks in reverse, freeing each node as it goes. Gradients are kept for inputs
// (parameters included), for the steps that a Trace has named, and for tensors passed to keep(). A gradient
// that the tape cannot know is an Error, never 0: of a loss computed elsewhere, of values computed while
// another tape was recording (there are no second derivatives), of a tensor that no op here has seen. Values
// computed on another thread count as inputs, like parameters.
class Tape {
  public:
    using Gradients = detail::Pullback::Gradients;

    // With buffers, the gradients of their tensors accumulate there, and gradient(x) is the buffer. Other
    // tensors have a gradient only if they are kept: backward skips all others.
    [[nodiscard]] explicit Tape(detail::GradientBuffers* buffers = nullptr);
    ~Tape();
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;
    static Tape* current() { return detail::listening_tape(); }  // the one recording this thread, or null

    // Computes d loss / d x for every x. `loss` has one element and was computed on this tape. Can be called
    // once, since it frees the nodes. Also throws Error if a pullback's gradients do not fit the op's inputs.
    void backward(const Tensor& loss);
    // The same for y of any shape, given d loss / d y.
    void backward(const Tensor& y, const Tensor& dy);

    // d loss / d x: x's shape; zeros where the loss does not depend on x. Throws Error before backward, for
    // an intermediate value that was not kept, and for a tensor that no op on this tape has seen.
    Tensor gradient(const Tensor& x) const;
    // After backward, on a tape without buffers: whether an op on it has read x, and whether the loss depends
    // on x by its ops.
    bool has_read(const Tensor& x) const;
    bool reaches(const Tensor& x) const;
    void keep(const Tensor& x) { memory_.kept.push_back(x.id()); }

    // For ops. `pullback`, Tensor -> Gradients, is called at most once.
    template <class Function>
    void record(const char* op, const Tensor& y, const Inputs& inputs, Function&& pullback) {
        last_ = new Node{last_, op, y.id(), input_ids(inputs),
                         detail::Pullback(std::forward<Function>(pullback))};
        ++size_;
    }
    std::size_t size() const { return size_; }
    bool wants(Tensor::Id id) const;  // whether backward needs this gradient, for itself or further back

  private:
    struct Node {
        Node* before;
        const char* op;
        Tensor::Id output;
        detail::SmallVector<Tensor::Id> inputs;
        detail::Pullback pullback;

        static void* operator new(std::size_t) { return detail::FreeList<sizeof(Node)>::take(); }
        static void operator delete(void* node) noexcept { detail::FreeList<sizeof(Node)>::give(node); }
    };
    struct Slot {
        Tensor gradient;        // undefined until a gradient arrives
        bool produced = false;  // is the output of an op on this tape
        bool read = false;      // is the input of one
        bool kept = false;
        bool wanted = false;  // with buffers: computed from a tensor that is kept or has a buffer
    };
    // Working memory, emptied and passed to the thread's next tape for reuse.
    struct Memory {
        std::vector<Slot> slots;                                // by id − first_, once backward runs
        std::vector<std::pair<Tensor::Id, Slot>> from_outside;  // made earlier or on another thread
        std::vector<Tensor::Id> kept;
        std::vector<const Node*> in_order;
        std::vector<Shape> shapes;                                 // of all inputs of all nodes
        std::vector<std::pair<Tensor::Id, Tensor::Id>> elsewhere;  // id ranges recorded by inner tapes
    };
    static Memory& spare_memory();

    detail::SmallVector<Tensor::Id> input_ids(const Inputs& inputs);
    void drop_last();
    void check_thread() const;
    void check_is_on_tape(const Tensor& y) const;
    void mark_read(const Node& node);
    void mark_wanted();
    Slot& slot(Tensor::Id id);
    const Slot* find(Tensor::Id id) const;
    Tensor gradient_at_output(Tensor::Id id);
    void check_fits(const Node& node, const Gradients& gradients) const;
    void add(const detail::SmallVector<Tensor::Id>& inputs, const Gradients& gradients);
    void accumulate(Tensor::Id id, const Tensor& gradient);

    Tape* outer_;
    Tape** const listening_;  // the thread-local pointer of the thread that made this tape
    detail::GradientBuffers* buffers_;
    bool done_ = false;
    Node* last_ = nullptr;  // head of the list, linked from last to first
    std::size_t size_ = 0;
    Tensor::Id first_;  // the smallest id of a tensor made during this tape's lifetime
    Memory memory_;
};

// For pullbacks: whether the tape running backward needs ∂L/∂x. If not, return an undefined gradient.
bool gradient_wanted(const Tensor& x);

}  // namespace glassbox
