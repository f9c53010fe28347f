#include <glassbox/io/file.h>

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

namespace glassbox {

void fail_with_errno(const std::string& file, const std::string& what) {
    fail<IoError>("{}: {}: {}", file, what, std::generic_category().message(errno));
}

Descriptor::~Descriptor() { close(); }

bool Descriptor::close() {
    if (!owned_) return true;
    owned_ = false;
    return ::close(number_) == 0;
}

// Some file systems do not support fsync, and pipes have nothing to sync.
bool Descriptor::sync() const {
    return ::fsync(number_) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

void write_all(const Descriptor& to, ByteView bytes, const std::string& file) {
    constexpr std::size_t max_chunk = std::size_t{1} << 30;  // Linux writes at most 2 GiB in one call
    while (!bytes.empty()) {
        const ssize_t written = ::write(to.number(), bytes.data(), std::min(bytes.size(), max_chunk));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_with_errno(file, "cannot write");
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

std::optional<int> inherited_descriptor(const std::filesystem::path& path) {
    const std::string text = path.lexically_normal().string();
    if (text == "/dev/stdin") return 0;
    if (text == "/dev/stdout") return 1;
    if (text == "/dev/stderr") return 2;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!text.starts_with(folder)) continue;
        int number = -1;
        const auto [end, error] =
            std::from_chars(text.data() + folder.size(), text.data() + text.size(), number);
        if (error == std::errc{} && end == text.data() + text.size() && number >= 0) return number;
    }
    return std::nullopt;
}

}  // namespace glassbox
