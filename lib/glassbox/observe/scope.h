#pragma once
#include <string>
#include <string_view>

namespace glassbox {

// Puts a part before the names of the steps that follow, as long as it lives:
//     Scope scope("encoder", 0);  …  named("logits", x)   →  encoder/0/logits
// Costs nothing to speak of when no Trace listens.
class Scope {
  public:
    [[nodiscard]] explicit Scope(std::string_view part);
    [[nodiscard]] Scope(std::string_view part, int index);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    static const std::string& path();  // "encoder/0/", empty outside every scope; this thread's

  private:
    std::size_t length_before_;
};

}  // namespace glassbox
