#include <glassbox/io/detail/own_zip/deflate.h>

#include <algorithm>
#include <limits>

#include <zlib.h>

namespace glassbox {

using namespace detail;

namespace {

constexpr int bits_of_window = -MAX_WBITS;  // negative: deflate without zlib's header
constexpr std::size_t at_once = std::numeric_limits<unsigned>::max();  // zlib's sizes have 32 bits

Bytef* bytes_for_zlib(const std::byte* bytes) {  // it changes none of its input
    return reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes));
}

}  // namespace

struct Inflation::State {
    z_stream stream{};
    ByteView unread;
    bool is_at_end = false;
};

Inflation::Inflation(ByteView deflated) : state_(std::make_unique<State>()) {
    state_->unread = deflated;
    if (inflateInit2(&state_->stream, bits_of_window) != Z_OK) fail<IoError>("zlib: no memory to inflate");
}

Inflation::~Inflation() { inflateEnd(&state_->stream); }

Inflation::Got Inflation::read(std::span<std::byte> into) {
    z_stream& stream = state_->stream;
    std::size_t done = 0;
    while (done < into.size() && !state_->is_at_end) {
        const std::size_t offered = std::min(state_->unread.size(), at_once);
        const std::size_t wanted = std::min(into.size() - done, at_once);
        stream.next_in = bytes_for_zlib(state_->unread.data());
        stream.avail_in = static_cast<unsigned>(offered);
        stream.next_out = bytes_for_zlib(into.data() + done);
        stream.avail_out = static_cast<unsigned>(wanted);
        const int result = inflate(&stream, Z_NO_FLUSH);
        state_->unread = state_->unread.subspan(offered - stream.avail_in);
        done += wanted - stream.avail_out;
        if (result == Z_STREAM_END) state_->is_at_end = true;
        else if (result == Z_BUF_ERROR)  // nothing more to read
            break;
        else if (result != Z_OK)
            return {done, fmt::format("Zlib error: {}", stream.msg ? stream.msg : zError(result))};
    }
    return {done, ""};
}

bool can_deflate() { return true; }

Bytes deflated(ByteView content) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, bits_of_window,
                     MAX_MEM_LEVEL,  // as libzip has it
                     Z_DEFAULT_STRATEGY) != Z_OK)
        fail<IoError>("zlib: no memory to deflate");
    Bytes made(deflateBound(&stream, content.size()));
    stream.next_in = bytes_for_zlib(content.data());
    stream.avail_in = static_cast<unsigned>(content.size());
    stream.next_out = bytes_for_zlib(made.data());
    stream.avail_out = static_cast<unsigned>(made.size());
    const int result = deflate(&stream, Z_FINISH);
    made.resize(stream.total_out);
    deflateEnd(&stream);
    if (result != Z_STREAM_END) fail<IoError>("zlib: {} bytes could not be deflated", content.size());
    return made;
}

}  // namespace glassbox
