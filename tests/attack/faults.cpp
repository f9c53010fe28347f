// Preloaded into a program (LD_PRELOAD), it counts calls to the system and to the heap, and lets one of them
// fail:
//
//     GLASSBOX_FAULT=write:3:ENOSPC        the third write fails with "No space left on device"
//     GLASSBOX_FAULT=write:3:ENOSPC:on     and every write after it
//     GLASSBOX_FAULT=read:2:short          the second read gets half of what was asked for
//     GLASSBOX_FAULT=memory:17             the 17th malloc, calloc, realloc, … (operator new calls them, too)
//     GLASSBOX_FAULT_COUNTS=FILE           how often each was called, written at the end
//
// Calls are counted from the moment at which the program itself starts, static initialisers first: what the
// dynamic loader and the constructors of shared libraries do before is exempt, OpenBLAS's own start among it.
// Afterwards calls made by the loader, by OpenBLAS (which retries a refused mmap for ever), and by GLib,
// which ends the program by design, with the libraries for fonts and drawing around it, are neither counted
// nor refused. A child that the program starts runs without this library.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

namespace {

// ---- which call fails ---------------------------------------------------------------------------------

enum Kind {
    memory,
    open_,
    read_,
    write_,
    close_,
    sync_,
    rename_,
    link_,
    unlink_,
    truncate_,
    stat_,
    chmod_,
    mkdir_,
    list_,
    mmap_,
    lock_,
    process_,
    wait_,
    thread_,
    kinds
};
const char* const names[kinds] = {"memory", "open",   "read",     "write", "close", "sync",  "rename",
                                  "link",   "unlink", "truncate", "stat",  "chmod", "mkdir", "list",
                                  "mmap",   "lock",   "process",  "wait",  "thread"};

struct Error {
    const char* name;
    int number;
};
constexpr int half = -1;  // instead of an errno: read or write less than was asked for
const Error errors[] = {{"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EDQUOT", EDQUOT}, {"EINTR", EINTR},
                        {"EIO", EIO},       {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC},
                        {"EROFS", EROFS},   {"short", half}};

std::atomic<long> counts[kinds];
std::atomic<long> struck{0};
std::atomic<bool> is_counting{false};
int failing_kind = -1, failing_error = ENOMEM;
long failing_from = 0, failing_to = 0;
char counts_file[4096];

// ---- whose call it is ---------------------------------------------------------------------------------

struct Range {
    uintptr_t begin, end;
    bool has(const void* place) const {
        const auto address = reinterpret_cast<uintptr_t>(place);
        return address >= begin && address < end;
    }
};
Range libc{0, 0};
Range exempt_ranges[256];
std::atomic<int> exempt_count{0};

bool is_exempt_library(const char* path) {
    static const char* const exempt[] = {"/ld-linux",    "/libopenblas", "/libfaults.",    "/libglib-",
                                         "/libgobject-", "/libgio-",     "/libfontconfig", "/libpango",
                                         "/libcairo",    "/libpixman-",  "/libharfbuzz",   "/libfreetype",
                                         "/libexpat",    "/libpng",      "/libfribidi.",   "/libthai."};
    for (const char* name : exempt)
        if (strstr(path, name)) return true;
    return false;
}

int note_library(dl_phdr_info* info, size_t, void*) {
    if (!info->dlpi_name) return 0;
    const bool exempt = is_exempt_library(info->dlpi_name), is_libc = strstr(info->dlpi_name, "/libc.so.6");
    for (int i = 0; i < info->dlpi_phnum && (exempt || is_libc); ++i) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
        const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        const Range range{begin, begin + part.p_memsz};
        if (is_libc) libc = range;
        else if (exempt_count < 256) exempt_ranges[exempt_count] = range, exempt_count = exempt_count + 1;
    }
    return 0;
}

bool is_exempt(const void* caller) {
    for (int i = 0; i < exempt_count; ++i)
        if (exempt_ranges[i].has(caller)) return true;
    return false;
}

