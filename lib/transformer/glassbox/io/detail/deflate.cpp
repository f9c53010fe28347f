#include <glassbox/io/detail/deflate.h>

#include <algorithm>
#include <limits>
#include <new>

#include <zlib.h>

namespace glassbox::detail {
namespace {

constexpr int bits_of_window = -MAX_WBITS;  // negative: deflate without zlib's header
constexpr std::size_t at_once = std::numeric_limits<unsigned>::max();  // zlib's sizes have 32 bits

Bytef* bytes_for_zlib(const std::byte* bytes) {  // it changes none of its input
    return reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes));
}

// What zlib reads next. Returns how much that is.
std::size_t offer(z_stream& stream, ByteView content) {
    const std::size_t offered = std::min(content.size(), at_once);
    stream.next_in = bytes_for_zlib(content.data());
    stream.avail_in = static_cast<unsigned>(offered);
    return offered;
}

// Where zlib writes next. Returns how much it may.
std::size_t ask(z_stream& stream, std::span<std::byte> into) {
    const std::size_t asked = std::min(into.size(), at_once);
    stream.next_out = bytes_for_zlib(into.data());
    stream.avail_out = static_cast<unsigned>(asked);
    return asked;
}

}  // namespace

struct Inflation::State {
    explicit State(ByteView deflated) : unread(deflated) {
        if (inflateInit2(&stream, bits_of_window) != Z_OK) throw std::bad_alloc();
    }
    ~State() { inflateEnd(&stream); }

    z_stream stream{};
    ByteView unread;
    bool is_at_end = false;
};

Inflation::Inflation(ByteView deflated) : state_(std::make_unique<State>(deflated)) {}
Inflation::~Inflation() = default;

Inflation::Got Inflation::read(std::span<std::byte> into) {
    z_stream& stream = state_->stream;
    std::size_t done = 0;
    while (done < into.size() && !state_->is_at_end) {
        const std::size_t offered = offer(stream, state_->unread), asked = ask(stream, into.subspan(done));
        const int result = inflate(&stream, Z_NO_FLUSH);
        state_->unread = state_->unread.subspan(offered - stream.avail_in);
        done += asked - stream.avail_out;
        state_->is_at_end = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR) throw std::bad_alloc();  // not the fault of the data
        if (result == Z_BUF_ERROR) break;                   // nothing more to read
        if (result != Z_OK && result != Z_STREAM_END)
            return {done, fmt::format("Zlib error: {}", stream.msg ? stream.msg : zError(result))};
    }
    return {done, ""};
}

bool can_deflate() { return true; }

void append_deflated(Bytes& bytes, ByteView content) {
    struct Deflation {
        z_stream stream{};
        Deflation() {
            if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, bits_of_window, MAX_MEM_LEVEL,
                             Z_DEFAULT_STRATEGY) != Z_OK)
                throw std::bad_alloc();
        }
        ~Deflation() { deflateEnd(&stream); }
    } deflation;
    z_stream& stream = deflation.stream;
    Bytes piece(std::size_t{1} << 16);
    for (int result = Z_OK; result == Z_OK;) {
        const std::size_t offered = offer(stream, content), asked = ask(stream, piece);
        result = deflate(&stream, offered == content.size() ? Z_FINISH : Z_NO_FLUSH);
        content = content.subspan(offered - stream.avail_in);
        const ByteView made = ByteView(piece).first(asked - stream.avail_out);
        bytes.insert(bytes.end(), made.begin(), made.end());
        if (result < 0) fail<IoError>("zlib: {}", zError(result));
    }
}

std::uint32_t crc32_of(ByteView bytes, std::uint32_t before) {
    return static_cast<std::uint32_t>(crc32_z(before, bytes_for_zlib(bytes.data()), bytes.size()));
}

}  // namespace glassbox::detail
