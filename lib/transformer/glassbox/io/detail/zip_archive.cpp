#include <glassbox/io/detail/zip_archive.h>

#include <algorithm>

namespace glassbox::detail {

ZipArchive::Stream::Stream(const ZipArchive& archive, std::size_t index)
    : archive_(archive), member_(archive.members_.at(index)) {
    if (member_.is_encrypted()) fail_damaged("it is encrypted");
    if (member_.flags & zip_patch) fail_damaged("it is a patch of another file");
    if (member_.method != zip_stored && member_.method != zip_deflated)
        fail_damaged(
            fmt::format("compression method {} is not supported: stored and deflated are", member_.method));
    // read_zip_directory has checked that the member lies in the file.
    const std::byte* const header = archive_.bytes_.data() + member_.header_offset;
    const std::size_t before = zip_header_bytes + load_little_endian<std::uint16_t>(header + 26) +
                               load_little_endian<std::uint16_t>(header + 28);
    const ByteView data(header + before, static_cast<std::size_t>(member_.stored_bytes));
    if (member_.method == zip_deflated) inflation_.emplace(data);
    else unread_ = data;
}

// Fewer bytes than requested only at the end of the content.
std::size_t ZipArchive::Stream::read_some(std::span<std::byte> into) {
    Inflation::Got got{std::min(into.size(), unread_.size()), ""};
    if (inflation_) got = inflation_->read(into);
    else std::copy_n(unread_.begin(), got.bytes, into.begin());
    if (!inflation_) unread_ = unread_.subspan(got.bytes);
    if (!got.error.empty()) fail_damaged(got.error);
    crc_ = crc32_of(into.first(got.bytes), crc_);
    done_ += got.bytes;
    return got.bytes;
}

void ZipArchive::Stream::read(std::span<std::byte> into) {
    if (read_some(into) < into.size())
        fail_damaged(
            fmt::format("its compressed data end after {} of {} bytes", done_, member_.content_bytes));
}

void ZipArchive::Stream::finish() {
    std::byte more;
    if (read_some({&more, 1}) > 0)
        fail_damaged(fmt::format("its compressed data continue after {} bytes", member_.content_bytes));
    if (crc_ != member_.crc) fail_damaged("CRC error");
}

void ZipArchive::Stream::fail_damaged(const std::string& reason) const {
    fail_at(archive_.file_, member_.header_offset, "member '{}': {}", printable(member_.name), reason);
}

}  // namespace glassbox::detail
