#pragma once
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/catch.h"

namespace glassbox_test {

// A chroot may have /dev/ptmx, but not the terminals that it makes in /dev/pts.
inline void need_terminals() {
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
    const bool is_made = master >= 0 && ::grantpt(master) == 0 && ::unlockpt(master) == 0;
    const char* const name = is_made ? ::ptsname(master) : nullptr;
    const int slave = name ? ::open(name, O_RDWR | O_NOCTTY) : -1;
    for (const int each : {master, slave})
        if (each >= 0) ::close(each);
    if (slave < 0) SKIP("this system gives no pseudo-terminals (/dev/ptmx, /dev/pts)");
}

}  // namespace glassbox_test
