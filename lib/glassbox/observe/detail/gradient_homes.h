#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include <glassbox/tensor/detail/overwritable.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Where a tape puts the gradients of some tensors, when somebody else keeps them: an optimiser has those of
// all parameters in one block.
//     GradientHomes homes({{W.id(), block_for_W}, {b.id(), block_for_b}});
//     { Tape tape(&homes);  tape.backward(loss(model(x))); }
//     homes.finish();
// Further tapes add to what is there, until begin() empties all homes. One thread at a time uses them.
class GradientHomes {
  public:
    // Which tensor has which room; a room has the tensor's shape, device, and no gaps.
    explicit GradientHomes(const std::vector<std::pair<Tensor::Id, Tensor>>& ids_and_rooms);

    void begin();   // all homes are empty: the next gradient overwrites what a room holds
    void finish();  // rooms that nobody wrote become 0
    std::size_t size() const { return homes_.size(); }
    bool is_written(std::size_t i) const { return homes_[i].state == State::written; }
    const Tensor& room(std::size_t i) const { return homes_[i].room; }

    // For Tape.
    const Tensor* find_written(Tensor::Id id) const;  // null when there is no home, or nothing in it
    bool has(Tensor::Id id) const { return find(id) != nullptr; }
    void take_back(Tensor::Id id, const Tensor& gradient);  // before add: a room that was lent returns filled
    bool add(Tensor::Id id, const Tensor& gradient);        // false when id has no home
    Tensor lend(const Tensor& x);                           // for gradient_room

  private:
    enum class State { empty, lent, returned, written };
    struct Home {
        Tensor room;
        State state = State::empty;
    };
    Home* find(Tensor::Id id);
    const Home* find(Tensor::Id id) const { return const_cast<GradientHomes*>(this)->find(id); }

    std::vector<Home> homes_;
    std::vector<std::pair<Tensor::Id, std::size_t>> sorted_;  // ids, ascending, with their place in homes_
};

// For pullbacks: an uninitialised tensor of x's shape in which to compute ∂L/∂x. When the tape that is played
// has a home for x that is still empty it is that home, so that nothing is copied afterwards. Return it as
// x's gradient, and as nobody else's.
Tensor gradient_room(const Tensor& x);

}  // namespace glassbox
