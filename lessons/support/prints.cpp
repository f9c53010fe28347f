#include "prints.h"

#include <signal.h>
#ifdef __GLIBC__
#include <stdio_ext.h>
#endif
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <vector>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace lesson {
namespace {

// Both processes see it: the second may end in the midst of a case.
struct KeptPrints {
    std::array<char, 256> first, last;  // during what something was printed
    off_t end;                          // of what was printed during the first
    int others;
};
KeptPrints* kept_prints = nullptr;
std::FILE* prints_file = nullptr;
int check_stdout = -1, check_stderr = -1;  // while the work has others
rlimit usual_file_size;

constexpr rlim_t max_printed = 1 << 20;  // a loop without end prints as long as it may
constexpr std::size_t max_lines = 20, max_columns = 200;

void put(std::array<char, 256>& to, const std::string& text) {
    to.fill(0);
    std::memcpy(to.data(), text.data(), std::min(text.size(), to.size() - 1));
}

void flush_all() {
    std::cout.flush();
    std::clog.flush();
    std::fflush(nullptr);
}

off_t size_of_prints() { return lseek(fileno(prints_file), 0, SEEK_END); }

std::string kept_text(off_t end) {
    std::string text(static_cast<std::size_t>(end), '\0');
    const ssize_t got = pread(fileno(prints_file), text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
}

std::vector<std::string> lines_of_prints(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

}  // namespace

void keep_prints() {
    void* memory =
        mmap(nullptr, sizeof(KeptPrints), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    prints_file = std::tmpfile();
    if (memory == MAP_FAILED || !prints_file) return;  // it is then shown as it comes
    kept_prints = static_cast<KeptPrints*>(memory);
}

void begin_prints() {
    if (!kept_prints) return;
    flush_all();
    check_stdout = dup(STDOUT_FILENO), check_stderr = dup(STDERR_FILENO);
    lseek(fileno(prints_file), 0, SEEK_END);
    dup2(fileno(prints_file), STDOUT_FILENO), dup2(fileno(prints_file), STDERR_FILENO);
    ::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &usual_file_size);
    rlimit limit = usual_file_size;
    limit.rlim_cur = std::min(limit.rlim_max, max_printed);
    setrlimit(RLIMIT_FSIZE, &limit);
}

void end_prints(const std::string& during) {
    if (!kept_prints) return;
    flush_all();
#ifdef __GLIBC__
    __fpurge(stdout);  // what was too much
#endif
    setrlimit(RLIMIT_FSIZE, &usual_file_size);
    dup2(check_stdout, STDOUT_FILENO), dup2(check_stderr, STDERR_FILENO);
    close(check_stdout), close(check_stderr);
    check_stdout = check_stderr = -1;
    if (size_of_prints() == kept_prints->end) return;
    if (!kept_prints->first[0]) put(kept_prints->first, during);
    if (during == kept_prints->first.data()) {
        kept_prints->end = size_of_prints();
        return;
    }
    (void)!ftruncate(fileno(prints_file), kept_prints->end);
    if (during != kept_prints->last.data()) ++kept_prints->others;
    put(kept_prints->last, during);
}

std::string prints(const std::string& name, const std::string& during) {
    if (!kept_prints || size_of_prints() == 0) return "";
    if (kept_prints->first[0])
        return shown_prints(kept_text(kept_prints->end), name, kept_prints->first.data(),
                            kept_prints->others);
    return shown_prints(kept_text(size_of_prints()), name, during, 0);
}

std::string shown_prints(const std::string& text, const std::string& name, const std::string& during,
                         int others) {
    const std::vector<std::string> lines = lines_of_prints(text);
    if (lines.empty()) return "";
    std::string page = fmt::format("{} printed in {}", name, during);
    if (others > 0) page += fmt::format(", and also in {} other case{}", others, others == 1 ? "" : "s");
    page += ":\n";
    for (std::size_t i = 0; i < std::min(lines.size(), max_lines); ++i)
        page += "    | " + glassbox::printable_lines(lines[i].substr(0, max_columns)) + "\n";
    if (lines.size() > max_lines) page += fmt::format("    | … {} more lines\n", lines.size() - max_lines);
    return page + "\n";
}

int messages() { return check_stderr < 0 ? STDERR_FILENO : check_stderr; }

}  // namespace lesson