// libc allocates for others, in strdup say: whoever called it counts.
bool is_for_exempt(const void* caller) {
    if (!libc.has(caller)) return false;
    Dl_info about{};
    if (dladdr(caller, &about) && about.dli_sname && strcmp(about.dli_sname, "__cxa_thread_atexit_impl") == 0)
        return true;  // glibc ends the program, with a message of its own
    void* frames[32];
    const int count = backtrace(frames, 32);
    int i = 0;
    while (i < count && !libc.has(frames[i])) ++i;  // this library's own
    while (i < count && libc.has(frames[i])) ++i;
    return i < count && is_exempt(frames[i]);
}

}  // namespace

// A place for a debugger to stop at: break glassbox_fault_struck.
extern "C" [[gnu::noinline]] void glassbox_fault_struck() {
    struck.fetch_add(1);
    asm volatile("");
}

namespace {

// Counts the call. The error with which it must fail; 0 where it may go on.
int error_of(Kind kind, const void* caller) {
    if (!is_counting.load(std::memory_order_relaxed) || is_exempt(caller)) return 0;
    const long number = ++counts[kind];
    if (kind != failing_kind || number < failing_from || number > failing_to || is_for_exempt(caller))
        return 0;
    glassbox_fault_struck();
    return failing_error;
}

bool fails(Kind kind, const void* caller) {
    const int error = error_of(kind, caller);
    if (error > 0) errno = error;
    return error > 0;
}

// A stream keeps that it has failed: glibc's _IO_ERR_SEEN.
bool stdio_fails(Kind kind, const void* caller, FILE* file) {
    if (!fails(kind, caller)) return false;
    file->_flags |= 0x20;
    return true;
}

template <class Function>
Function* real(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// ---- what was asked for -------------------------------------------------------------------------------

// "write:3:ENOSPC:on"
void understand(char* text) {
    char *rest = nullptr, *word = strtok_r(text, ":", &rest);
    for (int kind = 0; word && kind < kinds; ++kind)
        if (strcmp(word, names[kind]) == 0) failing_kind = kind;
    word = strtok_r(nullptr, ":", &rest);
    failing_from = failing_to = word ? atol(word) : 0;
    while ((word = strtok_r(nullptr, ":", &rest))) {
        if (strcmp(word, "on") == 0) failing_to = INT64_MAX;
        for (const Error& error : errors)
            if (strcmp(word, error.name) == 0) failing_error = error.number;
    }
    if (failing_kind >= 0 && failing_from > 0) return;
    dprintf(2, "faults: GLASSBOX_FAULT: KIND:N[:ERROR][:on] expected\n");
    _exit(99);
}

void note_libraries() {
    exempt_count = 0;
    dl_iterate_phdr(note_library, nullptr);
}

[[gnu::constructor]] void begin() {
    if (const char* file = getenv("GLASSBOX_FAULT_COUNTS"))
        strncpy(counts_file, file, sizeof counts_file - 1);
    if (const char* fault = getenv("GLASSBOX_FAULT")) {
        static char text[100];
        strncpy(text, fault, sizeof text - 1);
        understand(text);
    }
    unsetenv("LD_PRELOAD");  // children run without it
    note_libraries();
    void* frame[1];
    backtrace(frame, 1);  // loads what it needs before anything is counted
}

[[gnu::destructor]] void end() {
    is_counting = false;
    if (!counts_file[0]) return;
    const int file =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, counts_file, O_WRONLY | O_CREAT | O_TRUNC, 0666));
    if (file < 0) return;
    dprintf(file, "{\"struck\": %ld", struck.load());
    for (int kind = 0; kind < kinds; ++kind) dprintf(file, ", \"%s\": %ld", names[kind], counts[kind].load());
    dprintf(file, "}\n");
    syscall(SYS_close, file);
}

}  // namespace

#define CALLER __builtin_return_address(0)
#define REAL(function) static const auto next = real(static_cast<decltype(::function)*>(nullptr), #function)
// A call that fails with errno and `value`.
#define FAILING(kind, type, function, value, declared, passed) \
    type function declared {                                   \
        REAL(function);                                        \
        if (fails(kind, CALLER)) return value;                 \
        return next passed;                                    \
    }

extern "C" {

// ---- the program's start ------------------------------------------------------------------------------

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
    const auto next = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
    is_counting = true;
    return next(main, argc, argv, init, fini, loader_fini, stack_end);
}

