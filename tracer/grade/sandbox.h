#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grade/process.h"

namespace glassbox::tracer {

// Where untrusted code runs: bubblewrap's, with the compiler's and the libraries' folders to read, a small
// folder in memory to write to, no network, no other file, no other process and few of the system's calls.
class Sandbox {
  public:
    // Throws UsageError, with the reason, if there is no bubblewrap or the system does not let it work. With
    // `trust` the code runs as the teacher's own, only under the limits.
    static Sandbox find(bool trust);
    // Why there is no sandbox here; "" if there is one.
    static std::string problem();

    // Runs a shell script with the positional arguments $1 = `readable`, a folder with all that it may read,
    // and $2, an empty folder in which it may write. Throws IoError if the sandbox does not start, or the
    // machine ended what ran in it.
    RunResult run(const std::string& script, const std::filesystem::path& readable,
                  const Limits& limits) const;
    // Hands a folder over to whom the code runs as.
    void hand_over(const std::filesystem::path& folder) const;
    bool is_sandbox() const { return !bwrap_.empty(); }

  private:
    static std::string problem(Sandbox& sandbox);

    std::string bwrap_;           // its path; empty: none
    bool as_nobody_ = false;      // run by the user without rights
    bool without_users_ = false;  // nothing in it can create a user namespace
};

// A program for the kernel's filter of system calls, as bubblewrap's --seccomp takes it: a submission gets an
// error for calls that none needs. Namespaces and mounts, the kernel's keyrings, other processes' memory,
// memory not charged to any process, sockets beyond this machine, and calls in which most kernel flaws are
// found. A program for another processor (32 bits) is killed. Empty on a processor whose calls are not known
// here.
std::string system_call_filter();

}  // namespace glassbox::tracer
