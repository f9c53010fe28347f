#include <glassbox/observe/detail/gradient_homes.h>

#include <algorithm>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/detail/listening.h>
#include <glassbox/tensor/detail/overwritable.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// Whether the gradient is the room itself, maybe under another id.
bool is_room(const Tensor& room, const Tensor& gradient) {
    return gradient.shares_storage_with(room) && gradient.data() == room.data() &&
           gradient.shape() == room.shape() && gradient.contiguous();
}

// A gradient that is another way to read the rooms' own block must not change while it is read.
Tensor apart_from(const Tensor& room, const Tensor& gradient) {
    if (!gradient.shares_storage_with(room)) return gradient;
    Tensor copy = Tensor::empty(gradient.shape(), gradient.device());
    backend(gradient.device()).copy(gradient.view(), copy.writable());
    return copy;
}

void check_fits(const Tensor& room, const Tensor& x) {
    if (room.shape() != x.shape() || room.device() != x.device())
        fail("gradient homes: a room of shape {} on {} for a gradient of shape {} on {}", room.shape(),
             name(room.device()), x.shape(), name(x.device()));
}

}  // namespace

GradientHomes*& playing_homes() {
    static thread_local GradientHomes* homes = nullptr;
    return homes;
}

GradientHomes::GradientHomes(const std::vector<std::pair<Tensor::Id, Tensor>>& ids_and_rooms) {
    for (const auto& [id, room] : ids_and_rooms) {
        if (!room.contiguous())
            fail("gradient homes: a room without gaps is needed, one of shape {} has some", room.shape());
        sorted_.emplace_back(id, homes_.size());
        homes_.push_back({room});
    }
    std::sort(sorted_.begin(), sorted_.end());
    for (std::size_t i = 1; i < sorted_.size(); ++i)
        if (sorted_[i].first == sorted_[i - 1].first)
            fail("gradient homes: one home a tensor, rooms {} and {} are of the same", sorted_[i - 1].second,
                 sorted_[i].second);
}

void GradientHomes::begin() {
    for (Home& home : homes_) home.state = State::empty;
}

void GradientHomes::finish() {
    for (Home& home : homes_) {
        if (home.state == State::written) continue;
        backend(home.room.device()).fill(overwritable(home.room), 0);
        home.state = State::written;
    }
}

// Parameters that were made one after another have ids in a row: the first guess is right.
GradientHomes::Home* GradientHomes::find(Tensor::Id id) {
    if (sorted_.empty() || id < sorted_.front().first || id > sorted_.back().first) return nullptr;
    const std::size_t guess = id - sorted_.front().first;
    if (guess < sorted_.size() && sorted_[guess].first == id) return &homes_[sorted_[guess].second];
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::make_pair(id, std::size_t{0}));
    return found->first == id ? &homes_[found->second] : nullptr;
}

const Tensor* GradientHomes::find_written(Tensor::Id id) const {
    const Home* home = find(id);
    return home && home->state == State::written ? &home->room : nullptr;
}

// Lent once: an op that has x as two of its inputs asks for two rooms.
Tensor GradientHomes::lend(const Tensor& x) {
    Home* home = find(x.id());
    if (!home || home->state != State::empty) return Tensor::empty(x.shape(), x.device());
    check_fits(home->room, x);
    home->state = State::lent;
    return home->room;
}

void GradientHomes::take_back(Tensor::Id id, const Tensor& gradient) {
    Home* home = find(id);
    if (home && home->state == State::lent && is_room(home->room, gradient)) home->state = State::returned;
}

bool GradientHomes::add(Tensor::Id id, const Tensor& gradient) {
    Home* home = find(id);
    if (!home) return false;
    Tensor& room = home->room;
    check_fits(room, gradient);
    if (home->state == State::returned && is_room(room, gradient)) {
        home->state = State::written;  // it was computed here
        return true;
    }
    const Tensor other = apart_from(room, gradient);
    if (home->state == State::returned || home->state == State::written) {
        backend(room.device()).binary(Binary::add, room.view(), other.view(), overwritable(room));
    } else {
        backend(room.device()).copy(other.view(), overwritable(room));
        home->state = State::written;
    }
    return true;
}

Tensor gradient_room(const Tensor& x) {
    GradientHomes* homes = playing_homes();
    return homes ? homes->lend(x) : Tensor::empty(x.shape(), x.device());
}

}  // namespace glassbox
