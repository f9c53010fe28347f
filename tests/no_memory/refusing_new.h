#pragma once
#include <atomic>

// What stands in for operator new in this program: it counts the blocks that are alive, and can refuse one.
namespace glassbox_test {

extern std::atomic<long> blocks_alive;
extern std::atomic<long> blocks_until_refused;  // 1: the next is refused; 0 or less: none is

}  // namespace glassbox_test
