// Finds the static variables behind __shared__ in the program's symbol table: their symbols have the tag
// cuda_shared and, like the function's mark, begin with the enclosing function's name. On systems without
// such a table, shared memory keeps the previous block's contents.
#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel.h"

#ifdef __linux__
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace cuda_on_host {

namespace {

struct Symbol {
    const char* name;
    char* address;
    std::size_t bytes;
    bool is_function;
};

#ifdef __linux__
// The first entry is the running program.
ElfW(Addr) load_address() {
    ElfW(Addr) address = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            *static_cast<ElfW(Addr)*>(result) = info->dlpi_addr;
            return 1;
        },
        &address);
    return address;
}

std::vector<Symbol> read_symbols() {
    std::vector<Symbol> symbols;
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0) return symbols;
    void* mapped = mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return symbols;  // otherwise kept, as the names point into it
    const char* base = static_cast<const char*>(mapped);
    const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(base);
    const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(base + header->e_shoff);
    const ElfW(Addr) shift = load_address();
    for (unsigned s = 0; s < header->e_shnum; ++s) {
        if (sections[s].sh_type != SHT_SYMTAB) continue;
        const char* names = base + sections[sections[s].sh_link].sh_offset;
        const auto* entries = reinterpret_cast<const ElfW(Sym)*>(base + sections[s].sh_offset);
        for (std::size_t i = 0; i < sections[s].sh_size / sizeof(ElfW(Sym)); ++i) {
            const auto type = entries[i].st_info & 0xf;
            if ((type != STT_OBJECT && type != STT_FUNC) || entries[i].st_size == 0) continue;
            symbols.push_back({names + entries[i].st_name,
                               reinterpret_cast<char*>(shift + entries[i].st_value), entries[i].st_size,
                               type == STT_FUNC});
        }
    }
    return symbols;
}
#else
std::vector<Symbol> read_symbols() { return {}; }
#endif

const std::vector<Symbol>& symbols() {
    static const std::vector<Symbol> instance = read_symbols();
    return instance;
}

// The shared variables of one function.
struct Variables {
    std::string function;  // prefix of their symbols
    std::vector<std::pair<char*, std::size_t>> places;
    std::size_t bytes = 0;
    unsigned long long block = 0;  // the last block that used them
};

// "_ZZ…E21cuda_on_host_mark_40…" begins with "_ZZ…E".
std::string function_of(const char* mark) {
    const char* end = std::strstr(mark, "cuda_on_host_mark_");
    while (end > mark && end[-1] >= '0' && end[-1] <= '9') --end;
    return std::string(mark, end);
}

bool is_variable_of(const std::string& function, const char* name) {
    return std::strncmp(name, function.c_str(), function.size()) == 0 && name[function.size()] >= '1' &&
           name[function.size()] <= '9' && std::strstr(name, "B11cuda_shared");
}

Variables* find_variables(const SharedMark& mark) {
    static std::deque<Variables> found;
    std::string function;
    for (const Symbol& symbol : symbols())
        if (symbol.address == reinterpret_cast<const char*>(&mark)) function = function_of(symbol.name);
    for (Variables& variables : found)
        if (variables.function == function) return &variables;
    found.push_back({function, {}});
    if (function.empty()) return &found.back();
    for (const Symbol& symbol : symbols()) {
        if (symbol.is_function || !is_variable_of(function, symbol.name)) continue;
        found.back().places.emplace_back(symbol.address, symbol.bytes);
        found.back().bytes += symbol.bytes;
    }
    return &found.back();
}

}  // namespace

void enter_shared(SharedMark& mark) {
    mark.block = block_number;
    if (!mark.variables) mark.variables = find_variables(mark);
    Variables& variables = *static_cast<Variables*>(mark.variables);
    if (variables.block == block_number) return;
    variables.block = block_number;
    for (const auto& [address, bytes] : variables.places) std::memset(address, garbage, bytes);
    use_static_shared(variables.bytes);
}

std::string name_of(const void* function) {
    for (const Symbol& symbol : symbols()) {
        if (!symbol.is_function || symbol.address != function) continue;
        int status = 0;
        const std::unique_ptr<char, void (*)(void*)> readable(
            abi::__cxa_demangle(symbol.name, nullptr, nullptr, &status), std::free);
        return readable ? readable.get() : symbol.name;
    }
    return "?";
}

}  // namespace cuda_on_host
