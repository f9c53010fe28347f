#pragma once
#include <string>
#include <vector>

// Lines between processes of one machine, each of which knows its number and a name that all share.
namespace cuda_on_host {

struct Hello {
    int rank, device;
};

// A socket to every other rank, -1 to oneself, and what each says of itself. False when some rank has not
// come within a minute.
bool connect_all(const std::string& name, int ranks, const Hello& own, std::vector<int>& sockets,
                 std::vector<Hello>& all);

// One line's share of some messages that go both ways at once.
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
    State go_on();  // sends and receives what can be without waiting
    int socket() const { return socket_; }
    short events() const;
    // Of a line that is not done: what has not come.
    std::vector<Message> missing() const { return {incoming_.begin() + next_, incoming_.end()}; }

  private:
    bool send_some();
    State receive_some();

    int socket_;
    std::vector<char> outgoing_;
    std::size_t sent_ = 0;
    std::vector<Message> incoming_;
    std::ptrdiff_t next_ = 0;
    std::size_t received_ = 0;     // of the next one, its size before it
    unsigned long long size_ = 0;  // what the other side says it is
};

}  // namespace cuda_on_host
