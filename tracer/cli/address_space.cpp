#include "cli/memory.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <glassbox/backend/parallel.h>

// Part of OpenBLAS, but not exported by every build.
extern "C" {
[[gnu::weak]] void* blas_memory_alloc(int);
[[gnu::weak]] void blas_memory_free(void*);
}

namespace {

// OpenBLAS maps 128 MB of address space for each thread that multiplies, and retries for ever when a limit
// (ulimit -v, or of data, -d) denies it. Under a limit its buffers are therefore allocated before anything is
// computed: with too little space the program exits with a message, otherwise it runs on as many threads as
// have a buffer.
constexpr std::size_t megabyte = std::size_t{1} << 20, buffer = 128 * megabyte;
constexpr std::size_t other_needs = 48 * megabyte;  // stacks, malloc's arenas, and some tensors

struct Limited {
    rlim_t most = RLIM_INFINITY;
    const char *what = "", *option = "";
};

Limited min_limit() {
    rlimit space{}, data{};
    Limited least;
    if (::getrlimit(RLIMIT_AS, &space) == 0) least = {space.rlim_cur, "address space", "-v"};
    if (::getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur < least.most)
        least = {data.rlim_cur, "memory for data", "-d"};
    return least;
}

bool is_limited() { return min_limit().most != RLIM_INFINITY; }

bool is_free(std::size_t bytes) {
    // Writable: else it is not data.
    void* const place =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return false;
    ::munmap(place, bytes);
    return true;
}

[[noreturn]] void refuse() {
    const Limited limit = min_limit();
    char text[200];
    const int length = std::snprintf(text, sizeof text,
                                     "error: out of %s: the limit is %zu MB (ulimit %s), and tracer needs "
                                     "%zu MB more to start\n",
                                     limit.what, static_cast<std::size_t>(limit.most) / megabyte,
                                     limit.option, (buffer + other_needs) / megabyte);
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, static_cast<std::size_t>(length));
    ::_exit(4);
}

// A stack overflow ends a program silently, so a limit that is too small (ulimit -s) is reported first. The
// limit is first raised as far as allowed; child processes inherit it.
constexpr rlim_t kilobyte = 1024, min_stack = 128 * kilobyte, usual_stack = 8192 * kilobyte;

void need_stack() {
    rlimit allowed{};
    if (::getrlimit(RLIMIT_STACK, &allowed) != 0 || allowed.rlim_cur >= usual_stack) return;
    allowed.rlim_cur = allowed.rlim_max < usual_stack ? allowed.rlim_max : usual_stack;
    ::setrlimit(RLIMIT_STACK, &allowed);
    pthread_attr_t attributes;  // threads have the size that the limit had when the program was started
    if (allowed.rlim_cur >= min_stack && ::pthread_attr_init(&attributes) == 0) {
        if (::pthread_attr_setstacksize(&attributes, allowed.rlim_cur) == 0)
            ::pthread_setattr_default_np(&attributes);
        ::pthread_attr_destroy(&attributes);
    }
    if (allowed.rlim_cur >= min_stack) return;
    char text[200];
    const int length = std::snprintf(
        text, sizeof text, "error: out of stack: the limit is %zu KB (ulimit -s), and tracer needs %zu KB\n",
        static_cast<std::size_t>(allowed.rlim_cur / kilobyte),
        static_cast<std::size_t>(min_stack / kilobyte));
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, static_cast<std::size_t>(length));
    ::_exit(4);
}

// Runs before OpenBLAS's own constructor, which has default priority.
[[gnu::constructor(101)]] void before_openblas() {
    ::setenv("OPENBLAS_NUM_THREADS", "1", 1);  // Glassbox has its own thread pool
    need_stack();
    if (is_limited() && !is_free(buffer + other_needs)) refuse();
}

// Makes OpenBLAS allocate up to `wanted` buffers, which it keeps for reuse; returns how many there are.
int threads_with_a_buffer(int wanted) {
    std::vector<void*> taken;
    while (static_cast<int>(taken.size()) < wanted && is_free(buffer + other_needs))
        taken.push_back(blas_memory_alloc(0));
    for (void* const each : taken) blas_memory_free(each);
    return static_cast<int>(taken.size());
}

}  // namespace

void glassbox::tracer::reserve_address_space() {
    if (!is_limited() || !blas_memory_alloc || !blas_memory_free) return;
    const int threads = threads_with_a_buffer(glassbox::num_threads());
    if (threads == 0) refuse();
    glassbox::limit_threads(threads);
}
