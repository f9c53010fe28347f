#pragma once
#include <string>
#include <vector>

// Connections between processes of one machine, each of which knows its rank and a shared name.
namespace cuda_on_host {

struct Hello {
    int rank, device;
};

// A socket to every other rank, -1 for itself, and each rank's greeting. False when a rank has not connected
// within a minute.
bool connect_all(const std::string& name, int ranks, const Hello& own, std::vector<int>& sockets,
                 std::vector<Hello>& all);

// Messages over one connection, in both directions concurrently.
struct Message {
    void* data;
    std::size_t bytes;
};
class Line {
  public:
    explicit Line(int socket) : socket_(socket) {}
    void add_outgoing(const void* data, std::size_t bytes);
    void add_incoming(const Message& message) { incoming_.push_back(message); }

    enum class State { open, done, gone, other_size };
    State go_on();  // sends and receives without blocking
    int socket() const { return socket_; }
    short events() const;
    // What is missing on an unfinished connection.
    std::vector<Message> missing() const { return {incoming_.begin() + next_, incoming_.end()}; }

  private:
    bool send_some();
    State receive_some();

    int socket_;
    std::vector<char> outgoing_;
    std::size_t sent_ = 0;
    std::vector<Message> incoming_;
    std::ptrdiff_t next_ = 0;
    std::size_t received_ = 0;     // bytes of the next message, preceded by its size
    unsigned long long size_ = 0;  // as announced by the peer
};

}  // namespace cuda_on_host