void* dlopen(const char* path, int how) noexcept {
    REAL(dlopen);
    const bool was_counting = is_counting.exchange(false);
    void* const module = next(path, how);
    note_libraries();
    is_counting = was_counting;
    return module;
}

// ---- memory -------------------------------------------------------------------------------------------

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t bytes) noexcept { return fails(memory, CALLER) ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) noexcept {
    return fails(memory, CALLER) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) noexcept {
    return fails(memory, CALLER) ? nullptr : __libc_realloc(block, bytes);
}
void* reallocarray(void* block, size_t count, size_t bytes) noexcept {
    if (fails(memory, CALLER)) return nullptr;
    if (bytes && count > SIZE_MAX / bytes) return errno = ENOMEM, nullptr;
    return __libc_realloc(block, count * bytes);
}
void* memalign(size_t alignment, size_t bytes) noexcept {
    return fails(memory, CALLER) ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
    return fails(memory, CALLER) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) noexcept {
    if (error_of(memory, CALLER) != 0) return ENOMEM;
    void* const got = __libc_memalign(alignment, bytes);
    if (got) *block = got;
    return got ? 0 : ENOMEM;
}

// ---- files --------------------------------------------------------------------------------------------

#define MODE_OF(flags)                                         \
    mode_t mode = 0;                                           \
    if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) { \
        va_list rest;                                          \
        va_start(rest, flags);                                 \
        mode = va_arg(rest, mode_t);                           \
        va_end(rest);                                          \
    }

