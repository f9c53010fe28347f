#include "grade/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace glassbox::tracer {
namespace {

// Those newer than some compilers' headers; they have one number on every processor.
constexpr std::uint32_t io_uring_setup = 425, io_uring_enter = 426, io_uring_register = 427, open_tree = 428,
                        move_mount = 429, fsopen = 430, fsconfig = 431, fsmount = 432, fspick = 433,
                        clone3 = 435, pidfd_getfd = 438, process_madvise = 440, mount_setattr = 442,
                        quotactl_fd = 443, memfd_secret = 447, process_mrelease = 448, open_tree_attr = 467;

constexpr std::uint32_t refused_calls[] = {
    // Keyrings, among them the teacher's.
    SYS_keyctl, SYS_add_key, SYS_request_key,
    // Memory that counts for no process: segments and files without a name, and pages that lie in a pipe.
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_shmdt, SYS_semget, SYS_semop, SYS_semctl, SYS_semtimedop,
    SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink, SYS_memfd_create,
    memfd_secret, SYS_vmsplice,
    // Namespaces, mounts and the root of the files.
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, open_tree, open_tree_attr,
    move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, SYS_name_to_handle_at,
    SYS_open_by_handle_at, SYS_fanotify_init, SYS_fanotify_mark, SYS_quotactl, quotactl_fd, SYS_acct,
    SYS_swapon, SYS_swapoff,
    // Other processes.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, pidfd_getfd, process_madvise,
    process_mrelease, SYS_move_pages, SYS_migrate_pages, SYS_perf_event_open,
    // What runs within the kernel.
    SYS_bpf, io_uring_setup, io_uring_enter, io_uring_register, SYS_userfaultfd,
    // The machine itself.
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_syslog,
    SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname,
    SYS_vhangup,
#if defined(__x86_64__)
    SYS_kexec_file_load, SYS_iopl, SYS_ioperm, SYS_modify_ldt
#elif defined(__aarch64__)
    294  // kexec_file_load
#endif
};

// Flags of a system call that give new processes their own namespaces.
constexpr std::uint32_t own_namespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

constexpr std::uint32_t refusal(int number) {
    return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(number) & SECCOMP_RET_DATA);
}

// The program, line by line. A jump skips a number of lines.
class Program {
  public:
    void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
    // The lower half of an argument; the kernel takes no more of an int. (Both processors are little-endian.)
    void load_argument(int i) { load(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(i)); }
    void end(std::uint32_t with) { add(BPF_RET | BPF_K, with); }
    void unless_equal_skip(std::uint32_t value, std::uint8_t lines) {
        add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, lines);
    }
    void if_equal_skip(std::uint32_t value, std::uint8_t lines) {
        add(BPF_JMP | BPF_JEQ | BPF_K, value, lines, 0);
    }
    void unless_at_least_skip(std::uint32_t value, std::uint8_t lines) {
        add(BPF_JMP | BPF_JGE | BPF_K, value, 0, lines);
    }
    void unless_any_bit_skip(std::uint32_t bits, std::uint8_t lines) {
        add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, lines);
    }
    std::string bytes() const {
        return {reinterpret_cast<const char*>(lines_.data()), lines_.size() * sizeof(sock_filter)};
    }

  private:
    void add(int code, std::uint32_t k, std::uint8_t if_so = 0, std::uint8_t if_not = 0) {
        lines_.push_back({static_cast<std::uint16_t>(code), if_so, if_not, k});
    }
    std::vector<sock_filter> lines_;
};

// Between processes of the machine, and the Internet's, which the sandbox has not got: of other families,
// from Bluetooth to virtual machines, some reach beyond the network's namespace.
void refuse_other_sockets(Program& filter, std::uint32_t call) {
    filter.unless_equal_skip(call, 6);
    filter.load_argument(0);
    for (const int family : {AF_UNIX, AF_INET, AF_INET6})
        filter.if_equal_skip(static_cast<std::uint32_t>(family),
                             static_cast<std::uint8_t>(family == AF_UNIX   ? 3
                                                       : family == AF_INET ? 2
                                                                           : 1));
    filter.end(refusal(EAFNOSUPPORT));
    filter.end(SECCOMP_RET_ALLOW);
}

void refuse_namespaces(Program& filter) {
    filter.unless_equal_skip(SYS_clone, 4);
    filter.load_argument(0);
    filter.unless_any_bit_skip(own_namespaces, 1);
    filter.end(refusal(EPERM));
    filter.end(SECCOMP_RET_ALLOW);
    // Its flags are in memory, where a filter cannot look: programs then use clone.
    filter.unless_equal_skip(clone3, 1);
    filter.end(refusal(ENOSYS));
}

// Types into a terminal.
void refuse_typing(Program& filter) {
    filter.unless_equal_skip(SYS_ioctl, 4);
    filter.load_argument(1);
    filter.unless_equal_skip(TIOCSTI, 1);
    filter.end(refusal(EPERM));
    filter.end(SECCOMP_RET_ALLOW);
}

std::string filter_for(std::uint32_t processor) {
    Program filter;
    filter.load(offsetof(seccomp_data, arch));
    filter.if_equal_skip(processor, 1);
    filter.end(SECCOMP_RET_KILL_PROCESS);
    filter.load(offsetof(seccomp_data, nr));
    if (processor == AUDIT_ARCH_X86_64) {  // its calls with pointers of 32 bits
        filter.unless_at_least_skip(0x40000000, 1);
        filter.end(SECCOMP_RET_KILL_PROCESS);
    }
    for (const std::uint32_t call : refused_calls) {
        filter.unless_equal_skip(call, 1);
        filter.end(refusal(EPERM));
    }
    for (const std::uint32_t call : {SYS_socket, SYS_socketpair}) refuse_other_sockets(filter, call);
    refuse_namespaces(filter);
    refuse_typing(filter);
    filter.end(SECCOMP_RET_ALLOW);
    return filter.bytes();
}

}  // namespace

std::string system_call_filter() {
#if defined(__x86_64__)
    return filter_for(AUDIT_ARCH_X86_64);
#elif defined(__aarch64__)
    return filter_for(AUDIT_ARCH_AARCH64);
#else
    return "";
#endif
}

}  // namespace glassbox::tracer
