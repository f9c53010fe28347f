#pragma once
#include <string>
#include <string_view>

namespace glassbox {

// RAII prefix for the paths of the steps named in its lifetime:
//     Scope scope("encoder", 0);  …  named("logits", x)   →  encoder/0/logits
// Nearly free when no Trace is recording.
class Scope {
  public:
    [[nodiscard]] explicit Scope(std::string_view part);
    [[nodiscard]] Scope(std::string_view part, int index);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    static const std::string& path();  // of this thread: "encoder/0/", empty outside any scope

  private:
    std::size_t length_before_;
};

}  // namespace glassbox
