#include "sockets.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>

namespace cuda_on_host {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience(60);

// An abstract socket name (its first byte is 0), which disappears with its listener.
struct Address {
    sockaddr_un where = {};
    socklen_t size = 0;

    Address(const std::string& name, int rank) {
        const std::string text = name + "." + std::to_string(rank);
        where.sun_family = AF_UNIX;
        std::memcpy(where.sun_path + 1, text.data(), text.size());
        size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&where); }
};

int new_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

// The other rank may not be listening yet.
int connect_to(const Address& address) {
    const Clock::time_point end = Clock::now() + patience;
    while (Clock::now() < end) {
        const int line = new_socket();
        if (line < 0 || connect(line, address.get(), address.size) == 0) return line;
        close(line);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return -1;
}

int accept_one(int listener) {
    pollfd waiting = {listener, POLLIN, 0};
    const int milliseconds = static_cast<int>(std::chrono::milliseconds(patience).count());
    return poll(&waiting, 1, milliseconds) == 1 ? accept4(listener, nullptr, nullptr, SOCK_CLOEXEC) : -1;
}

bool greet(int line, const Hello& own, Hello& other) {
    return send(line, &own, sizeof own, MSG_NOSIGNAL) == sizeof own &&
           recv(line, &other, sizeof other, MSG_WAITALL) == sizeof other;
}

}  // namespace

// Each rank listens, and connects to those before it.
bool connect_all(const std::string& name, int ranks, const Hello& own, std::vector<int>& sockets,
                 std::vector<Hello>& all) {
    sockets.assign(static_cast<std::size_t>(ranks), -1);
    all.assign(static_cast<std::size_t>(ranks), own);
    const Address address(name, own.rank);
    const int listener = new_socket();
    bool is_well = bind(listener, address.get(), address.size) == 0 && listen(listener, ranks) == 0;
    for (int i = 0; i < ranks - 1 && is_well; ++i) {
        const int line = i < own.rank ? connect_to(Address(name, i)) : accept_one(listener);
        Hello other = {};
        is_well = line >= 0 && greet(line, own, other);
        if (!is_well) continue;
        sockets[static_cast<std::size_t>(other.rank)] = line;
        all[static_cast<std::size_t>(other.rank)] = other;
    }
    close(listener);
    return is_well;
}

void Line::add_outgoing(const void* data, std::size_t bytes) {
    const unsigned long long size = bytes;
    const char* const header = reinterpret_cast<const char*>(&size);
    const char* const body = static_cast<const char*>(data);
    outgoing_.insert(outgoing_.end(), header, header + sizeof size);
    outgoing_.insert(outgoing_.end(), body, body + bytes);
}

short Line::events() const {
    const bool sends = sent_ < outgoing_.size(), receives = !missing().empty();
    return static_cast<short>((sends ? POLLOUT : 0) | (receives ? POLLIN : 0));
}

// False when the peer is gone.
bool Line::send_some() {
    while (sent_ < outgoing_.size()) {
        const ssize_t count =
            send(socket_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0) return errno == EAGAIN || errno == EINTR;
        sent_ += static_cast<std::size_t>(count);
    }
    return true;
}

Line::State Line::receive_some() {
    while (!missing().empty()) {
        const Message& message = incoming_[static_cast<std::size_t>(next_)];
        const bool is_header = received_ < sizeof size_;
        char* const to = is_header ? reinterpret_cast<char*>(&size_) + received_
                                   : static_cast<char*>(message.data) + (received_ - sizeof size_);
        const std::size_t room = (is_header ? 0 : message.bytes) + sizeof size_ - received_;
        const ssize_t count = recv(socket_, to, room, MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return State::open;
        if (count <= 0) return State::gone;
        received_ += static_cast<std::size_t>(count);
        if (received_ >= sizeof size_ && size_ != message.bytes) return State::other_size;
        if (received_ == sizeof size_ + message.bytes) ++next_, received_ = 0;
    }
    return State::done;
}

Line::State Line::go_on() {
    const bool is_there = send_some();
    const State state = receive_some();  // data sent before the peer exited still counts
    if (state != State::done) return state;
    if (!is_there) return State::gone;
    return sent_ == outgoing_.size() ? State::done : State::open;
}

}  // namespace cuda_on_host