int open(const char* path, int flags, ...) {
    MODE_OF(flags)
    return fails(open_, CALLER) ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int open64(const char* path, int flags, ...) {
    MODE_OF(flags)
    return fails(open_, CALLER) ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int openat(int folder, const char* path, int flags, ...) {
    MODE_OF(flags)
    return fails(open_, CALLER) ? -1 : static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
int openat64(int folder, const char* path, int flags, ...) {
    MODE_OF(flags)
    return fails(open_, CALLER) ? -1 : static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
FAILING(open_, FILE*, fopen, nullptr, (const char* path, const char* mode), (path, mode))
FAILING(open_, FILE*, fopen64, nullptr, (const char* path, const char* mode), (path, mode))
FAILING(open_, FILE*, fdopen, nullptr, (int file, const char* mode) noexcept, (file, mode))

// Half of the bytes, where the fault asks for less than all of them.
#define TRANSFERRING(kind, function, declared, passed)     \
    ssize_t function declared {                            \
        REAL(function);                                    \
        const int error = error_of(kind, CALLER);          \
        if (error > 0) return errno = error, -1;           \
        if (error == half && bytes > 1) bytes = bytes / 2; \
        return next passed;                                \
    }
TRANSFERRING(read_, read, (int file, void* into, size_t bytes), (file, into, bytes))
TRANSFERRING(read_, pread, (int file, void* into, size_t bytes, off_t at), (file, into, bytes, at))
TRANSFERRING(read_, pread64, (int file, void* into, size_t bytes, off64_t at), (file, into, bytes, at))
TRANSFERRING(write_, write, (int file, const void* from, size_t bytes), (file, from, bytes))
TRANSFERRING(write_, pwrite, (int file, const void* from, size_t bytes, off_t at), (file, from, bytes, at))
TRANSFERRING(write_, pwrite64, (int file, const void* from, size_t bytes, off64_t at),
             (file, from, bytes, at))

ssize_t writev(int file, const iovec* parts, int count) {
    REAL(writev);
    const int error = error_of(write_, CALLER);
    if (error > 0) return errno = error, -1;
    return next(file, parts, error == half && count > 1 ? count / 2 : count);
}
// stdio's own reads and writes are calls within libc, which cannot be replaced: the outer call fails instead.
size_t fread(void* into, size_t size, size_t count, FILE* file) {
    REAL(fread);
    return stdio_fails(read_, CALLER, file) ? 0 : next(into, size, count, file);
}
size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
    REAL(fwrite);
    return stdio_fails(write_, CALLER, file) ? 0 : next(from, size, count, file);
}

// A close that fails has closed the file all the same, as on Linux.
int close(int file) {
    const bool has_failed = fails(close_, CALLER);
    const int error = errno;
    const int result = static_cast<int>(syscall(SYS_close, file));
    return has_failed ? errno = error, -1 : result;
}
FAILING(sync_, int, fsync, -1, (int file), (file))
FAILING(sync_, int, fdatasync, -1, (int file), (file))
FAILING(rename_, int, rename, -1, (const char* from, const char* to) noexcept, (from, to))
FAILING(rename_, int, renameat, -1, (int in, const char* from, int out, const char* to) noexcept,
        (in, from, out, to))
FAILING(link_, int, link, -1, (const char* from, const char* to) noexcept, (from, to))
FAILING(link_, int, linkat, -1, (int in, const char* from, int out, const char* to, int how) noexcept,
        (in, from, out, to, how))
FAILING(link_, ssize_t, readlink, -1, (const char* path, char* into, size_t bytes) noexcept,
        (path, into, bytes))
FAILING(unlink_, int, unlink, -1, (const char* path) noexcept, (path))
FAILING(unlink_, int, remove, -1, (const char* path) noexcept, (path))
FAILING(unlink_, int, rmdir, -1, (const char* path) noexcept, (path))
FAILING(truncate_, int, ftruncate, -1, (int file, off_t bytes) noexcept, (file, bytes))
FAILING(truncate_, int, ftruncate64, -1, (int file, off64_t bytes) noexcept, (file, bytes))
FAILING(stat_, int, stat, -1, (const char* path, struct stat* about) noexcept, (path, about))
FAILING(stat_, int, lstat, -1, (const char* path, struct stat* about) noexcept, (path, about))
FAILING(stat_, int, fstat, -1, (int file, struct stat* about) noexcept, (file, about))
FAILING(stat_, int, fstatat, -1, (int folder, const char* path, struct stat* about, int how) noexcept,
        (folder, path, about, how))
FAILING(stat_, int, access, -1, (const char* path, int how) noexcept, (path, how))
FAILING(stat_, int, faccessat, -1, (int folder, const char* path, int how, int flags) noexcept,
        (folder, path, how, flags))
FAILING(chmod_, int, fchmod, -1, (int file, mode_t mode) noexcept, (file, mode))
FAILING(chmod_, int, fchown, -1, (int file, uid_t user, gid_t group) noexcept, (file, user, group))
FAILING(mkdir_, int, mkdir, -1, (const char* path, mode_t mode) noexcept, (path, mode))
FAILING(mkdir_, char*, mkdtemp, nullptr, (char* pattern) noexcept, (pattern))
FAILING(list_, DIR*, opendir, nullptr, (const char* path), (path))
FAILING(list_, DIR*, fdopendir, nullptr, (int file), (file))
FAILING(list_, dirent*, readdir, nullptr, (DIR * folder), (folder))
FAILING(list_, dirent64*, readdir64, nullptr, (DIR * folder), (folder))
FAILING(mmap_, void*, mmap, MAP_FAILED,
        (void* at, size_t bytes, int allowed, int flags, int file, off_t from) noexcept,
        (at, bytes, allowed, flags, file, from))
FAILING(mmap_, void*, mmap64, MAP_FAILED,
        (void* at, size_t bytes, int allowed, int flags, int file, off64_t from) noexcept,
        (at, bytes, allowed, flags, file, from))
FAILING(lock_, int, flock, -1, (int file, int how) noexcept, (file, how))

// ---- processes and threads ----------------------------------------------------------------------------

FAILING(process_, int, pipe, -1, (int* ends) noexcept, (ends))
FAILING(process_, int, pipe2, -1, (int* ends, int flags) noexcept, (ends, flags))
FAILING(process_, pid_t, fork, -1, () noexcept, ())
FAILING(wait_, pid_t, waitpid, -1, (pid_t child, int* status, int how), (child, status, how))
FAILING(wait_, int, poll, -1, (pollfd * files, nfds_t count, int milliseconds), (files, count, milliseconds))
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*body)(void*),
                   void* argument) noexcept {
    REAL(pthread_create);
    const int error = error_of(thread_, CALLER);
    return error > 0 ? error : next(thread, how, body, argument);
}

}  // extern "C"
